//! The model of recurring phases: two phases, two mappings, one detector.

use crate::Rational;
use crate::belief::Levels;

/// The parameters, as exact rationals. All times share one unit. Index 0 means the first phase or
/// mapping, index 1 the second.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseSwitching {
    /// `cycle[z][m]`: mean time of a cycle in phase z under mapping m.
    pub cycle: [[Rational; 2]; 2],
    /// `switch[m]`: cost of switching away from mapping m, >= 0; `None` if that switch is
    /// impossible.
    pub switch: [Option<Rational>; 2],
    /// `rates[z]`: probability that phase z ends between one step and the next, in \[0, 1\].
    pub rates: [Rational; 2],
    /// Distribution of the detector's observation in the first phase (`before`) and in the second
    /// (`after`).
    pub detector: Levels,
    /// Probability at step 0 that the second phase is on. The program starts under the first
    /// mapping.
    pub initial: Rational,
}

/// Why a problem is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SwitchingError {
    /// A rate or the initial belief lies outside \[0, 1\].
    #[error("the {0} lies outside [0, 1]")]
    NotAProbability(&'static str),
    /// A switch has a negative cost.
    #[error("a switch has a negative cost")]
    NegativeCost,
    /// a + b > 1: an observation of one phase would be evidence for the other phase at the next
    /// step.
    #[error("the phases alternate faster than they last: their rates sum to more than 1")]
    Alternating,
    /// Each mapping suits the other's phase better: the gain g_1 is below g_0.
    #[error(
        "the mappings are reversed: the second gains less in the second phase than in the first"
    )]
    Reversed,
    /// With an infinite horizon both switches must be possible.
    #[error("an endless program needs a way back")]
    NoWayBack,
    /// With an infinite horizon and both rates 0 the average depends on the initial phase.
    #[error("the phases never change")]
    NoChange,
}

impl PhaseSwitching {
    /// Checks the assumptions of the theory.
    ///
    /// # Errors
    /// See [`SwitchingError`]. The last two variants concern infinite horizons only and are not
    /// checked here.
    pub fn validate(&self) -> Result<(), SwitchingError> {
        let probability = |value: &Rational| *value >= Rational::ZERO && *value <= Rational::ONE;
        if !self.rates.iter().all(probability) {
            return Err(SwitchingError::NotAProbability("rate of a phase"));
        }
        if !probability(&self.initial) {
            return Err(SwitchingError::NotAProbability("initial belief"));
        }
        if self.switch.iter().flatten().any(|cost| *cost < Rational::ZERO) {
            return Err(SwitchingError::NegativeCost);
        }
        if &self.rates[0] + &self.rates[1] > Rational::ONE {
            return Err(SwitchingError::Alternating);
        }
        if self.gain(1) < self.gain(0) {
            return Err(SwitchingError::Reversed);
        }
        Ok(())
    }

    /// Time per cycle that the second mapping saves against the first in `phase`; may be negative.
    pub fn gain(&self, phase: usize) -> Rational {
        &self.cycle[phase][0] - &self.cycle[phase][1]
    }

    /// Stationary probability of the second phase, a / (a + b); `None` if the phases never change.
    pub fn share(&self) -> Option<Rational> {
        let [a, b] = &self.rates;
        (a + b > Rational::ZERO).then(|| a / (a + b))
    }

    /// Average time per cycle of an endless program that keeps `mapping`; `None` if the phases
    /// never change.
    pub fn average_under(&self, mapping: usize) -> Option<Rational> {
        let share = self.share()?;
        let [first, second] = [0, 1].map(|phase: usize| &self.cycle[phase][mapping]);
        Some(first + share * (second - first))
    }
}
