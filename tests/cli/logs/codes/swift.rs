//! `rank_cpu_balance.log` of SWIFT.

use super::{RANKS, STEPS, assert_is, load, read, refused};
use crate::support::prelude::*;
use remap::logs::{self, Trace};
use std::fmt::Write as _;

/// The log of SWIFT: user and system times in ticks, only for some steps.
pub fn log(newer: bool) -> String {
    let mut log = format!("# step rank user sys sum{}\n", if newer { " deadfrac" } else { "" });
    for step in 0..STEPS {
        let logged = if step < 2 { step } else { 3 * step + step % 2 };
        for rank in 0..RANKS {
            let (user, system) = (100.0 * load(step, rank), 0.5);
            let _ = write!(log, "{logged} {rank} {user:.6} {system:.6} {:.6}", user + system);
            log += if newer { " 0.031000\n" } else { "\n" };
        }
        let _ = writeln!(log, "# {logged} mean times: 1.000000 0.500000 1.500000");
        let _ = writeln!(log, "# {logged} balance: 0.1, expected: 0.050000 (sys: 0.1, total: 0.1)");
    }
    log
}

#[test]
fn cpu_times_of_swift_are_read_and_called_so() {
    let place = Workplace::new();
    for newer in [true, false] {
        place.write("rank_cpu_balance.log", log(newer));
        let trace = read(&place.path("rank_cpu_balance.log"));
        assert!(!trace.knows_remaps && trace.stride == 1);
        has(&trace.repairs[0], &["CPU times"]);
        has(&trace.repairs[1], &["60 of the steps"]);
        assert_is(&trace, STEPS, &[], "swift");
    }
    let log = log(true);
    let change = |from: &str, to: &str| {
        assert!(log.contains(from));
        place.write("rank_cpu_balance.log", log.replacen(from, to, 1));
        refused(&place.path("rank_cpu_balance.log"))
    };
    let line = |step: usize, rank: usize| {
        let user = 100.0 * load(step, rank);
        format!("{step} {rank} {user:.6} 0.500000 {:.6}", user + 0.5)
    };
    let first = line(1, 2);
    for (to, words) in [
        (first.replace("1 2 ", "1 x "), "line 10: rank: \"x\""),
        (first.replace("1 2 ", "1 2 -"), "line 10: user: -"),
        (first.replace("0.500000", "0.6"), "line 10: sum: "),
        (first.replace("0.500000", "NaN"), "line 10: user, sys, sum: one of them"),
        (first.replace("0.500000", ""), "line 10: 5 fields where"),
    ] {
        has(&change(&first, &to), &[words]);
    }
    // A second run behind the first.
    place.write("rank_cpu_balance.log", log.clone() + &log);
    assert!(refused(&place.path("rank_cpu_balance.log")).contains("step 0 after step 178"));
    for end in (0..log.len()).step_by(211) {
        place.write("rank_cpu_balance.log", &log[..end]);
        let Ok(trace) = logs::read(&place.path("rank_cpu_balance.log"), None) else { continue };
        let steps = trace.record.steps();
        let filled = trace.repairs.iter().any(|repair| repair.contains("filled in"));
        assert_is_prefix(&trace, steps - usize::from(filled));
    }
}

fn assert_is_prefix(trace: &Trace, steps: usize) {
    for step in 0..steps {
        for (rank, found) in trace.record.row(step).iter().enumerate() {
            assert!(abs_diff_eq!(*found, load(step, rank), epsilon = 1e-6), "{step} {rank}");
        }
    }
}
