//! Backward induction in exact rationals, for short horizons: the reference for the fast solver.
//!
//! It computes both value functions V_1, V_2 as lower envelopes of lines (Smallwood and Sondik
//! 1973), not their difference, and shares no code with the fast path. Time and memory grow
//! exponentially with the horizon M for informative detectors.

use super::problem::{PhaseSwitching, SwitchingError};
use crate::Observer;
use crate::Rational;
use crate::belief::Level;
use crate::concave::exact::{backward, sum_over};
use crate::concave::{self, Line, Lines};
use crate::lifetime::Lifetime;

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
    let [a, b] = &problem.rates;
    let stay = [Rational::ONE - a, Rational::ONE - b];
    let reports = problem.detector.distinct();
    let nothing = Lines::envelope(vec![Line { at_zero: Rational::ZERO, at_one: Rational::ZERO }]);
    let mut next = [nothing.clone(), nothing];
    let (mut to_second, mut to_first) = (Vec::new(), Vec::new());
    backward(lifetime.last(), most_lines, observer, |n| {
        let survival = lifetime.continuation_exact(n);
        let keep = |m: usize| {
            let ahead = |level: &Level| {
                let map = [
                    [&stay[0] * &level.before, a * &level.after],
                    [b * &level.before, &stay[1] * &level.after],
                ];
                next[m].mapped(&map, observer)
            };
            let [at_zero, at_one] = [0, 1].map(|phase: usize| problem.cycle[phase][m].clone());
            let running = Line { at_zero, at_one };
            sum_over(&reports, ahead, observer)?.scaled_plus(&survival, &running, observer)
        };
        let keep = [keep(0)?, keep(1)?];
        let [up, down] = thresholds(&keep[0].minus(&keep[1], observer)?, &problem.switch);
        to_second.push(up);
        to_first.push(down);
        let value = |m: usize| match &problem.switch[m] {
            None => Some(keep[m].clone()),
            Some(cost) => {
                let other = keep[1 - m].lines().iter().map(|line| Line {
                    at_zero: &line.at_zero + cost,
                    at_one: &line.at_one + cost,
                });
                keep[m].min_with(other, observer)
            }
        };
        next = [value(0)?, value(1)?];
        next.iter().map(|value| value.lines().len()).max()
    })?;
    to_second.reverse();
    to_first.reverse();
    Ok(ExactSolution { to_second, to_first, value: next[0].value(&problem.initial) })
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
