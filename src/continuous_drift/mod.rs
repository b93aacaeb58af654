//! Loads that drift by continuous increments: a policy, and a lower bound on what any policy can cost.
//!
//! P ranks start alike. In each step the load of rank i grows by b_i + w_i: w_i are independent from step to step, by the law
//! of the rank's class, and the slope b_i, normal and unknown, stays until the next remap. A step shows, and costs, the loads of that
//! step, each with noise of its own; it costs max - mean. A remap costs C, splits all evenly and draws the
//! slopes anew: what follows does not depend on what was before, so that the value after a remap is a
//! number for each step, G_k.
//!
//! What a program knows of a rank is the mean of its load and slope given the loads that were seen, Kalman's;
//! their covariance depends on the steps since the last remap alone (`movement`). In these means the loads
//! are a Markov chain. The value of going on, less that of a remap, is a regression on two features
//! of the predicted loads for each step and each number of steps since the last remap, backward in time (`fit`).
//!
//! The lower bound is that of [`many`](crate::load_drift::many), information relaxation, with branches of
//! hindsight from each step: as a remap leads to the same state whatever came before, there is one for each step,
//! and all move by the same increments. Penalties are less their means over samples drawn apart, so that their
//! expectation is zero whatever the regression is; a branch that nobody would be on any more goes on to the
//! end without penalties, which is rigorous too.
//!
//! Slopes that ranks keep over remaps are another problem, `kept`: a remap leads to a state that depends on them.

mod fit;
mod hindsight;
mod intervals;
mod kept;
mod laws;
mod movement;
mod price;
mod search;
mod summary;
mod workload;

pub use laws::{Class, Increments};
pub use workload::Loads;

use crate::communicator::Communicator;
use crate::load_drift::Curve;
use crate::load_drift::many::played::play_together;
use crate::load_drift::many::{Goal, MOST_LATE, Measured, Path, measured};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use fit::Fitted;
use hindsight::Hindsight;
use movement::Movement;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A program whose loads drift by continuous increments.
#[derive(Debug, Clone, PartialEq)]
pub struct ContinuousDrift {
    /// The P >= 2 ranks, in classes by the laws of their increments.
    pub classes: Vec<Class>,
    /// Standard deviation of the ranks' slopes, >= 0; other than 0 with normal increments only.
    pub slopes: f64,
    /// Slopes that ranks keep over remaps; not beside `slopes`.
    pub kept_slopes: Option<KeptSlopes>,
    /// Standard deviation of what a step's load has of its own, >= 0; other than 0 with normal increments only, or beside
    /// slopes that are kept.
    pub noise: f64,
    /// Number of steps K >= 1.
    pub steps: u64,
    /// Cost of one remap C >= 0, in units of load.
    pub remap_cost: f64,
    /// What a remap costs besides for each unit of load above the mean of the last step, >= 0.
    pub per_unit_moved: f64,
    /// Remaps that come into force some steps after the decision. The next is decided after a step under the new
    /// mapping at the earliest.
    pub overlap: Overlap,
    /// The mean load, of which steps take a share longer while a remap is made; it matters for that alone.
    pub mean_load: f64,
}

/// Slopes that a remap does not change: in each step all ranks draw new ones, at the same time, or none does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptSlopes {
    /// Their standard deviation > 0; they are normal.
    pub deviation: f64,
    /// Probability of new ones in a step, 0 to 1.
    pub change: f64,
}

/// Most ranks and steps.
const MOST_RANKS: usize = 10_000;
const MOST_STEPS: u64 = 2_000;

/// Most classes: what fixed intervals cost takes time by their square.
const MOST_CLASSES: usize = 8;

/// Most loads of a path with slopes that are kept: all of its steps after each remap that there may be.
const MOST_LOADS: u64 = 4_000_000_000;

/// Why there are no bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoBounds {
    /// Each rank is simulated.
    #[error("there are bounds for 2 to {MOST_RANKS} ranks, found {0}")]
    Ranks(usize),
    /// A value for each step.
    #[error("there are bounds for 1 to {MOST_STEPS} steps, found {0}")]
    Steps(u64),
    /// Each class has laws to evaluate.
    #[error("there are bounds for up to {MOST_CLASSES} classes of ranks, found {0}")]
    Classes(usize),
    /// Kalman's filter is for normal laws.
    #[error("slopes and noise go with normal increments only")]
    NotNormal,
    /// Too long until a remap is in force.
    #[error(
        "a remap comes into force at most {MOST_LATE} steps after its decision here, found {0}"
    )]
    Late(u64),
    /// With slopes that are kept a path takes all steps after each.
    #[error(
        "with slopes that are kept there are bounds for steps x steps x processors up to 4e9, found {0} x {0} x {1}"
    )]
    Long(u64, usize),
    /// A parameter of a law.
    #[error("{0}")]
    Law(&'static str),
    /// The caller stopped.
    #[error("stopped before anything was known")]
    Halted(Halt),
}

impl ContinuousDrift {
    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.classes.iter().fold(0, |sum, class| sum.saturating_add(class.count))
    }

    /// Why the problem is out of reach, if it is.
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

/// A policy, ready to be measured, with what the lower bound is made from.
pub struct Drifting {
    problem: ContinuousDrift,
    way: Way,
    curve: Curve,
    seed: u64,
}

/// What is known beside the rule.
enum Way {
    /// An approximate value function: a remap leads to the same state whatever came before.
    Renewed { movement: Movement, fitted: Fitted },
    /// Nothing: slopes are kept.
    Kept,
}

impl Drifting {
    /// Computes the policy. All random numbers depend on the seed alone.
    ///
    /// # Errors
    /// A problem that is out of reach, or the halt the observer asks for.
    pub fn new(
        problem: &ContinuousDrift,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Drifting, NoBounds> {
        if let Some(fault) = problem.fault() {
            return Err(fault);
        }
        if problem.kept_slopes.is_some() {
            let curve = kept::rule(problem, seed, observer).map_err(NoBounds::Halted)?;
            return Ok(Drifting { problem: problem.clone(), way: Way::Kept, curve, seed });
        }
        let movement = Movement::new(problem);
        let fitted = Fitted::new(problem, &movement, seed, observer).map_err(NoBounds::Halted)?;
        let curve = fitted.curve(problem, &movement, seed, observer).map_err(NoBounds::Halted)?;
        let way = Way::Renewed { movement, fitted };
        Ok(Drifting { problem: problem.clone(), way, curve, seed })
    }

    /// The rule of few numbers that the policy is boiled down to.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// The gap that is aimed at unless another is asked for: that of seconds of work.
    pub fn usual_gap(kept: Option<KeptSlopes>) -> f64 {
        if kept.is_some() { 5e-2 } else { 1e-2 }
    }

    /// The usual effort for a gap.
    pub fn goal(problem: &ContinuousDrift, gap: f64) -> Goal {
        match problem.kept_slopes {
            // There are no penalties, which would be sampled.
            Some(_) => Goal { gap, inner: [1, 1], paths: [16, 256] },
            None => Goal { gap, inner: [64, 512], paths: [4, 64] },
        }
    }

    /// Plays batches of paths until the goal or the observer ends it; `None` if not even two were finished by then.
    pub fn measure(&self, goal: Goal, observer: &dyn Observer) -> Option<Measured> {
        measured::play(goal, observer, |inner, runs| self.paths(inner, runs, observer))
    }

    /// The same on ranks that all have computed it; `together` stops all of them when it stops one.
    pub fn measure_together(
        &self,
        goal: Goal,
        (together, observer): (&dyn Observer, &dyn Observer),
        communicator: &dyn Communicator,
    ) -> Option<Measured> {
        let paths = |inner, runs| self.paths(inner, runs, observer);
        play_together(goal, together, communicator, paths)
    }

    fn paths(
        &self,
        inner: usize,
        runs: Range<u64>,
        observer: &dyn Observer,
    ) -> Result<Vec<Path>, Halt> {
        let Drifting { problem, way, curve, seed } = self;
        let one = |run: u64| match way {
            Way::Kept => kept::path(problem, curve, *seed, run, observer),
            Way::Renewed { movement, fitted } => {
                let hindsight = Hindsight { problem, movement, fitted, curve, inner };
                hindsight.path(*seed, run, observer)
            }
        };
        runs.into_par_iter().map(one).collect()
    }
}
