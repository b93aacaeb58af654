//! Backward induction in exact rationals, for short horizons: the reference for the fast solver.
//!
//! It computes both value functions V_1, V_2 as lower envelopes of lines (Smallwood and Sondik
//! 1973), not their difference, and shares no code with the fast path. Time and memory grow
//! exponentially with the horizon M for informative detectors.

use super::problem::{PhaseSwitching, SwitchingError};
use crate::Observer;
use crate::Rational;
use crate::belief::Level;
use crate::concave::exact::sum_over;
use crate::concave::{self, Line, Lines};
use crate::lifetime::Lifetime;
use std::ops::ControlFlow;

/// The exact solution; index n is step n = 0..=M.
#[derive(Debug, Clone)]
pub struct ExactSolution {
    /// Under the first mapping, switch iff p exceeds the threshold; 1 means never.
    pub to_second: Vec<Rational>,
    /// Under the second mapping, switch back iff p is below the threshold; 0 means never.
    pub to_first: Vec<Rational>,
    /// The least expected time from step 0.
    pub value: Rational,
}

/// Why there is no exact solution.
pub type ExactError = concave::ExactError<SwitchingError>;

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
    let nothing = Lines::envelope(vec![Line { at_zero: Rational::ZERO, at_one: Rational::ZERO }]);
    let mut next = [nothing.clone(), nothing];
    let (mut to_second, mut to_first) = (Vec::new(), Vec::new());
    for n in (0..=last).rev() {
        if let ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
            return Err(ExactError::Stopped { step: n + 1, halt });
        }
        let survival = lifetime.continuation_exact(n);
        let Some(step) = step(problem, &next, &survival, observer) else {
            return Err(ExactError::stopped(n + 1, observer));
        };
        if step.value.iter().any(|value| value.lines().len() > most_lines) {
            return Err(ExactError::TooManyLines { step: n });
        }
        to_second.push(step.to_second);
        to_first.push(step.to_first);
        next = step.value;
    }
    to_second.reverse();
    to_first.reverse();
    Ok(ExactSolution { to_second, to_first, value: next[0].value(&problem.initial) })
}

/// One step of the recursion: V_m by mapping, and the thresholds.
struct Step {
    value: [Lines; 2],
    to_second: Rational,
    to_first: Rational,
}

/// The step before the one with value functions `next`; `None` after a halt.
fn step(
    problem: &PhaseSwitching,
    next: &[Lines; 2],
    survival: &Rational,
    observer: &dyn Observer,
) -> Option<Step> {
    let [a, b] = &problem.rates;
    let stay = [Rational::ONE - a, Rational::ONE - b];
    let reports = problem.detector.distinct();
    let keep = |m: usize| {
        let ahead = |level: &Level| {
            next[m].watched(observer).mapped([
                [&stay[0] * &level.before, a * &level.after],
                [b * &level.before, &stay[1] * &level.after],
            ])
        };
        let ahead = sum_over(&reports, ahead, observer)?;
        let [at_zero, at_one] = [0, 1].map(|phase: usize| problem.cycle[phase][m].clone());
        ahead.watched(observer).scaled_plus(survival, &Line { at_zero, at_one })
    };
    let keep = [keep(0)?, keep(1)?];
    let [to_second, to_first] =
        thresholds(&keep[0].watched(observer).minus(&keep[1])?, &problem.switch);
    let value = |m: usize| match &problem.switch[m] {
        None => Some(keep[m].clone()),
        Some(cost) => keep[m].watched(observer).min_with(
            keep[1 - m]
                .lines()
                .iter()
                .map(|line| Line { at_zero: &line.at_zero + cost, at_one: &line.at_one + cost }),
        ),
    };
    Some(Step { value: [value(0)?, value(1)?], to_second, to_first })
}

/// The two thresholds: the p above which Q_1 - Q_2 exceeds c, and below which it is less than -d.
/// `difference` holds Q_1 - Q_2 at points between which it is linear.
fn thresholds(
    difference: &[(Rational, Rational)],
    switch: &[Option<Rational>; 2],
) -> [Rational; 2] {
    let meets = |k: usize, level: &Rational| {
        let [(left, start), (right, end)] = [&difference[k], &difference[k + 1]];
        left + (level - start) / (end - start) * (right - left)
    };
    let up = switch[0].as_ref().and_then(|cost| {
        let beyond = difference.iter().position(|(_, gap)| gap > cost)?;
        Some(if beyond == 0 { Rational::ZERO } else { meets(beyond - 1, cost) })
    });
    let down = switch[1].as_ref().and_then(|cost| {
        let level = -cost.clone();
        let before = difference.iter().rposition(|(_, gap)| *gap < level)?;
        let last = before + 1 == difference.len();
        Some(if last { Rational::ONE } else { meets(before, &level) })
    });
    [up.unwrap_or(Rational::ONE), down.unwrap_or(Rational::ZERO)]
}
