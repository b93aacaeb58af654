//! Recovers the seconds of steps from running sums. With measured costs and a period of P steps
//! between two checks, WarpX keeps the sum `c = s + (1 - 2/P) c` of the seconds s of a step, and
//! sets it to 0 at a check.

use super::Row;
use std::collections::HashMap;

/// The sum of all costs falls below this share of the one before at a check.
const FALL: f64 = 0.8;

/// Replaces running sums by the seconds of each step, if the rows hold such sums, and returns the
/// period. An error if the seconds cannot be recovered.
pub(in crate::logs) fn taken_apart(rows: &mut [Row]) -> Result<Option<u32>, String> {
    let totals: Vec<f64> =
        rows.iter().map(|row| row.boxes.iter().map(|costing| costing.seconds).sum()).collect();
    let fall = |at: &usize| totals[*at] < FALL * totals[at - 1];
    let falls: Vec<u32> = (1..rows.len()).filter(fall).map(|at| rows[at].step).collect();
    let [first, second, ..] = falls[..] else { return Ok(None) };
    let period = second - first;
    // Checks come exactly at the steps that are multiples of the period.
    let looks = falls.iter().all(|step| step.is_multiple_of(period))
        && falls.windows(2).all(|pair| pair[1] - pair[0] == period)
        && rows[0].step > first.saturating_sub(period + 1)
        && rows[rows.len() - 1].step < falls[falls.len() - 1] + period;
    if !looks {
        return Ok(None);
    }
    if rows.windows(2).any(|pair| pair[1].step != pair[0].step + 1) {
        return Err(format!(
            "costs fall every {period} steps, as running sums of WarpX do between looks, and not all steps are \
             there: the seconds of a step cannot be told"
        ));
    }
    if period <= 2 {
        return Ok(None);
    }
    let kept = 1.0 - 2.0 / f64::from(period);
    let mut alone = rows.to_vec();
    let mut before: HashMap<[u32; 4], f64> = HashMap::new();
    for (number, row) in alone.iter_mut().enumerate() {
        if row.step.is_multiple_of(period) {
            before.clear();
        }
        let sums = row.boxes.iter().map(|costing| (costing.place, costing.seconds)).collect();
        // The sum before the first row is unknown.
        if number == 0 && !row.step.is_multiple_of(period) && row.step > 1 {
            return Err(format!(
                "costs fall every {period} steps, as running sums of WarpX do between looks, and step {} is \
                 the first: begin with step 1 or a multiple of {period}",
                row.step
            ));
        }
        for costing in &mut row.boxes {
            let had = before.get(&costing.place).copied().unwrap_or(0.0);
            let seconds = costing.seconds - kept * had;
            if seconds < -1e-9 * costing.seconds {
                return Ok(None);
            }
            costing.seconds = seconds.max(0.0);
        }
        before = sums;
    }
    rows.clone_from_slice(&alone);
    Ok(Some(period))
}
