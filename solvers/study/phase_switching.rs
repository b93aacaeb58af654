//! The loss of policies on recurring phases, by the length of the phases.

use super::model::Printed;
use super::{Found, Stop};
use crate::complaint::Complaint;
use crate::problems::phase_switching::policies::{Field, Rule, Trouble};
use crate::problems::registry::{Loaded, Problem};
use crate::run::Watch;
use remapping::phase_change::evaluation::EvaluationError as Ended;
use remapping::phase_switching::PhaseSwitching;
use remapping::phase_switching::evaluation::EvaluationError;
use remapping::{Halt, Rational};
use std::path::Path;

/// The excess over the optimum, in percent of it, for mean lengths of the first phase. The length
/// of the second changes in proportion.
pub(crate) fn above_optimum(
    path: &Path,
    policy: &str,
    points: &[Printed],
    watch: &Watch,
    mut found: impl FnMut(Found),
) -> Result<(), Stop> {
    let loaded = Loaded::read(path)?;
    let refuse = |message: &str, help: &str| Stop::unfit(&loaded, message, help);
    let Problem::PhaseSwitching(model) = &loaded.problem else {
        let help = "give a PhaseSwitching model";
        return Err(refuse("this series is made of recurring phases", help));
    };
    let rule: Rule = policy.parse().map_err(|why: String| {
        let help = "take rebasing, rebasing:0.8, fixed:0.7, every_report or never";
        Complaint::elsewhere(format!("policy {policy:?}: {why}"), help)
    })?;
    for point in points {
        let problem = lasting(model.problem(), point.at)
            .ok_or_else(|| refuse("phases cannot last so long", "take at: 1 or more cycles"))?;
        let (field, status) = Field::new(problem, model.lifetime(), watch)
            .map_err(|error| refuse(&error.to_string(), "take longer phases"))?;
        let Some(field) = field else {
            return Err(Stop::from(status.halt().unwrap_or(Halt::TimeLimit)));
        };
        let cost = field.cost(rule).map_err(|trouble| match trouble {
            Trouble::Evaluation(EvaluationError::Stopped(halt)) => {
                Stop::Evaluation(Ended::Stopped(halt))
            }
            Trouble::Evaluation(error) => refuse(&error.to_string(), "take another policy"),
            Trouble::Unfit(why) => refuse(&why, "take another policy"),
        })?;
        let bounds = cost.above(field.optimum).percent_of(field.optimum);
        found(Found::new(point.at, bounds, point.printed));
    }
    Ok(())
}

/// The problem with a first phase of this mean length in cycles.
fn lasting(problem: PhaseSwitching, cycles: f64) -> Option<PhaseSwitching> {
    let cycles = Rational::try_from(cycles).ok().filter(|cycles| *cycles >= Rational::ONE)?;
    let [a, b] = &problem.rates;
    if *a == Rational::ZERO {
        return None;
    }
    let begins = Rational::ONE / cycles;
    let rates = [begins.clone(), b / a * begins];
    Some(PhaseSwitching { rates, ..problem })
}
