//! Charm++: `+LBPeriod`.

use super::knobs::Knobs;
use crate::complaint::Complaint;

/// Arguments of the command line. The period is in seconds.
pub fn write(knobs: &Knobs) -> Result<String, Complaint> {
    let mut text = knobs.comments("#");
    let Some(every) = knobs.interval_only("Charm++")? else {
        return Ok(text + "+balancer NullLB\n");
    };
    let period = every as f64 * knobs.step_time.unwrap_or(0.0);
    if period <= 0.0 {
        let message = "the mean load is 0: the interval has no length in seconds";
        return Err(Complaint::elsewhere(message, "give the model loads above 0"));
    }
    text += "# +LBPeriod: least seconds between two remaps, where the run-time system calls the balancer itself.\n";
    text += "# A unit of load is taken to be a second, and loads to stay about as they start. A program\n";
    text += &format!("# that calls AtSync itself should do so every {every} steps.\n");
    Ok(text + &format!("+balancer GreedyRefineLB +LBPeriod {period:?}\n"))
}
