//! Recorded runs.
//!
//! - `replay`, `courses`, `overlap`, `loads_apart`: what other remaps would have cost.
//! - `estimates`, `filled_in`, `outliers`, `noise_of_logs`, `slopes`, `whole`: what is estimated
//!   from times.
//! - `coverage`, `coverage_replay`: how often intervals contain the truth.

mod courses;
mod coverage;
mod coverage_replay;
mod estimates;
mod filled_in;
mod loads_apart;
mod noise_of_logs;
mod outliers;
mod overlap;
mod replay;
mod slopes;
mod whole;

use proptest::prelude::*;
use remapping::record::{Record, Remap};
use std::ops::Range;

/// Records of a few ranks and so many steps, with remaps here and there.
fn records(steps: Range<usize>, remaps: Range<usize>) -> impl Strategy<Value = Record> {
    (2_usize..5, steps).prop_flat_map(move |(ranks, steps)| {
        let seconds = prop::collection::vec(0.0..10.0_f64, ranks * steps);
        let remaps = prop::collection::btree_set(1..steps, remaps.clone());
        (seconds, remaps).prop_map(move |(seconds, remaps)| {
            let remap = |before| Remap { before, seconds: Some(0.5) };
            Record::new(ranks, seconds, remaps.into_iter().map(remap).collect()).unwrap()
        })
    })
}
