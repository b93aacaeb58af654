//! Wrong chains and transition files, explained.

use super::{complaint, complaint_in};
use crate::support::prelude::*;

#[test]
fn wrong_chains_are_explained() {
    let walk = "Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect)";
    for (chain, words) in [
        ("Matrix(rows: [[0.5, 0.5], [0.25, 0.7]])", &["row 1", "0.05 below 1"][..]),
        ("Matrix(rows: [[0.5, 0.5], [1.25, -0.25]])", &["`-0.25` is not in [0, 1]"]),
        ("Matrix(rows: [[0.5, 0.5], [1.0]])", &["not square"]),
        ("Walk(levels: 1, up: 0.25, down: 0.25, edge: Hold)", &["1 level"]),
        ("Walk(levels: 4, up: 0.75, down: 0.5, edge: Hold)", &["more than 1"]),
        ("BirthDeath(up: [0.5, 0.5], down: [0.0, 0.5])", &["highest level"]),
    ] {
        let problem =
            format!("processes: Distinct([{chain}, {walk}]), remap_cost: 1.0, after_remap: Stop");
        has(&complaint(&problem), words);
    }
}

#[test]
fn chains_that_cannot_end_are_refused() {
    let message = complaint(
        "processes: Identical(count: 2, chain: Walk(lowest: 1, levels: 2, up: 0.25, down: 0.25, edge: Hold)), \
         capacities: [1.0, 3.0], remap_cost: 1.0, after_remap: Uniform",
    );
    has(&message, &["neither balance nor gain"]);
}

#[test]
fn wrong_transition_files_are_explained() {
    let place = Workplace::new();
    let problem = "processes: Joint(loads: [[0, 1], [1, 0]], transition: File(\"p.mtx\")), \
                   remap_cost: 1.0, after_remap: Stop";
    // What is underlined is the name of the file.
    let line = format!("Model(title: \"wrong\", problem: Stopping({problem}))");
    let at = format!(":1:{}]", line.find("\"p.mtx\"").unwrap() + 1);
    has(&complaint_in(&place, problem), &["no such file", &at]);
    let header = "%%MatrixMarket matrix coordinate real general\n";
    for (text, words) in [
        ("hello".to_owned(), "not a Matrix Market file"),
        (format!("{header}2 2 3\n1 1 1.0\n2 1 0.5\n2 2 0.25\n"), "row 2 sums to 0.75"),
        (format!("{header}3 3 1\n1 1 1.0\n"), "3 x 3"),
        (format!("{header}2 2 1\n7 1 1.0\n"), "(7, 1) is outside 2 x 2"),
        (format!("{header}2 2 3\n1 1 1.0\n"), "3 entries announced, 1 found"),
    ] {
        place.write("p.mtx", text);
        has(&complaint_in(&place, problem), &[words]);
    }
}
