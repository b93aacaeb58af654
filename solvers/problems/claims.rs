//! What an answer claims, and whether it may be called certified: every answer passes here before it is shown.

use crate::document::{Bounds, Curve};
use remapping::{Rational, Status};

/// An interval that is said to contain a number.
pub struct Claim {
    /// The number.
    pub name: String,
    /// Not above it.
    pub lower: f64,
    /// Not below it.
    pub upper: f64,
    /// What the tolerance of its width is relative to.
    pub unit: f64,
    /// The number itself, where that is known.
    pub exact: Option<Rational>,
}

impl Claim {
    /// Of a number whose width counts absolutely.
    pub fn absolute(name: impl Into<String>, lower: f64, upper: f64) -> Claim {
        Claim { name: name.into(), lower, upper, unit: 1.0, exact: None }
    }

    /// Of a number whose width counts relative to max(1, |number|).
    pub fn relative(name: impl Into<String>, lower: f64, upper: f64) -> Claim {
        Claim { unit: lower.abs().max(1.0), ..Claim::absolute(name, lower, upper) }
    }

    /// The same, of a number that is known.
    pub fn with(self, exact: Option<Rational>) -> Claim {
        Claim { exact, ..self }
    }

    /// How wide it is, in units of what it may be; infinite where it bounds nothing.
    fn width(&self) -> f64 {
        let known = self.lower.is_finite() && self.upper.is_finite() && self.lower <= self.upper;
        if known { (self.upper - self.lower) / self.unit } else { f64::INFINITY }
    }

    /// What is wrong with it, if it cannot be true.
    fn contradiction(&self) -> Option<String> {
        let Claim { name, lower, upper, exact, .. } = self;
        if lower > upper {
            return Some(format!(
                "{name} has the lower bound {lower:e} and the upper bound {upper:e}"
            ));
        }
        let exact = exact.as_ref()?;
        let double = |bound: f64| Rational::try_from(bound).ok();
        let outside = double(*lower).is_some_and(|lower| *exact < lower)
            || double(*upper).is_some_and(|upper| *exact > upper);
        let near = exact.to_f64().value();
        outside.then(|| format!("{name} is exactly {near:e}, outside [{lower:e}, {upper:e}]"))
    }
}

/// What becomes of an answer.
pub struct Verdict {
    /// Converged only if every claim has the width that was asked for.
    pub status: Status,
    /// What missed it.
    pub warning: Option<String>,
    /// Two claims, or a claim and the exact solution, that cannot both be true: a bug.
    pub contradiction: Option<String>,
}

/// Examines an answer with these claims that was computed to `tolerance` and ended with `status`; `contradiction` is what
/// else in it cannot be true.
pub fn examine(
    claims: &[Claim],
    contradiction: Option<String>,
    status: Status,
    tolerance: f64,
) -> Verdict {
    let contradiction = claims.iter().find_map(Claim::contradiction).or(contradiction);
    let widest = claims.iter().max_by(|a, b| a.width().total_cmp(&b.width()));
    let missed = widest.filter(|claim| claim.width() > tolerance);
    let reached = missed.is_none() && contradiction.is_none();
    let limited = matches!(status, Status::Converged | Status::IterationLimit);
    let warning = missed.filter(|_| limited).map(|Claim { name, lower, upper, unit, .. }| {
        let width = upper - lower;
        match (width.is_finite(), *unit == 1.0) {
            (false, _) => {
                format!("{name} has no finite bounds: the numbers are too large for doubles")
            }
            (true, true) => format!(
                "the tolerance was not reached: the bounds of {name} are {width:.2e} apart; they meet \
                 --tolerance {}",
                met(width)
            ),
            (true, false) => format!(
                "the tolerance was not reached: the bounds of {name} are {width:.2e} apart, \
                 {:.2e} of max(1, |{name}|); they meet --tolerance {}",
                width / unit,
                met(width / unit)
            ),
        }
    });
    let status = match status {
        Status::Converged if !reached => Status::IterationLimit,
        status => status,
    };
    Verdict { status, warning, contradiction }
}

/// A tolerance of two digits that is not below a width.
fn met(width: f64) -> String {
    let shown = format!("{width:.1e}");
    if shown.parse().is_ok_and(|shown: f64| shown >= width) {
        return shown;
    }
    // A unit of the last digit is a tenth of the width at most, and half a unit is missing.
    format!("{:.1e}", 1.06 * width)
}

/// One claim for each run of equal bounds, or for each step where the exact thresholds are known.
pub fn of_curve(name: &str, curve: &Curve, exact: Option<&[String]>) -> Vec<Claim> {
    let claim =
        |n: u64, bounds: Bounds| Claim::absolute(format!("{name}_{n}"), bounds.lower, bounds.upper);
    let step = |n: u64, fraction: &String| Some(claim(n, curve.at(n)?).with(fraction.parse().ok()));
    match exact {
        Some(fractions) => (0..).zip(fractions).filter_map(|(n, f)| step(n, f)).collect(),
        None => curve.runs().map(|run| claim(run.first, run.bounds)).collect(),
    }
}
