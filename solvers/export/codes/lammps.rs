//! LAMMPS: `fix balance`.

use super::Sheet;
use crate::export::knobs::Setting;

pub const SHEET: Sheet = Sheet {
    name: "LAMMPS",
    what: "a `fix balance` line",
    compares: Some("max/mean > thresh"),
    of: "wall time of ranks in Pair, Neigh, Bond and Kspace since the last look (seconds, weight time)",
    when: "at steps that are multiples of Nfreq, with Nfreq 0 whenever neighbor lists are rebuilt",
    default: "none",
    notes: &[
        "An Nfreq above 0 forces neighbor lists to be rebuilt at its multiples.",
        "weight time adds 0.1 s to the first measurement and waits until 0.1 s has gathered: the first looks of a fast run \
         count particles.",
        "Output and fixes are not timed.",
        "Before July 2026, comm_style tiled with KOKKOS on GPUs computed wrong forces or crashed (issues 4400 and 4942): \
         there, and where a style refuses it, leave its line out and write shift xyz 10 1.0 for rcb (xy in two dimensions).",
    ],
    read: [
        "`lammps/lammps`",
        "`src/fix_balance.cpp` (aca8bc4) and `src/imbalance_time.cpp` (86ee1f5)",
        "2026-11-22; its issues, and runs with 29 Sep 2021, Update 2, on 2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let (frequency, level) = match setting {
            Setting::Never => return Ok("# no fix balance\n".to_owned()),
            // A level of 1 remaps at each look.
            Setting::Every(every) => (every, 1.0),
            // Looks are those of the log, where that is not of every step.
            Setting::Above { level, look: 1 } => (0, level),
            Setting::Above { level, look } => (look, level),
        };
        let fix = format!("fix remap all balance {frequency} {level:?} rcb weight time 1.0\n");
        Ok("comm_style tiled\n".to_owned() + &fix)
    },
};
