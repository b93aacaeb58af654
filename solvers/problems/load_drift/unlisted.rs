//! What can be said where there is no memory for all states, and sampling gives no bounds either.

use super::super::Found;
use super::bounds;
use super::least::at_least;
use super::solve::{of_outcome, without_remaps};
use crate::complaint::Complaint;
use crate::model::Loaded;
use crate::model::load_drift::LoadDrift;
use crate::run::Watch;
use crate::solution::Body;
use remapping::Status;
use remapping::drift::{self, Intervals};
use remapping::threshold::Bounds;

/// Products of probabilities, and totals times steps, up to which a fixed interval is evaluated.
const QUICK: u64 = 5_000_000_000;

/// The answer, which says what is `lacking`.
pub(super) fn solve(
    loaded: &Loaded,
    model: &LoadDrift,
    lacking: &str,
    watch: &Watch,
) -> Result<Found, Vec<Complaint>> {
    let problem = model.problem();
    let unremapped = without_remaps(loaded, &problem, watch, None)?;
    let never = unremapped.never;
    let none = drift::Curve::default();
    let mut answer = bounds::lay_out(model, (&problem, unremapped), &none, None, watch);
    let mut upper = bounds::at_most(&problem, problem.steps, never.value);
    // Remaps cost the same everywhere, and come into force at once.
    let simple = problem.per_unit_moved == 0.0 && model.stops();
    let interval = answer.least_average_cost;
    let levels = problem.chain.levels() as u64;
    let totals = levels.saturating_mul(problem.processors as u64);
    let each = levels.saturating_pow(3).saturating_add(totals.saturating_mul(levels));
    let work = each.saturating_mul(interval).saturating_add(totals.saturating_mul(problem.steps));
    if simple && interval < problem.steps && work <= QUICK {
        let outcome = Intervals::only(&problem, interval);
        if outcome.value < never.value {
            answer.best_fixed = of_outcome(Some(interval), &outcome);
            upper = bounds::at_most(&problem, interval, outcome.value);
        }
    }
    answer.statistical = false;
    answer.value_bounds = Bounds { lower: at_least(&problem, watch).min(upper), upper };
    let help = "take fewer processors or levels, or a larger machine";
    let warning = format!("{lacking}: there is no policy, and bounds that need no states; {help}");
    Ok(Found::new(Body::LoadDrift(Box::new(answer)), Status::IterationLimit, vec![warning]))
}
