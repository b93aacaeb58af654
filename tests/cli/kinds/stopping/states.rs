//! Listed states, loads without end, and remaps of some units.

use super::{complaint, reflecting, solved};
use crate::support::prelude::*;

/// The decision depends on what is no load; certificates and rules say why there are none.
#[test]
fn states_may_share_loads() {
    let place = Workplace::new();
    let model = "models/stopping/bursts.ron";
    let found = place.solved(format!("{model} --values --certificate c"));
    let letters = found["decision"].text();
    assert_eq!(letters.len(), 32);
    assert_ne!(letters[..16], letters[16..]);
    has(&found["warnings"].to_string(), &["states share loads"]);
    place.remap("export solution.json --to c").exits(1).says("states share loads");
    place.remap(format!("verify {model} c")).exits(0);
    let compared = place.answer(format!("compare {model} --runs 20"));
    let values = found["value"].numbers();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert_abs_diff_eq!(compared["policies"][0]["exact"].f64(), mean, epsilon = 1e-7);
    let wrong = complaint(
        "processes: Joint(loads: [[1, 1], [2, 0], [2, 0]], transition: Dense([[0, 1, 0], [0, 0, 1], [1, 0, 0]])), \
         remap_cost: 1, after_remap: Restart",
    );
    has(&wrong, &["the k-th with balanced ones"]);
}

/// Changes by factors are proved like any matrix.
#[test]
fn loads_are_multiplied() {
    let place = Workplace::new();
    place.solved("models/stopping/multiplicative.ron --certificate m.cert");
    place.remap("verify solution.json").exits(0);
    let ninth = "[(factor: 2, probability: 0.5), (factor: 0.5, probability: 0.4)]";
    for (changes, levels, words) in [
        (ninth, 9, "the list of changes"),
        ("[(factor: 2, probability: 1)]", 5000, "too many levels for changes"),
    ] {
        let chain = format!("Affine(levels: {levels}, changes: {changes})");
        let problem =
            format!("Identical(count: 2, chain: {chain}), remap_cost: 1, after_remap: Stop");
        has(&complaint(&format!("processes: {problem}")), &[words]);
    }
}

/// J of countably many states is what so many states more come to.
#[test]
fn loads_without_a_highest_one() {
    let found = solved("unbounded", "--values");
    assert_eq!(found["shape"].list().len(), 2);
    assert!(found["value_gap"].f64() <= 1e-9);
    let kept = found["kept_levels"].u64() as usize;
    assert!(kept > 6);
    let long = Workplace::of(reflecting(2, kept + 10, "remap_cost: 5.0, after_remap: Stop"));
    let long = long.answer("solve model.ron --values");
    let value = |found: &Value, at: usize| found["value"][at].f64();
    for (i, j) in (0..36).map(|place| (place / 6, place % 6)) {
        let (own, other) = (value(&found, 6 * i + j), value(&long, (kept + 10) * i + j));
        assert_abs_diff_eq!(own, other, epsilon = 1e-8);
    }
    for (count, shown, after, words) in [
        (2, 6, "Restart", "loads without end go with Stop"),
        (4, 900, "Stop", "states would be kept to begin with"),
    ] {
        let wrong = complaint(&format!(
            "processes: Unbounded(count: {count}, up: 0.25, down: 0.25, edge: Hold, shown: {shown}), \
             remap_cost: 5, after_remap: {after}"
        ));
        has(&wrong, &[words]);
    }
    let place = Workplace::new();
    for name in ["unbounded", "partial"] {
        let model = format!("models/stopping/{name}.ron");
        place.remap(format!("solve {model} --certificate {name}.cert")).exits(0);
        place.remap(format!("verify {model} {name}.cert")).exits(0);
    }
    place.remap("compare models/stopping/unbounded.ron").says("finitely many states");
}

/// Remaps of some units cost less than those of all, and say how many.
#[test]
fn remaps_may_be_partial() {
    let found = solved("partial", "");
    assert!(
        found.number("/average/upper") < found.number("/partial_remaps/average_of_whole/lower")
    );
    let units = found["partial_remaps"]["units"].list();
    for (letter, units) in found["decision"].text().chars().zip(units) {
        assert_eq!(letter == 'R', units.u64() > 0);
    }
    let place = Workplace::new();
    place.write("partial.json", found.to_string());
    for command in ["export partial.json --to c", "compare models/stopping/partial.ron"] {
        place.remap(command).exits(1).says("how many units");
    }
    let wrong = complaint(
        "processes: Identical(count: 2, chain: Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect)), remap_cost: 5, \
         after_remap: Stop, partial_remaps: true",
    );
    has(&wrong, &["remaps of some units are for computations that go on"]);
}

/// Loads that are listed for two processes have a map, too, if it is not too large to look at.
#[test]
fn listed_loads_of_two_processes_are_drawn() {
    let place = Workplace::new();
    let text = place.shown("solve models/stopping/bursts.ron --plot bursts.svg");
    has(&text, &["down: load of process 1; across: load of process 2", "    0  o ", "    3  "]);
    has(&place.read("bursts.svg"), &["remap"]);
    // Two and three processes.
    for loads in [
        "[0, 0], [9000000000, 0], [0, 9000000000]",
        "[0, 0, 0], [9000000000, 0, 0], [0, 9000000000, 9000000000]",
    ] {
        let place = Workplace::stating(format!(
            "Stopping(processes: Joint(loads: [{loads}], transition: Dense([[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]])), \
             remap_cost: 2, after_remap: Stop)"
        ));
        place.remap("solve model.ron --plot far.svg").exits(0);
    }
}
