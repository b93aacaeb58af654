//! Whether the times of a log include the time that ranks wait for each other.
//!
//! Ranks that wait at the end of each step all take as long as the slowest. Then they agree, and
//! what they agree on falls where the run is remapped: of loads the mean stays, and the ranks part.
//! Where the waiting of each rank is known, ranks agree in their times if it is part of them, and
//! in the sum of both if it is not.

use super::row::Row;
use remapping::record::Record;
use std::collections::BTreeMap;

/// What a rank worked in so many seconds, of which it waited so many; missing where one of them is.
pub(super) fn worked(seconds: f64, wait: f64) -> f64 {
    // The larger of NaN and 0 would be 0.
    let worked = seconds - wait;
    if worked < 0.0 { 0.0 } else { worked }
}

/// The spread of what ranks agree in, against that of the other.
const BETTER: f64 = 0.5;

/// A rank that waits longer than this many of its times does not wait within them.
const LONGER: f64 = 1.01;

/// Whether the seconds of these rows include waiting; `None` where the ranks do not tell.
pub(super) fn is_in(rows: &[Row]) -> Option<bool> {
    let mut steps: BTreeMap<u32, Vec<[f64; 2]>> = BTreeMap::new();
    let mut less = false;
    for row in rows {
        if let (Some(step), Some(time), Some(wait)) = (row.step, row.seconds(), row.wait)
            && !(time - wait).is_nan()
        {
            less |= wait > LONGER * time;
            steps.entry(step).or_default().push([time, time + wait]);
        }
    }
    let range = |which: usize| -> f64 {
        let of = |ranks: &Vec<[f64; 2]>| {
            let times = || ranks.iter().map(|rank| rank[which]);
            times().fold(0.0, f64::max) - times().fold(f64::INFINITY, f64::min)
        };
        steps.values().filter(|ranks| ranks.len() > 1).map(of).sum()
    };
    let (alone, sum) = (range(0), range(1));
    match () {
        () if less || sum < BETTER * alone || steps.is_empty() => Some(false),
        () if alone < BETTER * sum => Some(true),
        () => None,
    }
}

/// Ranks that agree so well in most steps do not show what each of them worked.
const ALIKE: f64 = 2e-3;

/// Standard errors by which the average fall is above 0, so that it is none of noise.
const ERRORS: f64 = 3.0;

/// Steps around a remap whose means are compared: fewer have noise, more have drift.
const AROUND: usize = 5;

/// The share of the mean that falls at recorded remaps, on average; `None` where ranks differ or
/// remaps are too few.
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
    let many = falls.len() as f64;
    let average = falls.iter().sum::<f64>() / many;
    let squares: f64 = falls.iter().map(|fall| (fall - average).powi(2)).sum();
    let error = (squares / (many * (many - 1.0))).sqrt();
    (falls.len() >= 2 && average > 2.0 * typical.max(1e-3) && average > ERRORS * error)
        .then_some(average)
}
