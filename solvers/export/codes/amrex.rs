//! AMReX: load balancing of a single level.

use super::Sheet;
use crate::export::knobs::Setting;

pub const SHEET: Sheet = Sheet {
    name: "AMReX",
    what: "`amr.loadbalance_*` of programs made with `Amr`",
    compares: None,
    of: "work estimates of the program (WorkEstType), its own measure of a box",
    when: "every loadbalance_level0_int steps, first before the second step",
    default: "off, interval 2",
    notes: &[
        "The interval holds in runs with amr.max_level = 0 only: with refinement, boxes are shared out when grids are made.",
        "Without work estimates nothing is balanced. Boxes are shared out by a knapsack, at most loadbalance_max_fac (1.5) \
         times the mean number to a rank.",
    ],
    read: ["`AMReX-Codes/amrex`", "`Src/Amr/AMReX_Amr.cpp` (24.10-18-g92679babfc)", "2026-11-28"],
    mark: "#",
    write: |_, setting| {
        let Setting::Every(every) = setting else {
            return Ok("amr.loadbalance_with_workestimates = 0\n".to_owned());
        };
        Ok("amr.loadbalance_with_workestimates = 1\n".to_owned()
            + &format!("amr.loadbalance_level0_int = {every}\n"))
    },
};
