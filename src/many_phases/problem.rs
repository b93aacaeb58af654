//! The model of any number of recurring phases.

use crate::Rational;
use crate::lifetime::Lifetime;

/// The mapping that a remap leads to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename = "Choice")]
pub enum Remap {
    /// A mapping of the program's choice.
    #[default]
    Chosen,
    /// The mapping of the current phase, which is known after the remap.
    Fitted,
}

/// The planning horizon.
#[derive(Debug, Clone, PartialEq)]
pub enum Horizon {
    /// N + 1 cycles, with N distributed so.
    Ends(Lifetime),
    /// Infinite, with this discount factor per cycle, in \[0, 1).
    Discounted(Rational),
}

/// The parameters, as exact rationals. All times share one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ManyPhases {
    /// `cycle[z][m]`: mean time of a cycle in phase z under the mapping made for phase m.
    pub cycle: Vec<Vec<Rational>>,
    /// `switch[m][j]`: cost of a switch from mapping m to mapping j, >= 0. `switch[m][m]` is used
    /// only for [`Remap::Fitted`]: the cost of a remap that changes nothing.
    pub switch: Vec<Vec<Rational>>,
    /// The mapping that a remap leads to.
    pub remap: Remap,
    /// `transition[z][y]`: probability that phase y follows phase z.
    pub transition: Vec<Vec<Rational>>,
    /// `detector[z][r]`: probability of observation r in phase z.
    pub detector: Vec<Vec<Rational>>,
    /// The belief at step 0. The program starts under the first mapping.
    pub initial: Vec<Rational>,
}

/// Why a problem is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PhasesError {
    /// There is no phase.
    #[error("there are no phases")]
    NoPhases,
    /// A table lacks a row for some phase, or its rows have different lengths.
    #[error("`{0}` has not the right numbers of rows and columns")]
    Shape(&'static str),
    /// A row is not a probability distribution.
    #[error("a row of `{0}` is no probability law")]
    NotALaw(&'static str),
    /// A switch has a negative cost.
    #[error("a switch has a negative cost")]
    NegativeCost,
    /// The discount factor lies outside \[0, 1).
    #[error("the discount lies outside [0, 1)")]
    Discount,
}

impl ManyPhases {
    /// The number of phases, and of mappings.
    pub fn phases(&self) -> usize {
        self.cycle.len()
    }

    /// The number of observations.
    pub fn reports(&self) -> usize {
        self.detector.first().map_or(0, Vec::len)
    }

    /// Checks the assumptions of the theory.
    ///
    /// # Errors
    /// See [`PhasesError`].
    pub fn validate(&self) -> Result<(), PhasesError> {
        let count = self.phases();
        if count == 0 {
            return Err(PhasesError::NoPhases);
        }
        let tables = [
            ("cycle", &self.cycle, count),
            ("switch", &self.switch, count),
            ("transition", &self.transition, count),
            ("detector", &self.detector, self.reports()),
        ];
        for (name, table, width) in tables {
            if table.len() != count || width == 0 || table.iter().any(|row| row.len() != width) {
                return Err(PhasesError::Shape(name));
            }
        }
        if self.initial.len() != count {
            return Err(PhasesError::Shape("initial"));
        }
        let law = |row: &Vec<Rational>| {
            row.iter().all(|p| *p >= Rational::ZERO)
                && row.iter().fold(Rational::ZERO, |sum, p| sum + p) == Rational::ONE
        };
        for (name, table) in [("transition", &self.transition), ("detector", &self.detector)] {
            if !table.iter().all(law) {
                return Err(PhasesError::NotALaw(name));
            }
        }
        if !law(&self.initial) {
            return Err(PhasesError::NotALaw("initial"));
        }
        if self.switch.iter().flatten().any(|cost| *cost < Rational::ZERO) {
            return Err(PhasesError::NegativeCost);
        }
        Ok(())
    }
}
