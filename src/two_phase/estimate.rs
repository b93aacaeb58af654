//! The parameters of the two-phase model, estimated from runs.

use super::parts::{Belief, Parameters, Premature};
use super::trace::Cycles;
use crate::belief::Levels;
use crate::lifetime::Lifetime;
use crate::phase_change::{self, Accuracy, Hazard, PhaseChange, ProblemError};
use crate::{Observer, Rational, Status};

/// Means over the cycles of `runs`. Where no run has a phase, its means over `elsewhere` are used;
/// `None` where those lack it, too.
pub fn estimate(runs: &[Cycles], elsewhere: &[Cycles]) -> Option<Parameters> {
    // The cycles of a run in one of its phases.
    let phase = |run: &Cycles, second: bool| {
        let change = run.change().unwrap_or(run.len());
        if second { change..run.len() } else { 0..change }
    };
    let count = |runs: &[Cycles], second| -> usize {
        runs.iter().map(|run| phase(run, second).len()).sum()
    };
    let mean = |second: bool, costs: fn(&Cycles) -> &[f64]| {
        let runs = if count(runs, second) > 0 { runs } else { elsewhere };
        let sums = runs.iter().map(|run| costs(run)[phase(run, second)].iter().sum::<f64>());
        Some(count(runs, second)).filter(|count| *count > 0).map(|n| sums.sum::<f64>() / n as f64)
    };
    Some(Parameters {
        before: mean(false, |run| &run.old)?,
        after: mean(true, |run| &run.old)?,
        before_remapped: mean(false, |run| &run.new)?,
        remapped: mean(true, |run| &run.new)?,
        remap_cost: mean(true, |run| &run.remap_cost)?,
        cycles_after: count(runs, true) as f64 / runs.len().max(1) as f64,
    })
}

/// The two-phase model of a run of `cycles` cycles with these parameters. Premature remaps have no
/// cost (e_P = e_F) where the new mapping is estimated to be faster even before the change:
/// thresholds exist only up to there.
///
/// # Errors
/// An error of the detector is not a probability.
pub fn model(
    parameters: &Parameters,
    belief: &Belief,
    premature: Premature,
    cycles: usize,
) -> Result<PhaseChange, ProblemError> {
    let exact = |value: f64| Rational::try_from(value).unwrap_or(Rational::ZERO);
    let before_remapped = exact(parameters.before_remapped.max(parameters.before));
    Ok(PhaseChange {
        lifetime: Lifetime::fixed(cycles as u64 - 1),
        hazard: Hazard::Constant(exact(belief.hazard)),
        before: exact(parameters.before),
        after: exact(parameters.after),
        remapped: exact(parameters.remapped),
        test: exact(parameters.remap_cost),
        install: Rational::ZERO,
        detector: Levels::binary(exact(belief.false_alarm), exact(belief.missed))?,
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
    belief: &Belief,
    premature: Premature,
    cycles: usize,
    tolerance: f64,
    observer: &dyn Observer,
) -> Result<(Vec<f64>, Status), ProblemError> {
    let problem = model(parameters, belief, premature, cycles)?;
    let accuracy = Accuracy { tolerance, segments: None };
    let solution = phase_change::solve(&problem, accuracy, observer)?;
    let at = |n: usize| solution.curve.at(n as u64).map_or(1.0, |bounds| bounds.middle());
    Ok(((0..cycles).map(at).collect(), solution.status))
}
