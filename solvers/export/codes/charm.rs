//! Charm++: iterations between calls of `AtSync()`.

use super::Sheet;
use crate::export::knobs::Setting;

pub const SHEET: Sheet = Sheet {
    name: "Charm++",
    what: "iterations between calls of `AtSync()`, and a balancer",
    compares: None,
    of: "wall seconds of chares",
    when: "whenever all chares have called AtSync()",
    default: "off",
    notes: &[
        "+LBPeriod is for programs in which no chare uses AtSync; those that call AtSync() stall with it.",
        "+MetaLB predicts a period of its own while the mean utilization is below 90 %. Its compiled-in 1.1 multiplies the \
         max/mean measured after the last balancing, and that comparison is compiled out (EXTRA_FEATURE 0). charm4py 1.1 \
         ends with it in a KeyError.",
        "Never is to name no +balancer, and to link none in (-balancer): NullLB ends a run from 8.0 on.",
    ],
    read: [
        "`charmplusplus/charm`",
        "`src/ck-ldb/LBManager.C`, `src/ck-ldb/MetaBalancer.C` and `doc/charm++/manual.rst` (v8.0.1-devel-31-g2ff9e1559)",
        "2026-11-28",
    ],
    mark: "#",
    write: |knobs, setting| {
        let Setting::Every(every) = setting else { return Ok(String::new()) };
        let period = knobs.seconds(every).map(|(period, waiting)| {
            let least = if waiting { "" } else { " at least (the waiting is not known)" };
            format!("# Without AtSync, for steps of the length known here: +LBPeriod {period:?}{least}\n")
        });
        Ok(format!("# AtSync() every {every} iterations\n")
            + &period.unwrap_or_default()
            + "+balancer GreedyRefineLB\n")
    },
};
