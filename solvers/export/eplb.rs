//! vLLM: its expert parallel load balancer.

use super::knobs::Knobs;
use crate::complaint::Complaint;
use remapping::simulate::Trigger;
use serde_json::json;

/// Loads of more steps than this are not kept by default.
const WINDOW: u64 = 1000;

/// Arguments of `vllm serve`.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    // The counter starts at three quarters of the interval.
    let shape = |every: u64| Trigger { first: (every / 4).max(1), ..Trigger::periodic(every) };
    let Some(interval) = knobs.interval("vLLM", shape)? else {
        knobs.say("Never: without --enable-eplb experts stay where they are.");
        return Ok(knobs.comments("#") + "--enable-expert-parallel\n");
    };
    knobs.say(
        "step_interval: steps of the engine between two rearrangements, the first after a quarter of them; no imbalance \
         is tested. The loads are tokens an expert has got in the last window_size steps, not times. Without \
         --enable-eplb and --enable-expert-parallel the configuration does nothing.",
    );
    knobs.say(
        "Rearrangements run beside the steps (use_async, the default in recent versions): they cost less than a remap \
         that stops the program, and take effect some steps later.",
    );
    let config = json!({ "step_interval": interval, "window_size": interval.min(WINDOW) });
    let line = format!("--enable-expert-parallel --enable-eplb --eplb-config '{config}'\n");
    Ok(knobs.comments("#") + &line)
}
