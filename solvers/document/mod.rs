//! The parts that all answers share: facts of a log, rules and their costs, the motion of loads,
//! and the text of a document.

pub mod advised;
pub mod dynamics;
pub mod log;
pub mod priced;
pub mod program;
pub mod rule;

pub use remapping::Bounds;
pub use remapping::phase_change::Curve;

use remapping::phase_change::Run;
use serde::Serialize;

/// A JSON document that ends in a newline.
pub fn to_json<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("documents have string keys only");
    text.push('\n');
    text
}

/// The thresholds from step `first` on: those of the head one by one, then one that steps share up
/// to some step, then the others one by one.
pub(crate) fn curve(
    first: u64,
    head: &[[f64; 2]],
    shared: Option<(Bounds, u64)>,
    lower: &[f64],
    upper: &[f64],
) -> Curve {
    let one = |(n, bounds): (u64, Bounds)| Run { first: n, last: n, bounds };
    let head = head.iter().filter(|_| shared.is_some());
    let mut runs: Vec<Run> = (first..).zip(head.map(|ends| (*ends).into())).map(one).collect();
    let mut from = first + runs.len() as u64;
    if let Some((bounds, last)) = shared {
        runs.push(Run { first: from, last, bounds });
        from = last + 1;
    }
    let ends = lower.iter().zip(upper).map(|(&lower, &upper)| Bounds { lower, upper });
    runs.into_iter().chain((from..).zip(ends).map(one)).collect()
}
