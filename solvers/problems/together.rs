//! The clocks of several ranks.

use remapping::{Communicator, Halt, Observer};
use std::ops::ControlFlow;

/// A clock that stops all ranks when it stops one.
pub struct Together<'w> {
    watch: &'w dyn Observer,
    communicator: &'w dyn Communicator,
}

impl<'w> Together<'w> {
    /// Of this rank.
    pub fn new(watch: &'w dyn Observer, communicator: &'w dyn Communicator) -> Self {
        Self { watch, communicator }
    }
}

/// Whether this holds on any rank, where there are several.
pub fn on_any(communicator: Option<&dyn Communicator>, own: bool) -> bool {
    let mut any = [if own { 1.0 } else { 0.0 }];
    if let Some(communicator) = communicator {
        communicator.largest(&mut any);
    }
    any == [1.0]
}

impl Observer for Together<'_> {
    fn progress(&self, done: u64, total: u64) -> ControlFlow<Halt> {
        let mut halt = [Halt::code(self.watch.progress(done, total).break_value())];
        self.communicator.largest(&mut halt);
        match Halt::of_code(halt[0]) {
            Some(halt) => ControlFlow::Break(halt),
            None => ControlFlow::Continue(()),
        }
    }
}
