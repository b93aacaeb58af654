//! Stopping problems from the command line.

mod compared;
mod reference;
mod regions;
mod states;
mod wrong;

use crate::support::prelude::*;
use std::io::Read as _;
use std::path::Path;

/// The document of an example model.
fn solved(name: &str, options: &str) -> Value {
    Workplace::new().answer(format!("solve models/stopping/{name}.ron {options}"))
}

/// Equal walks that reflect at the ends of their levels.
fn reflecting(count: usize, levels: usize, rest: &str) -> String {
    let walk = format!("Walk(levels: {levels}, up: 0.25, down: 0.25, edge: Reflect)");
    stated(format!("Stopping(processes: Identical(count: {count}, chain: {walk}), {rest})"))
}

/// What a wrong model is told, in one line.
fn complaint(problem: &str) -> String {
    complaint_in(&Workplace::new(), problem)
}

fn complaint_in(place: &Workplace, problem: &str) -> String {
    place.write("wrong.ron", format!("Model(title: \"wrong\", problem: Stopping({problem}))"));
    let message = place.remap("solve wrong.ron").exits(1).err;
    // Long messages are wrapped.
    message.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

#[test]
fn solutions_have_the_fields_of_the_contract() {
    let found = solved("yin_xu_wang", "--values");
    for (field, right) in [
        ("problem", json!("stopping")),
        ("status", json!("converged")),
        ("shape", json!([6, 6])),
        ("states", json!(36)),
        ("decision", json!("BCCCRRCBCCRRCCBCCCCCCBCCRRCCBCRRCCCB")),
        ("ties", json!([])),
        ("representation", json!("exchangeable")),
    ] {
        assert_eq!(found[field], right, "{field}");
    }
    assert!(found["value_gap"].f64() <= 1e-9);
    assert_eq!(found["value"].list().len(), 36);
    assert_abs_diff_eq!(found["remap_value"].f64(), 12.341653397656973, epsilon = 1e-8);
}

#[test]
fn every_method_prints_the_same_map() {
    for name in ["yin_xu_wang", "capacities", "particles"] {
        let all = ["auto", "value", "policy"]
            .map(|method| solved(name, &format!("--method {method}"))["decision"].clone());
        assert!(all[0].is_string() && all[0] == all[1] && all[1] == all[2], "{name}");
    }
}

#[test]
fn exact_ties_are_reported() {
    // At remap cost 4/3 both branches of states (1,0) and (0,1), (5,4) and (4,5) are equal; the
    // decimal nearest to it is close enough to be told apart by no certified bound of 1e-6.
    let tie = reflecting(2, 6, "remap_cost: 1.33333333333333333333, after_remap: Stop");
    let found = Workplace::of(tie).answer("solve model.ron --tolerance 1e-6");
    let ties: Vec<u64> = found["ties"].list().iter().map(Json::u64).collect();
    assert!([1, 6, 29, 34].iter().all(|place| ties.contains(place)), "{ties:?}");
}

#[test]
fn critical_costs_are_where_the_map_changes() {
    let found = solved("yin_xu_wang", "--critical-costs");
    let costs = found["critical_cost"].list();
    assert_eq!(costs.len(), 36);
    assert!(costs[0].is_null());
    assert_abs_diff_eq!(costs[18].f64(), 96697.0 / 24291.0, epsilon = 1e-12);
}

#[test]
fn a_long_job_pays_least_under_its_own_map() {
    let found = solved("restart", "");
    let middle = |name: &str| {
        let [low, high] = found[name].ends();
        assert!(high - low <= 1e-9);
        0.5 * (low + high)
    };
    assert!(middle("average") <= middle("average_of_stop") + 1e-12);
    assert!(middle("average") < 1.0);
}

#[test]
fn pictures_are_written() {
    for name in ["yin_xu_wang", "capacities"] {
        let place = Workplace::new();
        place.remap(format!("solve models/stopping/{name}.ron --plot map.svg")).exits(0);
        let text = place.read("map.svg");
        assert!(text.starts_with("<svg") && text.matches("<rect").count() > 10);
    }
}

#[test]
fn a_sweep_is_drawn_as_nested_regions() {
    let place = Workplace::new();
    let drawn = |sets: &str| {
        place.remap(format!("sweep models/stopping/yin_xu_wang.ron {sets} --plot sweep.svg"))
    };
    let (costs, two) =
        ("--set problem.remap_cost=1:16:1", "--set problem.after_remap=Stop,Uniform");
    drawn(costs).exits(0);
    // One colour for each group of costs that has a map of its own, and its last cost.
    let words = place.read("sweep.svg").replace('\n', "");
    has(&words, &["up to 1<", "up to 3<", "up to 6<", "up to 9<", "up to 13<", "never<"]);
    drawn(costs).exits(2);
    // Over two parameters, the numbers of the table; the first are numbers.
    drawn(&format!("{costs} {two} --force")).exits(0);
    has(&place.read("sweep.svg"), &["after_remap"]);
    drawn(&format!("{two} {costs} --force")).exits(2);
}

/// The shape and the bytes of the entries of an array in an archive, of this type of NumPy's.
fn array<const BYTES: usize>(file: &Path, name: &str, kind: &str) -> (Vec<u64>, Vec<[u8; BYTES]>) {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(file).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
    // Ten bytes of name, version and length; then the header, as Python writes a dictionary.
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"), "{name}");
    let first = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(first % 64, 0, "{name}: entries are aligned");
    let header = std::str::from_utf8(&bytes[10..first]).unwrap();
    let rest =
        header.strip_prefix(&format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ("));
    let (shape, end) = rest.unwrap_or_else(|| panic!("{header}")).split_once("), }").unwrap();
    assert!(end.ends_with('\n') && end.trim().is_empty(), "{header}");
    let sides = shape.split(',').map(str::trim).filter(|side| !side.is_empty());
    let shape: Vec<u64> = sides.map(|side| side.parse().unwrap()).collect();
    let (entries, rest) = bytes[first..].as_chunks();
    assert!(rest.is_empty() && entries.len() as u64 == shape.iter().product::<u64>(), "{header}");
    (shape, entries.to_vec())
}

#[test]
fn long_maps_are_written_as_an_archive() {
    let place = Workplace::stating(
        "Stopping(processes: Identical(count: 7, chain: Walk(lowest: -3, levels: 10, up: 0.25, \
         down: 0.25, edge: Reflect)), remap_cost: 200.0, after_remap: Stop)",
    );
    let found = place.answer("solve model.ron --out out");
    assert!(found["decision"].is_null());
    std::fs::remove_file(place.path("out/model.json")).unwrap();
    let again = place.remap("solve model.ron --json --out out").exits(1);
    assert!(again.out.is_empty(), "no work before the refusal");
    again.says("model.npz exists already");
    let archive = place.path("out/model.npz");
    let (shape, loads) = array(&archive, "loads", "<i8");
    let loads: Vec<i64> = loads.into_iter().map(i64::from_le_bytes).collect();
    assert_eq!(shape, [found["classes"].u64(), 7]);
    let numbers = |name: &str| -> Vec<f64> {
        array(&archive, name, "<f8").1.into_iter().map(f64::from_le_bytes).collect()
    };
    let (vectors, value) = (numbers("vectors"), numbers("value"));
    let decision: Vec<u8> = array(&archive, "decision", "|u1").1.into_iter().map(|[b]| b).collect();
    let tie: Vec<bool> = array(&archive, "tie", "|b1").1.into_iter().map(|[b]| b != 0).collect();
    assert_eq!(vectors.iter().sum::<f64>(), 1e7);
    let mut counts = std::collections::HashMap::<u8, f64>::new();
    for (class, letter) in decision.iter().enumerate() {
        *counts.entry(*letter).or_default() += vectors[class];
        let loads = &loads[7 * class..7 * class + 7];
        assert_eq!(*letter == b'B', loads.iter().all(|load| *load == loads[0]));
        let remaps = abs_diff_eq!(value[class], 200.0, epsilon = 1e-9);
        assert!(tie[class] || (*letter == b'R') == remaps, "{loads:?}");
    }
    assert_eq!(counts[&b'R'], found["counts"]["remap"].f64());
    assert_eq!(counts[&b'C'], found["counts"]["continued"].f64());
    assert!(counts[&b'C'] > 0.0 && loads.contains(&-3) && loads.contains(&6));
}

#[test]
fn a_remap_splits_a_total_within_the_levels() {
    let place = Workplace::stating(
        "Stopping(processes: Identical(count: 2, chain: Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold)), \
         capacities: [1.0, 3.0], remap_cost: 2.0, after_remap: Restart)",
    );
    let [lower, upper] = place.answer("solve model.ron")["average"].ends();
    assert!(0.0 < lower && lower <= upper && upper - lower <= 1e-9);
}

#[test]
fn a_remap_cost_by_what_it_moves_and_an_end() {
    let found = solved("units_moved", "--values");
    assert_eq!(found["status"], "converged");
    assert_eq!(found["cost_by_state"], json!({"fixed": 2.0, "per_unit_moved": 1.0}));
    // From (5, 0) three of five units move to one side or two: the fewest are two.
    assert_eq!(found["remap_cost"], 4.0);
    let value = found["value"].numbers();
    for (place, letter) in found["decision"].text().chars().enumerate() {
        let (i, j) = (place as i64 / 6, place as i64 % 6);
        let cost = 2.0 + ((i - j).abs() / 2) as f64;
        match letter {
            'B' => assert!(i == j && value[place] == 0.0),
            'R' => assert!(abs_diff_eq!(value[place], cost, epsilon = 1e-8)),
            _ => assert!(value[place] < cost),
        }
    }
    let found = solved("sixty_steps", "");
    assert_eq!(found["steps"], 60);
    let from = found["remaps_from"].list();
    assert_eq!(from.len(), 91);
    for (from, letter) in from.iter().zip(found["decision"].text().chars()) {
        assert_eq!(from.is_null(), letter != 'R');
        assert!(from.is_null() || (1..=60).contains(&from.u64()));
    }
    // Long before the end the map is that without one.
    let place = Workplace::new();
    let long = place.answer("sweep models/stopping/sixty_steps.ron --set problem.steps=5000");
    let endless = solved("particles", "");
    assert_eq!(long["runs"][0]["solution"]["decision"], endless["decision"]);
    place.write("answer.json", found.to_string());
    place.remap("export answer.json --to c").exits(1).says("not exported yet");

    let walks = "processes: Identical(count: 2, chain: Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect))";
    for (cost, after, words) in [
        ("(fixed: 1)", "Stop", &["per_unit_moved", "PerState"][..]),
        ("(fixed: 1, per_unit_moved: -1)", "Stop", &["the cost of a unit moved"]),
        ("(fixed: 1, per_unit_moved: 1)", "Uniform", &["take after_remap: Stop or Restart"]),
        ("PerState([1, 2])", "Stop", &["costs by state need states that are listed"]),
        ("1", "Stop, steps: 0", &["not between 1 and"]),
    ] {
        has(&complaint(&format!("{walks}, remap_cost: {cost}, after_remap: {after}")), words);
    }
}

/// Stopped before the first step of a program with an end: the bounds are those of all its steps,
/// and what is said is of those done.
#[test]
fn programs_with_an_end_that_are_stopped_have_bounds_of_all_steps() {
    for (rule, cost) in [("Restart", 20), ("Stop", 400)] {
        let place = Workplace::stating(format!(
            "Stopping(processes: Identical(count: 3, chain: Walk(levels: 20, up: 0.25, down: 0.2, edge: Hold)), \
             remap_cost: {cost}, after_remap: {rule}, steps: 3000)"
        ));
        let all = place.answer("solve model.ron --values")["value"].numbers();
        let stopped = place.remap("solve model.ron --json --values --time-limit 0.02");
        if stopped.code == 0 {
            continue;
        }
        let found = stopped.json();
        let (done, gap) = (found["steps_done"].u64(), found["value_gap"].f64());
        assert!(done < 3000 && found["warnings"].to_string().contains("stopped after"), "{found}");
        let known = found["value"].numbers();
        // The gap is relative to the largest upper bound, half a width above its middle.
        let largest = known.iter().copied().fold(f64::from(cost), f64::max);
        let scale = largest / (1.0 - 0.5 * gap).max(0.01);
        for (value, middle) in all.iter().zip(&known) {
            let close = (value - middle).abs() <= 0.501 * gap * scale;
            assert!(close, "{rule}: {value} {middle} {gap}");
        }
    }
}

/// What is reached at a loose tolerance is called reached, and chains of very many levels are not
/// written out.
#[test]
fn loose_tolerances_and_long_chains_end_as_they_should() {
    let own = |levels: usize, cost: u32, after: &str| {
        Workplace::stating(format!(
            "Stopping(processes: Distinct([Walk(levels: {levels}, up: 0.2, down: 0.2, edge: Hold), \
             Walk(levels: {levels}, up: 0.4, down: 0.2, edge: Reflect)]), remap_cost: {cost}, after_remap: {after})"
        ))
    };
    for (levels, cost) in some(2, [(9, 50), (5, 10), (7, 3), (15, 50)]) {
        let place = own(levels, cost, "Restart");
        for tolerance in [0.3, 0.1, 0.03, 0.01] {
            let found = place.answer(format!("solve model.ron --tolerance {tolerance}"));
            let [lower, upper] = found["average"].ends();
            assert!(upper - lower <= tolerance * lower.max(1.0), "{found}");
        }
    }
    // Two lists of 20,000 rows of 20,000 numbers would take 6 GB.
    let found = own(20_000, 5, "Stop").remap("solve model.ron --json --time-limit 0.5").json();
    assert!(found["seconds"].f64() < 20.0, "{}", found["seconds"]);
    assert!(found["dynamics"].is_null());
}

/// Sweeps alone know an average before they know what decides, and say so.
#[test]
fn sweeps_of_restart_say_that_they_may_decide_too_early() {
    let walks = "Identical(count: 2, chain: Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold))";
    for (after, is_hasty) in [("Restart", true), ("Stop", false)] {
        let place = Workplace::stating(format!(
            "Stopping(processes: {walks}, remap_cost: 3, after_remap: {after})"
        ));
        for (method, warns) in [("value", is_hasty), ("policy", false)] {
            let found = place.answer(format!("solve model.ron --method {method}"));
            let said = found["warnings"].to_string();
            assert_eq!(said.contains("hardly ever met"), warns, "{after}, {method}: {said}");
        }
    }
}

/// Where loads are hardly ever met, an average that is known to the tolerance says little of what
/// to do: decisions that are not called open are those of much tighter tolerances.
#[test]
fn decisions_of_restart_are_right_where_loads_are_rare() {
    let right = "CCCCRCCCCCCCCCCCCCCCRCCCRRRCCCCCCCRCCCCCCCCCCCCCCC";
    for rare in ["1e-6", "1e-8", "1e-10"] {
        let chain = format!(
            "BirthDeath(lowest: 1, up: [{rare}, 0.1, 0.001, 0.001, 0.0], down: [0.0, 0.25, 0.0, 0.1, 0.5])"
        );
        let place = Workplace::stating(format!(
            "Stopping(processes: Distinct([{chain}, {chain}, BirthDeath(lowest: 1, up: [0.0, 0.0], down: [0.0, 0.1])]), \
             capacities: [2, 3, 1.5], running_cost: MaxMinusMean, remap_cost: (fixed: 5.0, per_unit_moved: 4.0), \
             after_remap: Restart)"
        ));
        for tolerance in ["1e-2", "1e-4", "1e-6", "1e-9"] {
            let found = place.answer(format!("solve model.ron --tolerance {tolerance}"));
            let open: Vec<usize> = found["ties"].list().iter().map(|p| p.u64() as usize).collect();
            let letters = found["decision"].text().chars().zip(right.chars());
            for (place, (found, right)) in letters.enumerate().filter(|(p, _)| !open.contains(p)) {
                assert_eq!(found, right, "{rare} at {tolerance}, load vector {place}");
            }
        }
    }
}
