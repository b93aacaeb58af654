//! Whether the times of a log are readings of a clock: sums of all steps so far.

use remapping::record::Record;

/// Fewer steps may grow by themselves.
const FEWEST: usize = 10;

/// By how much a clock goes on from a tenth of the log to its end: tenfold, if it began with the
/// log.
const GOES_ON: f64 = 5.0;

/// Seconds that no step takes, three years: a clock that began in 1970 is far beyond.
const MOST: f64 = 1e8;

/// The mean times of the first and the last step, if no rank's time ever falls and all of them
/// together grow by much.
pub(super) fn readings(record: &Record) -> Option<[f64; 2]> {
    let steps = record.steps();
    if steps < FEWEST {
        return None;
    }
    let never_falls = |step: usize| {
        record.row(step).iter().zip(record.row(step - 1)).all(|(now, before)| now >= before)
            && record.mean(step) > record.mean(step - 1)
    };
    let [first, tenth, last] = [0, steps / 10, steps - 1].map(|step| record.mean(step));
    (last > GOES_ON * tenth || first > MOST)
        .then(|| (1..steps).all(never_falls))
        .filter(|grows| *grows)
        .map(|_| [first, last])
}
