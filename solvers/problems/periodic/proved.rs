//! The interval of a periodic problem held against what is proved.

use super::super::proved::{Agreed, Fault, fact, needed, same};
use crate::solution::periodic::Answer;
use remap_checker::facts::OfPeriodic;

/// What agrees. Of the other methods, of the curve and of the interval of least cost nothing is proved.
pub(in crate::problems) fn compare(
    answer: &Answer,
    facts: &OfPeriodic,
    kept: Option<u64>,
    broken: Option<u64>,
) -> Result<Agreed, Fault> {
    same("processors", answer.processors as u64, facts.processors)?;
    fact("initial_load", answer.initial_load, facts.initial_load)?;
    let quantity = if facts.of_squares { "rms_deviation" } else { "max_deviation" };
    same("quantity", answer.quantity.as_str(), quantity)?;
    let bound = needed("bound", answer.bound)?;
    fact("bound", bound, needed("bound", facts.bound)?)?;
    let mut proved = vec!["processors", "initial_load", "quantity", "bound"];
    if let Some(fault) = contradiction(answer, broken) {
        return Err(fault);
    }
    let steps = |steps: Option<u64>| steps.unwrap_or(u64::MAX);
    let is_longest = matches!(answer.interval_by.as_str(), "exact" | "closed_form");
    if is_longest && answer.at_least.is_none() && steps(answer.interval) < steps(kept) {
        let kept = kept.map_or("for ever".to_owned(), |steps| format!("for {steps} steps"));
        let given = steps(answer.interval);
        return Err(format!("`interval` is {given}, but the bound is proved to be kept {kept}"));
    }
    let least = steps(answer.at_least.or(answer.interval));
    if least > steps(kept) {
        return Ok(Agreed { proved, sentences: Vec::new() });
    }
    proved.extend(["interval", "at_least"]);
    let longest = match steps(answer.interval) == steps(kept)
        && steps(kept) == steps(broken) - u64::from(broken.is_some())
    {
        true => "the interval given is the longest",
        false => "the bound is kept during the interval given",
    };
    Ok(Agreed { proved, sentences: vec![longest.to_owned()] })
}

/// An interval that is longer than the bound is kept.
pub(in crate::problems) fn contradiction(answer: &Answer, broken: Option<u64>) -> Option<String> {
    let broken = broken?;
    let given = answer.interval.map_or("never ends".to_owned(), |steps| format!("is {steps}"));
    (answer.interval.is_none_or(|steps| steps >= broken)).then(|| {
        format!("`interval` {given}, but the bound is proved not to be kept after {broken} steps")
    })
}
