//! Bounds for loads with continuous increments against exact values, closed forms, and runs by definition.

use approx::{abs_diff_eq, assert_abs_diff_eq};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use remapping::drift::continuous::{ContinuousDrift, Drifting, Increments, NoBounds};
use remapping::drift::many::{Goal, Measured, Spread};
use remapping::random::stream;

fn normal(ranks: usize, steps: u64) -> ContinuousDrift {
    ContinuousDrift {
        ranks,
        increments: Increments::Normal { deviation: 1.0 },
        slopes: 0.0,
        noise: 0.0,
        steps,
        remap_cost: 8.0,
    }
}

fn measured(problem: &ContinuousDrift, seed: u64, paths: u64) -> (Drifting, Measured) {
    let drifting = Drifting::new(problem, seed, &()).unwrap();
    let goal = Goal { gap: 0.0, inner: [128, 128], paths: [paths, paths] };
    let found = drifting.measure(goal, &()).unwrap();
    assert!(found.gap.mean >= 0.0 && found.ruled_gap.mean >= 0.0, "hindsight can do as they do");
    (drifting, found)
}

/// Two ranks by dynamic programming on a fine grid of their difference, which is all there is to know: a step
/// costs half of its size.
fn of_two(problem: &ContinuousDrift) -> f64 {
    let Increments::Normal { deviation } = problem.increments else { unreachable!() };
    let spread = deviation * 2f64.sqrt();
    let (width, half) = (0.04 * spread, 500i32);
    let at = |i: i32| f64::from(i) * width;
    let reach = (7.0 * spread / width) as i32;
    let weights: Vec<f64> =
        (-reach..=reach).map(|i| (-0.5 * (at(i) / spread).powi(2)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let size = (2 * half + 1) as usize;
    let mut value = vec![0.0; size];
    let mut ahead = value.clone();
    for step in (1..=problem.steps).rev() {
        // What comes after this step: the cost of it and what is best then.
        let then: Vec<f64> =
            (-half..=half).zip(&value).map(|(i, v)| at(i).abs() / 2.0 + v).collect();
        for i in -half..=half {
            let mean = (-reach..=reach)
                .zip(&weights)
                .map(|(by, weight)| weight * then[((i + by).clamp(-half, half) + half) as usize]);
            ahead[(i + half) as usize] = mean.sum::<f64>() / sum;
        }
        let remap = problem.remap_cost + ahead[half as usize];
        if step > 1 {
            value = ahead.iter().map(|on| on.min(remap)).collect();
        }
    }
    ahead[half as usize]
}

#[test]
fn two_ranks_are_between_the_bounds() {
    let problem = ContinuousDrift { remap_cost: 4.0, ..normal(2, 40) };
    let exact = of_two(&problem);
    let inside = |seed: &u64| {
        let (_, found) = measured(&problem, *seed, 6);
        assert!(found.gap.mean <= 0.06 * exact, "{:?} {exact}", found.gap);
        (found.lower.low..=found.upper.high).contains(&exact)
    };
    let inside = (1..=8).filter(inside).count();
    assert!(inside >= 7, "{inside} of 8 hold {exact}");
    // Many paths leave little room on either side.
    let (_, found) = measured(&problem, 77, 300);
    assert!(found.lower.low <= exact && exact <= found.upper.high, "{found:?} {exact}");
    assert!(found.upper.mean <= 1.01 * exact, "the policy is near the best: {found:?} {exact}");
}

/// The policy is no worse than any fixed interval, and no lower bound is above one; never and always are sums of
/// expected imbalances.
#[test]
fn fixed_intervals_are_no_better() {
    let gamma = Increments::Gamma { shape: 0.7, mean: 1.0 };
    for problem in [
        normal(16, 60),
        normal(300, 30),
        ContinuousDrift { increments: gamma, ..normal(12, 40) },
        ContinuousDrift { slopes: 0.5, ..normal(12, 40) },
        ContinuousDrift { slopes: 0.3, noise: 1.0, ..normal(12, 40) },
    ] {
        let intervals = problem.intervals().unwrap();
        let best = intervals.iter().copied().fold(f64::INFINITY, f64::min);
        let (_, found) = measured(&problem, 5, 12);
        assert!(found.lower.low <= best, "{problem:?}: {:?} {best}", found.lower);
        assert!(found.upper.low <= best, "{problem:?}: {:?} {best}", found.upper);
        assert!(found.gap.mean <= 0.06 * found.lower.mean, "{problem:?}: {:?}", found.gap);
        let expected = problem.expected(problem.steps).unwrap();
        let never: f64 = expected.iter().sum();
        let always =
            expected[0] * problem.steps as f64 + problem.remap_cost * (problem.steps - 1) as f64;
        assert_abs_diff_eq!(intervals[problem.steps as usize - 1], never, epsilon = 1e-9 * never);
        assert_abs_diff_eq!(intervals[0], always, epsilon = 1e-9 * always);
    }
}

/// One run by definition: loads, slopes and noise, and the rule that sees max - mean alone.
fn played(problem: &ContinuousDrift, rule: &Drifting, run: u64) -> f64 {
    let mut draws = stream(4711, run);
    let mut normal = |size: f64| -> f64 {
        let by: f64 = StandardNormal.sample(&mut draws);
        size * by
    };
    let ranks = problem.ranks;
    let mut loads = vec![0.0; ranks];
    let mut slopes: Vec<f64> = (0..ranks).map(|_| normal(problem.slopes)).collect();
    let (mut cost, mut since) = (0.0, 0);
    for step in 1..=problem.steps {
        for (load, slope) in loads.iter_mut().zip(&slopes) {
            let by = match problem.increments {
                Increments::Normal { deviation } => normal(deviation),
                // Any law by its definition would do; jumps are those that need none.
                Increments::Jumps { .. } => 0.0,
                _ => unreachable!(),
            };
            *load += slope + by;
        }
        if let Increments::Jumps { rate, size } = problem.increments {
            let mut draws = stream(815, 100_000 * run + step);
            for load in &mut loads {
                if draws.random::<f64>() < rate {
                    *load -= size * (1.0 - draws.random::<f64>()).ln();
                }
            }
        }
        let seen: Vec<f64> = loads.iter().map(|load| load + normal(problem.noise)).collect();
        let mean = seen.iter().sum::<f64>() / ranks as f64;
        let imbalance = seen.iter().copied().fold(f64::MIN, f64::max) - mean;
        cost += imbalance;
        since += 1;
        if step < problem.steps && rule.curve().remaps(step, since, imbalance) {
            cost += problem.remap_cost;
            loads = vec![0.0; ranks];
            slopes = (0..ranks).map(|_| normal(problem.slopes)).collect();
            since = 0;
        }
    }
    cost
}

/// What the rule of few numbers is said to cost is what it costs on loads made by definition, not by what is
/// known of them.
#[test]
fn the_rule_costs_what_it_is_said_to() {
    for problem in [
        normal(10, 50),
        ContinuousDrift { slopes: 0.5, noise: 0.7, ..normal(10, 50) },
        ContinuousDrift { increments: Increments::Jumps { rate: 0.1, size: 3.0 }, ..normal(6, 50) },
    ] {
        let (rule, found) = measured(&problem, 9, 48);
        let costs: Vec<f64> = (0..4000).map(|run| played(&problem, &rule, run)).collect();
        let played = Spread::of(&costs, 0.99);
        let error = (played.high - played.mean) + (found.ruled.high - found.ruled.mean);
        assert!(
            abs_diff_eq!(played.mean, found.ruled.mean, epsilon = error),
            "{problem:?}: {played:?} {:?}",
            found.ruled
        );
        assert!(played.high >= found.lower.low);
        assert!(found.ruled.mean <= 1.06 * found.lower.mean, "{problem:?}: {found:?}");
    }
}

/// All laws: bounds that meet nearly, for few and for many ranks; the seed determines every digit.
#[test]
fn all_laws_have_bounds() {
    let laws = [
        Increments::Gamma { shape: 2.0, mean: 1.5 },
        Increments::Student { freedom: 4.0, scale: 1.0 },
        Increments::Jumps { rate: 0.05, size: 4.0 },
    ];
    for increments in laws {
        for ranks in [5, 200] {
            let problem = ContinuousDrift { increments, ..normal(ranks, 30) };
            let (_, found) = measured(&problem, 2, 8);
            assert!(found.gap.mean <= 0.1 * found.lower.mean, "{problem:?}: {found:?}");
            assert_eq!(measured(&problem, 2, 8).1, found);
        }
    }
}

#[test]
fn what_is_out_of_reach_is_said() {
    let fault = |problem: ContinuousDrift| Drifting::new(&problem, 1, &()).err();
    assert_eq!(fault(normal(1, 10)), Some(NoBounds::Ranks(1)));
    assert_eq!(fault(normal(4, 1_000_000)), Some(NoBounds::Steps(1_000_000)));
    let jumps = Increments::Jumps { rate: 0.1, size: 1.0 };
    let noisy = ContinuousDrift { increments: jumps, noise: 1.0, ..normal(4, 10) };
    assert_eq!(fault(noisy), Some(NoBounds::NotNormal));
    let student = Increments::Student { freedom: 2.0, scale: 1.0 };
    assert!(fault(ContinuousDrift { increments: student, ..normal(4, 10) }).is_some());
}
