//! What rules of few numbers cost for loads with continuous increments, against runs by definition;
//! slopes that are kept.

use super::bounds::{best_interval, each, kept, measured, normal, of};
use crate::shared::normal as normal_number;
use crate::thorough::{few_or_all, some};
use approx::{abs_diff_eq, assert_abs_diff_eq};
use rand::RngExt;
use rand_distr::{Distribution, Gamma, StudentT};
use remapping::continuous_drift::{Class, ContinuousDrift, Drifting, Increments, KeptSlopes};
use remapping::load_drift::many::{Measured, SamplePaths, Spread};
use remapping::random::{Stream, stream};

/// What a step adds to a load of a class.
pub fn increment(class: &Class, draws: &mut Stream) -> f64 {
    let random = match class.law {
        Increments::Normal { deviation } => deviation * normal_number(draws),
        Increments::Jumps { rate, .. } if draws.random::<f64>() >= rate => 0.0,
        Increments::Jumps { size, .. } => -size * (1.0 - draws.random::<f64>()).ln(),
        Increments::Gamma { shape, mean } => Gamma::new(shape, mean / shape).unwrap().sample(draws),
        Increments::Student { freedom, scale } => {
            scale * StudentT::new(freedom).unwrap().sample(draws)
        }
    };
    class.drift + random
}

fn normals(count: usize, size: f64, draws: &mut Stream) -> Vec<f64> {
    (0..count).map(|_| size * normal_number(draws)).collect()
}

fn imbalance(loads: &[f64]) -> f64 {
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    loads.iter().copied().fold(f64::MIN, f64::max) - mean
}

/// One run by definition: loads, slopes and noise, and the rule that sees max - mean alone.
fn played(problem: &ContinuousDrift, rule: &Drifting, run: u64) -> f64 {
    let draws = &mut stream(4711, run);
    let (ranks, laws) = (problem.ranks(), each(problem));
    let mut loads = vec![0.0; ranks];
    let kept = problem.kept_slopes.unwrap_or(KeptSlopes { deviation: 0.0, change: 0.0 });
    let mut slopes = normals(ranks, problem.slopes + kept.deviation, draws);
    let (mut cost, mut since) = (0.0, 0);
    for step in 1..=problem.steps {
        if draws.random::<f64>() < kept.change {
            slopes = normals(ranks, kept.deviation, draws);
        }
        for ((load, slope), class) in loads.iter_mut().zip(&slopes).zip(&laws) {
            *load += slope + increment(class, draws);
        }
        let mut seen = normals(ranks, problem.noise, draws);
        seen.iter_mut().zip(&loads).for_each(|(seen, load)| *seen += load);
        let imbalance = imbalance(&seen);
        cost += imbalance;
        since += 1;
        if step < problem.steps && rule.curve().remaps(step, since, imbalance) {
            cost += problem.remap_cost;
            loads = vec![0.0; ranks];
            if problem.kept_slopes.is_none() {
                slopes = normals(ranks, problem.slopes, draws);
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
    let near = abs_diff_eq!(played.mean, found.ruled.mean, epsilon = error);
    assert!(near, "{problem:?}: {played:?} {:?}", found.ruled);
    played
}

/// What the rule of few numbers is said to cost is what it costs on loads made by definition, not
/// by what is known of them.
#[test]
fn the_rule_costs_what_it_is_said_to() {
    let all = [
        normal(10, 50),
        ContinuousDrift { slopes: 0.5, noise: 0.7, ..normal(10, 50) },
        of(6, Increments::Jumps { rate: 0.1, size: 3.0 }, 50),
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
    let jumps = Increments::Jumps { rate: 0.02, size: 2.0 };
    for problem in [
        ContinuousDrift { kept_slopes: kept(0.5, 0.0), ..of(8, still, 50) },
        ContinuousDrift { kept_slopes: kept(0.5, 0.04), noise: 0.7, ..normal(10, 50) },
        ContinuousDrift { kept_slopes: kept(0.4, 0.1), ..of(6, jumps, 50) },
    ] {
        let (rule, found) = measured(&problem, 9, 1000);
        costs_what_is_said(&problem, &rule, &found);
        assert!(found.gap.mean <= 0.2 * found.lower.mean, "{problem:?}: {found:?}");
        assert_eq!(measured(&problem, 9, 1000).1, found);
        if let Some(best) = best_interval(&problem) {
            assert!(found.upper.mean < best, "the rule knows the slopes in time: {found:?} {best}");
            assert!(found.lower.mean < best, "{found:?} {best}");
        }
    }
}

/// Over ten steps, the bound is the mean over loads by definition of the cheapest of all 512 sets
/// of remaps.
#[test]
fn the_bound_of_kept_slopes_is_the_best_in_hindsight() {
    let kept_slopes = kept(1.0, 0.2);
    let problem = ContinuousDrift { kept_slopes, noise: 0.5, remap_cost: 3.0, ..normal(4, 10) };
    let cheapest = |run: u64| -> f64 {
        let draws = &mut stream(99, run);
        let mut slopes = normals(4, 1.0, draws);
        let (mut sums, mut noise) = (vec![vec![0.0; 4]], vec![vec![0.0; 4]]);
        for step in 0..10 {
            if draws.random::<f64>() < 0.2 {
                slopes = normals(4, 1.0, draws);
            }
            let more = normals(4, 1.0, draws);
            sums.push((0..4).map(|i| sums[step][i] + slopes[i] + more[i]).collect());
            noise.push(normals(4, 0.5, draws));
        }
        let cost = |remaps: u32| {
            let (mut last, mut cost) = (0, 0.0);
            for step in 1..=10 {
                let at = |i: usize| sums[step][i] - sums[last][i] + noise[step][i];
                cost += imbalance(&(0..4).map(at).collect::<Vec<f64>>());
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
