//! Bounds on the cost of any number of phases held against what is proved.

use super::super::proved::{Agreed, Fault, Promise, bounds, fact, needed, same};
use crate::solution::many_phases::Answer;
use remap_checker::Interval;
use remap_checker::facts::OfManyPhases;
use remapping::Rational;

/// What agrees.
pub(in crate::problems) fn compare(
    answer: &Answer,
    facts: &OfManyPhases,
    value: Interval,
    promise: Promise,
) -> Result<Agreed, Fault> {
    same("phases", answer.phases, facts.phases)?;
    same("reports", answer.reports, facts.reports)?;
    same("fitted", answer.fitted, facts.fitted)?;
    if answer.last_step != facts.last_step {
        return Err("`last_step` is not that of the model".to_owned());
    }
    match (answer.discount, facts.discount) {
        (None, None) => {}
        (Some(given), Some(model)) => fact("discount", given, model)?,
        _ => return Err("`discount` is of programs without an end, and of no others".to_owned()),
    }
    let given = needed("value", answer.value)?;
    bounds("value", given, value, promise, given.lower.abs().max(1.0))?;
    if let Some(text) = &answer.exact {
        exact(text, value)?;
    }
    Ok(Agreed {
        proved: vec!["phases", "reports", "fitted", "last_step", "discount", "value"],
        sentences: vec![
            "of the policy no decision is proved, only what the best one costs".to_owned(),
        ],
    })
}

/// That a fraction lies within what is proved, which says little of its digits.
fn exact(text: &str, value: Interval) -> Result<(), Fault> {
    let wrong = || format!("`exact` is {text}, no fraction");
    let fraction: Rational = text.parse().map_err(|_| wrong())?;
    let end = |end: f64| Rational::try_from(end).map_err(|_| wrong());
    let Interval { lower, upper } = value;
    match end(lower)? <= fraction && fraction <= end(upper)? {
        true => Ok(()),
        false => Err(format!("`exact` is {text}, but [{lower}, {upper}] is proved")),
    }
}
