//! `remap compare` for drifting loads with too many states to list.

use super::super::Contest;
use super::super::regret::Failure;
use super::super::sampling::{Contestant, Report, Start, named, play, rule};
use crate::complaint::Complaint;
use crate::run::Watch;
use remapping::Status;
use remapping::load_drift::many::{Many, NoBounds, SamplePaths};
use remapping::load_drift::{Curve, Intervals, LoadDrift, Loads, Timing};
use remapping::overlap::Overlap;
use remapping::policy::Rule;
use remapping::policy::stated::{Following, Stated};

/// The names of policies that need all states.
const EXACT: [&str; 3] = ["optimal", "threshold", "best_threshold"];

/// The name of the policy as a rule of few thresholds.
pub(in crate::problems) const CURVE: &str = "threshold_curve";

/// Evaluates policies on sample paths.
pub(super) fn compare(
    problem: &LoadDrift,
    overlap: Overlap,
    contest: &Contest,
    watch: &Watch,
) -> Result<(Report, Status), Failure> {
    let usual = [CURVE, "stop_at_rise", "menon", "metabalancer", "zhai", "marquez:0.2", "never"];
    let names = named(&contest.policies, &usual);
    let mut contestants = Vec::new();
    for name in &names {
        contestants.push(match name.as_str() {
            CURVE => curve(problem, overlap, contest.seed, watch)?,
            name if EXACT.contains(&name) => {
                let message =
                    format!("--policies {name}: that takes all states, which are too many");
                let help = format!("take {CURVE} or other rules");
                return Err(Complaint::elsewhere(message, help).into());
            }
            name => {
                let rule = rule(name)?;
                let exact = (rule == Rule::Never).then(|| Intervals::never(problem).value);
                Contestant::overlapping(rule, overlap, exact)
            }
        });
    }
    Ok(play(&Loads::new(problem.clone()).overlapping(overlap), &contestants, contest, watch))
}

/// The policy of `--method bounds` as a rule.
pub(super) fn curve(
    problem: &LoadDrift,
    overlap: Overlap,
    seed: u64,
    watch: &Watch,
) -> Result<Contestant, Failure> {
    if let Some(reason) = NoBounds::of(problem, overlap) {
        let message = format!("--policies {CURVE}: {reason}");
        return Err(Complaint::elsewhere(message, "leave it out").into());
    }
    let mut curve = Many::new(problem, overlap, seed, watch)?.curve().clone();
    // Before a step, rules are called with the number of that step.
    let later = u64::from(problem.timing == Timing::BeforeStep);
    curve.step.iter_mut().for_each(|(from, _)| *from += later);
    Ok(stated(&curve, problem.steps + later))
}

/// A rule of few thresholds as a contestant.
pub(in crate::problems) fn stated(curve: &Curve, steps: u64) -> Contestant {
    let Curve { since, step } = curve.clone();
    let rule = Stated::Imbalance { steps, thresholds: step, since };
    let start = Start::Stated(Following::new(rule, 1));
    Contestant { name: CURVE.to_owned(), start, exact: None }
}
