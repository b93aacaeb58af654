//! What columns of a log are taken for, by their names.

use crate::support::prelude::*;
use remap::logs::{self, Trace};
use std::fmt::Write as _;

fn read(text: &str) -> Result<Trace, String> {
    let place = Workplace::new();
    place.write("run.csv", text);
    logs::read(&place.path("run.csv"), None).map_err(|complaint| complaint.to_string())
}

/// The steps before which there was a remap, and what it cost.
fn remaps(trace: &Trace) -> Vec<(usize, Option<f64>)> {
    trace.record.remaps().iter().map(|remap| (remap.before, remap.seconds)).collect()
}

/// Codes that write what a remap would cost into every row do not remap at every step.
#[test]
fn a_cost_is_no_remap_where_remaps_are_marked() {
    let mut text = String::from("step,rank_0,rank_1,remapped,remap_seconds\n");
    for step in 0..40 {
        let mark = u8::from(step % 10 == 5);
        _ = writeln!(text, "{step},1,{},{mark},0.{}", 2 + step, 1 + step % 10);
    }
    let found = read(&text).unwrap();
    let every = [5, 15, 25, 35].map(|step| (step, Some(0.6)));
    assert_eq!(remaps(&found), every);
    assert!(found.repairs[0].contains("only those of remaps count"), "{:?}", found.repairs);
    // Without a mark a cost is one.
    let unmarked = text.replace(",0,0.", ",,0.").replace("remapped,", "host,");
    assert_eq!(remaps(&read(&unmarked).unwrap()).len(), 39);
    let rare = "step,rank_0,rank_1,remap_seconds\n0,1,2,0\n1,1,2,0.5\n2,1,2,\n";
    let found = read(rare).unwrap();
    assert_eq!((remaps(&found), found.repairs.len()), (vec![(1, Some(0.5))], 0));
}

#[test]
fn log_unit_leaves_costs_alone_whose_column_says_a_unit() {
    let place = Workplace::new();
    let cost = |name: &str, cost: &str| {
        let mut text = format!("step,rank,time,remapped,{name}\n");
        for step in 0..60 {
            let remap = if step % 20 == 10 { format!("1,{cost}") } else { "0,".to_owned() };
            _ = writeln!(text, "{step},0,1000,{remap}\n{step},1,{},{remap}", 1500 + step);
        }
        place.write("run.csv", text);
        let found = place.remap("replay run.csv --log-unit 0.001 --policies never --json").exits(0);
        let says = found.err.contains("says its unit");
        (found.json()["remap_cost"].f64(), says)
    };
    for (name, paid, says) in [
        ("remap_cost", "500", false),
        ("remap_seconds", "0.5", true),
        ("lb_seconds", "0.5", true),
        ("remap_us", "500000", true),
        ("remap_ms", "500", false),
    ] {
        assert_eq!(cost(name, paid), (0.5, says), "{name}");
    }
    // It is what is asked for that holds for the times.
    place.write("run.csv", "step,rank_0_ms,rank_1_ms\n0,1,2\n1,1,3\n2,1,2\n3,1,2\n4,1,3\n5,1,3\n");
    let told = place.remap("replay run.csv --log-unit 1 --remap-cost 1").exits(0);
    told.says("`rank_0_ms` says units of 0.001 seconds: --log-unit 1 is taken");
}

/// Ranks agree in their seconds where these include waiting, and in the sum where they do not.
#[test]
fn waiting_is_taken_off_where_it_is_part_of_the_seconds() {
    let place = Workplace::new();
    for included in [true, false] {
        let mut text = String::from("step,rank,seconds,wait\n");
        let work = |step: usize, rank: usize| 1.0 + 0.001 * ((37 * step + 11 * rank) % 100) as f64;
        for step in 0..60 {
            let slowest = (0..3).map(|rank| work(step, rank)).fold(0.0, f64::max);
            for rank in 0..3 {
                let seconds = if included { slowest } else { work(step, rank) };
                _ = writeln!(text, "{step},{rank},{seconds},{}", slowest - work(step, rank));
            }
        }
        let found = read(&text).unwrap();
        for (step, rank) in [(0, 0), (17, 1), (59, 2)] {
            let off = found.record.row(step)[rank] - work(step, rank);
            assert!(off.abs() < 1e-9, "{included}: {:?}", found.account);
        }
        place.write("run.csv", text);
        let told = place.remap("fit run.csv --remap-cost 1 --columns wait=wait");
        let told = told.exits(i32::from(!included));
        told.says(if included { "as --columns says" } else { "the rows that it does not" });
    }
}

#[test]
fn percentiles_are_no_ranks() {
    let table = |names: &str, numbers: &str| {
        let row = |step: usize| format!("{step},{numbers}\n");
        read(&format!("step,{names}\n{}", (0..4).map(row).collect::<String>()))
    };
    let found = table("rank_0,p50,rank_1,rank_2,p99,max", "1,9,2,3,9,9").unwrap();
    assert_eq!(found.record.row(1), [1.0, 2.0, 3.0]);
    assert_eq!(found.repairs, ["not called as the ranks are, and left out: `p50`, `p99`, `max`"]);
    // Fewer ranks than percentiles.
    let found = table("p1,p10,p50,p90,rank_0,rank_1", "9,9,9,9,1,2").unwrap();
    assert_eq!(found.record.row(1), [1.0, 2.0]);
    let found = table("gpu0_ms,gpu1_ms,gpu2_ms,cpu1,cpu2", "1,2,3,9,9").unwrap();
    assert_eq!(found.record.row(1), [0.001, 0.002, 0.003]);
    // These are all there is.
    assert_eq!(table("p0,p1,p2", "1,2,3").unwrap().record.ranks(), 3);
    let all = "7,9; rank7,rank_9; r7,r9; pe 7,pe 9; seconds_7,seconds_9; load[7],load[9]; \
               rank_7_time,rank_9_time; gpu7_load,gpu9_load";
    for names in all.split("; ") {
        let found = table(names, "1,2").unwrap();
        assert_eq!((found.record.row(1), found.repairs.len()), (&[1.0, 2.0][..], 0), "{names}");
    }
    // What is called as ranks are comes before what else is known of them.
    let found = table("rank_0,rank_1,rank_0_time,rank_1_time", "1,2,3,4").unwrap();
    assert_eq!(found.record.row(1), [1.0, 2.0]);
    let error = table("rank0_time,rank0_load,rank1_time,rank1_load", "1,2,3,4").unwrap_err();
    assert!(error.contains("`rank_#_time`") && error.contains("`rank_#_load`"), "{error}");
    let error = table("a_0,a_1,b_0,b_1", "1,2,3,4").unwrap_err();
    assert!(
        error.contains("those called `b` or `a` and a number") || error.contains("`a` or `b`"),
        "{error}"
    );
    let error = table("p99,max_2", "1,2").unwrap_err();
    assert!(error.contains("neither `rank` and `seconds` nor columns of ranks"), "{error}");
}
