//! WarpX: `algo.load_balance_intervals` and the efficiency threshold.

use super::Sheet;

pub const SHEET: Sheet = Sheet {
    name: "WarpX",
    what: "`algo.load_balance_*`",
    compares: Some("proposed mean/max > ratio x present mean/max"),
    of: "measured seconds of boxes (timers) on each level by itself",
    when: "before steps that are multiples of the interval, the first step excepted",
    default: "never, ratio 1.1",
    notes: &[
        "A proposal is taken to be perfect here: keep several boxes a rank, or fewer are adopted.",
        "Seconds are summed since the last look, and a sum counts (1 - 2/interval) times as much a step later: with an \
         interval of 2 the last step alone counts.",
    ],
    read: [
        "`BLAST-WarpX/warpx`",
        "`Source/Parallelization/WarpXRegrid.cpp` (26.06-37-g1b312c6237)",
        "2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let Some((every, ratio)) = setting.looks(1.0) else {
            return Ok("algo.load_balance_intervals = 0\n".to_owned());
        };
        Ok("algo.load_balance_costs_update = timers\n".to_owned()
            + &format!("algo.load_balance_intervals = {every}\n")
            + &format!("algo.load_balance_efficiency_ratio_threshold = {ratio:?}\n"))
    },
};
