//! SGLang: its expert parallel load balancer.

use super::Sheet;
use crate::export::knobs::Setting;

pub const SHEET: Sheet = Sheet {
    name: "SGLang",
    what: "arguments of its expert parallel load balancer",
    compares: Some("not mean/max > threshold"),
    of: "tokens of GPUs, the mean over layers and over the passes since the last look (the last 1,000 at most)",
    when: "after every num-iterations forward passes",
    default: "num-iterations 1000, threshold 1 (every look rebalances)",
    notes: &[
        "The utilization is known only with a report mode other than off; without it, or with a threshold of 1, every look \
         rebalances.",
        "Since August 2026 (pull request 34998) --enable-expert-distribution-metrics ends the start of the server, as does \
         SGLANG_ENABLE_EPLB_BALANCEDNESS_METRIC: earlier versions take the former in place of \
         --expert-balancedness-report-mode server_log.",
        "The recorder's buffer must not be longer than the interval.",
        "What a look itself takes is not in the stated cost.",
        "Never is to leave --enable-eplb out.",
    ],
    read: [
        "`sgl-project/sglang`",
        "`python/sglang/srt/eplb/eplb_manager.py` and `expert_distribution.py` after pull request 34998",
        "2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let (every, skip) = match setting {
            Setting::Never => return Ok(String::new()),
            Setting::Every(every) => (every, String::new()),
            Setting::Above { level, look } => {
                let utilization = 1.0 / level;
                let skip = format!(
                    " --expert-balancedness-report-mode server_log --eplb-min-rebalancing-utilization-threshold \
                     {utilization:?}"
                );
                (look, skip)
            }
        };
        let buffer = format!("--expert-distribution-recorder-buffer-size {every}");
        Ok(format!("--enable-eplb --eplb-rebalance-num-iterations {every} {buffer}{skip}\n"))
    },
};
