//! Loops on all threads of `rayon`'s pool, with results that do not depend on their number.
//!
//! The tasks are called through references, so that the loops are compiled once and not for every
//! closure: `rayon`'s adaptors, compiled for each, were a third of the code of this crate.

use crate::observer::Halt;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

/// Runs whose results are kept at a time until they are joined.
const BLOCK: u64 = 1 << 14;

/// Calls `task` with each index below `count`. One thread takes at least `least` indices at a time.
pub fn each(count: usize, least: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_min_len(least).for_each(task);
}

/// The results of `task` for 0, 1, ..., `count - 1`.
pub fn map<T: Send + Sync>(count: usize, task: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    each(count, 1, &|index| {
        slots[index].get_or_init(|| task(index));
    });
    slots.into_iter().map(|slot| slot.into_inner().expect("each index is visited")).collect()
}

/// The same for each item.
pub fn map_all<I: Sync, T: Send + Sync>(items: &[I], task: &(dyn Fn(&I) -> T + Sync)) -> Vec<T> {
    map(items.len(), &|index| task(&items[index]))
}

/// The results of simulated runs with these numbers. After a halt no run begins.
///
/// # Errors
/// The halt of a run.
pub fn runs<T: Send + Sync>(
    numbers: Range<u64>,
    run: &(dyn Fn(u64) -> Result<T, Halt> + Sync),
) -> Result<Vec<T>, Halt> {
    let mut all = Vec::new();
    let halted = OnceLock::new();
    // In blocks: runs may be more than fit in memory, and then a halt comes first.
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

/// Calls `task` with each piece of `size` items, and with its number. The last may be shorter.
pub fn pieces<T: Send>(items: &mut [T], size: usize, task: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let pieces: Vec<Mutex<&mut [T]>> = items.chunks_mut(size).map(Mutex::new).collect();
    each(pieces.len(), 1, &|index| {
        task(index, &mut pieces[index].lock().expect("each piece is taken once"));
    });
}

/// `items[i] = value(i)`. One thread takes at least `least` items at a time.
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
