//! `fit` on logs of which each rank reads a part.

use super::Workplace;
use rand::RngExt;
use remap::commands::fit::Steps;
use remap::logs::{Beginning, follow, parts};
use remapping::fit::whole::Whole;
use remapping::random::stream;
use std::fmt::Write;
use std::path::PathBuf;

const RANKS: usize = 8;

/// A wide table of a run on levels, or off them, that is remapped now and then.
pub fn log(is_on_levels: bool, steps: usize) -> Vec<String> {
    let mut numbers = stream(7, 0);
    let mut levels = [5_i64; RANKS];
    let line = |step: usize| {
        let remapped = step > 0 && step.is_multiple_of(701);
        if remapped {
            let mean = levels.iter().sum::<i64>() / RANKS as i64;
            levels.fill(mean);
        }
        let mut line = format!("{step},");
        if remapped {
            write!(line, "{}", 0.3 + 0.1 * numbers.random::<f64>()).unwrap();
        }
        for level in &mut levels {
            let draw: f64 = numbers.random();
            *level = (*level + i64::from(draw < 0.3) - i64::from(draw > 0.7)).clamp(1, 9);
            let off = if is_on_levels { 0.0 } else { 0.1 * numbers.random::<f64>() };
            write!(line, ",{}", 0.25 * *level as f64 + off).unwrap();
        }
        line + "\n"
    };
    (0..steps).map(line).collect()
}

/// The line above a table.
pub fn head() -> String {
    let ranks: Vec<String> = (0..RANKS).map(|rank| format!("rank{rank}")).collect();
    format!("step,remap_seconds,{}\n", ranks.join(","))
}

/// The document, and what was said, which is the same whoever reads the log.
fn fitted(place: &Workplace, ranks: usize, logs: &[&str]) -> (String, String) {
    let output = place.run(ranks, &[&["fit", "--json"], logs].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{ranks} ranks: {said}");
    (String::from_utf8(output.stdout).unwrap(), said)
}

const BEGINNING: Beginning = Beginning { cells: 1 << 14, steps: 1024 };

/// What is known of a log of which each of several reads a part.
fn by_parts(paths: &[PathBuf], readers: usize) -> Option<(remap::logs::Trace, Whole)> {
    let part = |reader: usize| parts::read(paths, None, BEGINNING, (reader, readers));
    let (mut numbers, mut costs) = (Vec::new(), Vec::new());
    for reader in 1..readers {
        let mut part = part(reader)?;
        numbers.extend(part.numbers());
        costs.extend(part.costs);
    }
    part(0)?.join(&numbers, &costs)
}

#[test]
fn parts_of_a_log_add_up_to_the_bits_of_one_reader() {
    let place = Workplace::new();
    for is_on_levels in [false, true] {
        let lines = log(is_on_levels, 60_000);
        let write = |name: &str, lines: &[String]| {
            std::fs::write(place.path().join(name), head() + &lines.concat()).unwrap();
        };
        write("log.csv", &lines);
        let (first, second) = lines.split_at(20_000);
        write("a.csv", first);
        write("b.csv", second);
        let named = |names: &[&str]| names.iter().map(|name| place.path().join(name)).collect();
        let whole: Vec<PathBuf> = named(&["log.csv"]);
        let mut steps = Steps::default();
        let trace = follow(&whole, &Default::default(), BEGINNING, &mut steps).unwrap();
        let known = format!("{:?}", steps.0.unwrap().whole());
        assert_eq!(known.contains("transitions: Some"), is_on_levels);
        for (files, readers) in [(&["log.csv"][..], 2), (&["log.csv"], 3), (&["a.csv", "b.csv"], 3)]
        {
            let (found, sums) = by_parts(&named(files), readers).unwrap();
            assert_eq!(format!("{sums:?}"), known, "{files:?} by {readers}");
            assert_eq!(format!("{found:?}"), format!("{trace:?}"), "{files:?} by {readers}");
        }
        // A time is missing, or there are fewer blocks than readers.
        assert!(by_parts(&whole, 5).is_none());
        let mut gap = lines.clone();
        gap[50_000] = "50000,,1,1,,1,1,1,1,1\n".to_owned();
        write("log.csv", &gap);
        assert!(by_parts(&whole, 2).is_none());
    }
}

#[test]
#[ignore = "tests on 2^18 times, minutes in a build of tests: cargo test --workspace --test mpi fitting -- --ignored"]
fn a_log_is_fitted_by_ranks_with_the_bits_of_one() {
    let place = Workplace::new();
    std::fs::write(place.path().join("log.csv"), head() + &log(false, 110_000).concat()).unwrap();
    let found = fitted(&place, 1, &["log.csv"]);
    for ranks in [2, 3] {
        assert_eq!(fitted(&place, ranks, &["log.csv"]), found);
    }
}

#[test]
fn what_is_wrong_in_a_part_is_said_once_as_one_reader_would() {
    let place = Workplace::new();
    let mut lines = log(false, 80_000);
    let write = |lines: &[String]| {
        std::fs::write(place.path().join("log.csv"), head() + &lines.concat()).unwrap();
    };
    lines[79_000] = "79000,,1,2,x,4,5,6,7,8\n".to_owned();
    write(&lines);
    let on = |ranks: usize| {
        let output = place.run(ranks, &["fit", "log.csv", "--json"]);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    // What `mpirun` adds is no part of what is said.
    let (code, said) = on(2);
    let (alone_code, alone) = on(1);
    let wrong = alone.split("----").next().unwrap().trim();
    assert!(wrong.contains("log.csv, line 79002: rank 2: \"x\" is not a number"), "{alone}");
    assert_eq!((code, alone_code), (Some(1), Some(1)));
    assert_eq!(said.matches(wrong).count(), 1, "{said}");
    // Short logs are no work for many.
    write(&lines[..2000]);
    let (code, said) = on(2);
    assert_eq!((code, said.matches("on one rank").count()), (Some(0), 1), "{said}");
}
