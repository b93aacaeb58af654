//! An observer for a computation nested in another.

use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// Forwards the halt of an observer, and no progress.
pub(crate) struct Quiet<'a>(pub(in crate::phase_switching) &'a dyn Observer);

impl Observer for Quiet<'_> {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        self.0.check()
    }

    fn check(&self) -> ControlFlow<Halt> {
        self.0.check()
    }
}
