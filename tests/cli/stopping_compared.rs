//! Rules beside each other on `Stopping` models.

use crate::workplace::Workplace;

/// Slow walks go long without a remap: the best interval is beyond sixty steps, and is found.
#[test]
fn long_intervals_are_found() {
    let place = Workplace::new();
    let costs = |after: &str, policies: &str| -> Vec<f64> {
        place.write(
            "long.ron",
            format!(
                "Model(title: \"Slow\", problem: Stopping(processes: Identical(count: 2, chain: Walk(levels: 12,
                up: 0.02, down: 0.02, edge: Reflect)), remap_cost: 60, after_remap: {after}))"
            ),
        );
        let asked = ["compare", "long.ron", "--runs", "4", "--policies", policies, "--json"];
        let found = place.run(&asked).exits(0).json();
        let policies = found["policies"].as_array().unwrap();
        policies.iter().map(|line| line["exact"].as_f64().unwrap()).collect()
    };
    for after in ["Restart", "Uniform"] {
        let found = costs(after, "fixed,fixed:59,fixed:100,fixed:170,fixed:250");
        let least = found[1..].iter().copied().fold(f64::INFINITY, f64::min);
        assert!(found[0] <= least * (1.0 + 1e-9), "{after}: {found:?}");
    }
}

/// What paths have shown before a limit is not lost.
#[test]
fn a_stopped_comparison_keeps_what_is_finished() {
    let place = Workplace::new();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/stopping/yin_xu_wang.ron");
    let policies = "optimal,threshold,never,stop_at_rise";
    let asked = ["compare", model, "--runs", "10000000", "--policies", policies, "--json"];
    let found = place.run(&[&asked[..], &["--time-limit", "1"]].concat()).exits(3).json();
    assert_eq!(found["policies"].as_array().unwrap().len(), 4, "{found}");
    let runs = found["runs"].as_u64().unwrap();
    assert!(runs > 0 && runs < 10_000_000, "{runs}");
}
