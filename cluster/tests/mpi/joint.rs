//! Joint chains from a file, of which each rank has its own rows.

use super::stopping::{averages_overlap, brackets, same_decisions};
use super::{Workplace, settings};
use remap::problems::{Method, Settings};
use std::fmt::Write;

/// Two loads of so many levels, the second of which follows the first; as a model, with the file of
/// its transitions.
pub fn model(place: &Workplace, name: &str, levels: usize, rest: &str) {
    let mut entries = Vec::new();
    let state = |a: usize, b: usize| a * levels + b + 1;
    for a in 0..levels {
        for b in 0..levels {
            let up = if a + 1 < levels { 2 } else { 0 };
            let down = if a > 0 { 3 } else { 0 };
            let follows = if a == b { 0 } else { 1 };
            let towards = if a > b { b + 1 } else { b.saturating_sub(1) };
            let mut row = vec![(state(a, b), 10 - up - down - follows)];
            row.extend((up > 0).then(|| (state(a + 1, b), up)));
            row.extend((down > 0).then(|| (state(a - 1, b), down)));
            row.extend((follows > 0).then(|| (state(a, towards), follows)));
            entries.extend(row.into_iter().map(|(to, p)| (state(a, b), to, p)));
        }
    }
    let count = levels * levels;
    let mut text = format!(
        "%%MatrixMarket matrix coordinate real general\n{count} {count} {}\n",
        entries.len()
    );
    for (from, to, p) in entries {
        writeln!(text, "{from} {to} {:.1}", f64::from(p) / 10.0).unwrap();
    }
    std::fs::write(place.path().join("moves.mtx"), text).unwrap();
    let loads = (0..levels).flat_map(|a| (0..levels).map(move |b| format!("[{a}, {b}]")));
    let loads: Vec<String> = loads.collect();
    let processes =
        format!("Joint(loads: [{}], transition: File(\"moves.mtx\"))", loads.join(", "));
    place.model(name, &format!("Stopping(processes: {processes}, {rest})"));
}

const LEVELS: usize = 8;

const FORMS: [&str; 3] = [
    "remap_cost: 9.0, after_remap: Stop",
    "remap_cost: 2.0, after_remap: Uniform",
    "remap_cost: 3.0, after_remap: Restart",
];

#[test]
fn rows_of_ranks_have_the_bits_of_one_process() {
    let place = Workplace::new();
    for form in FORMS {
        model(&place, "joint.ron", LEVELS, form);
        let roughly = Settings { tolerance: 1e-3, ..settings(Method::Value) };
        let expected = place.serial("joint.ron", &roughly);
        assert_eq!(expected["status"], "converged", "{form}");
        for ranks in [2, 4] {
            let asked = [
                "solve",
                "joint.ron",
                "--method",
                "value",
                "--values",
                "--json",
                "--tolerance",
                "1e-3",
            ];
            assert_eq!(place.json(ranks, &asked), expected, "{form} on {ranks} ranks");
        }
    }
}

#[test]
fn policies_of_joint_chains_agree() {
    let place = Workplace::new();
    for form in FORMS {
        model(&place, "joint.ron", LEVELS, form);
        let expected = place.serial("joint.ron", &settings(Method::Auto));
        for ranks in [2, 3] {
            let found = place.json(ranks, &["solve", "joint.ron", "--values", "--json"]);
            assert_eq!(found["status"], "converged", "{form} on {ranks} ranks");
            if found["average"].is_null() {
                for ([low, high], [least, most]) in brackets(&found).iter().zip(brackets(&expected))
                {
                    assert!(*low <= most && least <= *high, "{form} on {ranks} ranks");
                }
            } else {
                averages_overlap(&found, &expected, form);
            }
            same_decisions(&found, &expected, form);
        }
    }
}

/// Only the last rank has looked at it.
#[test]
fn a_row_that_is_wrong_is_told_of_once() {
    let place = Workplace::new();
    model(&place, "joint.ron", LEVELS, FORMS[0]);
    let path = place.path().join("moves.mtx");
    let text = std::fs::read_to_string(&path).unwrap();
    let last = format!("{} {} 0.", LEVELS * LEVELS, LEVELS * LEVELS);
    let place_of = text.find(&last).unwrap() + last.len();
    std::fs::write(&path, format!("{}9{}", &text[..place_of], &text[place_of + 1..])).unwrap();
    for ranks in [1, 3] {
        let output = place.run(ranks, &["solve", "joint.ron"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said.matches("sums to").count(), 1, "{said}");
    }
    std::fs::remove_file(&path).unwrap();
    let output = place.run(3, &["solve", "joint.ron"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("no such file").count(), 1, "{said}");
}

#[test]
fn check_says_what_rows_take() {
    let place = Workplace::new();
    model(&place, "joint.ron", LEVELS, FORMS[0]);
    let output = place.run(1, &["check", "joint.ron", "--ranks", "4", "--json"]);
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(facts["ranks_that_share_the_work"], 4, "{facts}");
    assert_eq!(facts["states_of_each_rank"], LEVELS * LEVELS / 4, "{facts}");
}
