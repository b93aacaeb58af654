//! The answer where memory does not suffice for all states and sampling gives no bounds.

use super::super::{Asked, Found, Outcome, Settings};
use super::bounds;
use super::least::at_least;
use super::model::LoadDrift;
use super::solve::without_remaps;
use crate::problems::registry::Body;
use remapping::phase_change::Bounds;
use remapping::{Status, load_drift};

/// The most products of probabilities, and the most totals times steps, for evaluating a fixed
/// interval.
const QUICK: u64 = 500_000_000;

/// The answer; it states what is `lacking`.
pub(super) fn solve(
    &Asked { loaded, watch, .. }: &Asked<'_, Settings>,
    model: &LoadDrift,
    lacking: &str,
) -> Outcome<Found> {
    let problem = model.problem();
    let unremapped = without_remaps(loaded, &problem, watch, None)?;
    let never = unremapped.never;
    let none = load_drift::Curve::default();
    let mut answer = bounds::lay_out(model, (&problem, unremapped), &none, None, watch);
    bounds::compare_an_interval(&mut answer, model, &problem, QUICK);
    let upper = match answer.best_fixed.interval {
        Some(interval) => bounds::at_most(&problem, interval, answer.best_fixed.value),
        None => bounds::at_most(&problem, problem.steps, never.value),
    };
    answer.statistical = false;
    answer.value_bounds = Bounds { lower: at_least(&problem, watch).min(upper), upper };
    let help = "take fewer processors or levels, or a larger machine";
    let warning = format!("{lacking}: there is no policy, and bounds that need no states; {help}");
    Ok(Found::new(Body::LoadDrift(Box::new(answer)), Status::IterationLimit, vec![warning]))
}
