//! The common clock of several ranks.

use crate::memory;
use remapping::{Communicator, Halt, Observer};
use std::ops::ControlFlow;

/// A clock that stops all ranks when it stops one.
pub struct Together<'w> {
    watch: &'w dyn Observer,
    communicator: &'w dyn Communicator,
}

impl<'w> Together<'w> {
    /// The clock of this rank.
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

/// The memory that is missing on the machine of any rank, where this rank needs `needed` bytes. All
/// ranks call it before they allocate.
pub fn shortage(needed: u64, communicator: &dyn Communicator) -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let machine = f64::from(crc32fast::hash(name.as_bytes()));
    let all = communicator.gather(&[machine, needed as f64]);
    let here = all.as_chunks::<2>().0.iter().filter(|[other, _]| *other == machine);
    let needed: f64 = here.map(|[_, needed]| needed).sum();
    let there = memory::available().map_or(f64::INFINITY, |there| there as f64);
    let mut short = [needed - there, if needed > there { needed } else { 0.0 }];
    communicator.largest(&mut short);
    (short[0] > 0.0).then(|| {
        let [missing, needed] = short.map(|bytes| memory::show(bytes as u64));
        format!("the ranks of a machine need {needed} of memory, {missing} more than are free")
    })
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
