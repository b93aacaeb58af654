//! `LoadDrift` on several ranks, which share the work of the expectations.

use super::super::{Files, Found, Settings};
use super::{bounds, solve};
use crate::complaint::Complaint;
use crate::model::Loaded;
use crate::model::load_drift::LoadDrift;
use crate::problems::together::Together;
use crate::run::Watch;
use remapping::Communicator;
use std::sync::Arc;

/// Whether ranks share the work on this model: where all states are gone over, by steps to neighbouring levels.
pub fn is_possible(model: &LoadDrift, settings: &Settings) -> bool {
    !bounds::are_wanted(model, settings) && solve::shortage(model).is_none()
}

/// Solves the model together with the other ranks, of which the first has the answer.
pub fn solve(
    loaded: &Loaded,
    model: &LoadDrift,
    settings: &Settings,
    files: Files<'_>,
    (watch, communicator): (&Watch, &Arc<dyn Communicator>),
) -> Result<Option<Found>, Vec<Complaint>> {
    let together = Together::new(watch, &**communicator);
    solve::solve_on(loaded, model, settings, files, (&together, watch), Some(communicator))
}
