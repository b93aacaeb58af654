//! The threads that compute.
//!
//! A process that has forked leaves its threads behind, so that a pool is of one process alone. A computation has a pool
//! for itself: in one that is shared, a thread that waits for parts of its own work would take up the whole of another.

use crate::fails::fault;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::mem::forget;
use std::sync::{Mutex, PoisonError};

/// A pool that nothing is computed in, and the process it belongs to.
///
/// It is locked only where the interpreter lock is held, as it is while a process forks: no child finds it locked.
static IDLE: Mutex<Option<(u32, ThreadPool)>> = Mutex::new(None);

/// A pool to compute in: the one that was left by the computation before, or a new one.
pub fn taken(_py: Python<'_>) -> PyResult<ThreadPool> {
    match IDLE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some((process, pool)) if process == std::process::id() => return Ok(pool),
        // Its threads are those of the parent, and would be waited for.
        Some((_, pool)) => forget(pool),
        None => {}
    }
    ThreadPoolBuilder::new().build().map_err(fault)
}

/// Leaves a pool to the next computation.
pub fn give_back(_py: Python<'_>, pool: ThreadPool) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    *idle = Some((std::process::id(), pool));
}
