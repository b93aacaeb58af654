//! WarpX: `algo.load_balance_intervals` and the efficiency threshold.

use super::knobs::Knobs;

/// Input lines: every interval WarpX proposes a distribution and adopts it if its efficiency exceeds
/// the present one, mean/max, by the ratio.
pub fn write(knobs: &Knobs) -> String {
    let mut text = knobs.comments("#");
    text += "# A proposed distribution is taken to be balanced: its efficiency is 1.\n";
    match knobs.every() {
        None => text + "algo.load_balance_intervals = 0\n",
        Some(every) => {
            let ratio = knobs.ratio();
            text += "algo.load_balance_costs_update = Timers\n";
            text += &format!("algo.load_balance_intervals = {every}\n");
            text + &format!("algo.load_balance_efficiency_ratio_threshold = {ratio:?}\n")
        }
    }
}
