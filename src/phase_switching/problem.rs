//! Two phases, two mappings, one detector.

use crate::Rational;
use crate::belief::Levels;

/// The parameters, exactly. Times share one unit, whichever it is. Index 0 is the first phase or mapping,
/// 1 the second.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseSwitching {
    /// `cycle[z][m]`: mean time of a cycle in phase z under mapping m.
    pub cycle: [[Rational; 2]; 2],
    /// `switch[m]`: what switching away from mapping m costs, >= 0; `None` if it cannot be done.
    pub switch: [Option<Rational>; 2],
    /// `rates[z]`: chance that phase z ends between one step and the next.
    pub rates: [Rational; 2],
    /// What the detector reports in the first phase (`before`) and in the second (`after`).
    pub detector: Levels,
    /// The belief at step 0 that the second phase is on; the program starts under the first mapping.
    pub initial: Rational,
}

/// Why a problem cannot be solved as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SwitchingError {
    /// A rate or the initial belief lies outside \[0, 1\].
    #[error("the {0} lies outside [0, 1]")]
    NotAProbability(&'static str),
    /// A switch would pay.
    #[error("a switch has a negative cost")]
    NegativeCost,
    /// a + b > 1: reports of the one phase would speak for the other at the next step.
    #[error("the phases alternate faster than they last: their rates sum to more than 1")]
    Alternating,
    /// Each mapping suits the other's phase better.
    #[error(
        "the mappings are reversed: the second gains less in the second phase than in the first"
    )]
    Reversed,
    /// Without an end, a program that cannot go back has nothing to decide.
    #[error("an endless program needs a way back")]
    NoWayBack,
    /// Without an end and without changes there is no average.
    #[error("the phases never change")]
    NoChange,
}

impl PhaseSwitching {
    /// Checks what the theory needs.
    ///
    /// # Errors
    /// See [`SwitchingError`]; the last two concern endless programs only and are not checked here.
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

    /// What a cycle in `phase` gains from the second mapping over the first; may be negative.
    pub fn gain(&self, phase: usize) -> Rational {
        &self.cycle[phase][0] - &self.cycle[phase][1]
    }

    /// The long-run share of the second phase, a / (a + b); `None` if the phases never change.
    pub fn share(&self) -> Option<Rational> {
        let [a, b] = &self.rates;
        (a + b > Rational::ZERO).then(|| a / (a + b))
    }

    /// The average time of a cycle of a program that never ends and keeps `mapping`; `None` if the phases never
    /// change.
    pub fn average_under(&self, mapping: usize) -> Option<Rational> {
        let share = self.share()?;
        let [first, second] = [0, 1].map(|phase: usize| &self.cycle[phase][mapping]);
        Some(first + share * (second - first))
    }
}
