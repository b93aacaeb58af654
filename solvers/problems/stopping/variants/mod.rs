//! Problems that are not one finite map: countable states, partial remaps, other remap costs,
//! states too many to list.

pub(in crate::problems::stopping) mod countable;
pub(in crate::problems::stopping) mod partial;
pub(in crate::problems::stopping) mod unlisted;
pub mod varying;

use super::model::Stopping;
use super::solve::refuse;
use crate::problems::{Asked, Outcome, Settings};
use remapping::chain::Operator;
use remapping::stopping::States;

/// The states of a problem that has no critical costs, and how they move.
fn states(
    &Asked { loaded, settings, .. }: &Asked<'_, Settings>,
    model: &Stopping,
) -> Outcome<(States, Box<dyn Operator>)> {
    if settings.critical_costs {
        let message = "critical costs are those of one remap cost for all loads, and no end";
        return Err(refuse(loaded, message, "drop --critical-costs"));
    }
    model.states(loaded.folder()).map_err(|error| refuse(loaded, &error, "correct the chain"))
}
