//! SWIFT: the `DomainDecomposition` parameters.

use super::knobs::Knobs;
use crate::complaint::Complaint;

/// A block of the parameter file. A `trigger` below 1 is a fractional difference of CPU times
/// between ranks, from 2 on a number of steps; SWIFT refuses what is between.
pub fn write(knobs: &Knobs) -> Result<String, Complaint> {
    let mut text = knobs.comments("#");
    let trigger = match knobs.interval {
        Some(None) => {
            text += "# So many steps that no repartition happens.\n";
            "1000000000".to_owned()
        }
        Some(Some(every)) if every > 1 => {
            text += "# trigger from 2 on: steps between two repartitions.\n";
            every.to_string()
        }
        Some(Some(_)) => {
            text += "# The least SWIFT knows: triggers from 1 to 2 are refused. Every step would be better.\n";
            "2".to_owned()
        }
        None => {
            let tolerance = knobs.ratio() - 1.0;
            if tolerance >= 1.0 {
                let message = format!("SWIFT's trigger is below 1, the tolerance is {tolerance}");
                let help = "solve the model as Periodic with remap_cost and export the interval";
                return Err(Complaint::elsewhere(message, help));
            }
            text += "# trigger below 1: repartition when the ranks' CPU times differ by this share. SWIFT\n";
            text += "# compares (max - min) / mean, which is at least max/mean - 1.\n";
            // A trigger of 0 is refused.
            format!("{:?}", tolerance.max(1e-6))
        }
    };
    Ok(text + &format!("DomainDecomposition:\n  trigger: {trigger}\n"))
}
