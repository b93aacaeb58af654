//! \[NRS86\]: Figs. 3 and 4, exactly where the paper simulated.

use crate::thorough::some;
use approx::{abs_diff_eq, assert_abs_diff_eq};
use remapping::activity_mesh::{ActivityMesh, Boundary, Moves};
use remapping::chain::{BirthDeath, Edge};
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Loads, Objective, ProcessChain, Rebalance,
    States, Timing, Transition,
};
use remapping::policy::Rule;
use remapping::simulate::{Estimate, Tally, Workload, compare};

/// The MUM model with p = .5 and L = 19, from the middle. That decisions come after the step is
/// inferred.
fn mum(processors: usize, steps: u64, remap_cost: f64) -> LoadDrift {
    LoadDrift {
        processors,
        chain: ProcessChain::BirthDeath(BirthDeath::walk(19, 0.25, 0.25, Edge::Hold).unwrap()),
        lowest: 1.0,
        initial: 9,
        steps,
        remap_cost,
        per_unit_moved: 0.0,
        rebalance: Rebalance::Split,
        timing: Timing::AfterStep,
        objective: Objective::Imbalance,
    }
}

fn optimum(problem: &LoadDrift) -> remapping::load_drift::Outcome {
    let states = States::new(problem.processors, problem.chain.levels()).unwrap();
    let transition = Transition::new(&problem.chain, problem.processors).unwrap();
    let mut backward =
        Backward::new(problem, &states, &transition, Control::Optimal, Carry::Outcome);
    while backward.remaining() > 0 {
        backward.advance();
    }
    backward.outcome().unwrap()
}

fn simulate(workload: &impl Workload, rule: &str, runs: u64) -> Vec<Tally> {
    let rule: Rule = rule.parse().unwrap();
    let start = || vec![rule.start(workload.remap_cost())];
    compare(workload, &start, 0..runs, 1986, false, &()).unwrap().tallies.remove(0)
}

fn estimate(tallies: &[Tally], read: impl Fn(&Tally) -> f64) -> Estimate {
    Estimate::of(&tallies.iter().map(read).collect::<Vec<_>>())
}

/// The share of the time that is work.
fn busy(tallies: &[Tally]) -> f64 {
    estimate(tallies, |t| t.work).value / estimate(tallies, |t| t.time).value
}

#[test]
fn figure_3_three_chains() {
    let problem = mum(3, 100, 8.0);
    let never = Intervals::never(&problem);
    assert_abs_diff_eq!(never.utilization(), 0.7382, epsilon = 5e-5);
    assert_abs_diff_eq!(optimum(&problem).utilization(), 0.8515, epsilon = 5e-5);
    let best = Intervals::new(&problem, 100, &()).best();
    assert_abs_diff_eq!(best.outcome.utilization(), 0.8281, epsilon = 5e-5);
    let utilization = busy(&simulate(&Loads::new(problem), "stop_at_rise", 20_000));
    assert!(abs_diff_eq!(utilization, 0.8416, epsilon = 1e-3), "{utilization}");
    // "As the remapping cost increases ... approach the performance obtained when no remapping is
    // performed."
    let at = |cost| optimum(&mum(3, 100, cost)).utilization() - never.utilization();
    assert!(at(2.0) > at(8.0) && at(8.0) > at(32.0) && at(32.0) > at(200.0));
    assert!(at(2000.0).abs() < 1e-9);
}

#[test]
fn figure_4_eight_chains() {
    let problem = mum(8, 400, 8.0);
    let intervals = Intervals::new(&problem, 60, &());
    let best = intervals.best();
    assert_eq!((best.interval, Intervals::least_average_cost(&problem)), (9, 9));
    assert_abs_diff_eq!(best.outcome.utilization(), 0.766, epsilon = 5e-4);
    let sar = simulate(&Loads::new(problem), "stop_at_rise", 1000);
    let utilization = busy(&sar);
    assert!(abs_diff_eq!(utilization, 0.774, epsilon = 1e-3), "{utilization}");
    let spacing = estimate(&sar, |t| t.spacing().unwrap());
    assert!(abs_diff_eq!(spacing.value, 9.5, epsilon = 0.2), "{spacing:?}");
    // "slightly higher than that obtained by remapping at the optimal fixed interval"
    assert!(utilization > best.outcome.utilization() + 0.005);
}

/// "The calculation of the performance obtained through the use of the optimal Markov decision
/// policy is not practical in this case".
#[test]
fn figure_4_optimal_policy_of_eight_chains() {
    for (cost, value) in some(1, [(2.0, 783.992069), (8.0, 1134.546336)]) {
        let outcome = optimum(&mum(8, 400, cost));
        assert!(abs_diff_eq!(outcome.value, value, epsilon = 5e-7), "{outcome:?}");
        // The reference is cut after six digits.
        let utilization = outcome.utilization();
        assert!(cost == 2.0 || (0.779219..0.779220).contains(&utilization), "{utilization}");
    }
}

/// Fig. 5 in kind: the legend with its probabilities is lost.
fn mesh(boundary: Boundary, east: f64) -> ActivityMesh {
    let moves = Moves { east, west: 0.1, north: east, south: 0.1 };
    ActivityMesh::new((64, 64), vec![1; 64 * 64], 16, moves, boundary, 200, 50.0).unwrap()
}

#[test]
fn figure_5_stop_at_rise_keeps_up_with_the_best_interval_where_work_drifts_into_walls() {
    let workload = mesh(Boundary::Reject, 0.2);
    let intervals = [3, 5, 8, 12, 18, 27].map(Rule::Fixed);
    let rules = [&[Rule::Never, Rule::StopAtRise][..], &intervals].concat();
    let start = || rules.iter().map(|rule| rule.start(50.0)).collect();
    let result = compare(&workload, &start, 0..12, 5, false, &()).unwrap();
    let utilization: Vec<f64> =
        result.tallies.iter().map(|tallies| estimate(tallies, Tally::utilization).value).collect();
    let best = utilization[2..].iter().copied().fold(0.0, f64::max);
    assert!(utilization[1] > 0.99 * best, "{utilization:?}");
    assert!(utilization[1] > utilization[0] + 0.1, "{utilization:?}");
}

#[test]
fn figure_5_on_a_torus_never_is_as_good() {
    let workload = mesh(Boundary::Torus, 0.2);
    let never = estimate(&simulate(&workload, "never", 12), Tally::utilization);
    let sar = estimate(&simulate(&workload, "stop_at_rise", 12), Tally::utilization);
    assert!(never.value > sar.value - 0.01, "{never:?} {sar:?}");
}
