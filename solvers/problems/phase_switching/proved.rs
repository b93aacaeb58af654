//! Compares both threshold curves of recurring phases with what their certificate proves of each
//! step.

use super::super::proved::{
    Agreed, Entry, Fault, Promise, ROUNDING, above, bounds, fact, fraction, length, needed,
};
use super::super::shared::thresholds::Distance;
use super::answer::{Answer, Exact};
use crate::document::rule::Filter;
use remap_checker::facts::OfPhaseSwitching;
use remap_checker::{Interval, Switches};

/// The fields that agree with the proof.
pub(in crate::problems) fn compare(
    answer: &Answer,
    facts: &OfPhaseSwitching,
    [value, average]: [Option<Interval>; 2],
    steps: &[Switches],
    promise: Promise,
) -> Result<Agreed, Fault> {
    if answer.last_step != facts.last_step {
        return Err("`last_step` is not that of the model".to_owned());
    }
    if let Some(first) = answer.first_step.filter(|first| promise.kept && *first > 0) {
        return Err(format!("`first_step` is {first}, but `status` says that no step is missing"));
    }
    let mut agreed = Agreed { proved: vec!["last_step"], ..Agreed::default() };
    let range = (answer.first_step.unwrap_or(0), facts.last_step);
    let mut widest = 0.0f64;
    let lists = [("to_second", &answer.to_second), ("to_first", &answer.to_first)];
    for ((name, list), proved) in lists.into_iter().zip(curves(steps)) {
        let named = |field: &str| format!("{name}.{field}");
        let Distance { farthest, open: [listed, stationary, head] } =
            list.compare(range, &proved, promise, &named)?;
        widest = widest.max(farthest);
        agreed.admit(name, head.number.or(stationary.number).or(listed.number));
    }
    for (name, given, proved) in
        [("value", answer.value, value), ("average", answer.average, average)]
    {
        match (given, proved) {
            (None, None) => {}
            (None, Some(_)) if answer.first_step.is_some() => {}
            (given, proved) => {
                let proved =
                    proved.ok_or_else(|| format!("`{name}` is given, but there is none"))?;
                let given = needed(name, given)?;
                let reason = bounds(name, given, proved, promise, given.lower.abs().max(1.0))?;
                agreed.admit(name, reason);
            }
        }
    }
    if let Some(least) = value.or(average)
        && let Some(never) = answer.never
        && never + ROUNDING * never.abs().max(1.0) < least.lower
    {
        let least = least.lower;
        return Err(format!("`never` is {never}, but no policy costs less than {least}"));
    }
    if let Some(given) = &answer.belief {
        belief(given, facts)?;
        agreed.proved.push("belief");
    }
    if let Some(given) = &answer.exact {
        agreed.admit("exact", exact(given, value, steps)?);
    }
    agreed
        .sentences
        .push(format!("every threshold given is within {} of the optimal one", above(widest)));
    Ok(agreed)
}

/// Checks that the parameters of Bayes' rule are those of the model.
fn belief(given: &Filter, facts: &OfPhaseSwitching) -> Result<(), Fault> {
    fact("belief.initial", given.initial, facts.initial)?;
    let [to_second, to_first] = facts.rates;
    fact("belief.to_second", given.to_second, to_second)?;
    fact("belief.to_first", given.to_first, to_first)?;
    for (name, list, phase) in
        [("belief.first", &given.first, 0), ("belief.second", &given.second, 1)]
    {
        length(name, list.len(), facts.reports.len())?;
        let mut both = list.iter().zip(&facts.reports).enumerate();
        both.try_for_each(|(i, (given, right))| fact(Entry(name, i), *given, right[phase]))?;
    }
    Ok(())
}

/// What is proved of either curve: intervals from a step to another.
fn curves(steps: &[Switches]) -> [Vec<(u64, u64, Interval)>; 2] {
    [
        steps.iter().map(|own| (own.first, own.last, own.to_second)).collect(),
        steps.iter().map(|own| (own.first, own.last, own.to_first)).collect(),
    ]
}

/// Why the fractions are not proved, if so.
fn exact(
    given: &Exact,
    value: Option<Interval>,
    steps: &[Switches],
) -> Result<Option<String>, Fault> {
    let mut open = None;
    let all = steps.last().map_or(0, |own| own.last.saturating_add(1));
    let lists = [("exact.to_second", &given.to_second), ("exact.to_first", &given.to_first)];
    for ((name, list), proved) in lists.into_iter().zip(curves(steps)) {
        length(name, list.len(), all as usize)?;
        for (i, text) in list.iter().enumerate() {
            let (.., own) = proved[proved.partition_point(|(_, last, _)| *last < i as u64)];
            open = open.or(fraction(Entry(name, i), text, own, 1.0)?.1);
        }
    }
    let value = needed("value", value)?;
    let unit = value.upper.abs().max(1.0);
    Ok(open.or(fraction("exact.value", &given.value, value, unit)?.1))
}
