//! Sample paths simulated by several ranks together.

use crate::communicator::{Communicator, Shares};
use crate::load_drift::many::lower_bound::perfect_information::Path;
use crate::load_drift::many::measured::{Goal, Measured, play};
use crate::observer::{Halt, Observer};
use std::cell::RefCell;
use std::ops::Range;

/// Numbers of a path.
const NUMBERS: usize = 7;

/// [`play`] on ranks that can all simulate paths. Each rank simulates some; with many ranks, paths
/// are simulated before they are requested. The result equals that of one rank. `observer` stops
/// all ranks when it stops one.
pub fn play_together(
    goal: Goal,
    observer: &dyn Observer,
    communicator: &dyn Communicator,
    paths_of: impl Fn(usize, Range<u64>) -> Result<Vec<Path>, Halt>,
) -> Option<Measured> {
    let (rank, ranks) = (communicator.rank(), communicator.ranks());
    // Number of inner samples, index of the first path, and the paths.
    let known: RefCell<(usize, u64, Vec<Path>)> = RefCell::default();
    play(goal, observer, |inner, runs| {
        let mut known = known.borrow_mut();
        let end = known.1 + known.2.len() as u64;
        if known.0 != inner || runs.start < known.1 || runs.end > end {
            let batch = (runs.end - runs.start) as usize;
            let starts = Shares::evenly(ranks.next_multiple_of(batch).max(batch), ranks);
            let run = |rank: usize| runs.start + starts[rank] as u64;
            let own = paths_of(inner, run(rank)..run(rank + 1));
            let mut halted = [Halt::code(own.as_ref().err().copied())];
            communicator.largest(&mut halted);
            if let Some(halt) = Halt::of_code(halted[0]) {
                return Err(halt);
            }
            let own: Vec<f64> = own?.iter().flat_map(numbers).collect();
            let all = communicator.gather(&own);
            *known = (inner, runs.start, all.as_chunks().0.iter().map(path).collect());
        }
        let first = (runs.start - known.1) as usize;
        Ok(known.2[first..first + (runs.end - runs.start) as usize].to_vec())
    })
}

fn numbers(path: &Path) -> [f64; NUMBERS] {
    let Path { lower, upper, cost, work, remaps, ruled } = path;
    [*lower, *upper, *cost, *work, *remaps as f64, ruled.0, ruled.1 as f64]
}

fn path(numbers: &[f64; NUMBERS]) -> Path {
    let [lower, upper, cost, work, remaps, ruled, by_rule] = *numbers;
    Path { lower, upper, cost, work, remaps: remaps as u64, ruled: (ruled, by_rule as u64) }
}
