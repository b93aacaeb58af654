//! Programs that never remap [NRS86, Figs. 1 and 2]: step by step against every load vector there
//! is.

use super::problems::{figure, run};
use crate::shared::{Asked, walk};
use approx::{abs_diff_eq, assert_abs_diff_eq};
use proptest::prelude::*;
use remapping::Halt;
use remapping::chain::Edge;
use remapping::load_drift::{
    AverageCosts, Control, Intervals, LoadDrift, Objective, Timing, Unremapped,
};
use remapping::policy::Step;

fn problem(
    (processors, levels, initial): (usize, usize, usize),
    (up, down): (f64, f64),
    lowest: f64,
    timing: Timing,
) -> LoadDrift {
    LoadDrift {
        chain: walk(levels, up, down, Edge::Hold),
        lowest,
        initial: initial % levels,
        timing,
        ..figure(processors, 12, 2.0)
    }
}

/// E (max - mean), E max, E mean and E (mean / max) of each step with remaps every so many, from the
/// law of every load vector. All terms are positive, so that small ones keep their digits.
fn by_enumeration(problem: &LoadDrift, interval: u64) -> Vec<[f64; 4]> {
    let (rows, r) = (problem.chain.rows(), problem.processors);
    let levels = rows.len();
    let digits =
        |s: usize| -> Vec<usize> { (0..r as u32).map(|k| s / levels.pow(k) % levels).collect() };
    let number = |digits: &[usize]| digits.iter().rev().fold(0, |s, digit| s * levels + digit);
    let vectors = levels.pow(r as u32);
    let split = |s: usize| {
        let total: usize = digits(s).iter().sum();
        let share = |k: usize| total / r + usize::from(k < total % r);
        number(&(0..r).map(share).collect::<Vec<_>>())
    };
    let moves: Vec<Vec<f64>> = (0..vectors)
        .map(|s| {
            let from = digits(s);
            let chance =
                |t| -> f64 { from.iter().zip(digits(t)).map(|(&a, b)| rows[a][b]).product() };
            (0..vectors).map(chance).collect()
        })
        .collect();
    let paid = |law: &[f64]| {
        let mut sums = [0.0; 4];
        for (s, p) in law.iter().enumerate() {
            let (most, total) = (*digits(s).iter().max().unwrap(), digits(s).iter().sum::<usize>());
            let excess = (r * most - total) as f64 / r as f64;
            let (max, mean) =
                (problem.lowest + most as f64, problem.lowest + total as f64 / r as f64);
            let share = if max > 0.0 { mean / max } else { 1.0 };
            sums.iter_mut().zip([excess, max, mean, share]).for_each(|(sum, x)| *sum += p * x);
        }
        sums
    };
    let mut law = vec![0.0; vectors];
    law[number(&vec![problem.initial; r])] = 1.0;
    let mut found = Vec::new();
    for step in 1..=problem.steps {
        let mut next = vec![0.0; vectors];
        for (p, row) in law.iter().zip(&moves).filter(|(p, _)| **p > 0.0) {
            next.iter_mut().zip(row).for_each(|(next, q)| *next += p * q);
        }
        found.push(paid(if problem.timing == Timing::AfterStep { &next } else { &law }));
        law = next;
        if step.is_multiple_of(interval) {
            let mut evened = vec![0.0; vectors];
            law.iter().enumerate().for_each(|(s, p)| evened[split(s)] += p);
            law = evened;
        }
    }
    found
}

/// What remapping every so many steps costs.
fn every(problem: &LoadDrift, interval: u64) -> f64 {
    let imbalance: f64 = by_enumeration(problem, interval).iter().map(|step| step[0]).sum();
    imbalance + ((problem.steps - 1) / interval) as f64 * problem.remap_cost
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn expectations_are_those_of_all_load_vectors(
        shape in (1usize..4, 2usize..5, 0usize..5),
        up in 0.0..0.5,
        down in 0.0..0.5,
        lowest in 0u8..3,
        before in any::<bool>(),
    ) {
        let timing = if before { Timing::BeforeStep } else { Timing::AfterStep };
        let problem = problem(shape, (up, down), f64::from(lowest), timing);
        let found = problem.never_remapped();
        for (step, by_hand) in found.iter().zip(by_enumeration(&problem, u64::MAX)) {
            let found = [step.max - step.mean, step.max, step.mean, step.utilization];
            for (a, b) in found.iter().zip(by_hand) {
                prop_assert!(abs_diff_eq!(*a, b, epsilon = 1e-12), "{found:?} {by_hand:?}");
            }
        }
        let never = Intervals::never(&problem);
        let work: f64 = found.iter().map(|step| step.mean).sum();
        let cost: f64 = found.iter().map(|step| step.max - step.mean).sum();
        prop_assert!(abs_diff_eq!(never.work, work, epsilon = 1e-9) && abs_diff_eq!(never.value, cost, epsilon = 1e-9));
    }

    /// By the words of the definition, without the rule.
    #[test]
    fn minima_of_the_average_cost(imbalances in prop::collection::vec(0u8..20, 1..30), cost in 0u8..30) {
        let path: Vec<Step> = imbalances
            .iter()
            .enumerate()
            .map(|(k, u)| Step::new(k as u64 + 1, vec![0.0, 2.0 * f64::from(*u)]))
            .collect();
        let found = AverageCosts::along(&path, f64::from(cost));
        let w = |n: usize| {
            let sum: i64 = imbalances[..n].iter().map(|u| i64::from(*u)).sum();
            (sum + i64::from(cost), n as i64)
        };
        let less = |a: (i64, i64), b: (i64, i64)| a.0 * b.1 < b.0 * a.1;
        let steps = imbalances.len();
        let first = (1..steps).find(|&n| less(w(n), w(n + 1))).unwrap_or(steps);
        let least = (1..=steps).reduce(|best, n| if less(w(n), w(best)) { n } else { best });
        prop_assert_eq!(found.first + 1, first);
        prop_assert!(!less(w(least.unwrap()), w(found.least + 1)));
    }
}

/// Flips of probability 1/20 from an edge: with q the share that has moved, E (max - mean) is
/// 1 - (1-q)^3 - q, which falls beyond q = 1 - 1 / sqrt 3.
#[test]
fn imbalance_falls_in_the_end_from_an_edge() {
    let problem =
        LoadDrift { steps: 60, ..problem((3, 2, 0), (0.05, 0.05), 1.0, Timing::AfterStep) };
    let found = problem.never_remapped();
    let imbalance: Vec<f64> = found.iter().map(|step| step.max - step.mean).collect();
    for (k, found) in imbalance.iter().enumerate() {
        let q = 0.5 * (1.0 - 0.9_f64.powi(k as i32 + 1));
        assert_abs_diff_eq!(*found, 1.0 - (1.0 - q).powi(3) - q, epsilon = 1e-14);
    }
    let most = imbalance.iter().copied().fold(0.0, f64::max);
    assert!(most > 0.3845 && most < 2.0 / 27.0_f64.sqrt() && imbalance[59] < 0.3755);
}

/// Where loads hardly ever move, imbalances are far below one and sums of steps far from settled.
#[test]
fn rare_moves_are_not_lost_in_rounding() {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b;
    for (rare, steps, levels, processors) in [
        (1e-15, 7, 3, 2),
        (1e-15, 3_000, 3, 2),
        (1e-12, 3_000, 3, 3),
        (1e-9, 1_000, 5, 2),
        (1e-5, 3_000, 3, 2),
        (1e-3, 2_000, 4, 3),
    ] {
        for (timing, up) in [(Timing::AfterStep, rare), (Timing::BeforeStep, 0.4)] {
            let shape = (processors, levels, 1);
            let mut problem = problem(shape, (up, rare), 1.0, timing);
            // A chain that climbs stays where only the rare moves remain.
            (problem.steps, problem.remap_cost) = (steps, 1e-3 * rare);
            let told = || format!("{problem:?}");
            let never = Intervals::never(&problem);
            assert!(near(never.value, every(&problem, steps)), "{never:?} {}", told());
            assert!(never.utilization() <= 1.0);
            let intervals = Intervals::new(&problem, 7, &());
            for n in [1, 2, 7] {
                let found = intervals.all()[n as usize - 1].outcome.value;
                let truth = every(&problem, n);
                assert!(near(found, truth), "every {n}: {found:e} {truth:e} {}", told());
            }
            let best = run(&problem, Control::Optimal).value;
            assert!(best <= never.value * (1.0 + 1e-12), "{best} {never:?}");
        }
    }
}

/// Walks that change parity with every step come to rest in two laws in turn, and the rest of the
/// steps is not gone through.
#[test]
fn walks_that_alternate_come_to_rest() {
    for (levels, timing) in
        [(3, Timing::AfterStep), (4, Timing::BeforeStep), (5, Timing::AfterStep)]
    {
        for steps in [700, 701] {
            let mut problem = problem((2, levels, 1), (0.3, 0.3), 1.0, timing);
            problem.chain = walk(levels, 0.5, 0.5, Edge::Reflect);
            problem.steps = steps;
            let found = Unremapped::of(&problem, &()).unwrap();
            assert_abs_diff_eq!(found.never.value, every(&problem, steps), epsilon = 1e-9);
            // By the averages of shorter programs.
            let average = |n: u64| {
                let shorter = LoadDrift { steps: n, ..problem.clone() };
                (every(&shorter, n) + problem.remap_cost) / n as f64
            };
            let (best, least) = (found.least_average_cost, average(found.least_average_cost));
            for n in [1, 2, 3, 5, 8, 40, 41, 698, 699, 700, steps] {
                assert!(least <= average(n) + 1e-12, "{best} {n}: {problem:?}");
            }
            problem.steps = 1_000_000_000;
            assert!(Unremapped::of(&problem, &Asked::at_most(0)).is_ok());
        }
    }
}

/// Steps without end are no reason not to listen, and a list of intervals that was cut says so.
#[test]
fn what_is_stopped_says_so() {
    let mut problem = problem((2, 3, 1), (1e-12, 1e-12), 0.0, Timing::AfterStep);
    problem.steps = u64::MAX;
    let out = Asked::at_most(0);
    assert_eq!(Unremapped::of(&problem, &out), Err(Halt::TimeLimit));
    problem.steps = 1_000_000_000;
    let cut = Intervals::new(&problem, 7, &out);
    assert_eq!((cut.halted(), cut.all().len()), (Some(Halt::TimeLimit), 1));
    problem.steps = 50;
    assert_eq!(Intervals::new(&problem, 7, &()).halted(), None);
    let found = Unremapped::of(&problem, &()).unwrap();
    assert_eq!(found.never, Intervals::never(&problem));
}

/// What is at stake may be far below the loads themselves.
#[test]
fn large_loads_hide_no_remap_that_pays() {
    for lowest in [0.0, 1e6, 1e10, 1e11] {
        let mut problem = problem((2, 9, 4), (0.25, 0.25), lowest, Timing::BeforeStep);
        (problem.objective, problem.steps, problem.remap_cost) = (Objective::Makespan, 40, 1.0);
        let found = run(&problem, Control::Optimal);
        let remaps = run(&LoadDrift { lowest: 0.0, ..problem }, Control::Optimal).remaps;
        assert!((found.remaps - remaps).abs() <= 1e-3 * remaps, "{lowest:e}: {found:?} {remaps}");
    }
}
