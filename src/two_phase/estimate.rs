//! The parameters of the two-phase model, estimated from runs.

use super::parts::Parameters;
use super::parts::Premature;
use super::play::Beliefs;
use super::trace::Cycles;
use crate::belief::Levels;
use crate::lifetime::Lifetime;
use crate::phase_change::{self, Accuracy, Hazard, PhaseChange, ProblemError};
use crate::{Observer, Rational, Status};

/// Means over the cycles of `runs`. Where no run has a phase, its means over `elsewhere` are used;
/// `None` where those lack it, too.
pub fn estimate(runs: &[Cycles], elsewhere: &[Cycles]) -> Option<Parameters> {
    let (here, there) = (Sums::of(runs), Sums::of(elsewhere));
    let first = if here.first > 0 { &here } else { &there };
    let second = if here.second > 0 { &here } else { &there };
    if first.first == 0 || second.second == 0 {
        return None;
    }
    let (n1, n2) = (first.first as f64, second.second as f64);
    Some(Parameters {
        before: first.before / n1,
        after: second.after / n2,
        before_remapped: first.before_remapped / n1,
        remapped: second.remapped / n2,
        remap_cost: second.remap_cost / n2,
        cycles_after: here.second as f64 / runs.len().max(1) as f64,
    })
}

#[derive(Default)]
struct Sums {
    first: usize,
    second: usize,
    before: f64,
    after: f64,
    before_remapped: f64,
    remapped: f64,
    remap_cost: f64,
}

impl Sums {
    fn of(runs: &[Cycles]) -> Self {
        let mut sums = Sums::default();
        for run in runs {
            let change = run.change().unwrap_or(run.len());
            sums.first += change;
            sums.second += run.len() - change;
            sums.before += run.old[..change].iter().sum::<f64>();
            sums.before_remapped += run.new[..change].iter().sum::<f64>();
            sums.after += run.old[change..].iter().sum::<f64>();
            sums.remapped += run.new[change..].iter().sum::<f64>();
            sums.remap_cost += run.remap_cost[change..].iter().sum::<f64>();
        }
        sums
    }
}

/// The two-phase model of a run of `cycles` cycles with these parameters. Premature remaps have no
/// cost (e_P = e_F) where the new mapping is estimated to be faster even before the change:
/// thresholds exist only up to there.
///
/// # Errors
/// An error of the detector is not a probability.
pub fn model(
    parameters: &Parameters,
    beliefs: &Beliefs,
    premature: Premature,
    cycles: usize,
) -> Result<PhaseChange, ProblemError> {
    let exact = |value: f64| Rational::try_from(value).unwrap_or(Rational::ZERO);
    let before_remapped = exact(parameters.before_remapped.max(parameters.before));
    Ok(PhaseChange {
        lifetime: Lifetime::fixed(cycles as u64 - 1),
        hazard: Hazard::Constant(exact(beliefs.hazard)),
        before: exact(parameters.before),
        after: exact(parameters.after),
        remapped: exact(parameters.remapped),
        test: exact(parameters.remap_cost),
        install: Rational::ZERO,
        detector: Levels::binary(exact(beliefs.false_alarm), exact(beliefs.missed))?,
        premature: match premature {
            Premature::Keep => phase_change::Premature::Keep { before_remapped },
            Premature::Revert => phase_change::Premature::Revert,
        },
    })
}

/// The optimal thresholds {pi_n} of the [`model`], each within `tolerance` if the status says so.
///
/// # Errors
/// A belief is not a probability, or the cost of a remap is negative.
pub fn optimal_thresholds(
    parameters: &Parameters,
    beliefs: &Beliefs,
    premature: Premature,
    cycles: usize,
    tolerance: f64,
    observer: &dyn Observer,
) -> Result<(Vec<f64>, Status), ProblemError> {
    let problem = model(parameters, beliefs, premature, cycles)?;
    let accuracy = Accuracy { tolerance, segments: None };
    let solution = phase_change::solve(&problem, accuracy, observer)?;
    let at = |n: usize| solution.curve.at(n as u64).map_or(1.0, |bounds| bounds.middle());
    Ok(((0..cycles).map(at).collect(), solution.status))
}
