//! 4C: dynamic rebalancing of structures.

use super::Sheet;

pub const SHEET: Sheet = Sheet {
    name: "4C, structure",
    what: "`STRUCTURAL DYNAMIC/DYNAMIC REBALANCE`",
    compares: Some("max/mean > IMBALANCE_THRESHOLD"),
    of: "seconds in which ranks evaluate elements in a step; the ratio is averaged over the last WINDOW_STEPS steps",
    when: "after every converged step, COOLDOWN_STEPS after the last rebalance at the earliest; the first need not wait",
    default: "off; IMBALANCE_THRESHOLD 1.5, WINDOW_STEPS 3, COOLDOWN_STEPS 3",
    notes: &[
        "An interval is written as a cool-down with a threshold of 1: its first rebalance is after the first step.",
        "The window is emptied by a rebalance; one of a step is written, as the rule is priced.",
        "For pure structure problems. The time integration must be the new one (INT_STRATEGY: Standard).",
    ],
    read: [
        "`4C-multiphysics/4C`",
        "`src/structure_new/src/4C_structure_new_timint_base.cpp` (07cc82c) and `input/4C_structure_new_input.cpp` there \
         (2588018), after pull request 2108",
        "2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let Some((rest, threshold)) = setting.looks(1.0) else {
            return Ok("STRUCTURAL DYNAMIC/DYNAMIC REBALANCE:\n  ENABLED: false\n".to_owned());
        };
        Ok("STRUCTURAL DYNAMIC/DYNAMIC REBALANCE:\n  ENABLED: true\n".to_owned()
            + &format!("  IMBALANCE_THRESHOLD: {threshold:?}\n  WINDOW_STEPS: 1\n")
            + &format!("  COOLDOWN_STEPS: {rest}\n"))
    },
};
