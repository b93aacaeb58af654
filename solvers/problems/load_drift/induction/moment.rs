//! Gives a stopped computation another half second for the bound that every answer shows.

use crate::run::Watch;
use remapping::{Halt, Observer};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// A clock that lets half a second pass; after that it stops, or reports what another clock does.
pub(in crate::problems::load_drift) struct Moment<'w> {
    begun: Instant,
    watch: Option<&'w Watch>,
}

impl Moment<'_> {
    /// Starts now.
    pub fn now(watch: Option<&Watch>) -> Moment<'_> {
        Moment { begun: Instant::now(), watch }
    }
}

impl Observer for Moment<'_> {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        match self.watch {
            _ if self.begun.elapsed() < Duration::from_millis(500) => ControlFlow::Continue(()),
            Some(watch) => watch.check(),
            None => ControlFlow::Break(Halt::TimeLimit),
        }
    }
}
