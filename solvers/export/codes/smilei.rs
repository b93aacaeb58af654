//! Smilei: the `LoadBalancing` block.

use super::Sheet;
use crate::export::knobs::Setting;

/// So many iterations that none follows.
const NEVER: u64 = 1_000_000_000;

pub const SHEET: Sheet = Sheet {
    name: "Smilei",
    what: "a `LoadBalancing` block",
    compares: None,
    of: "weights of cells and particles (cell_load, frozen_particle_load), not times",
    when: "at iterations that are multiples of every",
    default: "150",
    notes: &[
        "It takes more than one rank, the Hilbertian patch_arrangement (powers of 2 patches along each axis) and two \
         patches a rank at least; with fewer Smilei stops.",
        "every = 0 would switch off the balancing at the start, too: never is an iteration beyond the last.",
    ],
    read: [
        "`SmileiPIC/Smilei`",
        "`src/Params/Params.cpp`, `src/Smilei.cpp` and `src/Diagnostic/TimeSelection.cpp` (v5.1-265-g2379109c3)",
        "2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let every = if let Setting::Every(every) = setting { every } else { NEVER };
        Ok(format!("LoadBalancing(\n    initial_balance = True,\n    every = {every},\n)\n"))
    },
};
