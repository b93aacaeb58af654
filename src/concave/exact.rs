//! What recursions in exact rationals share: the steps back, why they end early, and the sum over
//! the observations of a detector.

use super::Lines;
use crate::belief::Level;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// Why there is no exact solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExactError<P> {
    /// The problem is invalid.
    #[error(transparent)]
    Problem(#[from] P),
    /// A value function has more lines than allowed.
    #[error("the exact value function of step {step} has too many segments")]
    TooManyLines {
        /// The step whose value function has too many lines.
        step: u64,
    },
    /// The caller stopped it.
    #[error("the exact recursion was stopped at step {step}")]
    Stopped {
        /// The last completed step.
        step: u64,
        /// The reason.
        halt: Halt,
    },
}

/// Takes the steps `last`, ..., 0 back. `step` returns the most lines of a value function at the
/// step, or `None` after a halt.
pub(crate) fn backward<P>(
    last: u64,
    most_lines: usize,
    observer: &dyn Observer,
    mut step: impl FnMut(u64) -> Option<usize>,
) -> Result<(), ExactError<P>> {
    for n in (0..=last).rev() {
        let halted = |halt| ExactError::Stopped { step: n + 1, halt };
        if let ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
            return Err(halted(halt));
        }
        match (step(n), observer.check()) {
            (Some(lines), _) if lines <= most_lines => {}
            (Some(_), _) => return Err(ExactError::TooManyLines { step: n }),
            (None, ControlFlow::Break(halt)) => return Err(halted(halt)),
            (None, _) => unreachable!("operations end early after a halt only"),
        }
    }
    Ok(())
}

/// The sum of functions over the observations of a detector; `None` after a halt.
pub(crate) fn sum_over(
    reports: &[Level],
    ahead: impl Fn(&Level) -> Option<Lines>,
    observer: &dyn Observer,
) -> Option<Lines> {
    let (first, others) = reports.split_first().expect("a detector reports something");
    others.iter().try_fold(ahead(first)?, |sum, report| sum.plus(&ahead(report)?, observer))
}
