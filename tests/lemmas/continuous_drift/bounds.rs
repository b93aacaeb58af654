//! Bounds for loads with continuous increments against exact values and closed forms.

use crate::thorough::{few_or_all, some};
use approx::assert_abs_diff_eq;
use remapping::continuous_drift::{
    Class, ContinuousDrift, Drifting, Increments, KeptSlopes, NoBounds,
};
use remapping::load_drift::many::{Goal, Measured, SamplePaths};
use remapping::overlap::Overlap;
use statrs::function::erf::erfc;
use std::collections::BTreeMap;

pub fn normal(ranks: usize, steps: u64) -> ContinuousDrift {
    ContinuousDrift {
        classes: vec![Class::of(ranks, Increments::Normal { deviation: 1.0 })],
        slopes: 0.0,
        kept_slopes: None,
        noise: 0.0,
        steps,
        remap_cost: 8.0,
        per_unit_moved: 0.0,
        overlap: Overlap::NONE,
        mean_load: 0.0,
    }
}

/// The same with another law.
pub fn of(ranks: usize, law: Increments, steps: u64) -> ContinuousDrift {
    ContinuousDrift { classes: vec![Class::of(ranks, law)], ..normal(ranks, steps) }
}

pub fn kept(deviation: f64, change: f64) -> Option<KeptSlopes> {
    Some(KeptSlopes { deviation, change })
}

pub fn measured(problem: &ContinuousDrift, seed: u64, paths: u64) -> (Drifting, Measured) {
    let drifting = Drifting::new(problem, seed, &()).unwrap();
    let goal = Goal { gap: 0.0, inner: [128, 128], paths: [paths, paths] };
    let found = drifting.measure(goal, &()).unwrap();
    assert!(found.gap.mean >= 0.0 && found.ruled_gap.mean >= 0.0, "hindsight can do as they do");
    (drifting, found)
}

/// The class of each rank.
pub fn each(problem: &ContinuousDrift) -> Vec<Class> {
    let ranks = |class: &Class| std::iter::repeat_n(*class, class.count);
    problem.classes.iter().flat_map(ranks).collect()
}

/// The cost of the best interval, where there is one.
pub fn best_interval(problem: &ContinuousDrift) -> Option<f64> {
    Some(problem.intervals()?.into_iter().fold(f64::INFINITY, f64::min))
}

/// What the policy pays is what it is charged: penalties are nothing on average.
pub fn pays_what_it_is_charged(found: &Measured) {
    let error = (found.paid.high - found.paid.mean) + (found.upper.high - found.upper.mean);
    assert_abs_diff_eq!(found.paid.mean, found.upper.mean, epsilon = error);
}

/// Two ranks: bounds that hold the exact value, which no interval is below.
pub fn two_are_between_their_bounds(problem: &ContinuousDrift) {
    let exact = of_two(problem);
    let (_, found) = measured(problem, 5, 64);
    let say = format!("{problem:?}: {found:?} {exact}");
    assert!(found.lower.low <= exact && exact <= found.upper.high, "{say}");
    assert!(found.gap.mean <= 0.25 * exact && found.upper.mean <= 1.05 * exact, "{say}");
    pays_what_it_is_charged(&found);
    assert!(found.paid.high >= exact, "{say}");
    if problem.overlap.steps < problem.steps
        && let Some(least) = best_interval(problem)
    {
        assert!(exact <= least + 1e-3 * least, "{say}: {least}");
    }
}

/// The law of an increment on a grid: what is within half a width of each point.
fn on_grid(class: Class, width: f64) -> Vec<(i32, f64)> {
    let cell = |from: f64, to: f64| match class.law {
        Increments::Normal { deviation } => {
            let below = |x: f64| 0.5 * erfc(-(x - class.drift) / (deviation * 2f64.sqrt()));
            below(to) - below(from)
        }
        Increments::Jumps { rate, size } => {
            let above = |x: f64| if x < 0.0 { 1.0 } else { rate * (-x / size).exp() };
            above(from) - above(to)
        }
        _ => unreachable!(),
    };
    let point = |i: i32| (i, cell((f64::from(i) - 0.5) * width, (f64::from(i) + 0.5) * width));
    (-600..=600).map(point).filter(|(_, weight)| *weight > 1e-14).collect()
}

/// Two ranks by dynamic programming on a fine grid of their difference, which is all there is to
/// know: a step costs half of its size.
pub fn of_two(problem: &ContinuousDrift) -> f64 {
    let [one, other] = each(problem)[..] else { unreachable!() };
    let spread = one.law.deviation().hypot(other.law.deviation());
    let (width, half) = (0.04 * spread, 500i32);
    let at = |i: i32| f64::from(i) * width;
    let mut weights = BTreeMap::new();
    for (i, weight) in on_grid(one, width) {
        for (j, other) in on_grid(other, width) {
            *weights.entry(i - j).or_insert(0.0) += weight * other;
        }
    }
    weights.retain(|_, weight| *weight > 1e-12);
    let sum: f64 = weights.values().sum();
    let weights: Vec<(i32, f64)> =
        weights.into_iter().map(|(by, weight)| (by, weight / sum)).collect();
    let to = |i: i32, by: i32| ((i + by).clamp(-half, half) + half) as usize;
    let mean = |then: &[f64]| -> Vec<f64> {
        let mut all = Vec::new();
        for i in -half..=half {
            let mut near = 0.0;
            for &(by, weight) in &weights {
                near += weight * then[to(i, by)];
            }
            all.push(near);
        }
        all
    };
    let add = |a: Vec<f64>, b: &dyn Fn(f64) -> f64| -> Vec<f64> {
        a.into_iter().zip(-half..=half).map(|(a, i)| a + b(at(i).abs() / 2.0)).collect()
    };
    let Overlap { steps: late, slowdown } = problem.overlap;
    let (steps, late) = (problem.steps as usize, late as usize);
    // What the steps beside a remap cost, by the difference after which it was decided.
    let zero = vec![0.0; (2 * half + 1) as usize];
    let slow = |cost: f64| cost + slowdown * (cost + problem.mean_load);
    let beside = (0..late).fold(zero.clone(), |on, _| mean(&add(on, &slow)));
    // The distribution of the difference when a remap is complete: 0 at its decision, then the
    // increments of the steps it takes.
    let mut after_remap = zero.clone();
    after_remap[half as usize] = 1.0;
    for _ in 0..late {
        let before = std::mem::replace(&mut after_remap, zero.clone());
        for (i, chance) in (-half..=half).zip(before).filter(|(_, chance)| *chance > 0.0) {
            weights.iter().for_each(|(by, weight)| after_remap[to(i, *by)] += weight * chance);
        }
    }
    // What comes after step k if the program goes on, and what comes after a remap that is in force
    // then.
    let (mut on, mut force) = (zero.clone(), vec![0.0; steps + 1]);
    for k in (0..steps).rev() {
        let decides = k + 1 + late < steps;
        let value: Vec<f64> = match decides {
            true => {
                let moved = |cost: f64| problem.remap_cost + problem.per_unit_moved * cost;
                let remap = add(beside.clone(), &moved);
                let best = |(on, remap): (&f64, f64)| on.min(remap + force[k + 1 + late]);
                on.iter().zip(remap).map(best).collect()
            }
            false => on,
        };
        on = mean(&add(value, &|cost| cost));
        force[k] = on.iter().zip(&after_remap).map(|(on, chance)| on * chance).sum();
    }
    on[half as usize]
}

/// Units that are paid for, and remaps that come into force later: two ranks, many of each.
#[test]
fn other_costs_of_two_ranks_are_between_the_bounds() {
    let late = |steps, slowdown| Overlap { steps, slowdown };
    let plain = ContinuousDrift { remap_cost: 4.0, ..normal(2, 40) };
    let cheap = ContinuousDrift { remap_cost: 1.0, ..plain.clone() };
    let all = [
        ContinuousDrift { remap_cost: 2.0, per_unit_moved: 1.5, ..plain.clone() },
        ContinuousDrift { remap_cost: 0.0, per_unit_moved: 2.0, ..plain.clone() },
        ContinuousDrift { overlap: late(1, 0.1), mean_load: 5.0, ..plain.clone() },
        ContinuousDrift { overlap: late(4, 0.05), mean_load: 20.0, ..cheap.clone() },
        ContinuousDrift { overlap: late(3, 0.2), mean_load: 2.0, per_unit_moved: 0.7, ..cheap },
        ContinuousDrift { overlap: late(39, 0.0), ..plain.clone() },
        ContinuousDrift { overlap: late(60, 0.1), ..plain.clone() },
    ];
    some(2, all).iter().for_each(two_are_between_their_bounds);
    // Later is no better.
    let later = |steps| of_two(&ContinuousDrift { overlap: late(steps, 0.0), ..plain.clone() });
    assert!(later(3) > of_two(&plain));
    assert_eq!(later(40), of_two(&ContinuousDrift { remap_cost: 1e9, ..normal(2, 40) }));
}

/// Many ranks with costs by the units moved and remaps beside steps: bounds that meet, and the best
/// interval above them.
#[test]
fn other_costs_of_many_ranks_have_bounds_that_meet() {
    let overlap = Overlap { steps: 2, slowdown: 0.02 };
    let jumps = Increments::Jumps { rate: 0.05, size: 4.0 };
    let all = [
        ContinuousDrift { per_unit_moved: 0.2, ..normal(16, 50) },
        ContinuousDrift { overlap, mean_load: 20.0, ..normal(16, 50) },
        ContinuousDrift { overlap, mean_load: 20.0, slopes: 0.3, noise: 0.5, ..normal(12, 50) },
        ContinuousDrift { overlap, mean_load: 20.0, per_unit_moved: 0.1, ..of(20, jumps, 50) },
    ];
    for problem in some(2, all) {
        let (_, found) = measured(&problem, 3, 8);
        assert!(found.gap.mean <= 0.06 * found.lower.mean, "{problem:?}: {found:?}");
        assert!(found.paid.low <= found.upper.high && found.upper.low <= found.paid.high);
        if let Some(best) = best_interval(&problem) {
            assert!(found.lower.low <= best && found.upper.low <= best, "{problem:?}: {best}");
        }
    }
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
    let (seeds, least) = few_or_all((3, 3), (8, 7));
    let inside = (1..=seeds).filter(inside).count();
    assert!(inside >= least, "{inside} of {seeds} hold {exact}");
    // Many paths leave little room on either side.
    let (_, found) = measured(&problem, 77, few_or_all(100, 300));
    assert!(found.lower.low <= exact && exact <= found.upper.high, "{found:?} {exact}");
    assert!(found.upper.mean <= 1.01 * exact, "the policy is near the best: {found:?} {exact}");
}

/// The policy is no worse than any fixed interval, and no lower bound is above one; never and
/// always are sums of expected imbalances.
#[test]
fn fixed_intervals_are_no_better() {
    let gamma = Increments::Gamma { shape: 0.7, mean: 1.0 };
    let all = [
        normal(16, 60),
        normal(300, 30),
        of(12, gamma, 40),
        ContinuousDrift { slopes: 0.5, ..normal(12, 40) },
        ContinuousDrift { slopes: 0.3, noise: 1.0, ..normal(12, 40) },
    ];
    for problem in some(2, all) {
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
        let most = problem.never_at_most();
        assert!(never <= most && most <= 10.0 * never, "{problem:?}: {never} {most}");
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
        for ranks in some(1, [5, 200]) {
            let problem = of(ranks, increments, 30);
            let (_, found) = measured(&problem, 2, 8);
            assert!(found.gap.mean <= 0.1 * found.lower.mean, "{problem:?}: {found:?}");
            assert_eq!(measured(&problem, 2, 8).1, found);
        }
    }
}

#[test]
fn what_is_out_of_reach_is_said() {
    let fault = |problem: ContinuousDrift| problem.fault();
    assert_eq!(fault(normal(1, 10)), Some(NoBounds::Ranks(1)));
    assert_eq!(fault(normal(4, 1_000_000)), Some(NoBounds::Steps(1_000_000)));
    let jumps = Increments::Jumps { rate: 0.1, size: 1.0 };
    let noisy = ContinuousDrift { noise: 1.0, ..of(4, jumps, 10) };
    assert_eq!(fault(noisy), Some(NoBounds::NotNormal));
    let long = ContinuousDrift { kept_slopes: kept(1.0, 0.1), ..normal(10_000, 2_000) };
    assert_eq!(fault(long), Some(NoBounds::Long(2_000, 10_000)));
    let keeps = |deviation, change| ContinuousDrift {
        kept_slopes: kept(deviation, change),
        ..normal(4, 10)
    };
    for wrong in [
        keeps(0.0, 0.1),
        keeps(1.0, 1.1),
        keeps(1.0, f64::NAN),
        ContinuousDrift { slopes: 1.0, ..keeps(1.0, 0.1) },
        ContinuousDrift { overlap: Overlap { steps: 1, slowdown: 0.0 }, ..keeps(1.0, 0.1) },
    ] {
        assert!(matches!(fault(wrong), Some(NoBounds::Law(_))));
    }
    let student = Increments::Student { freedom: 2.0, scale: 1.0 };
    assert!(fault(of(4, student, 10)).is_some());
}
