//! What `solve` takes the checker takes, and nothing else, but what is too large for it.

use crate::support::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, RngExt};
use remap::problems::registry::Loaded;
use remap_checker::{Model, Refusal};

const MODELS: [&str; 23] = [
    "PhaseChange(lifetime: Fixed(6), cycle: (before: 1.0, after: 1.5, remapped: 1.1), remap: (test: 0.2, install: 0), \
     detector: (false_alarm: 0.1, missed: 0.2), hazard: Constant(0.05))",
    "PhaseChange(lifetime: Pmf({0: 0.25, 3: 0.75}), cycle: (before: 1.0, after: 1.5, remapped: 1.1), remap: \
     (test: 0.2, install: 0), detector: Binary(false_alarm: 0.1, missed: 0.2), hazard: PerStep([0.1, 0.2, 0.3]), \
     premature: Keep(before_remapped: 1.2))",
    "PhaseChange(lifetime: Geometric(rate: 0.5, first: 0, last: 4), cycle: (before: 1.0, after: 1.5, remapped: 1.1), \
     remap: (test: 0.2, install: 0), detector: Levels([(before: 0.75, after: 0.125), (before: 0.25, after: 0.875)]), \
     hazard: Constant(0.05), premature: Revert)",
    "PhaseChange(lifetime: Uniform(first: 1, last: 3), cycle: (before: 1.0, after: 1.5, remapped: 1.1), remap: \
     (test: 0.2, install: 0), detector: Several([(false_alarm: 0.1, missed: 0.2), Levels([(before: 0.5, after: 1), \
     (before: 0.5, after: 0)])]), hazard: Constant(0.05))",
    "Stopping(processes: Identical(count: 2, chain: Walk(levels: 4, up: 0.25, down: 0.25, edge: Reflect)), \
     remap_cost: 2.5, after_remap: Stop)",
    "Stopping(processes: Identical(count: 3, chain: Matrix(lowest: -1, rows: [[0.5, 0.5, 0], [0.25, 0.25, 0.5], \
     [0, 0.333333333, 0.666666667]])), capacities: [1, 2, 1e-3], remap_cost: 2.5, after_remap: Restart)",
    "Stopping(processes: Distinct([Walk(lowest: 3, levels: 3, up: 0.25, down: 0.5, edge: Hold), \
     BirthDeath(up: [0.5, 0.25, 0], down: [0, 0.5, 0.5])]), running_cost: EuclideanDeviation, remap_cost: 0, \
     after_remap: Uniform)",
    "Stopping(processes: Joint(loads: [[0, 1], [1, 0], [1, 1]], transition: Dense([[0.5, 0.5, 0], [0.25, 0.25, 0.5], \
     [0, 0, 1]])), remap_cost: 2.5, after_remap: Uniform)",
    "Stopping(processes: Joint(loads: [[0, 1], [1, 1], [0, 1]], transition: Dense([[0.5, 0.5, 0], [0.25, 0.25, 0.5], \
     [0, 0, 1]])), remap_cost: 2.5, after_remap: Stop)",
    "Stopping(processes: Identical(count: 2, chain: Affine(lowest: 1, levels: 4, changes: [(factor: 1.5, added: -1, \
     probability: 0.25), (factor: 0.5, probability: 0.75)])), remap_cost: 2.5, after_remap: Uniform)",
    "Stopping(processes: Joint(loads: [[0, 1], [1, 1]], transition: File(\"p.mtx\")), remap_cost: 2.5, after_remap: Stop)",
    "LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: Hold), initial_load: 2, \
     steps: 5, remap_cost: 0.7, rebalance: Split, decide: AfterStep, objective: Makespan)",
    "LoadDrift(processors: 2, chain: Matrix(rows: [[0.5, 0.5], [0.25, 0.75]]), initial_load: 1, steps: 5, \
     remap_cost: 0.7, rebalance: Nearest)",
    "LoadDrift(processors: 2, chain: BirthDeath(lowest: 0, up: [0.5, 0], down: [0, 0.5]), initial_load: 1, steps: 5, \
     remap_cost: 0.7)",
    "PhaseSwitching(lifetime: Fixed(6), cycle: (first: (own: 1.0, other: 1.5), second: (own: 1.1, other: 2)), switch: \
     (to_second: 0.5), rates: (to_second: 0.25, to_first: 0), detector: (false_alarm: 0.1, missed: 0.2))",
    "PhaseSwitching(cycle: (first: (own: 1.0, other: 1.5), second: (own: 1.1, other: 2)), switch: (to_second: 0.5, \
     to_first: 0), rates: (to_second: 0.25, to_first: 0.5), detector: Levels([(before: 0.75, after: 0.125), (before: \
     0.25, after: 0.875)]), initial: 0.5)",
    "Periodic(initial_load: 10, changes: Identical(count: 3, law: Steps({-1: 0.5, 0.5: 0.25, 2: 0.25})), capacities: [1, \
     2, 1e-3], bound: MaxDeviation(0.25))",
    "Periodic(initial_load: 10, changes: Distinct([Exponential(mean: 0.5), Gamma(shape: 2, mean: 0.5), Normal(mean: -1, \
     deviation: 0.5), Moments(mean: 1, variance: 0.25)]), bound: RmsDeviation(0.25))",
    "Periodic(initial_load: 2, changes: Chain(count: 3, chain: Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: \
     Hold)), bound: MaxDeviation(0.25), remap_cost: 5)",
    "Stopping(processes: Unbounded(count: 2, lowest: -1, up: 0.25, down: 0.5, edge: Reflect, shown: 3), capacities: [1, 2], \
     remap_cost: 2.5, after_remap: Stop)",
    "Stopping(processes: Identical(count: 2, chain: Walk(levels: 4, up: 0.25, down: 0.25, edge: Hold)), remap_cost: (fixed: \
     1, per_unit_moved: 0.5), after_remap: Restart, partial_remaps: true)",
    "ManyPhases(lifetime: Fixed(6), cycle: [[1.0, 2], [2, 1]], switch: [[0, 3], [3, 0]], remap: Chosen, transition: [[0.5, \
     0.5], [0.25, 0.75]], detector: [[0.5, 0.25, 0.25], [0, 0.5, 0.5]], initial: [0.5, 0.5])",
    "ManyPhases(discount: 0.5, cycle: [[1.0, 2], [2, 1]], switch: [[0, 3], [3, 0]], remap: Fitted, transition: [[0.5, 0.5], \
     [0.25, 0.75]], detector: [[0.5, 0.5], [0.25, 0.75]])",
];

const MATRIX: &str =
    "%%MatrixMarket matrix coordinate real general\n% a comment\n2 2 3\n1 1 0.5\n1 2 0.5\n2 2 1\n";

/// What may be written for a number.
const NUMBERS: &str = "0 1 2 3 -1 -0 -0.0 0.5 0.25 1.0 1.0000000005 1.000000001 1.0000000010001 0.500000001 \
    0.4999999995 0.499999999 0.4999999989 0.500000000000000000000001 \
    1.000000000000000000000001 1e-400 -1e-350 1e-401 1e400 1e308 1e309 NaN inf -inf 1_0.5 .5 \
    5. . +0.25 0x1 2.5e-1 1e5_0 None Some(0.5) (0.5) [] 1/2 1e --1 18446744073709551616";
const LONGER: [&str; 3] = ["/* c */ 0.5", "0.5 // c\n", "\"a\""];

const WORDS: [(&str, &str); 37] = [
    ("Binary(", "Other("),
    ("Binary(", "("),
    ("Levels([", "Several(["),
    ("Several([", "Levels(["),
    ("Levels([", "["),
    ("[(before: 0.75", "[Level(before: 0.75"),
    ("[(before: 0.75", "[Other(before: 0.75"),
    ("premature: Revert", "premature: None"),
    ("premature: Revert", "premature: Some(Revert)"),
    ("(before: 1.0", "Cycle(before: 1.0"),
    ("(before: 1.0", "Other(before: 1.0"),
    (", remap_cost", ", remap_cost: 1, remap_cost"),
    ("[[", "[["),
    ("]]", ", []]"),
    ("]]", "], [0.5]]"),
    ("0.5]", "0.5, 0]"),
    ("}", ", 3: 0.1}"),
    ("}", ", 0x3: 0}"),
    ("}", ", 03: 0}"),
    (")", ",)"),
    ("(", "( /* c */ "),
    ("Hold", "Other"),
    ("Stop", "Stop()"),
    ("rebalance: Split", "rebalance: Some(Split)"),
    (", after_remap", ", source: 1, after_remap"),
    ("[1, 2, 1e-3]", "None"),
    ("[1, 2, 1e-3]", "[1, 2]"),
    ("[1, 2, 1e-3]", "Some([3, 2, 1])"),
    ("[0, 1], ", "[0, 1, 2], "),
    ("[1, 0]", "[0, 1]"),
    ("Chosen", "Fitted"),
    ("Chosen", "Some(Chosen)"),
    ("discount", "lifetime"),
    ("discount: 0.5, ", ""),
    ("Restart", "Stop"),
    ("partial_remaps: true", "partial_remaps: true, steps: 5"),
    ("after_remap: Stop", "after_remap: Uniform"),
];

const FILES: [(&str, &str); 16] = [
    ("2 2 3", "2 2 4"),
    ("2 2 3", "2 2"),
    ("2 2 3", "2 2 3 x"),
    ("2 2 3", "3 3 3"),
    ("2 2 3", "2 3 3"),
    ("1 1 0.5", "1 1 0.5 7"),
    ("1 1 0.5", "1 3 0.5"),
    ("1 1 0.5", "0 1 0.5"),
    ("1 1 0.5", "1 1"),
    ("1 1 0.5", "1 2 0.5"),
    ("1 1 0.5", "\n% x\n1 1 0.5"),
    ("general", "symmetric"),
    ("real", "integer"),
    ("real", "complex"),
    ("%%Matrix", "%Matrix"),
    ("matrix coordinate", "MATRIX  coordinate"),
];

/// Where a number begins and ends in a text.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let is = |c: char| c.is_ascii_digit() || "+-.e_".contains(c);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_digit()).map(|i| at + i) {
        let end = text[start..].find(|c| !is(c)).map_or(text.len(), |i| start + i);
        found.push((start, end));
        at = end;
    }
    found
}

fn changed(text: &str, words: &[(&str, &str)], rng: &mut impl Rng) -> String {
    match rng.random_range(0..10) {
        0..6 => {
            let all = numbers(text);
            let (start, end) = all[rng.random_range(0..all.len())];
            let others: Vec<&str> = NUMBERS.split(' ').chain(LONGER).collect();
            let new = others[rng.random_range(0..others.len())];
            format!("{}{new}{}", &text[..start], &text[end..])
        }
        6..9 => {
            let (from, to) = words[rng.random_range(0..words.len())];
            text.replacen(from, to, 1)
        }
        _ => {
            let at = rng.random_range(0..text.len());
            format!("{}{}", &text[..at], &text[at + 1..])
        }
    }
}

#[test]
fn solve_and_the_checker_take_the_same_models() {
    let place = tempfile::tempdir().unwrap();
    let (path, file) = (place.path().join("m.ron"), place.path().join("p.mtx"));
    let mut rng = TestRunner::deterministic().rng().clone();
    let mut taken = 0;
    let check = |problem: &str, matrix: &str| {
        std::fs::write(&file, matrix).unwrap();
        let text = stated(problem);
        let solver = Loaded::from_text(&path, text.clone());
        let solver = solver.map_err(|complaints| format!("{:?}", complaints[0].to_string()));
        let checker = Model::read(&text, place.path());
        // Too large for the checker, or too fine for the integers of the solver.
        let fine = solver.as_ref().is_err_and(|why| why.contains("capacities are too fine"));
        let beyond = fine || checker.as_ref().is_err_and(|refusal| *refusal == Refusal::TooLarge);
        let same = solver.is_ok() == checker.is_ok() || beyond;
        assert!(same, "{text}\n{matrix}\nsolve: {:?}\nchecker: {:?}", solver.err(), checker.err());
        usize::from(solver.is_ok())
    };
    for problem in MODELS {
        assert_eq!(check(problem, MATRIX), 1, "{problem}");
    }
    let cases = samples(12_000);
    for case in 0..cases {
        let problem = MODELS[case % MODELS.len()];
        let (mut problem, mut matrix) = (problem.to_owned(), MATRIX.to_owned());
        for _ in 0..rng.random_range(1..3) {
            if problem.contains("p.mtx") && rng.random_range(0..3) > 0 {
                matrix = changed(&matrix, &FILES, &mut rng);
            } else {
                problem = changed(&problem, &WORDS, &mut rng);
            }
        }
        taken += check(&problem, &matrix);
    }
    assert!((cases / 6..cases * 5 / 6).contains(&taken), "{taken}");
    // What never ends, or waits for ever to be opened, is no matrix.
    let endless = MODELS[10].replace("p.mtx", "/dev/zero");
    assert_eq!(check(&endless, MATRIX), 0);
}
