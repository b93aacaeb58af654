//! Backward induction in exact rationals, for short horizons: the reference for the fast solver.
//!
//! It represents V_n on p in \[0, 1\] as the lower envelope of lines (Smallwood and Sondik 1973),
//! without approximation, and shares no code with the fast path. A step multiplies the number of
//! lines by 1 to 2, and the numbers grow too. So only a few dozen steps are feasible.

use super::problem::{PhaseChange, Premature, ProblemError};
use crate::Observer;
use crate::Rational;
use crate::belief::Level;
use crate::concave::exact::{backward, sum_over};
use crate::concave::{self, Line, Lines};

/// The functions of one step.
#[derive(Debug, Clone)]
pub struct ExactStep {
    /// V_n on \[0, 1\].
    pub value: Lines,
    /// C_t: the cost of retaining.
    pub retain: Lines,
    /// C_m: the cost of remapping, linear in p.
    pub remap: Line,
    /// pi_n.
    pub threshold: Rational,
}

/// The exact solution.
#[derive(Debug, Clone)]
pub struct ExactSolution {
    /// Step n at index n = 0..=M.
    pub steps: Vec<ExactStep>,
    /// n0.
    pub onset: u64,
}

impl ExactSolution {
    /// V_0(0).
    pub fn value(&self) -> Rational {
        self.steps[0].value.value(&Rational::ZERO)
    }
}

/// Why there is no exact solution.
pub type ExactError = concave::ExactError<ProblemError>;

/// Solves `problem` exactly. Time and memory grow exponentially with M for informative detectors.
///
/// # Errors
/// If the parameters are out of range, a value function has more than `most_lines` segments, or the
/// observer stops it.
pub fn solve(
    problem: &PhaseChange,
    most_lines: usize,
    observer: &dyn Observer,
) -> Result<ExactSolution, ExactError> {
    problem.validate()?;
    let last = problem.last_step();
    let reports = problem.detector.distinct();
    let nothing = Line { at_zero: Rational::ZERO, at_one: Rational::ZERO };
    let mut next = Lines::envelope(vec![nothing]);
    let (mut cycles, mut quiet_cycles) = (Rational::ZERO, Rational::ZERO);
    let mut steps = Vec::new();
    backward(last, most_lines, observer, |n| {
        let survival = problem.lifetime.continuation_exact(n);
        let hazard = problem.hazard_exact(n + 1);
        let quiet = Rational::ONE - &hazard;
        cycles = Rational::ONE + &survival * &cycles;
        quiet_cycles = Rational::ONE + &survival * &quiet * &quiet_cycles;

        let ahead = |Level { before, after }: &Level| {
            let map = [[&quiet * before, &hazard * after], [Rational::ZERO, after.clone()]];
            next.mapped(&map, observer)
        };
        let running = Line { at_zero: problem.before.clone(), at_one: problem.after.clone() };
        let retain =
            sum_over(&reports, ahead, observer)?.scaled_plus(&survival, &running, observer)?;
        let remapped = &problem.test + &problem.install + &cycles * &problem.remapped;
        let at_zero = match &problem.premature {
            Premature::Revert => &problem.test + &retain.lines()[0].at_zero,
            Premature::Keep { before_remapped } => {
                &remapped + &quiet_cycles * (before_remapped - &problem.remapped)
            }
        };
        let remap = Line { at_zero, at_one: remapped };
        let value = retain.min_with([remap.clone()], observer)?;
        let threshold = threshold(&retain, &remap);
        next = value.clone();
        steps.push(ExactStep { value, retain, remap, threshold });
        Some(next.lines().len())
    })?;
    steps.reverse();
    let pays = |step: &ExactStep| step.threshold < Rational::ONE;
    let onset = steps.iter().rposition(pays).map_or(0, |n| n as u64 + 1);
    Ok(ExactSolution { steps, onset })
}

/// The p above which remapping is strictly cheaper; 1 if nowhere.
fn threshold(retain: &Lines, remap: &Line) -> Rational {
    let lines = retain.lines();
    if remap.at_one >= lines[lines.len() - 1].at_one {
        return Rational::ONE;
    }
    if remap.at_zero <= lines[0].at_zero {
        return Rational::ZERO;
    }
    // The excess of retaining over remapping is concave, with one crossing. It lies on the first
    // line at whose right end remapping is not dearer.
    let (mut low, mut high) = (0, lines.len() - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let end = lines[middle].crossing(&lines[middle + 1]);
        match end.is_some_and(|p| remap.value(&p) <= lines[middle].value(&p)) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    lines[low].crossing(remap).unwrap_or(Rational::ONE)
}
