//! SWIFT: the `DomainDecomposition` parameters.

use super::knobs::{Knobs, Setting, Watcher};
use crate::complaint::Complaint;
use remapping::simulate::{Statistic, Trigger};

/// Triggers from 1 up to 2 are refused; those below are levels.
const LIMIT: f64 = 1.0;

/// A block of the parameter file.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    // Nothing is looked at in the step after a repartition, nor in the first.
    let looks = Trigger { first: 2, rest: 2, ..Trigger::above(Statistic::RangeOverMean, 0.0) };
    let lines = match knobs.setting(Watcher { code: "SWIFT", looks, limit: LIMIT })? {
        Setting::Never => "  repartition_type: none\n".to_owned(),
        Setting::Every(every) => {
            let message = format!(
                "SWIFT as it is built has no interval: a trigger of {every} ends the run, since it needs fixed costs \
                 that are compiled in (HAVE_FIXED_COSTS)"
            );
            let help = "take a LoadDrift or Stopping model whose rule is a level, or measure fixed costs first \
                        (tools/task_plots, partition_fixed_costs.h) and set the trigger by hand";
            return Err(Complaint::elsewhere(message, help));
        }
        Setting::Above(level) => {
            knobs.say(
                "trigger, below 1: (max - min)/mean of the user CPU times of ranks in the last step, waiting not \
                 included. It is tested in steps that update at least minfrac of the particles, two steps after a \
                 repartition at the earliest; the repartition comes before the next step.",
            );
            knobs.say("Lost: where few steps update most particles, the level is seen late.");
            knobs.say("repartition_type: fullcosts takes METIS or ParMETIS.");
            format!("  repartition_type: fullcosts\n  trigger: {level:?}\n  minfrac: 0.95\n")
        }
    };
    Ok(knobs.comments("#") + "DomainDecomposition:\n" + &lines)
}
