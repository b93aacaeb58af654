//! Compares a solution with what its certificate proves. Each field agrees with the proof, or is
//! listed as not proved; most of the latter are computed again.

use super::recomputed::{Second, is_unchecked};
use super::registry::{Body, Solution};
use super::{load_drift, many_phases, periodic, phase_change, phase_switching, stopping};
use crate::document::Bounds;
use remap_checker::{Checked, Interval, Model, Proof};
use remapping::{Rational, Status};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Display;

/// The fields of a solution, in two lists in alphabetical order.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Fields {
    /// The fields that agree with the proof.
    pub proved: Vec<String>,
    /// The fields that are not proved, or not in full.
    pub not_proved: Vec<String>,
    /// The fields of `not_proved` that were the same when the model was solved again.
    pub recomputed: Vec<String>,
    /// Reasons why some of the others are not proved, with what is proved.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<String, String>,
}

/// The fields that agree.
#[derive(Debug, Default)]
pub struct Agreed {
    /// Their names.
    pub proved: Vec<&'static str>,
    /// What the proof means for the stated numbers.
    pub sentences: Vec<String>,
    /// Fields that do not contradict the proof but state more, and what is proved.
    pub reasons: Vec<(&'static str, String)>,
}

impl Agreed {
    /// Counts a field as proved, unless there is a reason not to.
    pub(super) fn admit(&mut self, name: &'static str, reason: Option<String>) {
        match reason {
            None => self.proved.push(name),
            Some(reason) => self.reasons.push((name, reason)),
        }
    }
}

/// An error in a field, in words.
pub type Fault = String;

/// The promised accuracy of numbers.
#[derive(Clone, Copy)]
pub(super) struct Promise {
    /// Whether the solution says that the tolerance was reached.
    pub kept: bool,
    /// The tolerance that was asked for.
    pub tolerance: f64,
}

/// Compares a solution, whose document has these fields, with a valid certificate. Fields that this
/// does not prove are compared with the model and a second solution of it.
///
/// # Errors
/// The first field that contradicts them, or lacks what it must have.
pub fn compare(
    solution: &Solution,
    fields: &BTreeMap<String, Value>,
    checked: &Checked,
    second: &Second,
) -> Result<(Fields, Vec<String>), Fault> {
    same("title", &solution.title, &checked.title)?;
    if solution.status.is_halted() {
        return Err(
            "`status` says that the computation was stopped: there is no proof of that".to_owned()
        );
    }
    let kept = solution.status == Status::Converged;
    let promise = Promise { kept, tolerance: solution.tolerance };
    if promise.tolerance.is_nan() || promise.tolerance <= 0.0 {
        return Err(format!("`tolerance` is {}, not above 0", promise.tolerance));
    }
    let refused = |refusal: remap_checker::Refusal| refusal.to_string();
    let agreed = match (&solution.body, &checked.model, &checked.proof) {
        (
            Body::PhaseChange(answer),
            Model::PhaseChange(model),
            Proof::Thresholds { value, steps },
        ) => {
            let facts = model.facts().map_err(refused)?;
            phase_change::proved::compare(answer, &facts, *value, steps, promise)?
        }
        (Body::Stopping(answer), Model::Stopping(model), _) => {
            let facts = model.facts().map_err(refused)?;
            stopping::proved::compare(answer, &facts, checked, promise)?
        }
        (Body::LoadDrift(answer), Model::LoadDrift(model), Proof::Value(value)) => {
            let facts = model.facts().map_err(refused)?;
            load_drift::proved::compare(answer, &facts, *value, promise)?
        }
        (Body::Periodic(answer), Model::Periodic(model), proof) => {
            periodic::proved::compare(answer, &model.facts(), proof)?
        }
        (
            Body::PhaseSwitching(answer),
            Model::PhaseSwitching(model),
            Proof::Recurring { value, average, steps },
        ) => {
            let facts = model.facts().map_err(refused)?;
            phase_switching::proved::compare(answer, &facts, [*value, *average], steps, promise)?
        }
        (Body::ManyPhases(answer), Model::ManyPhases(model), Proof::Value(value)) => {
            let facts = model.facts().map_err(refused)?;
            many_phases::proved::compare(answer, &facts, *value, promise)?
        }
        (body, ..) => {
            let problem = body.problem();
            return Err(format!("`problem` is {problem}, but the certificate is of another one"));
        }
    };
    let status = kept.then_some("status");
    let head = ["title", "problem", "certificate"].into_iter().chain(status);
    let said = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
    let facts = second.facts(solution, &said)?;
    let proved: Vec<&str> = head.chain(facts).chain(agreed.proved).collect();
    let reasons = agreed.reasons.into_iter().filter(|(name, _)| said(name));
    let reasons: BTreeMap<String, String> =
        reasons.map(|(name, reason)| (name.to_owned(), reason)).collect();
    // A number stated beyond its proof may depend on how it was found; the width of bounds does
    // not.
    let is_open = |name: &str| {
        let told = reasons.contains_key(name) && name != "value_gap";
        !proved.contains(&name) && !told && !is_unchecked(solution.body.problem(), name)
    };
    let again = second.compare(solution, fields, &is_open)?;
    let open: Vec<String> = fields.keys().filter(|name| is_open(name)).cloned().collect();
    let mut sorted = Fields { reasons, ..Fields::default() };
    match again {
        Some(()) => sorted.recomputed = open,
        None => {
            let reason = "not computed again: that was stopped by a limit of time or memory";
            sorted.reasons.extend(open.into_iter().map(|name| (name, reason.to_owned())));
        }
    }
    for field in fields.keys() {
        let list = match said(field) && proved.contains(&field.as_str()) {
            true => &mut sorted.proved,
            false => &mut sorted.not_proved,
        };
        list.push(field.clone());
    }
    Ok((sorted, agreed.sentences))
}

/// An error if bounds in an answer do not overlap the proved ones: a bug on one of the two sides.
pub(super) fn contradiction(solution: &Solution, proof: &Proof) -> Option<String> {
    let apart = |name: &str, given: Option<Bounds>, proved: &Interval| {
        let Bounds { lower, upper } = given?;
        let Interval { lower: low, upper: high } = *proved;
        (lower > high || upper < low).then(|| {
            format!(
                "{name}: the solver says [{lower}, {upper}], the checker proves [{low}, {high}]"
            )
        })
    };
    match (&solution.body, proof) {
        (Body::PhaseChange(answer), Proof::Thresholds { value, steps }) => {
            let curve = answer.curve();
            let mut each = steps.iter().filter_map(|own| {
                apart(&format!("pi_{}", own.first), curve.at(own.first), &own.threshold)
            });
            apart("value", answer.value, value).or_else(|| each.next())
        }
        (Body::Stopping(answer), Proof::Map { remap_value, .. }) => {
            apart("remap_value", Some(answer.remap_bounds.into()), remap_value)
        }
        (Body::Stopping(answer), Proof::Average(average)) => {
            apart("average", answer.average, average)
        }
        (Body::LoadDrift(answer), Proof::Value(value)) => {
            // Sums over steps are not rounded outward.
            let around = |v: f64| (v - ROUNDING * v.abs(), v + ROUNDING * v.abs()).into();
            apart("value", answer.value.map(around), value)
        }
        (Body::ManyPhases(answer), Proof::Value(value)) => apart("value", answer.value, value),
        (Body::PhaseSwitching(answer), Proof::Recurring { value, average, steps }) => {
            let [second, first] = answer.curves();
            let mut each = steps.iter().flat_map(|own| {
                let second =
                    (format!("to_second_{}", own.first), second.at(own.first), own.to_second);
                let first = (format!("to_first_{}", own.first), first.at(own.first), own.to_first);
                [second, first]
            });
            let whole = [("value", answer.value, value), ("average", answer.average, average)];
            let whole =
                whole.into_iter().find_map(|(name, given, proved)| apart(name, given, &(*proved)?));
            whole.or_else(|| each.find_map(|(name, given, proved)| apart(&name, given, &proved)))
        }
        (Body::Periodic(answer), Proof::Cheapest { least, most, .. }) => {
            periodic::proved::is_cheapest(answer.interval, *least, *most).err()
        }
        (Body::Periodic(answer), proof) => match proof.first() {
            Proof::Longest { broken, .. } => periodic::proved::contradiction(answer, *broken),
            _ => None,
        },
        _ => None,
    }
}

/// The relative error of sums over many numbers.
pub(super) const ROUNDING: f64 = 1e-11;

/// The entry of a list field, by index.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a>(pub &'a str, pub usize);

impl Display for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.0, self.1)
    }
}

/// Checks that a field has the right value.
pub(super) fn same<T: PartialEq + Display>(
    name: impl Display,
    given: T,
    right: T,
) -> Result<(), Fault> {
    match given == right {
        true => Ok(()),
        false => Err(format!("`{name}` is {given}, but the model has {right}")),
    }
}

/// Checks that a list has the right length.
pub(super) fn length(name: impl Display, given: usize, right: usize) -> Result<(), Fault> {
    match given == right {
        true => Ok(()),
        false => Err(format!("`{name}` has {given} entries, not {right}")),
    }
}

/// Checks that the entries of a field have the right values.
pub(super) fn all_same<T: PartialEq + Display>(
    name: impl Display,
    given: &[T],
    right: &[T],
) -> Result<(), Fault> {
    length(&name, given.len(), right.len())?;
    let mut both = given.iter().zip(right).enumerate();
    both.try_for_each(|(i, (given, right))| same(format!("{name}[{i}]"), given, right))
}

/// Checks that a number lies in an interval, up to `slack`.
pub(super) fn within(
    name: impl Display,
    given: f64,
    proved: Interval,
    slack: f64,
) -> Result<(), Fault> {
    let Interval { lower, upper } = proved;
    match lower - slack <= given && given - slack <= upper {
        true => Ok(()),
        false => Err(format!("`{name}` is given as {given}, but [{lower}, {upper}] is proved")),
    }
}

/// Checks that a number is the model's; `model` has the nearest doubles.
pub(super) fn fact(name: impl Display, given: f64, model: Interval) -> Result<(), Fault> {
    within(&name, given, model, 0.0)
        .map_err(|_| format!("`{name}` is {given}, but the model has another number"))
}

/// Checks that bounds overlap the proved ones, and are as narrow as was promised, in units of
/// `unit`. Returns `None` if they contain the proved interval, and otherwise why they are not
/// proved.
pub(super) fn bounds(
    name: impl Display,
    given: Bounds,
    proved: Interval,
    promise: Promise,
    unit: f64,
) -> Result<Option<String>, Fault> {
    let (Bounds { lower, upper }, Interval { lower: low, upper: high }) = (given, proved);
    if lower.is_nan() || upper.is_nan() || lower > upper {
        return Err(format!("`{name}` has the lower bound {lower} and the upper bound {upper}"));
    }
    if !(lower <= high && low <= upper) {
        return Err(format!(
            "`{name}` has the bounds [{lower}, {upper}], but [{low}, {high}] is proved"
        ));
    }
    if promise.kept && (upper - lower) / unit > promise.tolerance {
        return Err(format!(
            "`{name}` has the bounds {lower} and {upper}, wider apart than the tolerance {}, which \
             was reached as `status` says",
            promise.tolerance
        ));
    }
    let slack = NEAR * unit;
    let holds = lower - slack <= low && high <= upper + slack;
    Ok((!holds).then(|| {
        format!("`{name}` has the bounds [{lower}, {upper}]; proved is only that it is in [{low}, {high}]")
    }))
}

/// Why a number without bounds is not proved: its possible error, and what is proved.
pub(super) fn open(
    name: impl Display,
    given: f64,
    proved: Interval,
    [off, slack]: [f64; 2],
) -> Option<String> {
    let Interval { lower, upper } = proved;
    let holds = outside(given, proved) <= slack && upper - lower <= off + slack;
    (!holds).then(|| {
        format!("`{name}` is given as {given}; proved is only that it is in [{lower}, {upper}]")
    })
}

/// The value of a field that must be present.
pub(super) fn needed<T>(name: impl Display, given: Option<T>) -> Result<T, Fault> {
    given.ok_or_else(|| format!("`{name}` is missing or null"))
}

/// The relative tolerance of comparisons with the proof. Bounds count as proved if the proved
/// interval exceeds them by at most this. A number may be this far outside the proved interval,
/// however wide its own bounds are.
pub(super) const NEAR: f64 = 1e-9;

/// Why numbers of a list, or their bounds, are not proved: the reason for the first of them.
#[derive(Default)]
pub(super) struct Open {
    pub number: Option<String>,
    pub bounds: Option<String>,
}

impl Open {
    /// Adds a number, the interval proved of it, and why its bounds are not proved.
    pub fn see(
        &mut self,
        name: &dyn Display,
        given: f64,
        proved: Interval,
        bounds: Option<String>,
    ) {
        let number = bounds.clone().or_else(|| open(name, given, proved, [f64::INFINITY, NEAR]));
        self.number = self.number.take().or(number);
        self.bounds = self.bounds.take().or(bounds);
    }
}

/// A fraction within the proved interval, as a double. Also why it is not proved, where the
/// interval is too wide to identify it, in units of `unit`.
pub(super) fn fraction(
    name: impl Display,
    text: &str,
    proved: Interval,
    unit: f64,
) -> Result<(f64, Option<String>), Fault> {
    let wrong = || format!("`{name}` is {text}, no fraction");
    let fraction: Rational = text.parse().map_err(|_| wrong())?;
    let end = |end: f64| Rational::try_from(end).map_err(|_| wrong());
    let Interval { lower, upper } = proved;
    if fraction < end(lower)? || end(upper)? < fraction {
        return Err(format!("`{name}` is {text}, but [{lower}, {upper}] is proved"));
    }
    let near = fraction.to_f64().value();
    Ok((near, open(name, near, proved, [0.0, NEAR * unit])))
}

/// The distance of a number from the proved interval; 0 inside.
pub(super) fn outside(given: f64, proved: Interval) -> f64 {
    (proved.lower - given).max(given - proved.upper).max(0.0)
}

/// The largest distance between a number and any number of the proved interval.
pub(super) fn farthest(given: f64, proved: Interval) -> f64 {
    (given - proved.lower).abs().max((proved.upper - given).abs())
}

/// A number of steps, or `null`.
pub(super) fn told(steps: Option<u64>) -> String {
    steps.map_or("null".to_owned(), |steps| steps.to_string())
}

/// A bound rounded up to three digits.
pub fn above(bound: f64) -> String {
    format!("{:.2e}", 1.005 * bound)
}
