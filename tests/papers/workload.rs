//! [NR90, sections III-B and V-C]: what the policies of the model problems rest on.

use approx::{abs_diff_eq, assert_relative_eq};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use remapping::estimate::Estimate;
use remapping::fluids::Fluids;
use remapping::phase_change::{Accuracy, solve};
pub(crate) use remapping::two_phase::Parameters;
use remapping::two_phase::estimate::{estimate, model, optimal_thresholds};
use remapping::two_phase::expectation;
use remapping::two_phase::figure::Setting;
use remapping::two_phase::play::{clairvoyant, fixed, threshold};
use remapping::two_phase::speedup::{between_remaps, with_routing};
use remapping::two_phase::trace::{Cycles, Loads};
use remapping::two_phase::workload::{Workload, compare};
use remapping::two_phase::{Belief, Premature};

/// Beliefs after 1, 2, ... reports of a change in a row, in odds: o -> 9 (o + phi)/(1 - phi).
fn ladder(hazard: f64, rungs: usize) -> Vec<f64> {
    let mut odds: f64 = 0.0;
    let climb = |_| {
        odds = 9.0 * (odds + hazard) / (1.0 - hazard);
        odds / (1.0 + odds)
    };
    (0..rungs).map(climb).collect()
}

#[test]
fn bayes_ladders() {
    for (hazard, needed) in [(1.0 / 400.0, 4), (1.0 / 60.0, 3)] {
        let beliefs = Belief { hazard, false_alarm: 0.1, missed: 0.1, threshold: 0.7 };
        let mut p = 0.0;
        for (rung, expected) in ladder(hazard, 6).into_iter().enumerate() {
            p = beliefs.update(p, true);
            assert_relative_eq!(p, expected, max_relative = 1e-12);
            assert_eq!(p > 0.7, rung + 1 >= needed, "rung {rung} of {hazard}: {p}");
        }
        // A report of no change takes the belief down again, but never to zero.
        let after = beliefs.update(p, false);
        assert!(after < p && after > 0.0);
    }
    // Errorless reports settle it.
    let sure = Belief { hazard: 0.01, false_alarm: 0.0, missed: 0.0, threshold: 0.7 };
    assert_eq!(sure.update(0.3, true), 1.0);
    assert_eq!(sure.update(0.3, false), 0.0);
}

fn cycles() -> impl Strategy<Value = Cycles> {
    (2usize..12).prop_flat_map(|n| {
        let times = || prop::collection::vec(1.0..10.0f64, n);
        (times(), times(), times(), 0..=n).prop_map(move |(old, new, remap_cost, change)| {
            let lower_bound = old.iter().zip(&new).map(|(o, n)| o.min(*n)).sum();
            let changed = (0..n).map(|cycle| cycle >= change).collect();
            Cycles { old, new, changed, remap_cost, lower_bound, work: 1.0 }
        })
    })
}

proptest! {
    #[test]
    fn hindsight_is_the_best_single_remap(cycles in cycles()) {
        let mut best: f64 = cycles.old.iter().sum();
        for n in 0..cycles.len() {
            let time = cycles.old[..n].iter().sum::<f64>()
                + cycles.remap_cost[n]
                + cycles.new[n..].iter().sum::<f64>();
            best = best.min(time);
        }
        let found = clairvoyant(&cycles);
        prop_assert!(abs_diff_eq!(found.time, best, epsilon = 1e-9));
        prop_assert!(cycles.lower_bound <= found.time + 1e-9);
    }

    /// The time of any threshold policy is that of the remap it made.
    #[test]
    fn a_policy_pays_for_what_it_does(
        cycles in cycles(),
        reports in prop::collection::vec(any::<bool>(), 12),
        level in 0.0..1.0f64,
    ) {
        let beliefs = Belief { hazard: 0.05, false_alarm: 0.2, missed: 0.2, threshold: 0.7 };
        let (played, last) = threshold(&cycles, &reports, &beliefs, Premature::Keep, &|_| level);
        let expected = match last {
            Some(n) => {
                cycles.old[..n].iter().sum::<f64>()
                    + cycles.remap_cost[n]
                    + cycles.new[n..].iter().sum::<f64>()
            }
            None => fixed(&cycles.old).time,
        };
        prop_assert!(abs_diff_eq!(played.time, expected, epsilon = 1e-9));
        // Undone, premature remaps cost their delay and nothing else.
        let (played, last) = threshold(&cycles, &reports, &beliefs, Premature::Revert, &|_| level);
        let change = cycles.change().unwrap_or(cycles.len());
        let from = last.filter(|&n| n >= change).unwrap_or(cycles.len());
        let running = cycles.old[..from].iter().sum::<f64>() + cycles.new[from..].iter().sum::<f64>();
        prop_assert!(abs_diff_eq!(played.time - played.remap_time, running, epsilon = 1e-9));
        prop_assert_eq!(played.remaps - played.premature, f64::from(from < cycles.len()));
    }

    /// What is expected of a policy is the sum over all errors of the detector, one by one.
    #[test]
    fn expected_times_are_sums_over_all_reports(
        cycles in cycles(),
        level in prop_oneof![0.0..1.0f64, Just(0.0), Just(1.0), Just(0.5)],
        flips in (prop_oneof![0.0..1.0f64, Just(0.0)], prop_oneof![0.0..1.0f64, Just(0.0)]),
        errors in (prop_oneof![0.0..1.0f64, Just(0.0)], prop_oneof![0.0..1.0f64, Just(0.0)]),
        hazard in prop_oneof![0.0..1.0f64, Just(1e-9), Just(0.0)],
        keep in any::<bool>(),
    ) {
        let beliefs = Belief { hazard, false_alarm: errors.0, missed: errors.1, threshold: level };
        let premature = if keep { Premature::Keep } else { Premature::Revert };
        let setting = Setting {
            flip_unchanged: flips.0,
            flip_changed: flips.1,
            belief: beliefs,
            premature,
            runs: 1,
            seed: 1,
        };
        let (mut time, mut remaps, mut early, mut remap_time) = (0.0, 0.0, 0.0, 0.0);
        for errors in 0u32..1 << (cycles.len() - 1) {
            let mut weight = 1.0;
            let reports: Vec<bool> = (0..cycles.len())
                .map(|n| {
                    let flipped = n > 0 && errors >> (n - 1) & 1 == 1;
                    let rate = if cycles.changed[n] { flips.1 } else { flips.0 };
                    if n > 0 {
                        weight *= if flipped { rate } else { 1.0 - rate };
                    }
                    cycles.changed[n] ^ flipped
                })
                .collect();
            let (played, _) = threshold(&cycles, &reports, &beliefs, premature, &|_| level);
            time += weight * played.time;
            remap_time += weight * played.remap_time;
            remaps += weight * played.remaps;
            early += weight * played.premature;
        }
        let found = expectation::threshold(&cycles, &setting, &|_| level);
        prop_assert!(abs_diff_eq!(found.time, time, epsilon = found.error + 1e-12 * time), "{found:?} {time}");
        prop_assert!(found.error < 1e-9, "{found:?}");
        prop_assert!(abs_diff_eq!(found.remap_time, remap_time, epsilon = 1e-9));
        prop_assert!(abs_diff_eq!(found.remaps, remaps, epsilon = 1e-9));
        prop_assert!(abs_diff_eq!(found.premature, early, epsilon = 1e-9));
    }

    /// The two formulas of section V-C are one at h = (log2 P)/P.
    #[test]
    fn routing_is_a_serial_fraction(
        cycles in 1.0..100.0f64, update in 0.1..10.0f64, moving in 0.0..10.0f64,
        efficiency in 0.1..1.0f64, processors in 2.0..1000.0f64,
    ) {
        let serial = processors.log2() / processors;
        let one = between_remaps(cycles, update, moving, efficiency, processors, serial);
        let other = with_routing(cycles, update, moving, efficiency, processors);
        prop_assert!(abs_diff_eq!(one, other, epsilon = 1e-9 * one));
        prop_assert!(one <= efficiency * processors + 1e-9);
    }
}

/// A run drawn from the two-phase model itself, and what its detector reports.
fn draw(
    parameters: &Parameters,
    beliefs: &Belief,
    cycles: usize,
    rng: &mut ChaCha8Rng,
) -> (Cycles, Vec<bool>) {
    let (mut now, mut changed, mut reports) = (false, Vec::new(), Vec::new());
    for n in 0..cycles {
        now |= n > 0 && rng.random::<f64>() < beliefs.hazard;
        changed.push(now);
        let reported = if now { 1.0 - beliefs.missed } else { beliefs.false_alarm };
        reports.push(rng.random::<f64>() < reported);
    }
    let times = |before: f64, after: f64| -> Vec<f64> {
        changed.iter().map(|&changed| if changed { after } else { before }).collect()
    };
    let run = Cycles {
        old: times(parameters.before, parameters.after),
        new: times(parameters.before_remapped, parameters.remapped),
        remap_cost: vec![parameters.remap_cost; cycles],
        changed,
        lower_bound: 0.0,
        work: 1.0,
    };
    (run, reports)
}

/// Played on runs of the model itself, the optimal policy takes the time the solver says it takes,
/// and no fixed threshold does better.
#[test]
fn the_optimal_policy_is_optimal_on_its_own_model() {
    let parameters = Parameters {
        before: 10.0,
        after: 30.0,
        before_remapped: 14.0,
        remapped: 20.0,
        remap_cost: 25.0,
        cycles_after: 0.0,
    };
    let beliefs = Belief { hazard: 0.03, false_alarm: 0.2, missed: 0.15, threshold: 0.7 };
    let (cycles, runs) = (40, 20_000);
    for premature in [Premature::Keep, Premature::Revert] {
        let (optimal, _) =
            optimal_thresholds(&parameters, &beliefs, premature, cycles, 1e-9, &()).unwrap();
        let problem = model(&parameters, &beliefs, premature, cycles).unwrap();
        let accuracy = Accuracy { tolerance: 1e-9, segments: None };
        let value = solve(&problem, accuracy, &()).unwrap().value.unwrap().lower;
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let drawn: Vec<_> =
            (0..runs).map(|_| draw(&parameters, &beliefs, cycles, &mut rng)).collect();
        let times = |policy: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let play = |(run, reports): &(Cycles, Vec<bool>)| {
                threshold(run, reports, &beliefs, premature, policy).0.time
            };
            drawn.iter().map(play).collect()
        };
        let best = times(&|n| optimal[n]);
        let best_time = Estimate::of(&best);
        assert!(best_time.agrees(value, 2.0), "{best_time:?}, not {value}");
        for level in [0.1, 0.3, 0.5, 0.7, 0.9, 0.97] {
            let fixed = times(&|_| level);
            let worse: Vec<f64> = fixed.iter().zip(&best).map(|(a, b)| a - b).collect();
            let worse = Estimate::of(&worse);
            assert!(worse.value > -2.0 * worse.half_width(), "{level} is better: {worse:?}");
        }
    }
}

#[test]
fn parameters_are_means_over_the_phases() {
    let run = Cycles {
        old: vec![1.0, 3.0, 10.0, 20.0],
        new: vec![4.0, 6.0, 5.0, 7.0],
        changed: vec![false, false, true, true],
        remap_cost: vec![0.5, 0.5, 1.0, 3.0],
        lower_bound: 16.0,
        work: 9.0,
    };
    let found = estimate(std::slice::from_ref(&run), &[]).unwrap();
    let expected = Parameters {
        before: 2.0,
        after: 15.0,
        before_remapped: 5.0,
        remapped: 6.0,
        remap_cost: 2.0,
        cycles_after: 2.0,
    };
    assert_eq!(found, expected);
    // A run without a second phase borrows it.
    let quiet = Cycles { changed: vec![false; 4], ..run.clone() };
    let found = estimate(std::slice::from_ref(&quiet), std::slice::from_ref(&run));
    let found = found.unwrap();
    assert_eq!((found.before, found.after, found.cycles_after), (8.5, 15.0, 0.0));
    assert_eq!(estimate(std::slice::from_ref(&quiet), &[]), None);
}

#[test]
fn the_measured_speedup_is_the_formula_s() {
    let model = Fluids::default();
    let (comparison, _) = compare(&model, 20, 3, &()).unwrap();
    for measured in &comparison.speedup {
        let processors = model.processors() as f64;
        let formula = with_routing(
            measured.cycles,
            measured.update,
            measured.moving,
            measured.efficiency,
            processors,
        );
        assert_relative_eq!(formula, measured.speedup, max_relative = 1e-9);
    }
}

#[test]
fn traces_as_csv() {
    let mut loads = Loads::new(2);
    for step in 0..3 {
        let row = loads.push_step();
        row.copy_from_slice(&[f64::from(step), 0.5]);
    }
    let expected = "step,rank,seconds,remapped,remap_seconds\n\
        0,0,0,0,\n0,1,0.5,0,\n1,0,1,1,2.5\n1,1,0.5,1,2.5\n2,0,2,0,\n2,1,0.5,0,\n";
    assert_eq!(loads.to_csv(&[(1, 2.5)]), expected);
}

/// Where beliefs are too many to be told apart, the bounds say so and hold: many cycles, a blunt
/// detector.
#[test]
fn merged_beliefs_keep_the_bounds() {
    let changed: Vec<bool> = (0..80).map(|n| n >= 50).collect();
    let times = |before: f64, after: f64| -> Vec<f64> {
        changed.iter().map(|&changed| if changed { after } else { before }).collect()
    };
    let cycles = Cycles {
        old: times(10.0, 30.0),
        new: times(14.0, 20.0),
        remap_cost: vec![25.0; 80],
        lower_bound: 0.0,
        work: 1.0,
        changed,
    };
    let beliefs = Belief { hazard: 0.01, false_alarm: 0.4, missed: 0.35, threshold: 0.6 };
    for premature in [Premature::Keep, Premature::Revert] {
        let setting = Setting {
            flip_unchanged: 0.4,
            flip_changed: 0.35,
            belief: beliefs,
            premature,
            runs: 1,
            seed: 1,
        };
        let found = expectation::threshold(&cycles, &setting, &|_| 0.6);
        assert!(found.error < 0.05 * found.time, "{found:?}");
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let played = |_| {
            let mut report = |&changed: &bool| {
                let rate = if changed { 0.35 } else { 0.4 };
                changed ^ (rng.random::<f64>() < rate)
            };
            let reports: Vec<bool> = cycles.changed.iter().map(&mut report).collect();
            threshold(&cycles, &reports, &beliefs, premature, &|_| 0.6).0.time
        };
        let sampled = Estimate::of(&(0..40_000).map(played).collect::<Vec<_>>());
        let off = (sampled.value - found.time).abs();
        assert!(off <= found.error + 2.0 * sampled.half_width(), "{found:?} {sampled:?}");
    }
}
