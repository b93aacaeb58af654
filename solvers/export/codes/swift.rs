//! SWIFT: the `DomainDecomposition` parameters.

use super::Sheet;
use crate::complaint::Complaint;
use crate::export::knobs::Setting;

pub const SHEET: Sheet = Sheet {
    name: "SWIFT",
    what: "the `DomainDecomposition` parameters",
    compares: Some("(max - min)/mean > trigger, below 1"),
    of: "user CPU time of ranks in the last step (ticks of 0.01 s, waiting not included)",
    when: "in steps that update minfrac of the particles, two steps after a repartition at the earliest",
    default: "trigger 0.05, minfrac 0.95",
    notes: &[
        "Where few steps update most particles, the level is seen late.",
        "repartition_type: fullcosts takes METIS or ParMETIS.",
        "A trigger of 2 or more is an interval; it needs costs of tasks that are compiled in, and as delivered \
         (HAVE_FIXED_COSTS 0) it ends the run.",
    ],
    read: [
        "`SWIFTSIM/SWIFT`",
        "`src/engine.c`, `src/partition.c`, `src/clocks.c` and `src/partition_fixed_costs.h` (v2026.04-57-g8a8f0d794)",
        "2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let lines = match setting {
            Setting::Never => "  repartition_type: none\n".to_owned(),
            Setting::Every(every) => {
                let message = format!(
                    "SWIFT as it is built has no interval: a trigger of {every} ends the run, since it needs fixed costs \
                     that are compiled in (HAVE_FIXED_COSTS)"
                );
                let help = "take a LoadDrift or Stopping model whose rule is a level, or measure fixed costs first \
                            (tools/task_plots, partition_fixed_costs.h) and set the trigger by hand";
                return Err(Complaint::elsewhere(message, help));
            }
            Setting::Above { level, .. } => {
                format!("  repartition_type: fullcosts\n  trigger: {level:?}\n  minfrac: 0.95\n")
            }
        };
        Ok("DomainDecomposition:\n".to_owned() + &lines)
    },
};
