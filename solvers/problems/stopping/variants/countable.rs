//! `Stopping` with walks that have no highest load.

use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::problems::registry::Body;
use crate::problems::stopping::maps::decision_map::{Outcome, letter};
use crate::problems::stopping::model::Stopping;
use crate::problems::stopping::solve::{refuse, start_from};
use crate::problems::{Asked, Found, Settings};
use remapping::stopping::Unbounded;

/// The most states that are kept; and the most if that many are needed from the beginning.
pub(in crate::problems::stopping) const MOST_KEPT: usize = 2_000_000;
const MOST_FIRST: usize = 20_000_000;

/// Refuses models that need too many states from the beginning.
pub(in crate::problems::stopping) fn fits(
    loaded: &ModelFile,
    model: &Stopping,
    walks: &Unbounded,
) -> Result<(), Vec<Complaint>> {
    // At least twice the levels are kept.
    let listed = model.states(loaded.folder()).map(|(states, _)| states.count());
    let least = listed.ok().and_then(|states| states.checked_mul(1 << walks.count.min(40)));
    if least.is_none_or(|least| least > MOST_FIRST) {
        let message = format!("more than {MOST_FIRST} states would be kept to begin with");
        return Err(refuse(loaded, &message, "take fewer processes, or show fewer loads of each"));
    }
    Ok(())
}

/// Solves the model for the levels that are shown.
pub(in crate::problems::stopping) fn solve(
    &Asked { loaded, settings, watch, .. }: &Asked<'_, Settings>,
    model: &Stopping,
    (walks, shown): (&Unbounded, usize),
) -> Result<Found, Vec<Complaint>> {
    let refuse = |message: &str, help: &str| refuse(loaded, message, help);
    if settings.critical_costs {
        let message = "critical costs are those of finitely many states";
        return Err(refuse(message, "drop --critical-costs"));
    }
    fits(loaded, model, walks)?;
    let imbalance = model.imbalance().map_err(|error| refuse(&error, "round the capacities"))?;
    let rho = model.remap_cost().expect("reviewed");
    let limits = (settings.tolerance, MOST_KEPT);
    let found = walks
        .solve(&imbalance, rho, shown, limits, watch)
        .map_err(|error| refuse(&error.to_string(), "take fewer processes"))?;
    let mut answer = start_from(model, &found.states);
    (answer.remap_value, answer.remap_bounds) = (rho, [rho; 2]);
    (answer.classes, answer.kept_levels) = (found.kept.count(), Some(found.levels));
    let each = found.lower.iter().zip(&found.upper);
    let width = each.clone().map(|(low, high)| high - low).fold(0.0, f64::max);
    answer.value_gap = width / rho.max(1.0);
    answer.iterations = found.applications;
    let outcome = Outcome {
        letters: found.decision.iter().map(|decision| letter(*decision)).collect(),
        ties: found.ties,
        value: each.map(|(low, high)| low + (high - low) / 2.0).collect(),
    };
    answer.largest_value = outcome.value.iter().copied().fold(0.0, f64::max);
    outcome.lay_out(&mut answer, &found.states, settings.values, None);
    Ok(Found::new(Body::Stopping(Box::new(answer)), found.status, Vec::new()))
}
