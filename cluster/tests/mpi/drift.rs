//! Drifting loads: the same bits on any number of ranks.

use super::{Workplace, settings};
use remap::problems::Method;

#[test]
fn drift_has_the_bits_of_one_process_on_any_number_of_ranks() {
    let place = Workplace::new();
    let walk = "chain: Walk(lowest: 1, levels: 12, up: 0.25, down: 0.25, edge: Hold)";
    let problems = [
        // Gone over as a whole, and soon by regions.
        format!("LoadDrift(processors: 4, {walk}, initial_load: 6, steps: 30, remap_cost: 4.0)"),
        "LoadDrift(processors: 8, chain: Walk(lowest: 1, levels: 10, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 5, steps: 90, remap_cost: 3.0)"
            .to_owned(),
        format!(
            "LoadDrift(processors: 4, {walk}, initial_load: 6, steps: 30, remap_cost: 4.0, \
             decide: BeforeStep, objective: Makespan, rebalance: Nearest)"
        ),
        format!(
            "LoadDrift(processors: 4, {walk}, initial_load: 6, steps: 40, \
             remap_cost: (fixed: 3.0, per_unit_moved: 0.2))"
        ),
    ];
    for (k, problem) in problems.iter().enumerate() {
        place.model("drift.ron", problem);
        let expected = place.serial("drift.ron", &settings(Method::Exact));
        if k == 1 {
            assert_eq!(expected["representation"], "active", "regions are shared too");
        }
        for ranks in [1, 2, 4] {
            let asked = ["solve", "drift.ron", "--method", "exact", "--values", "--json"];
            assert_eq!(place.json(ranks, &asked), expected, "{problem} on {ranks} ranks");
        }
    }
}
