//! WarpX: `algo.load_balance_intervals` and the efficiency threshold.

use super::knobs::{Knobs, Setting, Watcher};
use crate::complaint::Complaint;
use remapping::simulate::{Statistic, Trigger};

/// Input lines.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    let looks = Trigger::above(Statistic::MaxOverMean, 1.0);
    let setting = knobs.setting(Watcher { code: "WarpX", looks, limit: f64::INFINITY })?;
    let (every, ratio) = match setting {
        Setting::Never => return Ok(knobs.comments("#") + "algo.load_balance_intervals = 0\n"),
        Setting::Every(every) => {
            knobs.say("A ratio of 1.0 adopts whatever is better at all.");
            (every, 1.0)
        }
        Setting::Above(level) => (knobs.look(), level),
    };
    knobs.say(
        "Before the steps that are multiples of the interval, on each level by itself, WarpX proposes a distribution and adopts it if its efficiency, \
         mean/max of the costs of ranks, is more than the ratio times the present one. A proposal is taken to be \
         perfect here; with few boxes a rank it is not, and fewer are adopted: keep several boxes a rank.",
    );
    knobs.say("Timers: costs are measured seconds of boxes, averaged since the last look.");
    Ok(knobs.comments("#")
        + "algo.load_balance_costs_update = timers\n"
        + &format!("algo.load_balance_intervals = {every}\n")
        + &format!("algo.load_balance_efficiency_ratio_threshold = {ratio:?}\n"))
}
