//! Exported policies, compiled and run by the languages they are for, decide as the engine does.

use crate::support::languages::in_every_language;
use crate::support::prelude::*;
use remap::document::rule::Rule;
use remap::problems::registry::{Loaded, Problem, stated};
use remapping::belief::{Belief, Detector, Report};
use remapping::monitor::SwitchingMonitor;
use remapping::phase_switching;
use remapping::policy::stated::{Following, Stated};
use remapping::policy::{Policy, Step};
use std::fmt::Write as _;
use std::path::Path;

/// Solves into `solution.json` in a place of its own.
fn solution(asked: &str) -> (Workplace, Value) {
    let place = Workplace::new();
    let found = place.solved(asked);
    (place, found)
}

/// Doubles around a threshold, and others from 0 to 1.
fn beliefs(threshold: f64, parts: u32) -> impl Iterator<Item = f64> {
    let around = [threshold.next_down(), threshold, threshold.next_up()];
    let grid = (0..=parts).map(move |i| f64::from(i) / f64::from(parts)).chain(around);
    grid.filter(|p| (0.0..=1.0).contains(p))
}

/// Each line has the decision and the next belief.
fn decide_and_filter(place: &Workplace, kind: &str, input: &str, expected: &[(bool, f64)]) {
    in_every_language(place, "solution.json", kind, input, |language, lines| {
        for (line, (remap, belief)) in lines.iter().zip(expected) {
            let (decision, next) = line.trim().split_once(' ').unwrap();
            assert_eq!(decision == "1", *remap, "{language}");
            let next: f64 = next.trim().parse().unwrap();
            let close = abs_diff_eq!(next, belief, epsilon = 4e-16);
            assert!(close, "{language}: {next} is not {belief}");
        }
    });
}

#[test]
fn belief_thresholds_decide_as_the_engine_does() {
    // Every step its own threshold, long stationary stretches, hazards of each step.
    let per_step = "Model(title: \"Hazards\", problem: PhaseChange(lifetime: Fixed(6),
        cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 1.0, install: 0.5),
        detector: (false_alarm: 0.1, missed: 0.2), hazard: PerStep([0.1, 0.0, 0.3, 0.05, 0.2, 0.1])))";
    // A program of step 0 alone, and a title that compilers stumble over.
    let no_steps = per_step
        .replace("\"Hazards\"", "\"/* \\u{202e}none */\"")
        .replace("Fixed(6)", "Fixed(0)")
        .replace("[0.1, 0.0, 0.3, 0.05, 0.2, 0.1]", "[]");
    let decks =
        ["fluids", "table_iii_n1000_g50"].map(|deck| format!("models/phase_change/{deck}.ron"));
    for model in some(2, decks.into_iter().chain(["hazards.ron", "none.ron"].map(String::from))) {
        let place = Workplace::new();
        place.write("hazards.ron", per_step);
        place.write("none.ron", &no_steps);
        let solution = place.solved(&model);
        let last = solution["last_step"].u64();
        let thresholds = solution["threshold"].numbers();
        let filter = &solution["belief"];
        let errors = [&filter["false_alarm"], &filter["missed"]].map(Json::f64);
        let detector = Detector::new(errors[0], errors[1]).unwrap();
        let hazard = |n: u64| match &filter["hazard"] {
            _ if n == 0 => 0.0,
            Value::Array(list) => list.get(n as usize - 1).map_or(0.0, Json::f64),
            constant => constant.f64(),
        };
        let (mut input, mut expected) = (String::new(), Vec::new());
        for n in 0..=last + 1 {
            let threshold = thresholds.get(n as usize).copied().unwrap_or(1.0);
            for p in beliefs(threshold, 10) {
                for (sign, report) in [(1, Report::Change), (0, Report::NoChange)] {
                    let _ = writeln!(input, "{n} {p:?} {sign}");
                    let belief = Belief::new(p).unwrap().step(hazard(n), report, &detector);
                    expected.push((p > threshold, belief.unwrap().probability()));
                }
            }
        }
        decide_and_filter(&place, "belief", &input, &expected);
    }
}

#[test]
fn two_thresholds_decide_as_the_engine_does() {
    let two_sided = "Model(title: \"Two\", problem: PhaseSwitching(lifetime: Geometric(rate: 0.1, first: 2, last: 30),
        cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0)),
        switch: (to_second: 0.3, to_first: 0.2), rates: (to_second: 0.1, to_first: 0.2), initial: 0.25,
        detector: Levels([(before: 0.2, after: 0.6), (before: 0.3, after: 0.3), (before: 0.5, after: 0.1)])))";
    let decks =
        ["endless", "recurring", "no_return"].map(|deck| format!("phase_switching/{deck}.ron"));
    for name in some(2, decks.into_iter().chain(["two.ron".to_owned()])) {
        let place = Workplace::new();
        place.write("two.ron", two_sided);
        let path = if name == "two.ron" { place.path(&name) } else { deck(&name).into() };
        let solution = place.solved(path.display());
        let Problem::PhaseSwitching(model) = Loaded::read(&path).unwrap().problem else { panic!() };
        let problem = model.problem();
        let [up, down] =
            ["to_second", "to_first"].map(|curve| solution[curve]["threshold"].numbers());
        let last = solution["last_step"].as_u64();
        let at = |list: &[f64], n: u64, never: f64| match last {
            None => list[0],
            Some(_) => list.get(n as usize).copied().unwrap_or(never),
        };
        let levels = problem.detector.levels();
        let double = |value: &remapping::Rational| value.to_f64().value();
        let (mut input, mut expected) = (String::new(), Vec::new());
        let steps = last.map_or(3, |last| last + 2);
        for n in (0..steps).filter(|n| *n < 40 || n + 5 > steps || n % 97 == 0) {
            for (second, threshold) in [at(&up, n, 1.0), at(&down, n, 0.0)].into_iter().enumerate()
            {
                for p in beliefs(threshold, 5) {
                    for (report, level) in levels.iter().enumerate() {
                        let _ = writeln!(input, "{n} {p:?} {second} {report}");
                        let switch = if second == 0 { p > threshold } else { p < threshold };
                        let [a, b] = &problem.rates;
                        let prior = p * (1.0 - double(b)) + (1.0 - p) * double(a);
                        let yes = prior * double(&level.after);
                        let no = (1.0 - prior) * double(&level.before);
                        let next = if yes + no > 0.0 { yes / (yes + no) } else { prior };
                        expected.push((switch, next));
                    }
                }
            }
        }
        decide_and_filter(&place, "switching", &input, &expected);
        // The monitor of the engine, playing the same rule along a path of reports.
        let stated = stated::read(&place.path("solution.json")).unwrap();
        let Rule::Switching(rule) = &stated.rule else { panic!("not two thresholds") };
        let threshold =
            |runs: &[(u64, f64)], n: u64| runs[runs.partition_point(|(from, _)| *from <= n) - 1].1;
        let mut monitor = match last {
            None => {
                let found = phase_switching::long_run(&problem, 1e-9, &()).unwrap();
                SwitchingMonitor::endless(&problem, found.to_second, found.to_first).unwrap()
            }
            Some(_) => {
                let lifetime = model.lifetime().unwrap();
                let found = phase_switching::solve(&problem, &lifetime, 1e-9, &()).unwrap();
                SwitchingMonitor::by_step(&problem, found.to_second, found.to_first).unwrap()
            }
        };
        let mut second = false;
        for n in 1..last.unwrap_or(500) + 3 {
            let report = ((n / 13 + n * n % 7) % levels.len() as u64) as usize;
            let found = monitor.observe(report).unwrap();
            let p = found.belief;
            let remap = match second {
                false => p > threshold(&rule.to_second, n),
                true => p < threshold(&rule.to_first, n),
            };
            assert_eq!(found.remap, remap, "{name}: step {n}");
            if remap {
                monitor.remapped();
                second = !second;
            }
        }
        for target in ["csv", "json", "npz"] {
            place.remap(format!("export solution.json --to {target} -o {target}")).exits(0);
        }
        assert!(place.read("csv").contains("to_first,0,"));
        assert!(place.read("json").contains("two_thresholds"));
        let help = "watch the run with remap monitor";
        place.remap("export solution.json --to controller").exits(1).says(help);
        place.remap("export solution.json --to lammps").exits(1).says(help);
    }
}

#[test]
fn thresholds_and_intervals_decide_as_the_solution_says() {
    let (place, solution) = self::solution("models/load_drift/three_chains.ron");
    let closest = solution["closest_threshold"].list().iter();
    let closest = closest.map(|entry| (entry["step"].u64(), entry["threshold"].f64()));
    let closest: Vec<(u64, f64)> = closest.collect();
    let steps = solution["steps"].u64();
    let (mut input, mut expected) = (String::new(), Vec::new());
    for step in 1..=steps + 1 {
        let threshold = closest.iter().rev().find(|(from, _)| *from <= step).unwrap().1;
        for (max, mean) in [(threshold, 0.0), (threshold.next_up(), 0.0), (10.0, 9.5), (19.0, 3.0)]
        {
            let _ = writeln!(input, "{step} {max:?} {mean:?}");
            expected.push(if step < steps && max - mean > threshold { "1" } else { "0" });
        }
    }
    in_every_language(&place, "solution.json", "imbalance", &input, |language, lines| {
        assert_eq!(lines, expected, "{language}");
    });
    let (place, solution) = self::solution("models/periodic/cost_aware.ron");
    let cheapest = solution["cost_aware"]["interval"].u64();
    let every = cheapest.min(solution["interval"].u64());
    let input: String = (0..2 * every).map(|since| format!("{since}\n")).collect();
    in_every_language(&place, "solution.json", "interval", &input, |language, lines| {
        for (since, line) in (0..).zip(lines) {
            assert_eq!(*line == "1", since >= every, "{language}");
        }
    });
    // The map of one step, when it was asked for.
    let (place, solution) = self::solution("models/load_drift/three_chains.ron --step 3");
    let letters: Vec<char> = solution["decision"].text().chars().collect();
    let sets = remapping::chain::Multisets::new(3, solution["levels"].u64() as usize);
    let lowest = solution["lowest"].f64() as usize;
    let line = |rank| {
        let levels = sets.as_ref().unwrap().unrank(rank);
        levels.iter().map(|level| format!("{} ", level + lowest)).collect::<String>() + "\n"
    };
    let input: String = (0..letters.len()).map(line).collect();
    in_every_language(&place, "solution.json", "map", &input, |language, lines| {
        assert!(lines.iter().zip(&letters).all(|(line, l)| line.starts_with(*l)), "{language}");
    });
}

/// What has no interval and no level is refused by those that know nothing else.
#[test]
fn probabilities_are_no_settings() {
    let (place, _) = self::solution("models/phase_change/fluids.ron");
    for target in ["lammps", "charm", "sglang"] {
        place.remap(format!("export solution.json --to {target}")).exits(1).says("not an interval");
    }
}

/// The interval told of is the one of least cost, and it says what that is.
#[test]
fn the_fixed_interval_is_the_best_one() {
    let (place, solution) = self::solution("models/load_drift/three_chains.ron");
    let best = &solution["best_fixed"];
    let (every, cost) = (&best["interval"], best["value"].f64());
    let more = 100.0 * (cost / solution["value"].f64() - 1.0);
    let out = place.shown("export solution.json --to lammps");
    let said = out.replace("\n#", "");
    let expected = format!(
        "The fixed interval of least cost would be {every} steps: it costs {cost:.1}, {more:.1} % more than the optimum."
    );
    assert!(said.contains(&expected), "{expected}\n{said}");
    has(
        &place.shown("export solution.json --to smilei"),
        &[&format!("every = {every},"), "# Assumed:"],
    );
}

#[test]
fn tables_hold_the_whole_rule() {
    let (place, solution) = self::solution("models/phase_change/fluids.ron");
    let out = place.shown("export solution.json --to csv");
    let mut thresholds = Vec::new();
    for line in out.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let cells: Vec<&str> = line.split(',').collect();
        let (first, last): (u64, u64) = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
        thresholds.extend((first..=last).map(|_| cells[2].parse::<f64>().unwrap()));
    }
    assert_eq!(thresholds, solution["threshold"].numbers());
    let json = place.remap("export solution.json --to json").exits(0).json();
    assert_eq!(json["rule"], "belief_threshold");
    assert_eq!(json["last_step"], 79);
    place.remap("export solution.json --to npz -o rule.npz").exits(0);
    let (files, names) = arrays(&place.path("rule.npz"));
    assert_eq!(names, ["detector", "first_step", "hazard", "last_step", "threshold"]);
    assert!(files.iter().all(|bytes| bytes.starts_with(b"\x93NUMPY")));
    let (place, _) = self::solution("models/stopping/particles.ron");
    place.remap("export solution.json --to npz -o map.npz").exits(0);
    assert_eq!(arrays(&place.path("map.npz")).1, ["decision", "loads", "vectors"]);
}

/// The files of an archive, by name.
fn arrays(path: &Path) -> (Vec<Vec<u8>>, Vec<String>) {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.sort();
    let read = |name: &String| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut zip.by_name(name).unwrap(), &mut bytes).unwrap();
        bytes
    };
    let bytes = names.iter().map(read).collect();
    (bytes, names.iter().map(|name| name.trim_end_matches(".npy").to_owned()).collect())
}

/// The document with another value of a field.
fn altered(document: &Value, field: &str, value: Value) -> String {
    let mut copy = document.clone();
    copy[field] = value;
    copy.to_string()
}

#[test]
fn bad_solutions_are_refused_by_name() {
    let (place, solution) = self::solution("models/phase_change/fluids.ron");
    let refused = |document: &str, says: &str| {
        place.write("bad.json", document);
        let outcome = place.remap("export bad.json --to c -o out.h").exits(1);
        has(&outcome.err, &[says, "bad.json"]);
        assert!(outcome.out.is_empty() && !place.path("out.h").exists());
    };
    refused("", "not JSON");
    refused("{\"title\": ", "not JSON");
    refused("[1, 2]", "several solutions");
    refused("{}", "no field `problem`");
    refused("{\"title\": \"x\", \"status\": \"converged\", \"problem\": \"chess\"}", "`chess`");
    for field in ["title", "status", "threshold", "last_step", "belief", "tolerance"] {
        let mut without = solution.clone();
        without.as_object_mut().unwrap().remove(field);
        refused(&without.to_string(), &format!("`{field}`"));
    }
    let with = |field: &str, value: Value| altered(&solution, field, value);
    refused(&with("threshold", json!([0.5])), "`threshold` has 1 entries");
    refused(&with("threshold", json!(["a"])), "expected a number");
    refused(&with("last_step", json!(u64::MAX)), "`threshold` has 80 entries");
    let mut seventy_nine = solution["threshold"].clone();
    seventy_nine[3] = 1.5.into();
    refused(&with("threshold", seventy_nine), "between 0 and 1");
    let map = self::solution("models/stopping/yin_xu_wang.ron").1;
    let with = |field: &str, value: Value| altered(&map, field, value);
    refused(&with("decision", "BRC".into()), "one letter for each");
    refused(&with("decision", "X".repeat(36).into()), "letters other than");
    refused(&with("lowest", json!([0])), "differ in length");
    refused(&with("shape", json!([0, 6])), "levels");
    place.remap("export absent.json --to c").exits(1).says("cannot read absent.json");
    place.remap("export solution.json --to cobol").exits(2);
    place.write("taken.h", "mine");
    place.remap("export solution.json --to c -o taken.h").exits(1).says("exists already");
    assert_eq!(place.read("taken.h"), "mine");
    place.remap("export solution.json --to c -o taken.h --force").exits(0);
    assert!(place.read("taken.h").contains("REMAP_LAST_STEP"));
}

/// A rule by the step and by the steps since the last remap decides everywhere as `compare` and
/// `replay` play it.
#[test]
fn curves_decide_as_they_are_played() {
    let place = Workplace::new();
    let ranks = deck_text("load_drift/64_ranks.ron");
    place.write("model.ron", ranks.replace("steps: 400", "steps: 60"));
    let mut solution = place.answer("solve --tolerance 0.5 model.ron");
    // A few stretches, whatever was found.
    solution["threshold_curve"]["by_steps_since"] =
        json!([{"from": 1, "threshold": 4.25}, {"from": 9, "threshold": 3.5}]);
    solution["threshold_curve"]["by_step"] =
        json!([{"from": 1, "threshold": 0.0}, {"from": 50, "threshold": 5.125}]);
    place.write("solution.json", solution.to_string());
    let (mut input, mut expected) = (String::new(), Vec::new());
    for step in [1, 8, 9, 30, 49, 50, 59, 60, 61] {
        for since in (1..12).filter(|since| *since <= step) {
            for max in [3.25, 3.5, 3.75, 4.25, 4.5, 5.125, 5.25] {
                let _ = writeln!(input, "{step} {since} {max:?} 0.0");
                let thresholds = Stated::Imbalance {
                    steps: 60,
                    thresholds: vec![(1, 0.0), (50, 5.125)],
                    since: vec![(1, 4.25), (9, 3.5)],
                };
                let mut rule = Following::new(thresholds, 1);
                for k in step - since + 1..=step {
                    rule.observe(&Step::summary(k, max, 0.0, None));
                }
                expected.push(if Policy::wants_remap(&rule) { "1" } else { "0" });
            }
        }
    }
    assert!(expected.contains(&"1"));
    in_every_language(&place, "solution.json", "curve", &input, |language, lines| {
        assert_eq!(lines, expected, "{language}");
    });
}
