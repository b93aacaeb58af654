//! A recorded run as a workload, under other remaps than the recorded ones.

use super::{Stream, Workload, simulated};
use crate::record::{Record, mean};
use std::ops::Range;

/// The steps `steps` of a record under other remaps than the recorded ones.
///
/// Assumes that a remap gives every rank the mean time of the step, apart from noise that the
/// record contains, and leaves later increments unchanged. At the first step of the record the
/// ranks have their recorded times (before rounding, where that is known); a run that starts later
/// starts balanced.
#[derive(Debug, Clone)]
pub struct Recorded<'a> {
    record: &'a Record,
    steps: Range<usize>,
    remap_cost: f64,
}

/// The step after which the last remap was made, if any in this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// The times the record starts with.
    AsRecorded,
    /// Balanced after this step.
    Balanced(usize),
}

impl Base {
    /// Balanced just before a step; the first has the times the record starts with.
    pub fn before(step: usize) -> Base {
        step.checked_sub(1).map_or(Base::AsRecorded, Base::Balanced)
    }

    /// The loads at the last remap, as [`Record::loads`] has them.
    pub fn loads(self, record: &Record) -> Option<&[f64]> {
        match self {
            Base::AsRecorded => None,
            Base::Balanced(step) => Some(record.loads(step)),
        }
    }
}

impl<'a> Recorded<'a> {
    /// The run of these steps of `record`, with remaps of cost `remap_cost`.
    ///
    /// # Panics
    /// If `steps` is empty or exceeds the record.
    pub fn new(record: &'a Record, steps: Range<usize>, remap_cost: f64) -> Recorded<'a> {
        assert!(steps.start < steps.end && steps.end <= record.steps());
        Recorded { record, steps, remap_cost }
    }

    /// The rank times at `step` if the last remap was made after step `base`.
    pub fn times(record: &Record, base: Base, step: usize, times: &mut Vec<f64>) {
        let then = base.loads(record);
        Recorded::since(then.map(|then| (then, mean(then))), record.path(step), times);
    }

    /// The same from the rank times `now` without remaps, and those at the last remap with their
    /// mean.
    pub fn since(last: Option<(&[f64], f64)>, now: &[f64], times: &mut Vec<f64>) {
        times.clear();
        match last {
            None => times.extend(now),
            Some((then, balanced)) => {
                times.extend(now.iter().zip(then).map(|(now, then)| balanced + now - then));
            }
        }
    }
}

simulated!(Recorded<'_>);

impl Workload for Recorded<'_> {
    /// The number of steps done.
    type World = usize;
    type Mapping = Base;

    fn steps(&self) -> u64 {
        self.steps.len() as u64
    }

    fn remap_cost(&self) -> f64 {
        self.remap_cost
    }

    fn start(&self, _stream: Stream) -> usize {
        0
    }

    fn initial(&self, _made: &mut usize) -> Base {
        Base::before(self.steps.start)
    }

    fn advance(&self, made: &mut usize) {
        *made += 1;
    }

    fn follow(&self, _made: &usize, _base: &mut Base) {}

    fn loads(&self, made: &usize, base: &Base, loads: &mut Vec<f64>) {
        Recorded::times(self.record, *base, self.steps.start + made - 1, loads);
    }

    fn remap(&self, made: &usize, base: &mut Base) {
        *base = Base::Balanced(self.steps.start + made - 1);
    }
}
