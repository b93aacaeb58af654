//! Gives a stopped computation another half second for the bound that every answer shows.

use crate::run::Watch;
use remapping::{Halt, Observer};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Lets half a second pass after a stop.
pub(in crate::problems::load_drift) struct Moment(Instant);

impl Moment {
    /// Starts now.
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

/// A clock that reports a stop only after that half second; most bounds take less time.
pub(in crate::problems::load_drift) struct Patient<'w> {
    watch: &'w Watch,
    moment: Moment,
}

impl Patient<'_> {
    /// Starts now.
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
