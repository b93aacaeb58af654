//! SGLang: its expert parallel load balancer.

use super::knobs::{Knobs, Setting, Watcher};
use crate::complaint::Complaint;
use remapping::simulate::{Statistic, Trigger};

/// Arguments of the server.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    let looks = Trigger::above(Statistic::MaxOverMean, 1.0);
    let setting = knobs.setting(Watcher { code: "SGLang", looks, limit: f64::INFINITY })?;
    let (every, skip) = match setting {
        Setting::Never => {
            knobs.say("Never: without --enable-eplb experts stay where they are.");
            return Ok(knobs.comments("#"));
        }
        Setting::Every(every) => {
            knobs.say("Without metrics and a threshold below 1 it rebalances at every look.");
            (every, String::new())
        }
        Setting::Above(level) => {
            let utilization = 1.0 / level;
            knobs.say(
                "The threshold is a utilization, mean/max of the tokens of GPUs, averaged over the forward passes since \
                 the last look: it is skipped above. The metrics are needed for it; without them it always rebalances.",
            );
            let skip = format!(
                " --enable-expert-distribution-metrics --eplb-min-rebalancing-utilization-threshold {utilization:?}"
            );
            (knobs.look(), skip)
        }
    };
    knobs.say(
        "num-iterations: forward passes between two looks. The recorder's buffer must not be longer. Loads are numbers \
         of tokens, not times; what a look itself takes is not in the model.",
    );
    let line = format!(
        "--enable-eplb --eplb-rebalance-num-iterations {every} --expert-distribution-recorder-buffer-size {every}{skip}\n"
    );
    Ok(knobs.comments("#") + &line)
}
