//! Loads that drift by continuous increments: a policy, and a lower bound on what any policy can cost.
//!
//! P ranks start alike. In each step the load of rank i grows by b_i + w_i: w_i are independent from step to step, and
//! the slope b_i, normal and unknown, stays until the next remap. A step shows, and costs, the loads of that
//! step, each with noise of its own; it costs max - mean. A remap costs C, splits all evenly and draws the
//! slopes anew: what follows does not depend on what was before, so that the value after a remap is a
//! number for each step, G_k.
//!
//! What a program knows of a rank is the mean of its load and slope given the loads that were seen, Kalman's;
//! their covariance depends on the steps since the last remap alone (`movement`). In these means the loads
//! are a Markov chain. The value of going on, less that of a remap, is a regression on two features
//! of the predicted loads for each step and each number of steps since the last remap, backward in time (`fit`).
//!
//! The lower bound is that of [`many`](super::many), information relaxation, with branches of
//! hindsight from each step: as a remap leads to the same state whatever came before, there is one for each step,
//! and all move by the same increments. Penalties are less their means over samples drawn apart, so that their
//! expectation is zero whatever the regression is; a branch that nobody would be on any more goes on to the
//! end without penalties, which is rigorous too.
//!
//! Slopes that ranks keep over remaps are another problem, `kept`: a remap leads to a state that depends on them.

mod fit;
mod hindsight;
mod kept;
mod movement;
mod search;
mod summary;
mod workload;

pub use workload::Loads;

use super::Curve;
use super::many::played::play_together;
use super::many::{Goal, MOST_LATE, Measured, Path, measured};
use crate::communicator::Communicator;
use crate::law::extremes::{Marginal, extremes};
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
    /// Number of ranks P >= 2.
    pub ranks: usize,
    /// The law of the increments of a load in a step. Their mean does not matter.
    pub increments: Increments,
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

/// The law of the increments of a load in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Increments {
    /// Normal.
    Normal {
        /// Standard deviation.
        deviation: f64,
    },
    /// Gamma.
    Gamma {
        /// Shape parameter.
        shape: f64,
        /// Mean.
        mean: f64,
    },
    /// Student's t, times a scale.
    Student {
        /// Degrees of freedom, above 2.
        freedom: f64,
        /// Scale.
        scale: f64,
    },
    /// Mostly nothing, now and then a jump of exponential size.
    Jumps {
        /// Chance of a jump.
        rate: f64,
        /// Mean size of a jump.
        size: f64,
    },
}

/// Most ranks and steps.
const MOST_RANKS: usize = 10_000;
const MOST_STEPS: u64 = 2_000;

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
    /// Why the problem is out of reach, if it is.
    pub fn fault(&self) -> Option<NoBounds> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let law = match self.increments {
            Increments::Normal { deviation } if !(deviation >= 0.0 && deviation.is_finite()) => {
                Some("the deviation of increments is not negative")
            }
            Increments::Normal { .. } => None,
            Increments::Gamma { shape, mean } if !(positive(shape) && positive(mean)) => {
                Some("shape and mean of a gamma law are positive")
            }
            Increments::Student { freedom, scale } if !(freedom > 2.0 && positive(scale)) => {
                Some("a law of Student has more than 2 degrees of freedom and a positive scale")
            }
            Increments::Jumps { rate, size } if !(rate > 0.0 && rate <= 1.0 && positive(size)) => {
                Some("jumps have a rate above 0, up to 1, and a positive size")
            }
            _ => None,
        };
        let normal = matches!(self.increments, Increments::Normal { .. });
        let moves = self.slopes > 0.0
            || self.kept_slopes.is_some()
            || self.noise > 0.0
            || self.increments.deviation() > 0.0;
        let right = |x: f64| x >= 0.0 && x.is_finite();
        match () {
            () if !(2..=MOST_RANKS).contains(&self.ranks) => Some(NoBounds::Ranks(self.ranks)),
            () if !(1..=MOST_STEPS).contains(&self.steps) => Some(NoBounds::Steps(self.steps)),
            () if law.is_some() => law.map(NoBounds::Law),
            () if !(right(self.slopes) && right(self.noise)) => {
                Some(NoBounds::Law("deviations are not negative"))
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
                Some(NoBounds::Law("costs, slowdowns and the mean load are not negative"))
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
        let loads = (self.steps * self.steps).saturating_mul(self.ranks as u64);
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
            () if loads > MOST_LOADS => Some(NoBounds::Long(self.steps, self.ranks)),
            () => None,
        }
    }

    /// Standard deviation of the slopes, where those of two steps between remaps are the same.
    fn steady_slopes(&self) -> Option<f64> {
        match self.kept_slopes {
            Some(KeptSlopes { deviation, change }) => Some(deviation).filter(|_| change == 0.0),
            None => Some(self.slopes),
        }
    }

    /// The expected imbalance from 1 to so many steps after a remap, where it has a closed form: with normal and gamma
    /// increments, and slopes that do not change between remaps.
    pub fn expected(&self, steps: u64) -> Option<Vec<f64>> {
        let above = |law: Marginal| extremes(&[(self.ranks, law)], &()).above;
        let slopes = self.steady_slopes()?;
        match self.increments {
            Increments::Normal { deviation } => {
                let unit = above(Marginal::Normal { mean: 0.0, deviation: 1.0 });
                let at = |j: f64| {
                    let walk = deviation.powi(2) * j + (slopes * j).powi(2);
                    unit * (walk + self.noise.powi(2)).sqrt()
                };
                Some((1..=steps).map(|j| at(j as f64)).collect())
            }
            Increments::Gamma { shape, mean } if slopes == 0.0 && self.noise == 0.0 => {
                let scale = mean / shape;
                let at = |j: f64| above(Marginal::Gamma { shape: shape * j, scale });
                Some((1..=steps).map(|j| at(j as f64)).collect())
            }
            _ => None,
        }
    }

    /// The expected units that a remap moves, from 1 to so many steps after the last; with normal increments.
    fn expected_moves(&self, steps: u64) -> Option<Vec<f64>> {
        let Increments::Normal { deviation } = self.increments else { return None };
        let (ranks, slopes) = (self.ranks as f64, self.steady_slopes()?);
        let at = |j: f64| {
            let walk = deviation.powi(2) * j + (slopes * j).powi(2) + self.noise.powi(2);
            ranks * ((1.0 - 1.0 / ranks) * walk / (2.0 * std::f64::consts::PI)).sqrt()
        };
        Some((1..=steps).map(|j| at(j as f64)).collect())
    }

    /// The expected cost with a remap decided every 1, 2, ... steps up to all, which is never, where it has a closed form;
    /// infinite where the one before is not in force by then.
    pub fn intervals(&self) -> Option<Vec<f64>> {
        let expected = self.expected(self.steps)?;
        let moves = match self.per_unit_moved > 0.0 {
            true => self.expected_moves(self.steps)?,
            false => vec![0.0; self.steps as usize],
        };
        let mut sums = vec![0.0];
        expected.iter().for_each(|cost| sums.push(sums[sums.len() - 1] + cost));
        let Overlap { steps: late, slowdown } = self.overlap;
        let late = late as usize;
        let steps = self.steps as usize;
        let cost = |interval: usize| {
            if interval <= late && interval < steps {
                return f64::INFINITY;
            }
            // After the last of these, too few steps are left for another to come into force.
            let cycles = (steps - 1).saturating_sub(late) / interval;
            let price = self.remap_cost + self.per_unit_moved * moves[interval - 1];
            let ends = interval + late;
            let slower = |ends: usize| {
                slowdown * (sums[ends] - sums[ends - late] + late as f64 * self.mean_load)
            };
            let last = steps - cycles * interval;
            match cycles {
                0 => sums[steps],
                _ => {
                    sums[ends]
                        + (cycles - 1) as f64 * (sums[ends] - sums[late])
                        + cycles as f64 * (price + slower(ends))
                        + (sums[last] - sums[late])
                }
            }
        };
        Some((1..=steps).map(cost).collect())
    }

    /// What a remap costs where it pays, nearly.
    pub fn typical_remap_cost(&self) -> f64 {
        let costs = self.intervals().filter(|_| self.per_unit_moved > 0.0);
        let best = costs.and_then(|all| (0..all.len()).min_by(|a, b| all[*a].total_cmp(&all[*b])));
        match best.and_then(|best| Some(self.expected_moves(best as u64 + 1)?[best])) {
            Some(moved) => self.remap_cost + self.per_unit_moved * moved,
            None => self.remap_cost,
        }
    }
}

impl Increments {
    /// Standard deviation.
    pub fn deviation(&self) -> f64 {
        match *self {
            Increments::Normal { deviation } => deviation,
            Increments::Gamma { shape, mean } => mean / shape.sqrt(),
            Increments::Student { freedom, scale } => scale * (freedom / (freedom - 2.0)).sqrt(),
            Increments::Jumps { rate, size } => size * (rate * (2.0 - rate)).sqrt(),
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
