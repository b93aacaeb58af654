//! Workloads behind one type, so that their simulation is compiled once, in this crate.

use super::{Comparison, Each, Workload, stream};
use crate::observer::{Halt, Observer};
use crate::policy::{Policy, Step};
use std::ops::Range;

/// A [`Workload`] of any kind.
pub trait Simulated: Sync {
    /// Number of steps of the program.
    fn steps(&self) -> u64;

    /// Cost of a remap in units of time; the least one if it depends on the mapping.
    fn remap_cost(&self) -> f64;

    /// The remap cost given to rules that use a single number.
    fn typical_remap_cost(&self) -> f64;

    /// [`compare`](super::compare) on this workload.
    ///
    /// # Errors
    /// The halt of the observer.
    fn compare(
        &self,
        policies: &(dyn Fn() -> Vec<Box<dyn Policy>> + Sync),
        runs: Range<u64>,
        seed: u64,
        clairvoyant: bool,
        observer: &dyn Observer,
    ) -> Result<Comparison, Halt>;

    /// [`trace`](super::trace) on this workload.
    fn trace(&self, policy: Box<dyn Policy>, seed: u64, each: &mut Each<'_>);

    /// The mean imbalance at each step without remaps, on separate pilot paths.
    fn growth(&self, seed: u64) -> Vec<f64>;
}

/// Implements [`Simulated`] for a type, not for all workloads: what is generic would be compiled
/// again in every crate that uses it.
macro_rules! simulated {
    ($workload:ty) => {
        impl $crate::simulate::Simulated for $workload {
            fn steps(&self) -> u64 {
                $crate::simulate::Workload::steps(self)
            }

            fn remap_cost(&self) -> f64 {
                $crate::simulate::Workload::remap_cost(self)
            }

            fn typical_remap_cost(&self) -> f64 {
                $crate::simulate::Workload::typical_remap_cost(self)
            }

            fn compare(
                &self,
                policies: &(dyn Fn() -> Vec<Box<dyn $crate::policy::Policy>> + Sync),
                runs: std::ops::Range<u64>,
                seed: u64,
                clairvoyant: bool,
                observer: &dyn $crate::observer::Observer,
            ) -> Result<$crate::simulate::Comparison, $crate::observer::Halt> {
                $crate::simulate::compare(self, policies, runs, seed, clairvoyant, observer)
            }

            fn trace(
                &self,
                policy: Box<dyn $crate::policy::Policy>,
                seed: u64,
                each: &mut $crate::simulate::Each<'_>,
            ) {
                $crate::simulate::trace(self, policy, seed, each);
            }

            fn growth(&self, seed: u64) -> Vec<f64> {
                $crate::simulate::growth(self, seed)
            }
        }
    };
}
pub(crate) use simulated;

/// The number of pilot paths.
const PILOT: u64 = 16;

/// The mean imbalance at each step without remaps, on separate pilot paths.
pub(crate) fn growth<W: Workload>(workload: &W, seed: u64) -> Vec<f64> {
    let mut sums = vec![0.0; workload.steps() as usize];
    let mut step = Step::default();
    for run in 0..PILOT {
        let mut world = workload.start(stream(seed, u64::MAX - run));
        let mut mapping = workload.initial(&mut world);
        for (number, sum) in (1..).zip(&mut sums) {
            workload.advance(&mut world);
            workload.follow(&world, &mut mapping);
            step.refill(number, |loads| workload.loads(&world, &mapping, loads));
            *sum += step.imbalance() / PILOT as f64;
        }
    }
    sums
}
