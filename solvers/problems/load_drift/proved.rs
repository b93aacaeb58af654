//! Compares the value of drifting loads with what its certificate proves.

use super::super::proved::{
    Agreed, Fault, Promise, ROUNDING, above, bounds, fact, farthest, needed, same, within,
};
use super::answer::Answer;
use crate::problems::stopping::answer::CostByState;
use remap_checker::Interval;
use remap_checker::facts::OfLoadDrift;

/// The relative difference allowed between the value and the time or the work: each is a sum of its
/// own.
const SUMMED: f64 = 1e-9;

/// The fields that agree with the proof. The costs of other policies are only proved to be no
/// better; the number of remaps is not proved.
pub(in crate::problems) fn compare(
    answer: &Answer,
    facts: &OfLoadDrift,
    value: Interval,
    promise: Promise,
) -> Result<Agreed, Fault> {
    same("processors", answer.processors as u64, facts.processors)?;
    same("lowest", answer.lowest, facts.lowest as f64)?;
    same("levels", answer.levels as u64, facts.levels)?;
    same("initial_load", answer.initial_load, facts.initial_load as f64)?;
    same("steps", answer.steps, facts.steps)?;
    fact("remap_cost", answer.remap_cost, facts.remap_cost)?;
    match (&answer.cost_by_state, &facts.cost_by_state) {
        (None, None) => {}
        (Some(CostByState::Moved { fixed, per_unit_moved }), Some([start, each])) => {
            fact("cost_by_state.fixed", *fixed, *start)?;
            fact("cost_by_state.per_unit_moved", *per_unit_moved, *each)?;
        }
        _ => return Err("`cost_by_state` is of another form than the cost of the model".to_owned()),
    }
    let states = needed("states", answer.states.map(|states| states as f64))?;
    fact("states", states, facts.states)?;
    let given = needed("value", answer.value)?;
    let slack = ROUNDING * given.abs().max(1.0);
    within("value", given, value, slack)?;
    let around = answer.value_bounds;
    let reason = bounds("value_bounds", around, value, promise, around.lower.abs().max(1.0))?;
    let own = Interval { lower: around.lower, upper: around.upper };
    within("value", given, own, slack)
        .map_err(|_| format!("`value` is {given}, not between its `value_bounds`"))?;
    let best = answer.best_threshold.map(|best| ("best_threshold.value", best.value));
    let closest = answer.closest_value.map(|value| ("closest_value", value));
    let others =
        [("best_fixed.value", answer.best_fixed.value), ("never.value", answer.never.value)];
    for (name, other) in others.into_iter().chain(best).chain(closest) {
        if other.is_nan() || other + slack < value.lower {
            let least = value.lower;
            return Err(format!("`{name}` is {other}, but no policy costs less than {least}"));
        }
    }
    if let (Some(time), Some(work)) = (answer.time, answer.work) {
        let slack = SUMMED * time.abs().max(work.abs()).max(1.0);
        // Time that is not lost is work, unless all work is counted as cost.
        let apart = (time - work - given).abs().min((time - given).abs());
        if apart.is_nan() || apart > slack {
            return Err(format!("`time` is {time} and `work` {work}, but `value` is {given}"));
        }
    }
    let proved = vec![
        "processors",
        "lowest",
        "levels",
        "initial_load",
        "steps",
        "remap_cost",
        "cost_by_state",
        "states",
    ];
    let apart = above(farthest(given, value));
    let sentences = vec![format!("the value given is within {apart} of the least one")];
    let mut agreed = Agreed { proved, sentences, reasons: Vec::new() };
    agreed.admit("value", reason.clone());
    agreed.admit("value_bounds", reason);
    Ok(agreed)
}
