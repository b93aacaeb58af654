//! vLLM: the configuration of its expert parallel load balancer.

use super::knobs::Knobs;
use crate::complaint::Complaint;
use serde_json::json;

/// The value of `--eplb-config`. JSON has no comments: the notes are told apart. Experts are
/// rearranged every `step_interval` steps from the loads of the last `window_size`.
pub fn write(knobs: &Knobs) -> Result<String, Complaint> {
    // Never: as far away as a step counter reaches.
    let interval = knobs.interval_only("EPLB")?.unwrap_or(u64::from(u32::MAX / 2));
    let config = json!({
        "window_size": interval.min(1000),
        "step_interval": interval,
    });
    Ok(format!("{config}\n"))
}
