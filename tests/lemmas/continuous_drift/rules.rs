//! What rules of few numbers cost for loads with continuous increments, against runs by definition;
//! slopes that are kept.

use super::bounds::{kept, measured, normal};
use crate::thorough::{few_or_all, some};
use approx::{abs_diff_eq, assert_abs_diff_eq};
use rand::RngExt;
use rand_distr::{Distribution, Gamma, StandardNormal, StudentT};
use remapping::continuous_drift::{Class, ContinuousDrift, Drifting, Increments, KeptSlopes};
use remapping::load_drift::many::{Measured, SamplePaths, Spread};
use remapping::random::stream;

/// One run by definition: loads, slopes and noise, and the rule that sees max - mean alone.
fn played(problem: &ContinuousDrift, rule: &Drifting, run: u64) -> f64 {
    let mut draws = stream(4711, run);
    let mut normal = |size: f64| -> f64 {
        let by: f64 = StandardNormal.sample(&mut draws);
        size * by
    };
    let ranks = problem.ranks();
    let laws: Vec<Class> = (problem.classes.iter())
        .flat_map(|class| std::iter::repeat_n(*class, class.count))
        .collect();
    let mut loads = vec![0.0; ranks];
    let kept = problem.kept_slopes.unwrap_or(KeptSlopes { deviation: 0.0, change: 0.0 });
    let mut slopes: Vec<f64> =
        (0..ranks).map(|_| normal(problem.slopes + kept.deviation)).collect();
    let mut changes = stream(1234, run);
    let (mut cost, mut since) = (0.0, 0);
    for step in 1..=problem.steps {
        if changes.random::<f64>() < kept.change {
            slopes = (0..ranks).map(|_| normal(kept.deviation)).collect();
        }
        let mut jumps = stream(815, 100_000 * run + step);
        for ((load, slope), class) in loads.iter_mut().zip(&slopes).zip(&laws) {
            *load += slope + class.drift;
            *load += match class.law {
                Increments::Normal { deviation } => normal(deviation),
                Increments::Jumps { rate, .. } if jumps.random::<f64>() >= rate => 0.0,
                Increments::Jumps { size, .. } => -size * (1.0 - jumps.random::<f64>()).ln(),
                Increments::Gamma { shape, mean } => {
                    Gamma::new(shape, mean / shape).unwrap().sample(&mut jumps)
                }
                Increments::Student { freedom, scale } => {
                    scale * StudentT::new(freedom).unwrap().sample(&mut jumps)
                }
            };
        }
        let seen: Vec<f64> = loads.iter().map(|load| load + normal(problem.noise)).collect();
        let mean = seen.iter().sum::<f64>() / ranks as f64;
        let imbalance = seen.iter().copied().fold(f64::MIN, f64::max) - mean;
        cost += imbalance;
        since += 1;
        if step < problem.steps && rule.curve().remaps(step, since, imbalance) {
            cost += problem.remap_cost;
            loads = vec![0.0; ranks];
            if problem.kept_slopes.is_none() {
                slopes = (0..ranks).map(|_| normal(problem.slopes)).collect();
            }
            since = 0;
        }
    }
    cost
}

/// What the rule costs on loads made by definition: as much as it is said to, but for errors of
/// sampling.
pub fn costs_what_is_said(problem: &ContinuousDrift, rule: &Drifting, found: &Measured) -> Spread {
    let costs: Vec<f64> =
        (0..few_or_all(1500, 4000)).map(|run| played(problem, rule, run)).collect();
    let played = Spread::of(&costs, 0.99);
    let error = (played.high - played.mean) + (found.ruled.high - found.ruled.mean);
    assert!(
        abs_diff_eq!(played.mean, found.ruled.mean, epsilon = error),
        "{problem:?}: {played:?} {:?}",
        found.ruled
    );
    played
}

/// What the rule of few numbers is said to cost is what it costs on loads made by definition, not
/// by what is known of them.
#[test]
fn the_rule_costs_what_it_is_said_to() {
    let all = [
        normal(10, 50),
        ContinuousDrift { slopes: 0.5, noise: 0.7, ..normal(10, 50) },
        ContinuousDrift {
            classes: vec![Class::of(6, Increments::Jumps { rate: 0.1, size: 3.0 })],
            ..normal(6, 50)
        },
    ];
    for problem in some(1, all) {
        let (rule, found) = measured(&problem, 9, 48);
        let played = costs_what_is_said(&problem, &rule, &found);
        assert!(played.high >= found.lower.low);
        assert!(found.ruled.mean <= 1.06 * found.lower.mean, "{problem:?}: {found:?}");
    }
}

/// Slopes that are kept: the rule costs what it costs on loads by definition, and no less than the
/// bound.
#[test]
fn rules_for_slopes_that_are_kept_cost_what_they_are_said_to() {
    let still = Increments::Normal { deviation: 0.0 };
    for problem in [
        ContinuousDrift {
            classes: vec![Class::of(8, still)],
            kept_slopes: kept(0.5, 0.0),
            ..normal(8, 50)
        },
        ContinuousDrift { kept_slopes: kept(0.5, 0.04), noise: 0.7, ..normal(10, 50) },
        ContinuousDrift {
            classes: vec![Class::of(6, Increments::Jumps { rate: 0.02, size: 2.0 })],
            kept_slopes: kept(0.4, 0.1),
            ..normal(6, 50)
        },
    ] {
        let (rule, found) = measured(&problem, 9, 1000);
        costs_what_is_said(&problem, &rule, &found);
        assert!(found.gap.mean <= 0.2 * found.lower.mean, "{problem:?}: {found:?}");
        assert_eq!(measured(&problem, 9, 1000).1, found);
        if let Some(intervals) = problem.intervals() {
            let best = intervals.into_iter().fold(f64::INFINITY, f64::min);
            assert!(found.upper.mean < best, "the rule knows the slopes in time: {found:?} {best}");
            assert!(found.lower.mean < best, "{found:?} {best}");
        }
    }
}

/// Over ten steps, the bound is the mean over loads by definition of the cheapest of all 512 sets
/// of remaps.
#[test]
fn the_bound_of_kept_slopes_is_the_best_in_hindsight() {
    let problem = ContinuousDrift {
        kept_slopes: kept(1.0, 0.2),
        noise: 0.5,
        remap_cost: 3.0,
        ..normal(4, 10)
    };
    let cheapest = |run: u64| -> f64 {
        let mut draws = stream(99, run);
        let mut normal = |size: f64| -> f64 {
            let by: f64 = StandardNormal.sample(&mut draws);
            size * by
        };
        let mut changes = stream(98, run);
        let mut slopes: Vec<f64> = (0..4).map(|_| normal(1.0)).collect();
        let (mut sums, mut noise) = (vec![vec![0.0; 4]], vec![vec![0.0; 4]]);
        for _ in 0..10 {
            if changes.random::<f64>() < 0.2 {
                slopes = (0..4).map(|_| normal(1.0)).collect();
            }
            let last = sums[sums.len() - 1].clone();
            sums.push(last.iter().zip(&slopes).map(|(sum, b)| sum + b + normal(1.0)).collect());
            noise.push((0..4).map(|_| normal(0.5)).collect());
        }
        let cost = |remaps: u32| {
            let (mut last, mut cost) = (0, 0.0);
            for step in 1..=10 {
                let at = |i: usize| sums[step][i] - sums[last][i] + noise[step][i];
                let loads: Vec<f64> = (0..4).map(at).collect();
                cost += loads.iter().copied().fold(f64::MIN, f64::max)
                    - loads.iter().sum::<f64>() / 4.0;
                if step < 10 && remaps >> (step - 1) & 1 == 1 {
                    (last, cost) = (step, cost + problem.remap_cost);
                }
            }
            cost
        };
        (0..512).map(cost).fold(f64::INFINITY, f64::min)
    };
    let costs: Vec<f64> = (0..few_or_all(1000, 3000)).map(cheapest).collect();
    let by_definition = Spread::of(&costs, 0.99);
    let (_, found) = measured(&problem, 4, 3000);
    let error = by_definition.high - by_definition.mean + found.lower.high - found.lower.mean;
    assert_abs_diff_eq!(found.lower.mean, by_definition.mean, epsilon = error);
}
