//! The parameters of any number of phases.

use crate::Rational;
use crate::lifetime::Lifetime;

/// What a remap leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remap {
    /// To the mapping that is chosen.
    Chosen,
    /// To the mapping of the phase that is on, which is then known.
    Fitted,
}

/// How long the program runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Horizon {
    /// N + 1 cycles, N of this law.
    Ends(Lifetime),
    /// For good, each cycle counting so much of the one before: a number in \[0, 1).
    Discounted(Rational),
}

/// The parameters, exactly. Times share one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ManyPhases {
    /// `cycle[z][m]`: mean time of a cycle in phase z under the mapping made for phase m.
    pub cycle: Vec<Vec<Rational>>,
    /// `switch[m][j]`: what going from mapping m to mapping j costs, at least 0; `switch[m][m]` counts for
    /// [`Remap::Fitted`] alone, as a remap that changes nothing.
    pub switch: Vec<Vec<Rational>>,
    /// What a remap leads to.
    pub remap: Remap,
    /// `transition[z][y]`: chance that phase y follows phase z.
    pub transition: Vec<Vec<Rational>>,
    /// `detector[z][r]`: chance of report r in phase z.
    pub detector: Vec<Vec<Rational>>,
    /// The belief at step 0; the program starts under the first mapping.
    pub initial: Vec<Rational>,
}

/// Why a problem cannot be solved as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PhasesError {
    /// There is no phase.
    #[error("there are no phases")]
    NoPhases,
    /// A table has not a row for each phase, or rows of different lengths.
    #[error("`{0}` has not the right numbers of rows and columns")]
    Shape(&'static str),
    /// A row is no law.
    #[error("a row of `{0}` is no probability law")]
    NotALaw(&'static str),
    /// A switch would pay.
    #[error("a switch has a negative cost")]
    NegativeCost,
    /// A discount outside \[0, 1).
    #[error("the discount lies outside [0, 1)")]
    Discount,
}

impl ManyPhases {
    /// The number of phases, and of mappings.
    pub fn phases(&self) -> usize {
        self.cycle.len()
    }

    /// The number of reports.
    pub fn reports(&self) -> usize {
        self.detector.first().map_or(0, Vec::len)
    }

    /// Checks what the theory needs.
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
