//! Sample paths of bounds, shared out: the same on any number of ranks.

use super::{Workplace, settings};
use remap::problems::{Method, Settings};

#[test]
fn paths_of_many_processors_are_those_of_one_process() {
    let place = Workplace::new();
    place.model(
        "many.ron",
        "LoadDrift(processors: 12, chain: Walk(lowest: 1, levels: 7, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 4, steps: 25, remap_cost: 4.0)",
    );
    let asked =
        Settings { gap: Some(0.03), tolerance: 0.03, values: false, ..settings(Method::Bounds) };
    let expected = place.serial("many.ron", &asked);
    assert!(expected["paths"].as_u64().unwrap() >= 4, "{}", expected["paths"]);
    for ranks in [2, 4] {
        let found = place.json(
            ranks,
            &["solve", "many.ron", "--method", "bounds", "--tolerance", "0.03", "--json"],
        );
        assert_eq!(found, expected, "{ranks} ranks");
    }
}

#[test]
fn paths_of_continuous_loads_are_those_of_one_process() {
    let place = Workplace::new();
    place.model(
        "continuous.ron",
        "ContinuousDrift(processors: 16, increments: Normal(deviation: 1.0), steps: 30, remap_cost: 12.0)",
    );
    let asked =
        Settings { gap: Some(0.05), tolerance: 0.05, values: false, ..settings(Method::Auto) };
    let expected = place.serial("continuous.ron", &asked);
    for ranks in [2, 3] {
        let found =
            place.json(ranks, &["solve", "continuous.ron", "--tolerance", "0.05", "--json"]);
        assert_eq!(found, expected, "{ranks} ranks");
    }
}
