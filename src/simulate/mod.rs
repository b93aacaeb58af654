//! Policies side by side on the same sample paths: seeded, parallel, reproducible.
//!
//! A [`Workload`] separates what chance does (its world, the same for every policy) from what the
//! decisions have made of it (a mapping), so that all policies, and the clairvoyant that knows the
//! path in advance, meet the same luck. Every run draws from its own stream of a counter-based
//! generator, and results are combined in the order of the runs: the numbers depend on the seed
//! alone, not on the number of threads.
//!
//! ```
//! use remapping::chain::{BirthDeath, Edge};
//! use remapping::load_drift::{ProcessChain, LoadDrift, Loads, Objective, Rebalance, Timing};
//! use remapping::policy::Rule;
//! use remapping::simulate::{Estimate, compare};
//!
//! let loads = Loads::new(LoadDrift {
//!     processors: 4,
//!     chain: ProcessChain::BirthDeath(BirthDeath::walk(12, 0.25, 0.25, Edge::Reflect)?),
//!     lowest: 1.0,
//!     initial: 5,
//!     steps: 50,
//!     remap_cost: 6.0,
//!     per_unit_moved: 0.0,
//!     rebalance: Rebalance::Split,
//!     timing: Timing::AfterStep,
//!     objective: Objective::Imbalance,
//! });
//! let start = || vec![Rule::Never.start(6.0), Rule::StopAtRise.start(6.0)];
//! let found = compare(&loads, &start, 0..100, 1, false, &()).expect("nobody stopped it");
//! let costs: Vec<f64> = found.tallies[1].iter().map(|tally| tally.value).collect();
//! assert!(Estimate::of(&costs).value > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clairvoyant;
pub mod families;
mod mapped;
mod recorded;
mod run;
mod trace;
mod trials;

pub use crate::estimate::Estimate;
pub use crate::random::{Stream, stream};
pub use mapped::Mapped;
pub use recorded::{Base, Recorded};
pub use run::{Comparison, Tally, compare};
pub use trace::trace;
pub use trials::{Course, Statistic, Trials, Trigger, Walker};

use crate::overlap::Overlap;
use crate::policy::Step;
use std::hash::Hash;

/// A program whose load changes as it runs and that can be remapped.
pub trait Workload: Sync {
    /// One sample path as far as it has come: what no decision changes.
    type World;
    /// What decisions have made of it. Equal mappings at the same step have equal futures.
    type Mapping: Clone + Eq + Hash;

    /// Number of steps K of the program.
    fn steps(&self) -> u64;

    /// Cost of a remap, in units of time. Where it depends on the mapping, the least there is.
    fn remap_cost(&self) -> f64;

    /// What a remap of this mapping costs beyond that, after the step the world has come to.
    fn surcharge(&self, _world: &Self::World, _mapping: &Self::Mapping) -> f64 {
        0.0
    }

    /// The cost of a remap that rules are told which want a single number.
    fn typical_remap_cost(&self) -> f64 {
        self.remap_cost()
    }

    /// Whether decisions are made before a step is paid (T2) rather than after it (T1).
    fn decides_before_step(&self) -> bool {
        false
    }

    /// How a remap overlaps the steps after its decision; the next is decided after a step under the new mapping.
    fn overlap(&self) -> Overlap {
        Overlap::NONE
    }

    /// How long a step takes: of that it is slower by a share while a remap is under way.
    fn duration(&self, step: &Step) -> f64 {
        step.max()
    }

    /// Whether a step's time rather than its imbalance is what a policy should make small.
    fn minimises_time(&self) -> bool {
        false
    }

    /// A new sample path.
    fn start(&self, stream: Stream) -> Self::World;

    /// The mapping a run starts with.
    fn initial(&self, world: &mut Self::World) -> Self::Mapping;

    /// Lets the world go on by one step.
    fn advance(&self, world: &mut Self::World);

    /// Carries a mapping along with the step the world has just made.
    fn follow(&self, world: &Self::World, mapping: &mut Self::Mapping);

    /// Writes the load of each processor under a mapping.
    fn loads(&self, world: &Self::World, mapping: &Self::Mapping, loads: &mut Vec<f64>);

    /// Rebalances.
    fn remap(&self, world: &Self::World, mapping: &mut Self::Mapping);
}
