//! Loops on all threads of `rayon`'s pool. Results do not depend on the number of threads, provided
//! that the result for an index depends on the index alone.
//!
//! Tasks are passed by reference, so that the loops are compiled once, not for every closure:
//! `rayon`'s adaptors, compiled for each, were a third of the code of this crate. A task may itself
//! run a loop. If a task panics, so does the loop.

use crate::observer::Halt;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

/// Runs per block of [`runs`]: bounds the memory that is allocated before a halt can come.
const BLOCK: u64 = 1 << 14;

/// Calls `task` with each index below `count`. One thread takes at least `least` indices at a time.
pub fn each(count: usize, least: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_min_len(least).for_each(task);
}

/// The results of `task` for 0, 1, ..., `count - 1`, in this order.
///
/// # Examples
/// ```
/// assert_eq!(remapping::parallel::map(4, &|index| index * index), [0, 1, 4, 9]);
/// ```
pub fn map<T: Send + Sync>(count: usize, task: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    each(count, 1, &|index| {
        slots[index].get_or_init(|| task(index));
    });
    slots.into_iter().map(|slot| slot.into_inner().expect("each index is visited")).collect()
}

/// The results of `task` for each item, in the order of the items.
pub fn map_all<I: Sync, T: Send + Sync>(items: &[I], task: &(dyn Fn(&I) -> T + Sync)) -> Vec<T> {
    map(items.len(), &|index| task(&items[index]))
}

/// The results of simulated runs with these numbers, in their order. Once a run has returned a
/// halt, no other run begins.
///
/// # Errors
/// The first halt that a run returned.
pub fn runs<T: Send + Sync>(
    numbers: Range<u64>,
    run: &(dyn Fn(u64) -> Result<T, Halt> + Sync),
) -> Result<Vec<T>, Halt> {
    let mut all = Vec::new();
    let halted = OnceLock::new();
    for first in numbers.clone().step_by(BLOCK as usize) {
        let count = BLOCK.min(numbers.end - first);
        let found = map(count as usize, &|index| {
            let found = halted.get().is_none().then(|| run(first + index as u64))?;
            found.map_err(|halt| halted.get_or_init(|| halt)).ok()
        });
        if let Some(halt) = halted.get() {
            return Err(*halt);
        }
        all.extend(found.into_iter().flatten());
    }
    Ok(all)
}

/// Splits `items` into pieces of `size`, the last of which may be shorter. Calls `task` with the
/// number of each piece, from 0 on, and the piece.
///
/// # Panics
/// If `size` is 0.
pub fn pieces<T: Send>(items: &mut [T], size: usize, task: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let pieces: Vec<Mutex<&mut [T]>> = items.chunks_mut(size).map(Mutex::new).collect();
    each(pieces.len(), 1, &|index| {
        task(index, &mut pieces[index].lock().expect("each piece is taken once"));
    });
}

/// `items[i] = value(i)`. One thread takes at least `least` items at a time.
///
/// # Panics
/// If `least` is 0.
pub fn fill<T: Send>(items: &mut [T], least: usize, value: &(dyn Fn(usize) -> T + Sync)) {
    pieces(items, least, &|piece, items| {
        items.iter_mut().zip(piece * least..).for_each(|(item, index)| *item = value(index));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_index_is_visited_once() {
        for (count, size) in [(0, 1), (1, 5), (1000, 1), (1000, 7), (1001, 1000), (3, 1000)] {
            let squares: Vec<usize> = (0..count).map(|index| index * index).collect();
            assert_eq!(map(count, &|index| index * index), squares);
            assert_eq!(map_all(&squares, &|square| square + 1).len(), count);
            let mut filled = vec![usize::MAX; count];
            fill(&mut filled, size, &|index| index * index);
            assert_eq!(filled, squares);
            pieces(&mut filled, size, &|piece, items| {
                assert!(items.len() == size || (piece + 1) * size > count);
                items.iter_mut().zip(piece * size..).for_each(|(item, index)| *item -= index);
            });
            assert!(filled.iter().zip(0..).all(|(item, index)| *item == index * index - index));
        }
    }

    #[test]
    fn loops_within_loops_end() {
        let inner = |row: usize| map(100, &|column| row * column).into_iter().sum::<usize>();
        assert_eq!(map(100, &inner), (0..100).map(|row| row * 4950).collect::<Vec<_>>());
    }

    #[test]
    fn after_a_halt_no_run_begins() {
        let halts = |number: u64| if number < 5 { Ok(number) } else { Err(Halt::TimeLimit) };
        assert_eq!(runs(2..5, &halts), Ok(vec![2, 3, 4]));
        assert_eq!(runs(0..1 << 60, &halts).err(), Some(Halt::TimeLimit));
    }
}
