//! WarpX: `algo.load_balance_intervals` and the efficiency threshold.

use super::knobs::Knobs;

/// Input lines: every interval WarpX proposes a distribution and adopts it if its efficiency exceeds
/// the present one, mean/max, by the ratio.
pub fn write(knobs: &Knobs) -> String {
    let mut text = knobs.comments("#");
    text += "# load_balance_intervals: steps between two looks (0: never). Timers: costs are measured times.\n";
    text += "# load_balance_efficiency_ratio_threshold: a distribution is adopted if its efficiency, mean/max, is\n";
    text +=
        "# that many times the present one; a proposal is taken to be balanced, of efficiency 1.\n";
    match knobs.every() {
        None => text + "algo.load_balance_intervals = 0\n",
        Some(every) => {
            let ratio = knobs.ratio();
            text += "algo.load_balance_costs_update = timers\n";
            text += &format!("algo.load_balance_intervals = {every}\n");
            text + &format!("algo.load_balance_efficiency_ratio_threshold = {ratio:?}\n")
        }
    }
}
