//! 4C: redistribution of contact interfaces.

use super::Sheet;
use crate::complaint::Complaint;
use crate::export::knobs::Setting;

pub const SHEET: Sheet = Sheet {
    name: "4C, contact",
    what: "`MORTAR COUPLING/PARALLEL REDISTRIBUTION`",
    compares: Some("max/min >= MAX_BALANCE_EVAL_TIME"),
    of: "seconds in which processors evaluate contact interfaces, the mean of the evaluations of the last time step",
    when: "before every time step, and always before the first",
    default: "Static; 2",
    notes: &[
        "Other parts of a step are neither timed nor moved.",
        "MAX_BALANCE_SLAVE_ELES above 1 takes no part: it is a share of evaluations in which elements were unbalanced.",
        "There is no interval.",
    ],
    read: [
        "`4C-multiphysics/4C`",
        "`src/contact/4C_contact_abstract_strategy.cpp` (e29cf54) and its parameters of mortar coupling",
        "2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let lines = match setting {
            Setting::Never => "  PARALLEL_REDIST: None\n".to_owned(),
            Setting::Every(_) => {
                let message = "4C has no interval for contact: it redistributes at the start, or beyond a ratio";
                let help = "take fourc_structure, a code that knows intervals, or a LoadDrift or Stopping model whose rule \
                            is a level";
                return Err(Complaint::elsewhere(message, help));
            }
            Setting::Above { level, .. } => format!(
                "  PARALLEL_REDIST: Dynamic\n  MAX_BALANCE_EVAL_TIME: {level:?}\n  MAX_BALANCE_SLAVE_ELES: 2.0\n"
            ),
        };
        Ok("MORTAR COUPLING/PARALLEL REDISTRIBUTION:\n".to_owned() + &lines)
    },
};
