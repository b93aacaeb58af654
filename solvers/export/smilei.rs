//! Smilei: the `LoadBalancing` block.

use super::knobs::Knobs;
use crate::complaint::Complaint;

/// A block for the namelist. Smilei knows an interval only.
pub fn write(knobs: &Knobs) -> Result<String, Complaint> {
    let every = knobs.interval_only("Smilei")?.unwrap_or(0);
    let mut text = knobs.comments("#");
    text += "# every: iterations between two remaps, 0 for none. Smilei estimates loads by its own weights of\n";
    text += "# cells and particles (cell_load, frozen_particle_load), not by measured times.\n";
    Ok(text + &format!("LoadBalancing(\n    initial_balance = True,\n    every = {every},\n)\n"))
}
