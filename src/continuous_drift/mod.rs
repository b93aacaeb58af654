//! Loads with continuous increments: a policy, and a lower bound on the cost of any policy.
//!
//! P ranks start with equal loads. In each step the load of rank i grows by b_i + w_i. The w_i are
//! independent over steps, with the distribution of the rank's class. The slope b_i is normal,
//! unknown, and constant until the next remap. A step reveals its loads, each with independent
//! noise, and costs max - mean. A remap costs C, splits the load evenly and draws new slopes. What
//! follows a remap does not depend on the past, so the value after it is one number G_k for each
//! step k:
//!
//! ```text
//! V_k(x) = E[u(x') + min(V_{k+1}(x'), C + G_{k+1}) | x]
//! ```
//!
//! with x the state of knowledge after step k and u the cost of a step.
//!
//! The state of knowledge is the conditional mean of load and slope of each rank, by a Kalman
//! filter. Its covariance depends on the steps since the last remap alone (`movement`). In these
//! means the loads are a Markov chain. The gain of a remap is a regression on two features of the
//! predicted loads, for each step and each number of steps since the last remap, by backward
//! induction (`fit`).
//!
//! The lower bound is the information relaxation of [`many`](crate::load_drift::many). A remap
//! leads to the same state whatever came before, so there is one branch from each step, and all
//! branches have the same increments. Penalties are centered by their means over independent
//! samples, so their expectation is zero whatever the regression. A branch that cannot be optimal
//! continues to the end without penalties, which keeps the bound valid.
//!
//! Persistent slopes are another problem (`kept`), because a remap then leads to a state that
//! depends on them.

mod fit;
mod intervals;
mod kept;
mod laws;
mod movement;
mod perfect_information;
mod price;
mod search;
mod summary;
mod workload;

pub use laws::{Class, Increments};
pub use workload::Loads;

use crate::load_drift::Curve;
use crate::load_drift::many::{Goal, MOST_LATE, Path, SamplePaths};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use crate::parallel;
use fit::Fitted;
use movement::Movement;
use perfect_information::Hindsight;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A program whose loads drift by continuous increments.
#[derive(Debug, Clone, PartialEq)]
pub struct ContinuousDrift {
    /// The P >= 2 ranks, in classes by increment distribution.
    pub classes: Vec<Class>,
    /// Standard deviation of the ranks' slopes, >= 0; nonzero with normal increments only.
    pub slopes: f64,
    /// Persistent slopes that a remap does not change; excludes `slopes`.
    pub kept_slopes: Option<KeptSlopes>,
    /// Standard deviation of the noise of each load in a step, >= 0. Nonzero with normal increments
    /// only, or with persistent slopes.
    pub noise: f64,
    /// Number of steps K >= 1.
    pub steps: u64,
    /// Cost of one remap C >= 0, in units of load.
    pub remap_cost: f64,
    /// Additional cost of a remap for each unit of load above the mean of the last step, >= 0.
    pub per_unit_moved: f64,
    /// Delay of remaps. The next remap is decided, at the earliest, after a step under the new
    /// mapping.
    pub overlap: Overlap,
    /// The mean load. It matters only for the slowdown of steps during a remap.
    pub mean_load: f64,
}

/// Persistent slopes: in each step either all ranks draw new ones or none does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptSlopes {
    /// Their standard deviation > 0; they are normal.
    pub deviation: f64,
    /// Probability of new slopes in a step, 0 to 1.
    pub change: f64,
}

/// Largest numbers of ranks and steps.
const MOST_RANKS: usize = 10_000;
const MOST_STEPS: u64 = 2_000;

/// Largest number of classes: the time for fixed intervals grows with its square.
const MOST_CLASSES: usize = 8;

/// Largest number of loads of a path with persistent slopes: all steps after each possible remap.
const MOST_LOADS: u64 = 4_000_000_000;

/// Why there are no bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoBounds {
    /// Each rank is simulated.
    #[error("there are bounds for 2 to {MOST_RANKS} ranks, found {0}")]
    Ranks(usize),
    /// There is a value for each step.
    #[error("there are bounds for 1 to {MOST_STEPS} steps, found {0}")]
    Steps(u64),
    /// Each class has distributions to evaluate.
    #[error("there are bounds for up to {MOST_CLASSES} classes of ranks, found {0}")]
    Classes(usize),
    /// The Kalman filter requires normal distributions.
    #[error("slopes and noise go with normal increments only")]
    NotNormal,
    /// Too many steps until a remap takes effect.
    #[error(
        "a remap comes into force at most {MOST_LATE} steps after its decision here, found {0}"
    )]
    Late(u64),
    /// With persistent slopes a path needs all steps after each possible remap.
    #[error(
        "with slopes that are kept there are bounds for steps x steps x processors up to 4e9, found {0} x {0} x {1}"
    )]
    Long(u64, usize),
    /// A parameter of a distribution.
    #[error("{0}")]
    Law(&'static str),
}

impl ContinuousDrift {
    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.classes.iter().fold(0, |sum, class| sum.saturating_add(class.count))
    }

    /// The reason why the problem is out of reach, if it is.
    pub fn fault(&self) -> Option<NoBounds> {
        let ranks = self.ranks();
        let law = self.classes.iter().find_map(Class::fault);
        let normal =
            self.classes.iter().all(|class| matches!(class.law, Increments::Normal { .. }));
        let moves = self.slopes > 0.0
            || self.kept_slopes.is_some()
            || self.noise > 0.0
            || self.classes.iter().any(|class| class.law.deviation() > 0.0)
            || self.classes.iter().any(|class| class.drift != self.classes[0].drift);
        let right = |x: f64| x >= 0.0 && x.is_finite();
        match () {
            () if !(2..=MOST_RANKS).contains(&ranks) => Some(NoBounds::Ranks(ranks)),
            () if self.classes.len() > MOST_CLASSES => Some(NoBounds::Classes(self.classes.len())),
            () if !(1..=MOST_STEPS).contains(&self.steps) => Some(NoBounds::Steps(self.steps)),
            () if law.is_some() => law.map(NoBounds::Law),
            () if !(right(self.slopes) && right(self.noise)) => {
                Some(NoBounds::Law("deviations must not be negative"))
            }
            () if ![
                self.remap_cost,
                self.per_unit_moved,
                self.overlap.slowdown,
                self.mean_load,
            ]
            .into_iter()
            .all(right) =>
            {
                Some(NoBounds::Law("costs, slowdowns and the mean load must not be negative"))
            }
            () if self.overlap.steps > MOST_LATE => Some(NoBounds::Late(self.overlap.steps)),
            () if self.kept_slopes.is_some() => self.fault_of_kept(),
            () if !normal && (self.slopes > 0.0 || self.noise > 0.0) => Some(NoBounds::NotNormal),
            () if !moves => Some(NoBounds::Law("loads that never move need no remap")),
            () => None,
        }
    }

    fn fault_of_kept(&self) -> Option<NoBounds> {
        let kept = self.kept_slopes?;
        let loads = (self.steps * self.steps).saturating_mul(self.ranks() as u64);
        match () {
            () if !(kept.deviation > 0.0 && kept.deviation.is_finite()) => {
                Some(NoBounds::Law("the deviation of slopes that are kept is positive"))
            }
            () if !(0.0..=1.0).contains(&kept.change) => {
                Some(NoBounds::Law("a probability is between 0 and 1"))
            }
            () if self.slopes > 0.0 => {
                Some(NoBounds::Law("a remap draws slopes anew, or ranks keep them: not both"))
            }
            () if !self.overlap.is_none() => {
                Some(NoBounds::Law("with slopes that are kept, remaps are made at once"))
            }
            () if loads > MOST_LOADS => Some(NoBounds::Long(self.steps, self.ranks())),
            () => None,
        }
    }
}

/// A policy, with the data for the lower bound.
pub struct Drifting {
    problem: ContinuousDrift,
    /// An approximate value function, where a remap leads to the same state whatever came before;
    /// none where slopes are persistent.
    renewed: Option<(Movement, Fitted)>,
    curve: Curve,
    seed: u64,
}

impl Drifting {
    /// Computes the policy. All random numbers depend on the seed alone.
    ///
    /// # Errors
    /// The halt that the observer requested.
    ///
    /// # Panics
    /// A problem with a [fault](ContinuousDrift::fault).
    pub fn new(
        problem: &ContinuousDrift,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Drifting, Halt> {
        assert_eq!(problem.fault(), None);
        let (renewed, curve) = if problem.kept_slopes.is_some() {
            (None, kept::rule(problem, seed, observer)?)
        } else {
            let movement = Movement::new(problem);
            let fitted = Fitted::new(problem, &movement, seed, observer)?;
            let curve = fitted.curve(problem, &movement, seed, observer)?;
            (Some((movement, fitted)), curve)
        };
        Ok(Drifting { problem: problem.clone(), renewed, curve, seed })
    }

    /// The default gap, which takes seconds of work.
    pub fn usual_gap(kept: Option<KeptSlopes>) -> f64 {
        if kept.is_some() { 5e-2 } else { 1e-2 }
    }

    /// The default effort for a gap.
    pub fn goal(problem: &ContinuousDrift, gap: f64) -> Goal {
        match problem.kept_slopes {
            // There are no penalties to be sampled.
            Some(_) => Goal { gap, inner: [1, 1], paths: [16, 256] },
            None => Goal { gap, inner: [64, 512], paths: [4, 64] },
        }
    }
}

impl SamplePaths for Drifting {
    fn curve(&self) -> &Curve {
        &self.curve
    }

    fn paths(
        &self,
        inner: usize,
        runs: Range<u64>,
        observer: &dyn Observer,
    ) -> Result<Vec<Path>, Halt> {
        let Drifting { problem, renewed, curve, seed } = self;
        let one = |run: u64| match renewed {
            None => kept::path(problem, curve, *seed, run, observer),
            Some((movement, fitted)) => {
                let hindsight = Hindsight { problem, movement, fitted, curve, inner };
                hindsight.path(*seed, run, observer)
            }
        };
        parallel::runs(runs, &one)
    }
}
