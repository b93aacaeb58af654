//! Compares a threshold curve with what its certificate proves of each step.

use super::super::proved::{
    Agreed, Entry, Fault, Promise, above, bounds, fact, fraction, length, needed, same,
};
use super::super::shared::thresholds::Distance;
use super::answer::{Answer, Exact, Filter, Hazard};
use remap_checker::facts::OfPhaseChange;
use remap_checker::{Interval, Steps};
use std::fmt::Display;

/// The fields that agree with the proof.
pub(in crate::problems) fn compare(
    answer: &Answer,
    facts: &OfPhaseChange,
    value: Interval,
    steps: &[Steps],
    promise: Promise,
) -> Result<Agreed, Fault> {
    same("last_step", answer.last_step, facts.last_step)?;
    if let Some(first) = answer.first_step.filter(|first| promise.kept && *first > 0) {
        return Err(format!("`first_step` is {first}, but `status` says that no step is missing"));
    }
    let named = |field: &str| match field {
        "threshold" | "stationary_through" => field.to_owned(),
        _ => format!("threshold_{field}"),
    };
    let proved: Vec<_> = steps.iter().map(|own| (own.first, own.last, own.threshold)).collect();
    let range = (answer.first_step.unwrap_or(0), Some(answer.last_step));
    let Distance { farthest, open: [listed, stationary, head] } =
        answer.thresholds().compare(range, &proved, promise, &named)?;
    let mut agreed = Agreed { proved: vec!["last_step"], ..Agreed::default() };
    agreed.admit("threshold", listed.number);
    agreed.admit("threshold_lower", listed.bounds.clone());
    agreed.admit("threshold_upper", listed.bounds);
    agreed.admit("threshold_stationary", stationary.number);
    agreed.admit("threshold_stationary_lower", stationary.bounds.clone());
    agreed.admit("threshold_stationary_upper", stationary.bounds.clone());
    agreed.admit("stationary_through", stationary.bounds);
    agreed.admit("threshold_head", head.bounds);
    let least = Never::of(steps, facts.last_step);
    match answer.n0 {
        None if promise.kept => return Err("`n0` is missing or null".to_owned()),
        None => {}
        Some(n0) => {
            let settled = least.admit("n0", n0)?;
            let reason = || format!("`n0` is given as {n0}; proved is only {least}");
            agreed.admit("n0", (!settled).then(reason));
        }
    }
    match answer.value {
        None if answer.first_step.is_some() => {}
        given => {
            let given = needed("value", given)?;
            let reason = bounds("value", given, value, promise, given.lower.abs().max(1.0))?;
            agreed.admit("value", reason);
        }
    }
    belief(answer.belief.as_ref(), facts)?;
    agreed.proved.push("belief");
    if let Some(given) = &answer.exact {
        agreed.admit("exact", exact(given, value, steps, &least)?);
    }
    let farthest = above(farthest);
    agreed.sentences.push(format!("every threshold given is within {farthest} of the optimal one"));
    Ok(agreed)
}

/// The proved bounds of a step.
fn at(steps: &[Steps], name: impl Display, n: u64) -> Result<&Steps, Fault> {
    let found = steps.get(steps.partition_point(|own| own.last < n));
    found.ok_or_else(|| format!("`{name}` speaks of step {n}, which there is not"))
}

/// The step from which on remapping never pays: its least and its largest possible value.
struct Never([u64; 2]);

impl Never {
    fn of(steps: &[Steps], last: u64) -> Never {
        let pays = steps.iter().rfind(|own| own.threshold.upper < 1.0);
        let never = steps.iter().rev().take_while(|own| own.threshold.lower >= 1.0).last();
        Never([pays.map_or(0, |own| own.last + 1), never.map_or(last + 1, |own| own.first)])
    }

    /// Checks a stated step against the bounds. Returns whether it is proved.
    fn admit(&self, name: &str, given: u64) -> Result<bool, Fault> {
        let [least, most] = self.0;
        match (least..=most).contains(&given) {
            true => Ok(least == most),
            false if least == most => Err(format!("`{name}` is {given}, but {least} is proved")),
            false => Err(format!("`{name}` is {given}, but {self} is proved")),
        }
    }
}

impl Display for Never {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {}", self.0[0], self.0[1])
    }
}

fn belief(given: Option<&Filter>, facts: &OfPhaseChange) -> Result<(), Fault> {
    let Some(([alarm, missed], hazard)) = &facts.belief else {
        let what = "`belief` is given, but the detector says more than yes or no";
        return given.map_or(Ok(()), |_| Err(what.to_owned()));
    };
    let given = needed("belief", given)?;
    fact("belief.false_alarm", given.false_alarm, *alarm)?;
    fact("belief.missed", given.missed, *missed)?;
    match (&given.hazard, hazard) {
        (Hazard::Constant(given), Ok(right)) => fact("belief.hazard", *given, *right),
        (Hazard::PerStep(given), Err(right)) if given.len() == right.len() => {
            let mut both = given.iter().zip(right).enumerate();
            both.try_for_each(|(i, (given, right))| fact(Entry("belief.hazard", i), *given, *right))
        }
        _ => Err("`belief.hazard` has not as many numbers as the model's hazard".to_owned()),
    }
}

/// Why the fractions are not proved, if so.
fn exact(
    given: &Exact,
    value: Interval,
    steps: &[Steps],
    least: &Never,
) -> Result<Option<String>, Fault> {
    let all = steps.last().map_or(0, |own| own.last as usize + 1);
    length("exact.threshold", given.threshold.len(), all)?;
    length("exact.threshold_decimal", given.threshold_decimal.len(), all)?;
    let mut open = None;
    for (i, (text, decimal)) in given.threshold.iter().zip(&given.threshold_decimal).enumerate() {
        let name = Entry("exact.threshold", i);
        let (near, reason) = fraction(name, text, at(steps, name, i as u64)?.threshold, 1.0)?;
        open = open.or(reason);
        if near != *decimal {
            return Err(format!(
                "`exact.threshold_decimal[{i}]` is {decimal}, but {text} is about {near}"
            ));
        }
    }
    let (_, reason) = fraction("exact.value", &given.value, value, value.upper.abs().max(1.0))?;
    let settled = least.admit("exact.n0", given.n0)?;
    let unsettled = || format!("`exact.n0` is given as {}; proved is only {}", given.n0, least);
    Ok(open.or(reason).or_else(|| (!settled).then(unsettled)))
}
