//! 4C: redistribution of contact interfaces.

use super::knobs::{Knobs, Setting, Watcher};
use crate::complaint::Complaint;
use remapping::simulate::{Statistic, Trigger};

/// A section of the input file.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    let looks = Trigger::above(Statistic::MaxOverMin, 1.0);
    let setting = knobs.setting(Watcher { code: "4C", looks, limit: f64::INFINITY })?;
    let lines = match setting {
        Setting::Never => "  PARALLEL_REDIST: None\n".to_owned(),
        Setting::Every(_) => {
            let message = "4C has no interval: it redistributes at the start, or beyond a ratio";
            let help = "take a code that knows intervals, or a LoadDrift or Stopping model whose rule is a level";
            return Err(Complaint::elsewhere(message, help));
        }
        Setting::Above(level) => {
            knobs.say(
                "MAX_BALANCE_EVAL_TIME: max/min of the times in which processors evaluate the contact interfaces, averaged \
                 over the evaluations of the last time step; from this ratio on it redistributes, before every time step \
                 and always before the first. Other parts of a step are not seen, nor moved.",
            );
            knobs.say(
                "MAX_BALANCE_SLAVE_ELES: the share of evaluations in which elements were unbalanced, from which on it \
                 redistributes as well; above 1: not at all for that.",
            );
            format!(
                "  PARALLEL_REDIST: Dynamic\n  MAX_BALANCE_EVAL_TIME: {level:?}\n  MAX_BALANCE_SLAVE_ELES: 2.0\n"
            )
        }
    };
    Ok(knobs.comments("#") + "MORTAR COUPLING/PARALLEL REDISTRIBUTION:\n" + &lines)
}
