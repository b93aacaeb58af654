//! The log of the recursion's own work, and blocks of states that move.

use super::{Workplace, settings};
use remap::problems::Method;

/// The states that a step is computed in are fewer from step to step.
const DRIFTING: &str = "LoadDrift(processors: 4, chain: Walk(lowest: 1, levels: 24, up: 0.25, down: 0.25, edge: Hold), \
    initial_load: 12, steps: 60, remap_cost: 12.0, decide: BeforeStep)";

/// Soon gone over by regions.
const REGIONS: &str = "LoadDrift(processors: 8, chain: Walk(lowest: 1, levels: 10, up: 0.25, down: 0.25, edge: Hold), \
    initial_load: 5, steps: 90, remap_cost: 3.0)";

/// The rows of a log: steps, what the move before each took, seconds of the ranks.
fn rows(text: &str, ranks: usize) -> Vec<(u64, f64, Vec<f64>)> {
    let mut lines = text.lines();
    let head = lines.next().unwrap();
    let named: Vec<String> = (0..ranks).map(|rank| format!("rank{rank}")).collect();
    assert_eq!(head, format!("step,remap_seconds,{}", named.join(",")));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let numbers = cells[1..].iter().map(|cell| cell.parse::<f64>().unwrap());
        let numbers: Vec<f64> = numbers.collect();
        assert_eq!(numbers.len(), 1 + ranks, "{line}");
        assert!(numbers.iter().all(|number| *number >= 0.0), "{line}");
        (cells[0].parse().unwrap(), numbers[0], numbers[1..].to_vec())
    };
    lines.map(row).collect()
}

#[test]
fn blocks_that_move_have_the_bits_of_one_process_and_are_logged() {
    let place = Workplace::new();
    for (problem, steps) in [(DRIFTING, 2..=60), (REGIONS, 1..=90)] {
        place.model("drift.ron", problem);
        let expected = place.serial("drift.ron", &settings(Method::Exact));
        for (ranks, rule) in [(2, "fixed:3"), (3, "stop_at_rise"), (4, "fixed:1"), (1, "fixed:2")] {
            let asked =
                ["solve", "drift.ron", "--method", "exact", "--values", "--json", "--force"];
            let asked = [&asked[..], &["--trace", "log.csv", "--remap", rule]].concat();
            let found = place.json(ranks, &asked);
            assert_eq!(found, expected, "{problem} on {ranks} ranks, {rule}");
            let log = std::fs::read_to_string(place.path().join("log.csv")).unwrap();
            let rows = rows(&log, ranks);
            assert!(rows.iter().map(|row| row.0).eq(steps.clone()), "{log}");
            let busy = rows.iter().flat_map(|row| &row.2).filter(|seconds| **seconds > 0.0);
            assert!(busy.count() >= rows.len(), "{log}");
            let moves = rows.iter().filter(|row| row.1 > 0.0).count();
            match (ranks, rule) {
                (1, _) => assert_eq!(moves, 0),
                (_, "fixed:1") if problem == DRIFTING => assert_eq!(moves, rows.len() - 1),
                (_, "fixed:3") if problem == DRIFTING => assert_eq!(moves, (rows.len() - 1) / 3),
                _ => {}
            }
        }
    }
}

/// The log is read as all logs are, and what `solve` has written is a rule to move by: here every
/// so many steps.
#[test]
fn the_log_is_a_log_and_a_solution_moves_blocks() {
    let place = Workplace::new();
    place.model("drift.ron", DRIFTING);
    let expected = place.serial("drift.ron", &settings(Method::Exact));
    let asked = ["solve", "drift.ron", "--method", "exact", "--values", "--json"];
    place.json(2, &[&asked[..], &["--trace", "log.csv", "--remap", "fixed:10"]].concat());
    let log = place.path().join("log.csv");
    let read = remap::logs::read(&log, None);
    let record = read.unwrap_or_else(|complaint| panic!("{complaint}")).record;
    assert_eq!((record.ranks(), record.steps()), (2, 59));
    place.model(
        "interval.ron",
        "Periodic(initial_load: 3.0, changes: Identical(count: 8, law: Steps({-1: 0.25, 0: 0.5, 1: 0.25})), \
         bound: MaxDeviation(0.4))",
    );
    let every = place.json(1, &["solve", "interval.ron", "--json", "--out", "out"]);
    let every = every["interval"].as_u64().unwrap();
    assert!((1..30).contains(&every), "{every}");
    let stated = ["--trace", "log.csv", "--force", "--remap", "out/interval.json"];
    assert_eq!(place.json(2, &[&asked[..], &stated].concat()), expected);
    let rows = rows(&std::fs::read_to_string(&log).unwrap(), 2);
    assert_eq!(rows.iter().filter(|row| row.1 > 0.0).count() as u64, 58 / every);
}

/// What a limit stops has its log, as far as it came; what cannot be asked for is said once, before
/// any work.
#[test]
fn limits_leave_a_log_and_faults_none() {
    let place = Workplace::new();
    place.model(
        "long.ron",
        "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 14, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 7, steps: 6000, remap_cost: (fixed: 3.0, per_unit_moved: 0.1))",
    );
    place.model(
        "stopping.ron",
        "Stopping(processes: Identical(count: 3, chain: Walk(levels: 9, up: 0.25, \
        down: 0.25, edge: Reflect)), remap_cost: 9.0, after_remap: Stop)",
    );
    let long = ["solve", "long.ron", "--method", "exact", "--trace", "log.csv"];
    let output = place.run(2, &[&long[..], &["--time-limit", "1", "--remap", "fixed:5"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(said.matches("blocks of states were moved").count(), 1, "{said}");
    let log = std::fs::read_to_string(place.path().join("log.csv")).unwrap();
    let steps = rows(&log, 2).len();
    assert!(0 < steps && steps < 6000, "{steps}");
    let before = std::fs::read(place.path().join("log.csv")).unwrap();
    std::fs::write(place.path().join("rule.json"), "{}").unwrap();
    let cases: [(&[&str], i32, &str); 6] = [
        (&long, 2, "exists already"),
        (&["solve", "long.ron", "--method", "exact", "--remap", "sometimes"], 1, "neither a rule"),
        (&["solve", "long.ron", "--method", "exact", "--remap", "missing.json"], 1, "missing.json"),
        (&["solve", "long.ron", "--method", "exact", "--remap", "rule.json"], 1, "rule.json"),
        (
            &["solve", "stopping.ron", "--trace", "other.csv"],
            1,
            "for drifting loads over all states",
        ),
        (
            &["solve", "long.ron", "--method", "bounds", "--trace", "other.csv"],
            1,
            "over all states",
        ),
    ];
    for (asked, code, message) in cases {
        let output = place.run(2, asked);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{asked:?}: {said}");
        assert_eq!(said.matches(message).count(), 1, "{asked:?}: {said}");
    }
    assert_eq!(std::fs::read(place.path().join("log.csv")).unwrap(), before);
    assert!(!place.path().join("other.csv").exists());
}
