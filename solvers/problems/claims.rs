//! What an answer claims, and whether it may be called certified: every answer passes here before it is shown.

use super::load_drift::answer as load_drift;
use super::phase_change::answer as phase_change;
use super::phase_change::answer::Exact;
use super::phase_switching::answer as phase_switching;
use super::registry::Body;
use super::stopping::answer as stopping;
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

    fn with(self, exact: Option<Rational>) -> Claim {
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

/// Examines an answer that was computed to `tolerance` and ended with `status`.
pub fn examine(body: &Body, status: Status, tolerance: f64) -> Verdict {
    let claims = claims(body);
    let contradiction = claims.iter().find_map(Claim::contradiction).or_else(|| other(body));
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

fn claims(body: &Body) -> Vec<Claim> {
    match body {
        Body::PhaseChange(answer) => of_phase_change(answer),
        Body::PhaseSwitching(answer) => of_phase_switching(answer),
        Body::ManyPhases(answer) => {
            let exact = answer.exact.as_ref().and_then(|value| value.parse().ok());
            let value = answer.value.map(|value| Claim::relative("V", value.lower, value.upper));
            value.map(|claim| claim.with(exact)).into_iter().collect()
        }
        Body::LoadDrift(answer) => of_load_drift(answer),
        Body::Stopping(answer) => of_stopping(answer),
        Body::Fluids(answer) | Body::LandBattle(answer) => {
            let all = answer.scenarios.iter().flat_map(|scenario| &scenario.threshold);
            // Thresholds without bounds of their own: that they are numbers is all there is to see.
            all.map(|threshold| Claim::absolute("a threshold", *threshold, *threshold)).collect()
        }
        // Confidence intervals prove nothing.
        Body::ContinuousDrift(_) => Vec::new(),
        // Intervals of time steps carry no bounds; each method says what it promises.
        Body::Periodic(_) => Vec::new(),
    }
}

/// What else cannot be true.
fn other(body: &Body) -> Option<String> {
    let Body::PhaseChange(answer) = body else { return None };
    let exact = answer.exact.as_ref()?.n0;
    let n0 = answer.n0.filter(|n0| *n0 != exact)?;
    Some(format!("n0 is given as {n0}, and is exactly {exact}"))
}

/// One claim for each run of equal bounds, or for each step where the exact thresholds are known.
fn of_curve(name: &str, curve: &Curve, exact: Option<&[String]>) -> Vec<Claim> {
    let claim =
        |n: u64, bounds: Bounds| Claim::absolute(format!("{name}_{n}"), bounds.lower, bounds.upper);
    let step = |n: u64, fraction: &String| Some(claim(n, curve.at(n)?).with(fraction.parse().ok()));
    match exact {
        Some(fractions) => (0..).zip(fractions).filter_map(|(n, f)| step(n, f)).collect(),
        None => curve.runs().map(|run| claim(run.first, run.bounds)).collect(),
    }
}

fn of_phase_change(answer: &phase_change::Answer) -> Vec<Claim> {
    let exact = answer.exact.as_ref();
    let thresholds = exact.map(|Exact { threshold, .. }| threshold.as_slice());
    let mut claims = of_curve("pi", &answer.curve(), thresholds);
    let value = answer.value.map(|value| Claim::relative("V", value.lower, value.upper));
    claims.extend(value.map(|claim| claim.with(exact.and_then(|e| e.value.parse().ok()))));
    claims
}

fn of_phase_switching(answer: &phase_switching::Answer) -> Vec<Claim> {
    let exact = answer.exact.as_ref();
    let names = ["to_second", "to_first"];
    let mut claims = Vec::new();
    for ((name, curve), k) in names.iter().zip(&answer.curves()).zip(0..) {
        let fractions = exact.map(|exact| match k {
            0 => exact.to_second.as_slice(),
            _ => exact.to_first.as_slice(),
        });
        claims.extend(of_curve(name, curve, fractions));
    }
    if answer.last_step.is_none() {
        let both = [&answer.to_second, &answer.to_first];
        for (name, found) in names.iter().zip(both) {
            let bounds = found.lower.iter().zip(&found.upper);
            claims.extend(bounds.map(|(lower, upper)| Claim::absolute(*name, *lower, *upper)));
        }
    }
    let value = answer.value.map(|value| Claim::relative("the value", value.lower, value.upper));
    claims.extend(value.map(|claim| claim.with(exact.and_then(|e| e.value.parse().ok()))));
    claims
        .extend(answer.average.map(|mean| Claim::relative("the average", mean.lower, mean.upper)));
    claims
}

fn of_load_drift(answer: &load_drift::Answer) -> Vec<Claim> {
    if answer.statistical {
        // Confidence intervals prove nothing.
        return Vec::new();
    }
    let bounds = answer.value_bounds;
    vec![Claim::relative("the value", bounds.lower, bounds.upper)]
}

fn of_stopping(answer: &stopping::Answer) -> Vec<Claim> {
    let [lower, upper] = answer.remap_bounds;
    let average = answer.average;
    let averages = average.map(|mean| Claim::relative("the average cost", mean.lower, mean.upper));
    // The gap bounds every J, relative to max(1, R); where there is none, the average.
    let what = if average.is_some() { "the average cost" } else { "every J relative to max(1, R)" };
    let gap = Claim::absolute(what, 0.0, answer.value_gap);
    let whole = Claim { unit: upper.max(1.0), ..Claim::absolute("R", lower, upper) };
    averages.into_iter().chain([gap, whole]).collect()
}
