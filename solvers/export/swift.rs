//! SWIFT: the `DomainDecomposition` parameters.

use super::knobs::Knobs;
use crate::model::complaint::Complaint;

/// A block of the parameter file. A `trigger` below 1 is a fractional difference of CPU times
/// between ranks, above 1 a number of steps.
pub fn write(knobs: &Knobs) -> Result<String, Complaint> {
    let mut text = knobs.comments("#");
    let trigger = match knobs.interval {
        Some(None) => {
            text += "# So many steps that no repartition happens.\n";
            "1000000000".to_owned()
        }
        Some(Some(every)) if every > 1 => every.to_string(),
        Some(Some(_)) => {
            text += "# Every step: a trigger of 1 would be a fraction.\n";
            "1.5".to_owned()
        }
        None => {
            let tolerance = knobs.ratio() - 1.0;
            if tolerance >= 1.0 {
                let message = format!("SWIFT's trigger is below 1, the tolerance is {tolerance}");
                let help = "solve the model as Periodic with remap_cost and export the interval";
                return Err(Complaint::elsewhere(message, help));
            }
            text += "# SWIFT compares (max - min) / mean, which is at least max/mean - 1.\n";
            format!("{tolerance:?}")
        }
    };
    Ok(text + &format!("DomainDecomposition:\n  trigger: {trigger}\n"))
}
