//! Whether the times of a log include the time that ranks wait for each other.
//!
//! Ranks that wait at the end of each step all take as long as the slowest. Then they agree, and what they agree on falls
//! where the run is remapped: of loads the mean stays, and the ranks part.

use remapping::record::Record;

/// Ranks that agree so well in most steps do not show what each of them worked.
const ALIKE: f64 = 2e-3;

/// Steps around a remap whose means are compared: fewer have noise, more have drift.
const AROUND: usize = 5;

/// The share of the mean that falls at recorded remaps, on average; `None` where ranks differ or remaps are too few.
pub(super) fn falls(record: &Record) -> Option<f64> {
    let spread = |step: usize| {
        let row = record.row(step);
        let (least, most) =
            row.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), time| (a.min(*time), b.max(*time)));
        (most - least) / record.mean(step).max(f64::MIN_POSITIVE)
    };
    let mut spreads: Vec<f64> = (0..record.steps()).map(spread).collect();
    let middle = spreads.len() / 2;
    let typical = *spreads.select_nth_unstable_by(middle, f64::total_cmp).1;
    if typical > ALIKE {
        return None;
    }
    let mean = |from: usize, to: usize| {
        (from..to).map(|step| record.mean(step)).sum::<f64>() / (to - from) as f64
    };
    let inside = |before: &usize| *before >= AROUND && before + AROUND < record.steps();
    let remaps = record.remaps().iter().map(|remap| remap.before).filter(inside);
    // The first step after a remap may have its cost.
    let fall =
        |before: usize| 1.0 - mean(before + 1, before + 1 + AROUND) / mean(before - AROUND, before);
    let falls: Vec<f64> = remaps.map(fall).collect();
    let average = falls.iter().sum::<f64>() / falls.len().max(1) as f64;
    (falls.len() >= 2 && average > 2.0 * typical.max(1e-3)).then_some(average)
}
