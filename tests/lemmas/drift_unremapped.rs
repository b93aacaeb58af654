//! Programs that never remap [NRS86, Figs. 1 and 2]: step by step against every load vector there is.

use approx::{abs_diff_eq, assert_abs_diff_eq};
use proptest::prelude::*;
use remapping::chain::{BirthDeath, Edge};
use remapping::drift::{
    AverageCosts, Intervals, LoadDrift, Objective, ProcessChain, Rebalance, Timing,
};
use remapping::policy::Step;

fn problem(
    (processors, levels, initial): (usize, usize, usize),
    (up, down): (f64, f64),
    lowest: f64,
    timing: Timing,
) -> LoadDrift {
    LoadDrift {
        processors,
        chain: ProcessChain::BirthDeath(BirthDeath::walk(levels, up, down, Edge::Hold).unwrap()),
        lowest,
        initial: initial % levels,
        steps: 12,
        remap_cost: 2.0,
        per_unit_moved: 0.0,
        rebalance: Rebalance::Split,
        timing,
        objective: Objective::Imbalance,
    }
}

/// E max, E mean and E (mean / max) of each step, from the law of every load vector.
fn by_enumeration(problem: &LoadDrift) -> Vec<[f64; 3]> {
    let (rows, r) = (problem.chain.rows(), problem.processors);
    let levels = rows.len();
    let vectors = levels.pow(r as u32);
    let digits = |mut s: usize| {
        let mut digits = vec![0; r];
        for digit in digits.iter_mut() {
            (*digit, s) = (s % levels, s / levels);
        }
        digits
    };
    let mut law = vec![0.0; vectors];
    law[(0..r).fold(0, |s, _| s * levels + problem.initial)] = 1.0;
    let mut found = Vec::new();
    for _ in 0..problem.steps {
        let mut next = vec![0.0; vectors];
        for (s, p) in law.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            let from = digits(s);
            for (t, next) in next.iter_mut().enumerate() {
                let to = digits(t);
                *next += p * from.iter().zip(&to).map(|(&a, &b)| rows[a][b]).product::<f64>();
            }
        }
        let paid = if problem.timing == Timing::AfterStep { &next } else { &law };
        let mut sums = [0.0; 3];
        for (s, p) in paid.iter().enumerate() {
            let loads: Vec<f64> =
                digits(s).iter().map(|&level| problem.lowest + level as f64).collect();
            let max = loads.iter().copied().fold(0.0, f64::max);
            let mean = loads.iter().sum::<f64>() / r as f64;
            let share = if max > 0.0 { mean / max } else { 1.0 };
            sums.iter_mut().zip([max, mean, share]).for_each(|(sum, x)| *sum += p * x);
        }
        found.push(sums);
        law = next;
    }
    found
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
        for (step, by_hand) in found.iter().zip(by_enumeration(&problem)) {
            let found = [step.max, step.mean, step.utilization];
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
