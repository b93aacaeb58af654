//! Simulated costs of policies against exact ones.

use super::problems::{close, figure, intervals, prepared, run};
use approx::abs_diff_eq;
use remapping::load_drift::{
    Control, Intervals, LoadDrift, Loads, MapPolicy, Objective, Rebalance, Timing,
};
use remapping::overlap::Overlap;
use remapping::policy::{Policy, Rule};
use remapping::simulate::{Estimate, Tally, compare};

/// Simulated means agree with the exact expectations, for every policy evaluated both ways.
#[test]
fn simulation_agrees_with_exact_evaluation() {
    for (timing, rebalance, objective, per_unit_moved) in [
        (Timing::AfterStep, Rebalance::Split, Objective::Imbalance, 0.0),
        (Timing::AfterStep, Rebalance::Split, Objective::Imbalance, 0.6),
        (Timing::BeforeStep, Rebalance::Split, Objective::Makespan, 0.3),
        (Timing::BeforeStep, Rebalance::Stochastic, Objective::Makespan, 0.0),
    ] {
        let problem =
            LoadDrift { timing, rebalance, objective, per_unit_moved, ..figure(3, 100, 3.0) };
        let (states, transition) = prepared(&problem);
        let map = MapPolicy::solve(&problem, Overlap::NONE, (&states, &transition), &()).unwrap();
        let rules = ["never", "fixed:7", "threshold:1.8", "utilization:0.8"]
            .map(|r| r.parse::<Rule>().unwrap());
        let policies = || -> Vec<Box<dyn Policy>> {
            let mut all: Vec<Box<dyn Policy>> = vec![Box::new(map.clone())];
            all.extend(rules.iter().map(|rule| rule.start(3.0)));
            all
        };
        let loads = Loads::new(problem.clone());
        let result = compare(&loads, &policies, 0..4000, 7, false, &()).unwrap();
        let exact = [
            run(&problem, Control::Optimal),
            Intervals::never(&problem),
            intervals(&problem, 7).all()[6].outcome,
            run(&problem, Control::Threshold(1.8)),
            run(&problem, Control::Utilization(0.8)),
        ];
        for (tallies, exact) in result.tallies.iter().zip(exact) {
            let of = |read: fn(&Tally) -> f64| {
                Estimate::of(&tallies.iter().map(read).collect::<Vec<_>>())
            };
            // Four standard errors: a false alarm in 16,000, ten times over.
            assert!(of(|t| t.value).agrees(exact.value, 2.05), "{exact:?}");
            assert!(of(|t| t.work).agrees(exact.work, 2.05), "{exact:?}");
            let remaps = of(|t| t.remaps as f64);
            let slack = 2.05 * remaps.half_width() + 1e-9;
            assert!(abs_diff_eq!(remaps.value, exact.remaps, epsilon = slack), "{exact:?}");
        }
        assert!(close(map.value(), exact[0].value));
    }
}

/// With a rule that rounds down load, minimising time makes the optimum remap for the rounding.
#[test]
fn minimising_time_exploits_a_rule_that_sheds_load() {
    let outcome = |rebalance, objective| {
        run(&LoadDrift { rebalance, objective, ..figure(3, 400, 1.0) }, Control::Optimal)
    };
    let sound = outcome(Rebalance::Split, Objective::Imbalance);
    let shed = outcome(Rebalance::Nearest, Objective::Makespan);
    assert!(abs_diff_eq!(sound.work, 4000.0, epsilon = 20.0), "{sound:?}");
    assert!(shed.work < 0.8 * sound.work, "{shed:?}");
}
