//! vLLM: its expert parallel load balancer.

use super::Sheet;
use crate::export::knobs::Setting;
use serde_json::json;

/// Loads of more steps than this are not kept by default.
const WINDOW: u64 = 1000;

/// Steps that an asynchronous rearrangement may take: one for each layer of experts, of which
/// models have up to 94.
const LAYERS: u64 = 100;

pub const SHEET: Sheet = Sheet {
    name: "vLLM",
    what: "arguments of its expert parallel load balancer",
    compares: None,
    of: "tokens of experts in the last window_size steps, not times",
    when: "every step_interval steps of the engine, first after a quarter of them",
    default: "step_interval 3000, window_size 1000",
    notes: &[
        "Without --enable-eplb and --enable-expert-parallel the configuration does nothing.",
        "In the asynchronous mode, the default since pull request 43219, one layer of experts is moved a step, and no \
         rearrangement begins before the last has ended: an interval below the number of such layers cannot be attained. \
         Below 100 steps use_async is false, unless the rule is of asynchronous remaps (--overlap).",
        "Asynchronous rearrangements cost what they delay (--overlap), not what they take.",
        "Issue 57883 (open in September 2026): across two nodes an asynchronous rearrangement did not end, and none followed. \
         log_balancedness shows it: the steps until the next one fall below 0.",
    ],
    read: [
        "`vllm-project/vllm`",
        "`vllm/distributed/eplb/eplb_state.py` (0014ec6), pull request 43219 and issue 57883",
        "2026-11-28",
    ],
    mark: "#",
    write: |knobs, setting| {
        let Setting::Every(interval) = setting else {
            return Ok("--enable-expert-parallel\n".to_owned());
        };
        let mut config = json!({ "step_interval": interval, "window_size": interval.min(WINDOW) });
        if interval < LAYERS && !knobs.overlapped() {
            config["use_async"] = json!(false);
        }
        Ok(format!("--enable-expert-parallel --enable-eplb --eplb-config '{config}'\n"))
    },
};
