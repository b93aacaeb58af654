//! The cost of a step of the battle on each processor under a mapping.

use super::battle::Battle;
use super::board::Assignment;
use super::problem::Cost;

/// Adds the cost of one step to `per_processor` (one entry for each): the owner of a unit pays.
/// Returns the cost on a single processor.
pub fn charge(
    assignment: &Assignment,
    prices: &Cost,
    battle: &Battle,
    per_processor: &mut [f64],
) -> f64 {
    let mut work = 0.0;
    for (unit, engaged) in battle.units().iter().zip(battle.engaged()) {
        let update = 1.0 + prices.attrition * f64::from(engaged);
        let shown = assignment.watchers(unit.hex) as f64;
        work += update;
        per_processor[assignment.owner(unit.hex)] += update + prices.exchange * shown;
    }
    work
}
