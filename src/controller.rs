//! A policy inside a running program: it receives every step, can be stored in a checkpoint, and
//! resumes from there.
//!
//! Given the same times it decides as [`crate::replay`] does: both run the same [`Player`].
//!
//! ```
//! use remapping::controller::Controller;
//!
//! let mut controller = Controller::named("threshold:0.5", 2.0)?;
//! assert!(!controller.step(&[1.0, 1.2, 1.1])?);
//! assert!(controller.step_summary(2.0, 1.3, None)?);
//! controller.remapped(Some(1.9))?;
//! assert_eq!(controller.mean_remap_cost(), Some(1.9));
//! # Ok::<(), remapping::controller::ControllerError>(())
//! ```

use crate::fit::level::Family;
use crate::learning::Learnt;
use crate::overlap::Overlap;
use crate::policy::advised::Advised;
use crate::policy::predictive::Predictive;
use crate::policy::{Policy, Rule, Step};
use crate::record::{MOST_SECONDS, Record, RecordError};
use crate::replay::{Ground, NameError, Needs, Outset, Player};
use serde::{Deserialize, Serialize};

/// Number of remaining steps if it is unknown: beyond the horizon of every plan.
const ENDLESS: u64 = u64::MAX / 2;

/// The state of a policy between two steps of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    player: Player,
    /// Number of steps processed.
    #[serde(default)]
    steps: u64,
    #[serde(default)]
    remaps: Remaps,
    #[serde(skip)]
    step: Step,
}

/// Number and measured cost of remaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Remaps {
    count: u64,
    measured: u64,
    seconds: f64,
}

/// Why a controller cannot be created, or cannot process a step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// No policy has the name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The policy must be trained on a log.
    #[error("`{0}` is tuned on recorded steps: train it on some, or give a rule with its number")]
    Untrained(String),
    /// The training steps are not a valid record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// There are too few training steps.
    #[error("{0} steps are too few to train on: it takes 4")]
    TooFew(usize),
    /// The cost of a remap is invalid.
    #[error("a remap cannot cost {0}: give a number from 0 on")]
    Cost(f64),
    /// A time is negative or not finite.
    #[error("the time of rank {0} is negative or not finite")]
    Time(usize),
    /// A time, or a cost, above [`MOST_SECONDS`].
    #[error("{0:e} is too large")]
    TooLarge(f64),
    /// A summary is negative or not finite, or its values contradict each other.
    #[error(
        "max = {max} and mean = {mean} are not the largest and the mean of times{least}",
        least = .min.map_or(String::new(), |min| format!(", or min = {min} is not the least"))
    )]
    Summary {
        /// The maximum given.
        max: f64,
        /// The mean given.
        mean: f64,
        /// The minimum given.
        min: Option<f64>,
    },
    /// The policy needs the time of every rank.
    #[error("this policy needs the time of every rank, not only the largest and the mean")]
    NeedsTimes,
    /// The policy needs the least time.
    #[error("this policy needs the least time too")]
    NeedsMin,
    /// The number of times differs from the policy's number of ranks.
    #[error("{given} times, but this policy is for {ranks} ranks")]
    Ranks {
        /// Ranks of the policy.
        ranks: usize,
        /// Times given.
        given: usize,
    },
    /// A step has no times.
    #[error("a step has the time of at least one rank")]
    NoRanks,
    /// A stored controller is inconsistent.
    #[error("not a controller: {0}")]
    Stored(&'static str),
}

impl From<Player> for Controller {
    fn from(player: Player) -> Controller {
        Controller { player, steps: 0, remaps: Remaps::default(), step: Step::default() }
    }
}

fn checked_cost(remap_cost: f64) -> Result<f64, ControllerError> {
    if !(remap_cost.is_finite() && remap_cost >= 0.0) {
        return Err(ControllerError::Cost(remap_cost));
    }
    not_too_large([remap_cost])?;
    Ok(remap_cost)
}

/// Whether it is a valid time of a step, as in [`Record`].
fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds >= 0.0
}

fn not_too_large(seconds: impl IntoIterator<Item = f64>) -> Result<(), ControllerError> {
    match seconds.into_iter().find(|seconds| *seconds > MOST_SECONDS) {
        Some(seconds) => Err(ControllerError::TooLarge(seconds)),
        None => Ok(()),
    }
}

impl Controller {
    /// A policy by its name in `replay`, for remaps of cost `remap_cost` in the unit of the times.
    /// It is untrained; a learning policy learns online. The program is assumed to start balanced.
    ///
    /// # Errors
    /// If no policy has this name, or it must be trained on recorded steps.
    pub fn named(name: &str, remap_cost: f64) -> Result<Controller, ControllerError> {
        let cost = checked_cost(remap_cost)?;
        let player = match name {
            "advised" | "advised_cold" => Player::Advised(Box::new(Advised::new(cost))),
            "adaptive_cold" => {
                let nothing = std::iter::empty();
                let plan = Predictive::new(nothing, cost, ENDLESS, true, Family::Trends);
                Player::Predictive(Box::new(plan))
            }
            "q_learning" => Player::Learnt(Learnt::new(cost)),
            "solved" | "adaptive" | "predictive" | "interval" | "fixed" | "threshold"
            | "utilization" => return Err(ControllerError::Untrained(name.to_owned())),
            "solution" => return Err(NameError::NoSolution.into()),
            rule => Player::Rule(rule.parse::<Rule>().map_err(NameError::from)?.run(cost)),
        };
        Ok(player.into())
    }

    /// The same after training on all steps of `record`, as `replay` trains its policies on the
    /// steps before the evaluated ones. The program is balanced at the last of them. `steps` is the
    /// number of remaining steps, if known; `seed` is that of Q-learning.
    ///
    /// # Errors
    /// If no policy has this name, there are too few steps, or a time is too large.
    pub fn trained(
        name: &str,
        remap_cost: f64,
        record: &Record,
        steps: Option<u64>,
        seed: u64,
    ) -> Result<Controller, ControllerError> {
        let remap_cost = checked_cost(remap_cost)?;
        if record.steps() < 4 {
            return Err(ControllerError::TooFew(record.steps()));
        }
        not_too_large([record.largest()])?;
        let ground = Ground {
            record,
            remap_cost,
            overlap: Overlap::NONE,
            training: 0..record.steps(),
            seed,
            from: Outset::Balance,
            end_known: steps.is_some(),
        };
        let found = ground.contestant(name, None, &mut Vec::new())?;
        Ok(ground.run(&found, steps.unwrap_or(ENDLESS)).into())
    }

    /// Gives the policy the number of remaining steps, if it can use that.
    pub fn for_steps(self, steps: u64) -> Controller {
        Controller { player: self.player.for_steps(steps), ..self }
    }

    /// The data of a step that it needs.
    pub fn needs(&self) -> Needs {
        self.player.needs()
    }

    /// The number of ranks, if the policy is made for a fixed one.
    pub fn ranks(&self) -> Option<usize> {
        self.player.ranks()
    }

    /// Processes the time of each rank in a step, and returns whether to remap now. O(ranks), plus
    /// the policy's time.
    ///
    /// # Errors
    /// If a time is negative, not finite or too large, or the number of ranks differs from before.
    /// The step is then ignored.
    pub fn step(&mut self, times: &[f64]) -> Result<bool, ControllerError> {
        if times.is_empty() {
            return Err(ControllerError::NoRanks);
        }
        if let Some(rank) = times.iter().position(|time| !is_time(*time)) {
            return Err(ControllerError::Time(rank));
        }
        not_too_large(times.iter().copied())?;
        if let Some(ranks) = self.ranks().filter(|ranks| *ranks != times.len()) {
            return Err(ControllerError::Ranks { ranks, given: times.len() });
        }
        self.steps += 1;
        self.step.refill(self.steps, |held| {
            held.clear();
            held.extend_from_slice(times);
        });
        self.player.observe(&self.step);
        Ok(self.player.wants_remap())
    }

    /// The same from the largest and the mean time, and the least time if known, for policies that
    /// do not need single ranks.
    ///
    /// # Errors
    /// If the policy needs more, or the numbers contradict each other. The step is then ignored.
    pub fn step_summary(
        &mut self,
        max: f64,
        mean: f64,
        min: Option<f64>,
    ) -> Result<bool, ControllerError> {
        match self.needs() {
            Needs::Times => return Err(ControllerError::NeedsTimes),
            Needs::MaxMeanMin if min.is_none() => return Err(ControllerError::NeedsMin),
            _ => {}
        }
        // Allows for rounding of sums over ranks.
        let at_least = |one: f64, other: f64| one - other >= -1e-9 * (one + other);
        let fits = |min| is_time(min) && at_least(mean, min);
        if !(is_time(max) && is_time(mean) && at_least(max, mean) && min.is_none_or(fits)) {
            return Err(ControllerError::Summary { max, mean, min });
        }
        not_too_large([max, mean].into_iter().chain(min))?;
        self.steps += 1;
        self.player.observe(&Step::summary(self.steps, max, mean, min));
        Ok(self.player.wants_remap())
    }

    /// A remap that goes on during the next steps has begun, whoever asked for it: these steps
    /// still use the old mapping. [`remapped`](Controller::remapped) ends it.
    pub fn begun(&mut self) {
        self.player.begun();
    }

    /// Records a remap, whoever decided it; `seconds` is its cost, if it was measured. Policies
    /// keep the remap cost that they were created with, as in `replay`.
    ///
    /// # Errors
    /// If the cost is negative, not finite or too large. The remap is then ignored.
    pub fn remapped(&mut self, seconds: Option<f64>) -> Result<(), ControllerError> {
        if let Some(seconds) = seconds {
            self.remaps.seconds += checked_cost(seconds)?;
            self.remaps.measured += 1;
        }
        self.remaps.count += 1;
        self.player.remapped();
        Ok(())
    }

    /// Number of steps processed.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of remaps.
    pub fn remaps(&self) -> u64 {
        self.remaps.count
    }

    /// Mean measured cost of remaps; `None` before one was measured.
    pub fn mean_remap_cost(&self) -> Option<f64> {
        let Remaps { measured, seconds, .. } = self.remaps;
        (measured > 0).then(|| seconds / measured as f64)
    }

    /// Checks a deserialized controller.
    ///
    /// # Errors
    /// If it is inconsistent.
    pub fn check(self) -> Result<Controller, ControllerError> {
        match self.player.fault() {
            Some(fault) => Err(ControllerError::Stored(fault)),
            None => Ok(self),
        }
    }
}
