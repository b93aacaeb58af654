//! What recursions in exact rationals share: why they end early, and the sum over the observations
//! of a detector.

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

impl<P> ExactError<P> {
    /// An operation on lines ended early.
    pub(crate) fn stopped(step: u64, observer: &dyn Observer) -> Self {
        let ControlFlow::Break(halt) = observer.check() else {
            unreachable!("operations end early after a halt only")
        };
        Self::Stopped { step, halt }
    }
}

/// The sum of functions over the observations of a detector; `None` after a halt.
pub(crate) fn sum_over(
    reports: &[Level],
    ahead: impl Fn(&Level) -> Option<Lines>,
    observer: &dyn Observer,
) -> Option<Lines> {
    let (first, others) = reports.split_first().expect("a detector reports something");
    let sum = |sum: Lines, report: &Level| sum.watched(observer).plus(&ahead(report)?);
    others.iter().try_fold(ahead(first)?, sum)
}
