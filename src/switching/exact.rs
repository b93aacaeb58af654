//! The same recursion in exact rationals, for short horizons: the yardstick of the fast solver.
//!
//! It follows both value functions, not their difference, with the lower envelope of all lines, and shares
//! no code with the fast path.

use super::problem::{PhaseSwitching, SwitchingError};
use crate::Rational;
use crate::concave::{Line, Lines};
use crate::lifetime::Lifetime;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// The exact solution, step n at index n = 0..=M.
#[derive(Debug, Clone)]
pub struct ExactSolution {
    /// Under the first mapping, switch iff p exceeds it; 1 is never.
    pub to_second: Vec<Rational>,
    /// Under the second mapping, switch back iff p is below it; 0 is never.
    pub to_first: Vec<Rational>,
    /// The least expected time from step 0.
    pub value: Rational,
}

/// Why there is no exact solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExactError {
    /// The problem itself is wrong.
    #[error(transparent)]
    Problem(#[from] SwitchingError),
    /// A value function has more lines than allowed.
    #[error("the exact value function of step {step} has too many segments")]
    TooManyLines {
        /// The step it happened in.
        step: u64,
    },
    /// The caller stopped it.
    #[error("the exact recursion was stopped at step {step}")]
    Stopped {
        /// The last step done.
        step: u64,
        /// Why.
        halt: Halt,
    },
}

/// Solves `problem` exactly. Time and memory grow exponentially with M for informative detectors.
///
/// # Errors
/// If the parameters are out of range, a value function has more than `most_lines` segments, or the
/// observer stops it.
pub fn solve(
    problem: &PhaseSwitching,
    lifetime: &Lifetime,
    most_lines: usize,
    observer: &dyn Observer,
) -> Result<ExactSolution, ExactError> {
    problem.validate()?;
    let last = lifetime.last();
    let reports = problem.detector.distinct();
    let [a, b] = &problem.rates;
    let stay = [Rational::ONE - a, Rational::ONE - b];
    let nothing = Lines::envelope(vec![Line { at_zero: Rational::ZERO, at_one: Rational::ZERO }]);
    let mut next = [nothing.clone(), nothing];
    let (mut to_second, mut to_first) = (Vec::new(), Vec::new());
    for n in (0..=last).rev() {
        if let ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
            return Err(ExactError::Stopped { step: n + 1, halt });
        }
        let survival = lifetime.continuation_exact(n);
        let keep = [0, 1].map(|m| {
            let ahead = reports.iter().map(|level| {
                next[m].mapped([
                    [&stay[0] * &level.before, a * &level.after],
                    [b * &level.before, &stay[1] * &level.after],
                ])
            });
            let ahead = ahead.reduce(|sum, report| sum.plus(&report));
            let [at_zero, at_one] = [0, 1].map(|phase: usize| problem.cycle[phase][m].clone());
            let running = Line { at_zero, at_one };
            ahead.expect("a detector reports something").scaled_plus(&survival, &running)
        });
        let [up, down] = thresholds(&keep, &problem.switch);
        to_second.push(up);
        to_first.push(down);
        next = [0, 1].map(|m| match &problem.switch[m] {
            None => keep[m].clone(),
            Some(cost) => {
                let mut lines = keep[m].lines().to_vec();
                lines.extend(keep[1 - m].lines().iter().map(|line| Line {
                    at_zero: &line.at_zero + cost,
                    at_one: &line.at_one + cost,
                }));
                Lines::envelope(lines)
            }
        });
        if next.iter().any(|value| value.lines().len() > most_lines) {
            return Err(ExactError::TooManyLines { step: n });
        }
    }
    to_second.reverse();
    to_first.reverse();
    Ok(ExactSolution { to_second, to_first, value: next[0].value(&problem.initial) })
}

/// The p above which the second mapping is cheaper by more than its switch, and below which the first is.
fn thresholds(keep: &[Lines; 2], switch: &[Option<Rational>; 2]) -> [Rational; 2] {
    let mut ends = keep[0].breakpoints();
    ends.extend(keep[1].breakpoints());
    ends.extend([Rational::ZERO, Rational::ONE]);
    ends.sort();
    ends.dedup();
    let gap: Vec<Rational> = ends.iter().map(|p| keep[0].value(p) - keep[1].value(p)).collect();
    let meets = |k: usize, level: &Rational| {
        let share = (level - &gap[k]) / (&gap[k + 1] - &gap[k]);
        &ends[k] + share * (&ends[k + 1] - &ends[k])
    };
    let up = switch[0].as_ref().and_then(|cost| {
        let beyond = gap.iter().position(|gap| gap > cost)?;
        Some(if beyond == 0 { Rational::ZERO } else { meets(beyond - 1, cost) })
    });
    let down = switch[1].as_ref().and_then(|cost| {
        let level = -cost.clone();
        let before = gap.iter().rposition(|gap| *gap < level)?;
        let last = before + 1 == gap.len();
        Some(if last { Rational::ONE } else { meets(before, &level) })
    });
    [up.unwrap_or(Rational::ONE), down.unwrap_or(Rational::ZERO)]
}
