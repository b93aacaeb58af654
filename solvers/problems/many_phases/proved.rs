//! Compares bounds on the cost of any number of phases with what their certificate proves.

use super::super::proved::{Agreed, Fault, Promise, bounds, fact, fraction, needed, same};
use super::answer::Answer;
use remap_checker::Interval;
use remap_checker::facts::OfManyPhases;

/// The fields that agree with the proof.
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
    let reason = bounds("value", given, value, promise, given.lower.abs().max(1.0))?;
    if let Some(text) = &answer.exact {
        // A value outside the proved interval is refused; that says little about its digits.
        fraction("exact", text, value, 1.0)?;
    }
    let mut agreed = Agreed {
        proved: vec!["phases", "reports", "fitted", "last_step", "discount"],
        sentences: vec![
            "of the policy no decision is proved, only what the best one costs".to_owned(),
        ],
        reasons: Vec::new(),
    };
    agreed.admit("value", reason);
    Ok(agreed)
}
