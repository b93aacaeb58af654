//! Long lists of load vectors are read in another way than short ones: what is read, and what is
//! said of faults, is the same.

use crate::support::prelude::*;

/// States of the chain: their list takes more than 4096 bytes.
const STATES: usize = 1200;

/// A comment: a list that holds one is read value by value.
const COMMENT: &str = "/**/";

/// A chain that falls to balance one state at a time, `gap` among its first load vectors.
fn deck(between: &str, gap: &str) -> String {
    let rows: Vec<_> = (0..STATES).map(|k| format!("[{k}, {}]", 2 * k)).collect();
    let (first, rest) = rows.split_at(40);
    let loads = [&first.join(between), between, gap, " ", &rest.join(between)].concat();
    format!(
        "Model(title: \"long\", problem: Stopping(\n    processes: Joint(\n        loads: [{loads}],\n\
        \n\n        transition: File(\"p.mtx\"),\n    ),\n\n\n    remap_cost: 30.0,\n    after_remap: Stop,\n))\n"
    )
}

fn workplace() -> Workplace {
    let place = Workplace::new();
    let mut matrix = format!(
        "%%MatrixMarket matrix coordinate real general\n{STATES} {STATES} {STATES}\n1 1 1\n"
    );
    (2..=STATES).for_each(|k| matrix.push_str(&format!("{k} {} 1\n", k - 1)));
    place.write("p.mtx", matrix);
    place
}

fn run(place: &Workplace, command: &str, deck: String) -> Outcome {
    place.write("model.ron", deck);
    place.remap(command)
}

#[test]
fn long_lists_have_the_values_they_state() {
    let place = workplace();
    for between in [", ", ",\n        ", ",\r\n", " , "] {
        let solved = ["    ", COMMENT].map(|gap| {
            let found = run(&place, "solve model.ron --json", deck(between, gap));
            timeless(found.json()).to_string()
        });
        assert_eq!(solved[0], solved[1], "{between:?}");
    }
    let setting = "sweep model.ron --set problem.processes.loads[700]=[1,0]";
    let set = ["    ", COMMENT].map(|gap| run(&place, setting, deck(", ", gap)));
    assert_eq!((&set[0].out, set[0].code), (&set[1].out, 0), "{}{}", set[0].err, set[1].err);
}

#[test]
fn faults_in_and_beside_long_lists_are_explained_as_in_short_ones() {
    let place = workplace();
    let loads = "[700, 1400]";
    let edits = [
        (loads, "[700, 0.5]"),
        ("[700, 1400]", "[700, 1400.]"),
        ("[700, 1400]", "[700, 99999999999999999999]"),
        ("[700, 1400]", "[700, -]"),
        ("[700, 1400]", "[700, 1-4]"),
        ("[700, 1400]", "[700, 1e3]"),
        ("[700, 1400]", "[700, NaN]"),
        ("[700, 1400]", "[700 1400]"),
        ("[700, 1400]", "[700, 1400"),
        ("[700, 1400]", "[700, 1400]]"),
        ("[700, 1400]", "[700, 1400)"),
        ("[700, 1400]", "[700,, 1400]"),
        ("[700, 1400]", "[]"),
        ("[700, 1400]", "[700, 1400, 5]"),
        ("[700, 1400]", "[[700, 1400]]"),
        ("[700, 1400]", "700"),
        ("[700, 1400]", "[701, 1402]"),
        ("[0, 0], ", "0, "),
        ("File(\"p.mtx\")", "Fil(\"p.mtx\")"),
        ("File(\"p.mtx\")", "File(5)"),
        ("remap_cost: 30.0", "remap_cost: much"),
        ("after_remap: Stop", "after_remap: Stop, loads: 5"),
        ("Joint(", "Identical("),
        ("processes: Joint(", "processes: Joint(loads: [[0, 0]], "),
        ("))\n", ")\n"),
    ];
    for (from, to) in edits {
        for between in [", ", ",\n        "] {
            let said = ["    ", COMMENT].map(|gap| {
                run(&place, "check model.ron", deck(between, gap).replacen(from, to, 1))
            });
            let [long, short] = &said;
            assert_eq!((long.code, &long.err), (short.code, &short.err), "{from} to {to}");
            assert_eq!(long.out, short.out, "{from} to {to}");
        }
    }
}
