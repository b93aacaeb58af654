//! Smilei: the `LoadBalancing` block.

use super::knobs::Knobs;
use crate::model::complaint::Complaint;

/// A block for the namelist. Smilei knows an interval only.
pub fn write(knobs: &Knobs) -> Result<String, Complaint> {
    let every = knobs.interval_only("Smilei")?.unwrap_or(0);
    let text = knobs.comments("#");
    Ok(text + &format!("LoadBalancing(\n    initial_balance = True,\n    every = {every},\n)\n"))
}
