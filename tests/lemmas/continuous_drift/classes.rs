//! Ranks in classes with laws of their own: against exact values, closed forms, and runs by
//! definition.

use super::bounds::{
    best_interval, each, kept, measured, normal, of_two, pays_what_it_is_charged,
    two_are_between_their_bounds,
};
use super::rules::{costs_what_is_said, increment};
use crate::shared::normal as normal_number;
use crate::thorough::{few_or_all, some};
use approx::assert_abs_diff_eq;
use remapping::continuous_drift::{Class, ContinuousDrift, Increments, NoBounds};
use remapping::load_drift::many::{SamplePaths, Spread};
use remapping::overlap::Overlap;
use remapping::random::stream;

fn gaussian(count: usize, drift: f64, deviation: f64) -> Class {
    Class { count, law: Increments::Normal { deviation }, drift }
}

fn jumping(count: usize) -> Class {
    Class::of(count, Increments::Jumps { rate: 0.2, size: 2.0 })
}

fn of_classes(classes: Vec<Class>, steps: u64) -> ContinuousDrift {
    ContinuousDrift { classes, ..normal(2, steps) }
}

/// Two ranks that differ: one gains faster, varies more, or jumps.
#[test]
fn two_ranks_that_differ_are_between_the_bounds() {
    let plain = ContinuousDrift { remap_cost: 4.0, ..normal(2, 40) };
    let faster = vec![gaussian(1, 0.0, 1.0), gaussian(1, 0.5, 0.4)];
    let jumps = vec![gaussian(1, 0.4, 0.5), jumping(1)];
    let overlap = Overlap { steps: 3, slowdown: 0.1 };
    let all = [
        ContinuousDrift { classes: faster.clone(), ..plain.clone() },
        ContinuousDrift { classes: jumps.clone(), ..plain.clone() },
        ContinuousDrift { classes: jumps, per_unit_moved: 1.5, ..plain.clone() },
        ContinuousDrift { classes: faster, overlap, mean_load: 5.0, ..plain.clone() },
    ];
    some(2, all).iter().for_each(two_are_between_their_bounds);
    // Two that are alike are those of a common law.
    let one = gaussian(1, 0.3, 1.0);
    let (alike, exact) =
        (ContinuousDrift { classes: vec![one, one], ..plain.clone() }, of_two(&plain));
    assert_abs_diff_eq!(of_two(&alike), exact, epsilon = 1e-3 * exact);
}

/// Many seeds with few paths each: the exact value is in the bounds; `measured` asks that no path's
/// bound is above its policy.
#[test]
fn bounds_of_many_seeds_hold_the_exact_value() {
    let classes = vec![gaussian(1, 0.0, 1.0), gaussian(1, 0.5, 0.4)];
    let problem = ContinuousDrift { remap_cost: 4.0, ..of_classes(classes, 20) };
    let exact = of_two(&problem);
    let inside = |seed: &u64| {
        let (_, found) = measured(&problem, *seed, 6);
        (found.lower.low..=found.upper.high).contains(&exact)
    };
    let (seeds, least) = few_or_all((8, 8), (24, 23));
    let inside = (1..=seeds).filter(inside).count();
    assert!(inside >= least, "{inside} of {seeds} hold {exact}");
}

/// Classes with one law in common are the common law, to the last bit.
#[test]
fn classes_that_are_alike_are_one() {
    let laws = [
        Increments::Normal { deviation: 0.7 },
        Increments::Gamma { shape: 2.0, mean: 1.5 },
        Increments::Student { freedom: 4.0, scale: 1.0 },
        Increments::Jumps { rate: 0.1, size: 4.0 },
    ];
    for law in laws {
        let part = |count| Class { count, law, drift: 0.3 };
        for slopes in [0.0, 0.3] {
            if slopes > 0.0 && !matches!(law, Increments::Normal { .. }) {
                continue;
            }
            let plain = ContinuousDrift { slopes, ..of_classes(vec![Class::of(11, law)], 25) };
            let parted =
                ContinuousDrift { classes: vec![part(4), part(1), part(6)], ..plain.clone() };
            let ((one, found), (other, too)) = (measured(&plain, 8, 6), measured(&parted, 8, 6));
            assert_eq!(one.curve(), other.curve(), "{law:?}");
            assert_eq!(found, too, "{law:?}");
            if let (Some(one), Some(other)) = (plain.intervals(), parted.intervals()) {
                for (one, other) in one.into_iter().zip(other) {
                    assert_abs_diff_eq!(one, other, epsilon = 1e-9 * one);
                }
            }
        }
    }
}

/// A load by definition after so many steps.
fn load(class: &Class, steps: u64, slopes: f64, noise: f64, run: u64) -> f64 {
    let draws = &mut stream(31, run);
    let start = slopes * normal_number(draws) * steps as f64 + noise * normal_number(draws);
    (0..steps).fold(start, |sum, _| sum + increment(class, draws))
}

/// What steps cost and remaps move on average is what it is on loads made by definition; intervals
/// are sums of both.
#[test]
fn fixed_intervals_cost_what_loads_by_definition_do() {
    let gamma = |count, shape, mean| Class::of(count, Increments::Gamma { shape, mean });
    let normals = vec![gaussian(5, 0.0, 1.0), gaussian(2, 0.4, 0.3), gaussian(1, -0.2, 0.0)];
    for problem in [
        of_classes(normals.clone(), 6),
        ContinuousDrift { slopes: 0.3, noise: 0.7, ..of_classes(normals.clone(), 6) },
        ContinuousDrift { per_unit_moved: 0.5, noise: 0.2, ..of_classes(normals, 6) },
        of_classes(vec![gamma(6, 2.0, 1.0), gamma(2, 0.5, 1.5), gaussian(2, 0.9, 0.5)], 6),
    ] {
        let each = each(&problem);
        let ranks = each.len() as u64;
        // max - mean, and units above the mean, after 1, 2, ... steps.
        let sampled = |steps: u64| -> [Spread; 2] {
            let one = |run: u64| -> [f64; 2] {
                let number = |rank: u64| (run * ranks + rank) * 100 + steps;
                let own = |(rank, class): (u64, &Class)| {
                    load(class, steps, problem.slopes, problem.noise, number(rank))
                };
                let loads: Vec<f64> = (0..ranks).zip(&each).map(own).collect();
                let mean = loads.iter().sum::<f64>() / ranks as f64;
                let most = loads.iter().copied().fold(f64::MIN, f64::max);
                [most - mean, loads.iter().map(|load| (load - mean).max(0.0)).sum()]
            };
            let all: Vec<[f64; 2]> = (0..4000).map(one).collect();
            [0, 1].map(|k| Spread::of(&all.iter().map(|each| each[k]).collect::<Vec<f64>>(), 0.999))
        };
        let sampled: Vec<[Spread; 2]> = (1..=6).map(sampled).collect();
        let expected = problem.expected(6).unwrap();
        for (expected, [cost, _]) in expected.iter().zip(&sampled) {
            assert!((cost.low..=cost.high).contains(expected), "{problem:?}: {expected} {cost:?}");
        }
        for (interval, found) in (1..=6).zip(problem.intervals().unwrap()) {
            let remaps = 5 / interval;
            let sum = |steps: usize| sampled[..steps].iter().map(|at| at[0].mean).sum::<f64>();
            let moved = problem.per_unit_moved * sampled[interval - 1][1].mean;
            let by_definition = remaps as f64 * (sum(interval) + moved + problem.remap_cost)
                + sum(6 - remaps * interval);
            assert_abs_diff_eq!(found, by_definition, epsilon = 0.02 * by_definition);
        }
    }
}

/// What the rule is said to cost is what it costs on loads made by definition, with all laws beside
/// each other.
#[test]
fn rules_for_classes_cost_what_they_are_said_to() {
    let student =
        Class { drift: 0.1, ..Class::of(3, Increments::Student { freedom: 5.0, scale: 0.5 }) };
    let gamma = Class::of(2, Increments::Gamma { shape: 1.5, mean: 0.3 });
    let mixed = vec![gaussian(3, 0.0, 0.6), student, gamma, jumping(2)];
    let normals = vec![gaussian(6, 0.0, 0.3), gaussian(3, 0.2, 0.8), gaussian(1, 0.5, 0.0)];
    let all = [
        of_classes(mixed.clone(), 50),
        of_classes(normals.clone(), 50),
        ContinuousDrift { slopes: 0.2, noise: 0.7, ..of_classes(normals, 50) },
        ContinuousDrift { kept_slopes: kept(0.3, 0.04), noise: 0.4, ..of_classes(mixed, 50) },
    ];
    for problem in some(1, all) {
        let is_kept = problem.kept_slopes.is_some();
        let (rule, found) = measured(&problem, 9, if is_kept { 1000 } else { 24 });
        let played = costs_what_is_said(&problem, &rule, &found);
        assert!(played.high >= found.lower.low);
        let most = if is_kept { 1.2 } else { 1.06 };
        assert!(found.ruled.mean <= most * found.lower.mean, "{problem:?}: {found:?}");
        if !is_kept {
            pays_what_it_is_charged(&found);
        }
        if let Some(best) = best_interval(&problem) {
            assert!(found.lower.low <= best && found.upper.low <= best, "{found:?} {best}");
        }
    }
}

/// Loads that grow evenly, one faster than the rest: nothing is left to chance, and the bounds are
/// the cheapest plan.
#[test]
fn loads_without_chance_cost_the_cheapest_plan() {
    let problem = of_classes(vec![gaussian(3, 0.0, 0.0), gaussian(1, 0.8, 0.0)], 40);
    // What a step costs grows by .6; what is left, by steps.
    let mut cheapest = vec![0.0];
    for left in 1..=40_usize {
        let ends = |since: usize| {
            let paid = 0.6 * (since * (since + 1)) as f64 / 2.0;
            paid + if since < left { 8.0 + cheapest[left - since] } else { 0.0 }
        };
        cheapest.push((1..=left).map(ends).fold(f64::INFINITY, f64::min));
    }
    let (_, found) = measured(&problem, 1, 4);
    assert_abs_diff_eq!(found.lower.mean, cheapest[40], epsilon = 1e-9 * cheapest[40]);
    assert_abs_diff_eq!(found.upper.mean, cheapest[40], epsilon = 1e-2 * cheapest[40]);
    let best = best_interval(&problem).unwrap();
    assert!(best >= cheapest[40] * (1.0 - 1e-12) && best <= 1.05 * cheapest[40], "{best}");
}

#[test]
fn what_is_wrong_with_classes_is_said() {
    let fault = |problem: ContinuousDrift| problem.fault();
    assert_eq!(fault(of_classes(Vec::new(), 10)), Some(NoBounds::Ranks(0)));
    assert_eq!(fault(of_classes(vec![gaussian(1, 0.0, 1.0)], 10)), Some(NoBounds::Ranks(1)));
    let huge = vec![gaussian(usize::MAX, 0.0, 1.0), gaussian(2, 0.0, 2.0)];
    assert_eq!(fault(of_classes(huge, 10)), Some(NoBounds::Ranks(usize::MAX)));
    assert_eq!(fault(of_classes(vec![gaussian(1, 0.0, 1.0); 9], 10)), Some(NoBounds::Classes(9)));
    let noisy =
        ContinuousDrift { noise: 1.0, ..of_classes(vec![gaussian(3, 0.0, 1.0), jumping(1)], 10) };
    assert_eq!(fault(noisy), Some(NoBounds::NotNormal));
    for wrong in [
        vec![gaussian(3, 0.0, 1.0), gaussian(0, 0.0, 2.0)],
        vec![gaussian(3, 0.0, 1.0), gaussian(1, f64::NAN, 2.0)],
        vec![gaussian(3, 0.0, 1.0), gaussian(1, 0.0, -2.0)],
        // Nothing moves apart.
        vec![gaussian(3, 0.5, 0.0), gaussian(1, 0.5, 0.0)],
    ] {
        assert!(matches!(fault(of_classes(wrong, 10)), Some(NoBounds::Law(_))));
    }
}
