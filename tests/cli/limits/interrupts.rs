//! Ctrl-C, at any moment of any command: bounds so far, and an end within seconds.
#![cfg(unix)]

use crate::support::prelude::*;
use crate::support::workplace::{ended, endless, moments, signal, start};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Models that take minutes at least, of every problem that is solved.
fn endless_models() -> Vec<(&'static str, String)> {
    let stopping = |after: &str| {
        stated(format!(
            "Stopping(processes: Identical(count: 2, chain: Walk(levels: 1500, up: 0.25, down: 0.25, \
             edge: Reflect)), remap_cost: 100000000, after_remap: {after})"
        ))
    };
    let switching = |lifetime: &str| {
        stated(format!(
            "PhaseSwitching({lifetime} cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, \
             other: 2.0)), switch: (to_second: 4000.0, to_first: 3000.0), rates: (to_second: 0.00001, \
             to_first: 0.000001), detector: (false_alarm: 0.45, missed: 0.45))"
        ))
    };
    let periodic = |changes: &str, rest: &str| {
        stated(format!("Periodic(changes: {changes}, bound: MaxDeviation(0.5), {rest})"))
    };
    let drift = "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, edge: Hold), \
                 initial_load: 10, steps: 100000000, remap_cost: 8)";
    let walks = "Identical(count: 64, law: Steps({-1: 0.25, 0: 0.5, 1: 0.25}))";
    let different = "Classes([(count: 300, law: Steps({-3: 0.25, 0: 0.5, 4: 0.25})), (count: 200, law: \
                     Steps({-7: 0.5, 8: 0.5})), (count: 100, law: Steps({-1: 0.5, 1: 0.5}))])";
    let smooth = "Distinct([Gamma(shape: 0.5, mean: 1), Gamma(shape: 0.75, mean: 2), Gamma(shape: 1.5, mean: 1), \
                  Gamma(shape: 2.5, mean: 3)])";
    let chains = "Periodic(initial_load: 300, changes: Chain(count: 64, chain: Walk(lowest: 0, levels: 600, up: 0.25, \
                  down: 0.25, edge: Hold)), bound: MaxDeviation(0.9), remap_cost: 100000)";
    let detectors: Vec<String> =
        (20..27).map(|k| format!("(false_alarm: 0.{k}, missed: 0.{})", k + 7)).collect();
    let together = format!("Several([{}])", detectors.join(", "));
    let many_levels = endless().replace("(false_alarm: 0.25, missed: 0.25)", &together);
    vec![
        ("phase_change", endless()),
        ("uniform", stopping("Uniform")),
        ("stopping", stopping("Stop")),
        ("restart", stopping("Restart")),
        ("load_drift", stated(drift)),
        ("many levels", many_levels),
        ("phase_switching", switching("lifetime: Uniform(first: 0, last: 1000000),")),
        ("phase_switching, long run", switching("")),
        ("walks", periodic(walks, "initial_load: 1000000")),
        ("different walks", periodic(different, "initial_load: 100000")),
        ("smooth laws", periodic(smooth, "initial_load: 1e12, remap_cost: 1e12")),
        ("chains", stated(chains)),
    ]
}

/// Asks a program to stop after `moment`, and says how it ended; it has to within seconds.
fn interrupted(mut child: Child, moment: Duration, what: &str) -> Outcome {
    std::thread::sleep(moment);
    assert!(child.try_wait().unwrap().is_none(), "{what}: ended by itself within {moment:?}");
    // Held, so that a reader waits.
    let _input = child.stdin.take();
    signal(&child, "-INT");
    let asked = Instant::now();
    let output = ended(child);
    let waited = asked.elapsed();
    assert!(waited.as_secs() < 9, "{what}, {moment:?}: stopped after {waited:?}");
    output
}

/// Whatever the moment: nothing printed, or one whole and honest document.
#[test]
fn interrupts_at_any_moment_stop_cleanly() {
    let workplace = Workplace::new();
    let mut answers = 0;
    for (index, (name, model)) in some(4, endless_models()).into_iter().enumerate() {
        workplace.write("model.ron", &model);
        for moment in moments(6, 900).skip(index % 4).take(few_or_all(1, 2)) {
            let child = start(&workplace, "solve model.ron --json");
            let ended = interrupted(child, moment, name);
            // By the signal: it had not begun to listen.
            if ended.code == -1 {
                assert!(ended.out.is_empty());
                continue;
            }
            assert_eq!(ended.code, 130, "{name}, {moment:?}: {}", ended.err);
            if !ended.out.is_empty() {
                assert_eq!(ended.json()["status"], "interrupted", "{name}");
                answers += 1;
            }
        }
    }
    assert!(answers > few_or_all(1, 12), "{answers} showed what they had");
}

#[test]
fn other_verbs_stop_cleanly_too() {
    let workplace = Workplace::with_model();
    workplace.write("long.ron", endless());
    let endless_models = endless_models();
    let model = |name: &str| &endless_models.iter().find(|model| model.0 == name).unwrap().1;
    workplace.write("drift.ron", model("load_drift"));
    workplace.write("walks.ron", model("walks"));
    workplace.write(
        "study.ron",
        "Study(title: \"x\", source: \"x\", x: \"n\", y: \"p\", series: \
         [Thresholds(name: \"a\", model: \"long.ron\")])",
    );
    let all = [
        "sweep long.ron --set problem.remap.test=1:100:1",
        "sweep walks.ron --set problem.bound=0.1:0.9:0.1",
        "compare models/fluids/figure6.ron --runs 200000",
        "compare models/land_battle/figure7.ron --runs 100000",
        "compare models/activity_mesh/torus.ron --runs 1000000",
        "compare models/load_drift/eight_chains.ron --runs 1000000",
        "compare long.ron",
        "solve models/periodic/table1.ron --simulate 10000000",
        "regret long.ron",
        "study study.ron",
        "verify model.ron --cases 1000000",
        "verify models/load_drift/eight_chains.ron --cases 1000000",
        "report long.ron drift.ron walks.ron",
        "calibrate --runs 10000000",
        "simulate models/load_drift/eight_chains.ron --steps 10000000 --trace run.csv",
        // Without an end of their input.
        "monitor model.ron",
        "calibrate --change-at 100",
        "fit -",
        "replay -",
    ];
    for command in some(3, all) {
        let child = start(&workplace, command);
        let ended = interrupted(child, Duration::from_millis(900), command);
        assert_eq!(ended.code, 130, "{command}: {}", ended.err);
    }
    // In the cache is what the report had of the drift, to go on from.
    let names: Vec<String> = workplace.names().into_iter().filter(|name| name != "cache").collect();
    assert_eq!(names, ["drift.ron", "long.ron", "model.ron", "study.ron", "walks.ron"]);
}

#[test]
fn the_second_interrupt_quits() {
    let workplace = Workplace::of(endless());
    let child = start(&workplace, "solve model.ron --json");
    std::thread::sleep(Duration::from_millis(600));
    signal(&child, "-INT");
    // It may have ended in between.
    let id = child.id().to_string();
    let _ = Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status();
    ended(child).exits(130);
}

/// What Ctrl-C stops inside a step, a time limit stops there too.
#[test]
fn time_limits_are_heard_inside_long_steps() {
    let workplace = Workplace::new();
    for (name, model) in some(3, endless_models()) {
        workplace.write("model.ron", &model);
        let started = Instant::now();
        let limited = workplace.remap("solve model.ron --json --time-limit 0.3 --out out --force");
        let solution = limited.exits(3).json();
        assert_eq!(solution["status"], "time_limit", "{name}");
        assert!(started.elapsed().as_secs() < 9, "{name}: {:?}", started.elapsed());
    }
}

/// A path of many ranks, with what hindsight would have done, takes longer than the limit.
#[test]
fn time_limits_are_heard_along_a_path() {
    let started = Instant::now();
    let compare = "compare models/load_drift/1024_ranks.ron --threads 1 --json --policies never,stop_at_rise \
                   --runs 1 --time-limit 0.3";
    let outcome = Workplace::new().remap(compare).exits(3).json();
    assert_eq!(outcome["status"], "time_limit");
    assert!(started.elapsed().as_secs() < 3, "{:?}", started.elapsed());
}

/// Too many classes for any machine, and a region that takes seconds to find: what is halted has
/// the bounds of the region so far.
#[test]
fn a_region_that_is_still_looked_for_has_bounds() {
    let workplace = Workplace::stating(
        "Stopping(processes: Identical(count: 6, chain: Walk(levels: 400, up: 0.25, down: 0.2, edge: Hold)), \
         remap_cost: 1e6, after_remap: Stop)",
    );
    let limited = workplace.remap("solve model.ron --json --time-limit 0.3");
    let limited = limited.exits(3).json();
    assert_eq!([&limited["status"], &limited["representation"]], ["time_limit", "active"]);
    let gap = limited["value_gap"].f64();
    assert!(gap > 1e-9 && gap <= 1.0, "{gap}");
    let child = start(&workplace, "solve model.ron");
    let ended = interrupted(child, Duration::from_millis(900), "a region").exits(130);
    // It may be in the midst of a step that takes longer than the patience there is.
    let known = ended.out.contains("proved bounds are") || ended.err.contains("known yet");
    assert!(known, "{}", ended.err);
}
