//! Solves the `ManyPhases` problem: from the model to bounds and decisions.

use super::super::{Asked, Found, Outcome, Settings};
use super::answer::Answer;
use super::model::ManyPhases;
use crate::problems::registry::Body;
use remapping::many_phases::{self, Horizon, Remap};

/// The default relative width of the bounds: grids of beliefs narrow them slowly.
pub const GAP: f64 = 1e-2;

/// The most beliefs of a grid.
const MOST_BELIEFS: usize = 5_000;

/// Solves the model.
pub fn solve(asked: &Asked<'_, Settings>, model: &ManyPhases) -> Outcome<Found> {
    let Asked { loaded, settings, watch, .. } = *asked;
    let (problem, horizon) = model.problem();
    let gap = settings.gap.unwrap_or(GAP);
    let found = many_phases::solve(&problem, &horizon, gap, MOST_BELIEFS, watch);
    let found = found.map_err(|error| {
        vec![loaded.complain("problem", &error.to_string(), "", "correct the parameter")]
    })?;
    let fits = problem.phases();
    let count = |to: usize| if to == fits { 0 } else { to + 1 };
    let rows = found.decision.into_iter();
    let (last_step, discount) = match &horizon {
        Horizon::Ends(lifetime) => (Some(lifetime.last()), None),
        Horizon::Discounted(rate) => (None, Some(rate.to_f64().value())),
    };
    let answer = Answer {
        phases: fits,
        reports: problem.reports(),
        last_step,
        discount,
        fitted: problem.remap == Remap::Fitted,
        value: Some(found.value).filter(|value| value.lower.is_finite() && value.upper.is_finite()),
        exact: found.exact.map(|value| value.to_string()),
        beliefs: found.beliefs,
        decision: rows.map(|row| row.into_iter().map(count).collect()).collect(),
        vectors: found.vectors,
    };
    Ok(Found::new(Body::ManyPhases(Box::new(answer)), found.status, Vec::new()))
}
