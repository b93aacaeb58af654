//! Missing times are filled in from the steps between the same two remaps.

use crate::logs::streams::assert_same;
use crate::support::made_logs::Numbers;
use crate::support::prelude::*;
use remap::logs;
use std::fmt::Write as _;

/// Two ranks that drift apart, evened out every ten steps; what `gap` says is missing.
fn drifting(steps: usize, gap: impl Fn(usize, usize) -> bool) -> String {
    let mut text = String::from("step,remapped,remap_seconds,rank_0,rank_1,rank_2\n");
    for step in 0..steps {
        let remapped = step > 0 && step % 10 == 0;
        let (mark, cost) = if remapped { (1, "0.5") } else { (0, "") };
        let _ = write!(text, "{step},{mark},{cost}");
        for rank in 0..3 {
            let time = 10.0 + (rank as f64 - 1.0) * (step % 10) as f64;
            let time = if gap(step, rank) { "NaN".to_owned() } else { time.to_string() };
            let _ = write!(text, ",{time}");
        }
        text.push('\n');
    }
    text
}

#[test]
fn gaps_are_not_filled_across_a_remap() {
    let place = Workplace::new();
    // The step after a remap, the one before, and two around one.
    let gap = |step, rank| matches!((step, rank), (20, _) | (39, 0) | (59 | 60, 2));
    place.write("run.csv", drifting(100, gap));
    let read = logs::read(&place.path("run.csv"), None).unwrap();
    assert_eq!(read.record.row(20), [9.0, 10.0, 11.0]);
    assert_eq!(read.record.row(39), [2.0, 10.0, 19.0]);
    assert_eq!((read.record.row(59)[2], read.record.row(60)[2]), (18.0, 11.0));
    assert_eq!(read.repairs, ["6 missing times are filled in between their neighbours"]);
    // A step without a row, which is not counted among the times.
    let rows = drifting(100, gap);
    let kept = rows.split_inclusive('\n').filter(|row| !row.starts_with("45,"));
    place.write("run.csv", kept.collect::<String>());
    let read = logs::read(&place.path("run.csv"), None).unwrap();
    assert_eq!(read.record.row(45), [5.0, 10.0, 15.0]);
    assert_eq!(
        read.repairs,
        [
            "1 missing steps are filled in between their neighbours",
            "6 missing times are filled in between their neighbours",
        ]
    );
    // What remaps leave is not made up.
    place.write("run.csv", drifting(400, |step, _| step > 0 && step % 20 == 0));
    let found = place.answer("advise run.csv");
    let (sentence, notes) = (found["advice"].text(), found["notes"].to_string());
    assert!(
        !sentence.contains("restore") && !notes.contains("of the imbalance"),
        "{sentence} {notes}"
    );
}

#[test]
fn a_rank_without_times_between_two_remaps_is_as_the_others() {
    let place = Workplace::new();
    place.write("run.csv", drifting(400, |step, rank| step / 10 == 3 && rank == 2));
    let read = logs::read(&place.path("run.csv"), None).unwrap();
    assert_eq!(read.record.row(34), [6.0, 10.0, 8.0]);
    assert_eq!(
        read.repairs,
        [
            "10 missing times are filled in between their neighbours",
            "10 missing times have no neighbour between the same two remaps: the mean of the other ranks is taken",
        ]
    );
    place.write("run.csv", drifting(400, |step, _| step / 10 == 3));
    place
        .remap("fit run.csv")
        .exits(1)
        .says("no rank has a time at step 30, nor at another between the remaps around it");
}

/// Remaps so close that ranks, and the first and the last steps, are without times between two of
/// them.
#[test]
fn gaps_of_long_logs_are_filled_alike() {
    let place = Workplace::new();
    let (mut alone, mut refused) = (0, 0);
    for seed in 0..60 {
        let mut numbers = Numbers::new(seed);
        let mut text = String::from("step,remapped,remap_seconds,rank_0,rank_1,rank_2,rank_3\n");
        let mut rows = Vec::new();
        for step in 0..1200 {
            let remapped = numbers.below(4) == 0;
            let (mark, cost) = if remapped { (1, "0.5") } else { (0, "") };
            let mut row = format!("{},{mark},{cost}", 3 * step);
            for _ in 0..4 {
                match numbers.below(20) {
                    0 => row += ",nan",
                    _ => _ = write!(row, ",{}", 1.0 + numbers.uniform()),
                }
            }
            if numbers.below(50) > 0 || step == 0 {
                rows.push((step + numbers.below(1 + 40 * (seed as usize % 2)), row));
            }
        }
        rows.sort_by_key(|(place, _)| *place);
        rows.iter().for_each(|(_, row)| _ = writeln!(text, "{row}"));
        place.write("run.csv", text);
        match logs::read(&place.path("run.csv"), None) {
            Ok(whole) => {
                alone += usize::from(whole.repairs.iter().any(|said| said.contains("the mean")));
                assert_same(&[place.path("run.csv")], &whole, None);
            }
            Err(error) => {
                has(&error.to_string(), &["no rank has a time"]);
                refused += 1;
            }
        }
    }
    assert!(alone > 40 && refused < 10, "{alone} {refused}");
}
