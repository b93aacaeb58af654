//! The important numbers of an answer about drifting loads.

use super::answer::{Answer, Mean};
use crate::text::digits::{plain, sampled};
use crate::text::numbers::Numbers;
use remapping::estimate::Estimate;

/// Adds them to a list.
pub fn of(answer: &Answer, numbers: &mut Numbers) {
    match answer.cost_by_state {
        None => numbers.put("cost of a remap", answer.remap_cost),
        Some(_) => numbers.put("cost of a remap, at most", answer.remap_cost),
    }
    match (answer.bounds, answer.value) {
        (Some(bounds), _) => {
            numbers.mean("expected cost of the policy", estimate(bounds.upper));
            numbers.mean("no policy costs less than", estimate(bounds.lower));
        }
        (None, Some(_)) => numbers.bounds("expected cost", answer.value_bounds),
        (None, None) => numbers.bounds("expected cost between", answer.value_bounds),
    }
    if let Some(percent) = answer.gap_percent {
        let (value, is) = match answer.gap_interval {
            Some([lower, upper]) => {
                let gap = Estimate { value: percent, lower, upper };
                (sampled(gap).joined("±"), "95 % confidence, sampled")
            }
            None => (plain(percent), "the same on each sample path, which gives no interval"),
        };
        numbers.push("the policy costs more than that, %", value, is);
    }
    if let Some(paths) = answer.paths {
        numbers.put("sample paths", paths);
    }
    if let Some(remaps) = answer.remaps {
        numbers.put("expected remaps", plain(remaps));
    }
    if let Some(utilization) = answer.utilization {
        numbers.put("utilization", plain(utilization));
    }
    // With sampled bounds it leaves out the cost of moved units.
    if !answer.statistical || answer.cost_by_state.is_none() {
        numbers.put("interval of least average cost", answer.least_average_cost);
    }
    let fixed = answer.best_fixed;
    match fixed.interval {
        None if answer.intervals_evaluated == Some(0) => {}
        None => numbers.put("best fixed interval", "never"),
        Some(interval) => {
            numbers.put("best fixed interval", interval);
            numbers.put("expected cost of the best fixed interval", plain(fixed.value));
        }
    }
    numbers.put("expected cost of never remapping", plain(answer.never.value));
    for closest in &answer.closest_threshold {
        let name = format!("closest threshold on max - mean after step {}", closest.step);
        let percent = 100.0 * closest.disagreement;
        let value = match answer.is_above_all(closest.threshold) {
            true => "never".to_owned(),
            false => plain(closest.threshold),
        };
        numbers
            .put(&name, format!("{value}, other than optimal in {percent:.2} % of load vectors"));
    }
}

fn estimate(Mean { mean, low, high }: Mean) -> Estimate {
    Estimate { value: mean, lower: low, upper: high }
}
