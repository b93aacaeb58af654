//! The claims of an answer, and whether it may be called certified. Every answer passes here before
//! it is shown.

use crate::document::{Bounds, Curve};
use remapping::{Rational, Status};

/// An interval that an answer states to contain a number.
pub struct Claim {
    /// The name of the number.
    pub name: String,
    /// A lower bound on it.
    pub lower: f64,
    /// An upper bound on it.
    pub upper: f64,
    /// The number that the width is relative to.
    pub unit: f64,
    /// The exact number, where it is known.
    pub exact: Option<Rational>,
}

impl Claim {
    /// A claim whose width counts absolutely.
    pub fn absolute(name: impl Into<String>, lower: f64, upper: f64) -> Claim {
        Claim { name: name.into(), lower, upper, unit: 1.0, exact: None }
    }

    /// A claim whose width counts relative to max(1, |number|).
    pub fn relative(name: impl Into<String>, lower: f64, upper: f64) -> Claim {
        Claim { unit: lower.abs().max(1.0), ..Claim::absolute(name, lower, upper) }
    }

    /// The same claim, of a number with this exact value.
    pub fn with(self, exact: Option<Rational>) -> Claim {
        Claim { exact, ..self }
    }

    /// The width in units of `unit`; infinite where the claim bounds nothing.
    fn width(&self) -> f64 {
        let known = self.lower.is_finite() && self.upper.is_finite() && self.lower <= self.upper;
        if known { (self.upper - self.lower) / self.unit } else { f64::INFINITY }
    }

    /// Why the claim cannot be true, if so.
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

/// The result of examining an answer.
pub struct Verdict {
    /// `Converged` only if every claim is as narrow as was asked for.
    pub status: Status,
    /// The claims that missed the tolerance.
    pub warning: Option<String>,
    /// Two claims, or a claim and the exact solution, that contradict each other: a bug.
    pub contradiction: Option<String>,
}

/// Examines an answer with these claims that was computed to `tolerance` and ended with `status`.
/// `contradiction` is any other contradiction in it.
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

/// A tolerance of two digits that is at least this width.
fn met(width: f64) -> String {
    let shown = format!("{width:.1e}");
    if shown.parse().is_ok_and(|shown: f64| shown >= width) {
        return shown;
    }
    // A unit of the last digit is at most a tenth of the width, and half a unit is missing.
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
