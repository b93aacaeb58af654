//! Drifting loads: optimal control of a program whose processors' loads walk at random
//! [NRS86, sections 2 and 3].
//!
//! r processors carry loads that move as independent, identical Markov chains on L levels. A step
//! takes as long as its slowest processor; a remap costs C and brings every load to the average.
//! Over a horizon of K steps, with u the cost of a step (max - mean, or max) and R the rebalance,
//!
//! ```text
//! after each step (T1):   V_K = 0
//!     V_k(x) = sum over y of P(x, y) (u(y) + min(V_{k+1}(y), C + V_{k+1}(R y)))
//! before each step (T2):  V_K = u
//!     V_k(x) = u(x) + sum over y of P(x, y) min(V_{k+1}(y), C + V_{k+1}(R y))
//! ```
//!
//! with no decision after step K (T1) or before step 1 (T2). The processors are exchangeable, so
//! the state is the multiset of their levels: C(L+r-1, r) states instead of L^r, 1.56 million
//! instead of 17 thousand million for 8 processors of 19 levels. The recursion streams over time:
//! its memory is a few vectors, whatever the horizon.
//!
//! Fixed intervals need no state space at all: between remaps the loads are independent, so every
//! interval is evaluated exactly from powers of one L x L matrix (`intervals`).
//!
//! ```
//! use remapping::chain::{BirthDeath, Edge};
//! use remapping::load_drift::{ProcessChain, Intervals, LoadDrift, Objective, Rebalance, Timing};
//!
//! let problem = LoadDrift {
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
//! };
//! let best = Intervals::new(&problem, problem.steps, &()).best();
//! assert!(best.outcome.value <= Intervals::never(&problem).value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod induction;
pub mod many;
mod region;
mod rules;
mod sharing;
mod state_space;
mod variants;

pub use crate::chain::ProcessChain;
pub use induction::backward::{Backward, Carry};
pub use induction::control::Control;
pub use induction::remapping::Remapping;
pub use induction::snapshot::Snapshot;
pub use rules::best_threshold::BestThreshold;
pub(crate) use rules::curve;
pub use rules::curve::{Curve, Seen};
pub use rules::decisions::{Closest, Decisions};
pub use rules::paths::{Draws, Loads, MapPolicy};
pub use sharing::blocks::Work;
pub use sharing::ranks::Ranks;
pub use state_space::lifted::Lifted;
pub use state_space::states::{Balanced, States};
pub use state_space::transition::Transition;
pub use variants::intervals::{IntervalOutcome, Intervals};
pub use variants::unremapped::{AverageCosts, Expected, Unremapped};

/// A program with drifting loads [NRS86, section 3].
#[derive(Debug, Clone, PartialEq)]
pub struct LoadDrift {
    /// Number of processors r >= 1.
    pub processors: usize,
    /// How the load of each processor moves.
    pub chain: ProcessChain,
    /// Load of the lowest level; level l is load `lowest + l`. At least 0, in units of time.
    pub lowest: f64,
    /// Level of every processor at the start, below the number of levels.
    pub initial: usize,
    /// Number of steps K >= 1.
    pub steps: u64,
    /// Cost of one remap C >= 0, in units of time.
    pub remap_cost: f64,
    /// Cost of a remap for each unit of load that changes its processor, >= 0. Nonzero only with
    /// [`Rebalance::Split`]: the other rules add or remove load.
    pub per_unit_moved: f64,
    /// How a remap distributes the loads.
    pub rebalance: Rebalance,
    /// When the program may remap.
    pub timing: Timing,
    /// What is minimized.
    pub objective: Objective,
}

/// How a remap distributes the total load of r processors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
pub enum Rebalance {
    /// Each processor gets the floor or the ceiling of the average; the total is kept.
    #[default]
    Split,
    /// Every processor gets the integer nearest to the average, upward when two are equally near:
    /// the total may change.
    Nearest,
    /// Every processor gets the floor or the ceiling of the average, all the same, at random so
    /// that the total is kept on average.
    Stochastic,
}

/// When the program may remap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename = "Decide")]
pub enum Timing {
    /// T1: after each step but the last, when it has been paid.
    #[default]
    AfterStep,
    /// T2: before each step but the first, when its loads are known and not yet paid.
    BeforeStep,
}

/// What is minimized, in addition to the cost of the remaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
pub enum Objective {
    /// The time lost to imbalance, the sum over the steps of max - mean.
    #[default]
    Imbalance,
    /// The time the program takes, the sum over the steps of max.
    Makespan,
}

/// Exact expectations of a program run under a policy, over the whole horizon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The objective, remaps included.
    pub value: f64,
    /// Sum over the steps of the mean load.
    pub work: f64,
    /// Number of remaps.
    pub remaps: f64,
    /// Time the program takes: sum over the steps of the largest load, and the remaps.
    pub time: f64,
}

impl Outcome {
    /// From the values that the recursions carry: the objective, the work and the number of remaps.
    fn new(objective: Objective, value: f64, work: f64, remaps: f64) -> Outcome {
        let time = match objective {
            Objective::Imbalance => value + work,
            Objective::Makespan => value,
        };
        Outcome { value, work, remaps, time }
    }

    /// Expected work over expected time, the utilization of [NRS86, Fig. 3].
    pub fn utilization(&self) -> f64 {
        if self.time > 0.0 { self.work / self.time } else { 1.0 }
    }
}

impl LoadDrift {
    /// The cost of a step with the given largest and mean load.
    pub fn step_cost(&self, max: f64, mean: f64) -> f64 {
        match self.objective {
            Objective::Imbalance => max - mean,
            Objective::Makespan => max,
        }
    }
}
