//! AMReX: load balancing of a single level.

use super::knobs::Knobs;
use crate::complaint::Complaint;
use remapping::simulate::Trigger;

/// Input lines of a program made with `Amr`.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    // The first is before the second step.
    let shape = |every: u64| Trigger { first: 1, ..Trigger::periodic(every) };
    let found = knobs.interval("AMReX", shape)?;
    let Some(every) = found else {
        return Ok(knobs.comments("#") + "amr.loadbalance_with_workestimates = 0\n");
    };
    knobs.say(
        "loadbalance_level0_int: steps between two remaps, the first before the second step; no imbalance is tested. It \
         holds for amr.max_level = 0 only: with refinement boxes are balanced when the grids are made.",
    );
    knobs.say(
        "Loads are the work estimates of the program (WorkEstType), its own measure of a box; without them nothing is \
         balanced. Boxes are shared out by a knapsack, at most loadbalance_max_fac (1.5) times the mean number to a rank.",
    );
    Ok(knobs.comments("#")
        + "amr.max_level = 0\namr.loadbalance_with_workestimates = 1\n"
        + &format!("amr.loadbalance_level0_int = {every}\n"))
}
