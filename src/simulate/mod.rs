//! Simulation of policies on common sample paths: seeded, parallel, reproducible.
//!
//! A [`Workload`] separates randomness (its world, the same for every policy) from the effect of
//! decisions (a mapping). So all policies and the perfect-information optimum use common random
//! numbers. Every run has its own stream of a counter-based generator, and results are combined in
//! the order of the runs: they depend on the seed, not on the number of threads.
//!
//! [`compare`] takes O(runs x steps x policies) evaluations of the loads; the optimum adds
//! O(steps^2) per run if a remap erases the past.
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
mod mapped;
mod recorded;
mod run;
mod simulated;
mod trace;
mod trials;

pub use crate::estimate::Estimate;
pub use crate::random::{Stream, stream};
pub use mapped::Mapped;
pub use recorded::{Base, Recorded};
pub use run::{Comparison, Tally, compare};
pub use simulated::Simulated;
pub(crate) use simulated::{growth, simulated};
pub use trace::{Each, trace};
pub use trials::{Course, Trials, Walker};

use crate::overlap::Overlap;
use crate::policy::Step;
use std::hash::Hash;

/// A program whose load changes as it runs and that can be remapped.
pub trait Workload: Sync {
    /// The state of one sample path, which no decision changes.
    type World;
    /// The effect of the decisions. Equal mappings at the same step have equal futures.
    type Mapping: Clone + Eq + Hash;

    /// Number of steps K of the program.
    fn steps(&self) -> u64;

    /// Cost of a remap in units of time; the least one if it depends on the mapping.
    fn remap_cost(&self) -> f64;

    /// Additional cost of a remap from this mapping, after the latest step of the world.
    fn surcharge(&self, _world: &Self::World, _mapping: &Self::Mapping) -> f64 {
        0.0
    }

    /// The remap cost given to rules that use a single number.
    fn typical_remap_cost(&self) -> f64 {
        self.remap_cost()
    }

    /// Whether decisions are made before a step is paid (T2) rather than after it (T1).
    fn decides_before_step(&self) -> bool {
        false
    }

    /// How a remap overlaps the steps after its decision. The next remap can be decided only after
    /// a step on the new mapping.
    fn overlap(&self) -> Overlap {
        Overlap::NONE
    }

    /// Duration of a step without slowdown; the slowdown during a remap is a fraction of it.
    fn duration(&self, step: &Step) -> f64 {
        step.max()
    }

    /// Whether policies minimize the time of a step rather than its imbalance.
    fn minimises_time(&self) -> bool {
        false
    }

    /// A new sample path.
    fn start(&self, stream: Stream) -> Self::World;

    /// The mapping a run starts with.
    fn initial(&self, world: &mut Self::World) -> Self::Mapping;

    /// Advances the world by one step.
    fn advance(&self, world: &mut Self::World);

    /// Updates a mapping for the latest step of the world.
    fn follow(&self, world: &Self::World, mapping: &mut Self::Mapping);

    /// Writes the load of each processor under a mapping into `loads`.
    fn loads(&self, world: &Self::World, mapping: &Self::Mapping, loads: &mut Vec<f64>);

    /// Replaces the mapping by that of a remap.
    fn remap(&self, world: &Self::World, mapping: &mut Self::Mapping);
}
