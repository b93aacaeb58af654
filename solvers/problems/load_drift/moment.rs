//! Half a second for what every answer shows, whatever the clock says.

use crate::run::Watch;
use remapping::{Halt, Observer};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Lets half a second pass: what a stopped computation may still take for the bound it shows.
pub(super) struct Moment(Instant);

impl Moment {
    /// From now on.
    pub fn now() -> Moment {
        Moment(Instant::now())
    }
}

impl Observer for Moment {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        match self.0.elapsed() < Duration::from_millis(500) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Halt::TimeLimit),
        }
    }
}

/// A clock that is heard after a moment only: what all answers show hardly ever takes longer.
pub(super) struct Patient<'w> {
    watch: &'w Watch,
    moment: Moment,
}

impl Patient<'_> {
    /// From now on.
    pub fn new(watch: &Watch) -> Patient<'_> {
        Patient { watch, moment: Moment::now() }
    }
}

impl Observer for Patient<'_> {
    fn progress(&self, done: u64, total: u64) -> ControlFlow<Halt> {
        match self.moment.progress(done, total) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(_) => self.watch.check(),
        }
    }
}
