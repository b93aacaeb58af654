//! Exported maps of decisions decide as the solution says.

use crate::support::languages::in_every_language;
use crate::support::prelude::*;
use remap::document::rule::{Rule, StatedRule};
use remap::problems::registry::{Loaded, Problem, stated};
use remapping::stopping;
use std::path::Path;

#[test]
fn decision_maps_decide_as_the_engine_does() {
    let three = "Model(title: \"Three\", problem: Stopping(remap_cost: 4.0, processes: Identical(
        count: 3, chain: Walk(lowest: -2, levels: 5, up: 0.25, down: 0.25, edge: Hold)), after_remap: Stop))";
    let unequal =
        "Model(title: \"Unequal\", problem: Stopping(remap_cost: 3.0, capacities: [1.0, 2.0],
        processes: Distinct([Walk(levels: 5, up: 0.3, down: 0.2, edge: Hold),
        Walk(lowest: 1, levels: 7, up: 0.2, down: 0.2, edge: Reflect)]), after_remap: Stop))";
    let decks = ["models/stopping/yin_xu_wang.ron", "models/stopping/particles.ron"];
    for path in some(2, [decks[0], "three.ron", decks[1], "unequal.ron"]) {
        let place = Workplace::new();
        place.write("three.ron", three);
        place.write("unequal.ron", unequal);
        let solution = place.solved(path);
        let decision = solution["decision"].text();
        let whole = |value: &Value| -> Vec<i64> {
            value.list().iter().map(|entry| entry.as_i64().unwrap()).collect()
        };
        let vectors: Vec<Vec<i64>> = match &solution["loads"] {
            Value::Array(list) => list.iter().map(whole).collect(),
            _ => {
                let (lowest, shape) = (whole(&solution["lowest"]), whole(&solution["shape"]));
                let of = |place: usize| {
                    let mut rest = place as i64;
                    let mut loads = lowest.clone();
                    for (load, levels) in loads.iter_mut().zip(&shape).rev() {
                        *load += rest % levels;
                        rest /= levels;
                    }
                    loads
                };
                (0..decision.len()).map(of).collect()
            }
        };
        let input: String = vectors.iter().map(|vector| line(vector)).collect();
        in_every_language(&place, "solution.json", "map", &input, |language, lines| {
            for ((line, letter), vector) in lines.iter().zip(decision.chars()).zip(&vectors) {
                let expected = format!("{letter} {}", u8::from(letter == 'R'));
                assert_eq!(*line, expected, "{language} {vector:?}");
            }
        });
    }
}

/// Loads as a line of input.
fn line(loads: &[i64]) -> String {
    loads.iter().map(i64::to_string).collect::<Vec<_>>().join(" ") + "\n"
}

/// Maps of more than 10^6 load vectors are in an archive; each ordering of a load vector counts.
#[test]
fn an_archived_map_is_exported_by_classes() {
    let place = Workplace::new();
    place.write(
        "long.ron",
        "Model(title: \"Long\", problem: Stopping(remap_cost: 20.0, processes: Identical(count: 7,
        chain: Walk(levels: 8, up: 0.25, down: 0.25, edge: Hold)), after_remap: Stop))",
    );
    place.remap("solve long.ron --out .").exits(0);
    let export = stated::read(&place.path("long.json")).unwrap();
    let StatedRule { rule: Rule::Map(map), .. } = &export else { panic!("not a map") };
    let (mut input, mut letters) = (String::new(), Vec::new());
    for (place, letter) in map.decisions.iter().enumerate() {
        let (mut loads, _) = map.entry(place);
        loads.reverse();
        loads.swap(1, 4);
        input += &line(&loads);
        letters.push(char::from(*letter));
    }
    assert!(letters.contains(&'R') && letters.contains(&'C'));
    // The engine's own map, solved anew.
    let loaded = Loaded::read(&place.path("long.ron")).unwrap();
    let Problem::Stopping(model) = &loaded.problem else { panic!() };
    let (states, operator) = model.states(Path::new(".")).unwrap();
    let imbalance = model.imbalance().unwrap();
    let problem = stopping::Problem::new(&states, operator, &imbalance, 20.0, model.after());
    let problem = problem.unwrap();
    let solution = stopping::solve(&problem, &stopping::Settings::default(), &());
    for (place, letter) in letters.iter().enumerate() {
        let class = states.find(&map.entry(place).0).unwrap();
        let remaps = solution.decision(&problem, class) == stopping::Decision::Remap;
        assert_eq!(*letter == 'R', remaps);
    }
    in_every_language(&place, "long.json", "map", &input, |language, lines| {
        for (line, letter) in lines.iter().zip(&letters) {
            assert!(line.starts_with(*letter), "{language}");
        }
    });
    std::fs::remove_file(place.path("long.npz")).unwrap();
    place.remap("export long.json --to c").exits(1).says("10^6 load vectors");
}
