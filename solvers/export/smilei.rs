//! Smilei: the `LoadBalancing` block.

use super::knobs::Knobs;
use crate::complaint::Complaint;
use remapping::simulate::Trigger;

/// So many iterations that none follows.
const NEVER: u64 = 1_000_000_000;

/// A block for the namelist.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    let every = knobs.interval("Smilei", Trigger::periodic)?;
    if every.is_none() {
        knobs.say(
            "every: beyond the last iteration. 0 would switch off the balancing at the start, too.",
        );
    }
    let every = every.unwrap_or(NEVER);
    knobs.say(
        "every: iterations between two remaps; no imbalance is tested. Loads are numbers of cells and particles times \
         cell_load and frozen_particle_load, not times. It takes more than one rank, the Hilbertian patch_arrangement \
         (powers of 2 patches along each axis) and two patches a rank at least; with fewer Smilei stops.",
    );
    let block = format!("LoadBalancing(\n    initial_balance = True,\n    every = {every},\n)\n");
    Ok(knobs.comments("#") + &block)
}
