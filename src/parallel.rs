//! Loops on all threads of `rayon`'s pool, with results that do not depend on their number.
//!
//! The tasks are called through references, so that the loops are compiled once and not for every
//! closure: `rayon`'s adaptors, compiled for each, were a third of the code of this crate.

use crate::observer::Halt;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

/// Calls `task` with each index below `count`. One thread takes at least `least` indices at a time.
pub(crate) fn each(count: usize, least: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_min_len(least).for_each(task);
}

/// The results of `task` for 0, 1, ..., `count - 1`.
pub(crate) fn map<T: Send + Sync>(count: usize, task: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    each(count, 1, &|index| {
        slots[index].get_or_init(|| task(index));
    });
    slots.into_iter().map(|slot| slot.into_inner().expect("each index is visited")).collect()
}

/// The same for each item.
pub(crate) fn map_all<I: Sync, T: Send + Sync>(
    items: &[I],
    task: &(dyn Fn(&I) -> T + Sync),
) -> Vec<T> {
    map(items.len(), &|index| task(&items[index]))
}

/// The results of simulated runs with these numbers. After a halt no run begins.
pub(crate) fn runs<T: Send + Sync>(
    numbers: Range<u64>,
    run: &(dyn Fn(u64) -> Result<T, Halt> + Sync),
) -> Result<Vec<T>, Halt> {
    let halted = OnceLock::new();
    let count = numbers.end.saturating_sub(numbers.start);
    let found = map(count as usize, &|index| {
        let found = halted.get().is_none().then(|| run(numbers.start + index as u64))?;
        found.map_err(|halt| halted.get_or_init(|| halt)).ok()
    });
    match halted.into_inner() {
        Some(halt) => Err(halt),
        None => Ok(found.into_iter().flatten().collect()),
    }
}

/// Calls `task` with each piece of `size` items, and with its number. The last may be shorter.
pub(crate) fn pieces<T: Send>(
    items: &mut [T],
    size: usize,
    task: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    let pieces: Vec<Mutex<&mut [T]>> = items.chunks_mut(size).map(Mutex::new).collect();
    each(pieces.len(), 1, &|index| {
        task(index, &mut pieces[index].lock().expect("each piece is taken once"));
    });
}

/// `items[i] = value(i)`. One thread takes at least `least` items at a time.
pub(crate) fn fill<T: Send>(items: &mut [T], least: usize, value: &(dyn Fn(usize) -> T + Sync)) {
    pieces(items, least, &|piece, items| {
        items.iter_mut().zip(piece * least..).for_each(|(item, index)| *item = value(index));
    });
}
