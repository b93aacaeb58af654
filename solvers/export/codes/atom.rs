//! ROCm ATOM: its expert parallel load balancer.

use super::Sheet;
use crate::export::knobs::Setting;
use serde_json::json;

/// Loads of more passes than this are not kept by default.
const WINDOW: u64 = 1000;

pub const SHEET: Sheet = Sheet {
    name: "ATOM",
    what: "arguments of its expert parallel load balancer",
    compares: Some("mean/max < rebalance_min_balancedness"),
    of: "tokens of GPUs in the last load_window_size passes that only prefill, in the layer where it is least",
    when: "after every rebalance_interval forward passes with prefill, first after a quarter of them",
    default: "rebalance_interval 3000, load_window_size 1000, rebalance_min_balancedness 2 (every look rebalances)",
    notes: &[
        "The window must not be longer than the interval.",
        "Passes that only decode do not count as steps; a rebalance adds a pass for every 64 layers that it moves.",
        "First versions (pull request 1210) have --eplb-rebalance-interval and --eplb-rebalance-min-balancedness in place of \
         the configuration.",
        "Never is to leave --enable-eplb out.",
    ],
    read: [
        "`ROCm/ATOM`",
        "`atom/model_ops/eplb.py`, `atom/config.py` and `atom/model_engine/arg_utils.py` (v0.1.6-rc0-323-gffdf3bb5d)",
        "2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let (every, least) = match setting {
            Setting::Never => return Ok(String::new()),
            Setting::Every(every) => (every, None),
            Setting::Above { level, look } => (look, Some(1.0 / level)),
        };
        let mut config =
            json!({ "rebalance_interval": every, "load_window_size": every.min(WINDOW) });
        if let Some(least) = least {
            config["rebalance_min_balancedness"] = json!(least);
        }
        Ok(format!("--enable-expert-parallel --enable-eplb --eplb-config '{config}'\n"))
    },
};
