//! `fit` on logs of which each rank reads a part.

use super::Workplace;
use rand::RngExt;
use remapping::random::stream;
use std::fmt::Write;

const RANKS: usize = 8;
const STEPS: usize = 110_000;

/// A wide table of a run on levels, or off them, that is remapped now and then.
fn log(is_on_levels: bool) -> Vec<String> {
    let mut numbers = stream(7, 0);
    let mut levels = [5_i64; RANKS];
    let line = |step: usize| {
        let remapped = step > 0 && step % 701 == 0;
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
    (0..STEPS).map(line).collect()
}

fn head() -> String {
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

#[test]
fn parts_of_a_log_are_fitted_with_the_bits_of_one_reader() {
    let place = Workplace::new();
    for is_on_levels in [false, true] {
        let lines = log(is_on_levels);
        std::fs::write(place.path().join("log.csv"), head() + &lines.concat()).unwrap();
        let (document, said) = fitted(&place, 1, &["log.csv"]);
        assert!(document.contains("\"steps\": 110000"), "{document}");
        for ranks in [2, 3] {
            assert_eq!(fitted(&place, ranks, &["log.csv"]), (document.clone(), said.clone()));
        }
        if is_on_levels {
            // The second file begins within the part of the first rank.
            let (first, second) = lines.split_at(STEPS / 3);
            for (name, lines) in [("a.csv", first), ("b.csv", second)] {
                std::fs::write(place.path().join(name), head() + &lines.concat()).unwrap();
            }
            let parts = fitted(&place, 3, &["a.csv", "b.csv"]);
            assert_eq!(parts.0.replace("a.csv and 1 more", "log.csv"), document);
            assert!(!parts.1.contains("on one rank"), "{}", parts.1);
        }
    }
}

#[test]
fn what_is_wrong_in_a_part_is_said_once_as_one_reader_would() {
    let place = Workplace::new();
    let mut lines = log(false);
    lines.truncate(80_000);
    let write = |lines: &[String]| {
        std::fs::write(place.path().join("log.csv"), head() + &lines.concat()).unwrap();
    };
    lines[79_000] = "79000,,1,2,x,4,5,6,7,8\n".to_owned();
    write(&lines);
    let on = |ranks: usize| {
        let output = place.run(ranks, &["fit", "log.csv", "--json"]);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = on(2);
    assert_eq!(code, Some(1));
    assert_eq!(said.matches("log.csv, line 79002: \"x\" is not a number").count(), 1, "{said}");
    // Short logs are no work for many.
    write(&lines[..2000]);
    let (code, said) = on(2);
    assert_eq!((code, said.matches("on one rank").count()), (Some(0), 1), "{said}");
}
