//! Recorded runs: what other remaps would have made of them.

use super::overlap::overlaps;
use super::records;
use crate::thorough::some;
use approx::abs_diff_eq;
use proptest::prelude::*;
use rand::RngExt;
use remapping::fit::level::Family;
use remapping::overlap::Price;
use remapping::policy::predictive::Predictive;
use remapping::policy::{Policy, Rule};
use remapping::record::Record;
use remapping::replay::{Indicator, cheapest, intervals, learn, replay, thresholds, tuned};
use remapping::simulate::{Base, Recorded, stream};

proptest! {
    /// Without remaps, recorded or made, the counterfactual is the record.
    #[test]
    fn what_nobody_remapped_is_what_was_recorded(record in records(3..10, 0..3)) {
        let plain = Record::new(record.ranks(), (0..record.steps()).flat_map(|s| record.row(s).to_vec()).collect(), vec![]).unwrap();
        let mut times = Vec::new();
        for step in 0..plain.steps() {
            Recorded::times(&plain, Base::AsRecorded, step, &mut times);
            for (found, recorded) in times.iter().zip(plain.row(step)) {
                prop_assert!(abs_diff_eq!(found, recorded, epsilon = 1e-9));
            }
        }
    }

    /// A recorded remap resets to balance: played at the same step, the counterfactual agrees with
    /// what was recorded from there on.
    #[test]
    fn the_recorded_remap_gives_the_recorded_times(record in records(3..10, 0..3)) {
        let Some(remap) = record.remaps().last() else { return Ok(()) };
        let (mut times, base) = (Vec::new(), Base::Balanced(remap.before - 1));
        for step in remap.before..record.steps() {
            Recorded::times(&record, base, step, &mut times);
            let shift = times[0] - record.row(step)[0];
            for (found, recorded) in times.iter().zip(record.row(step)) {
                prop_assert!(abs_diff_eq!(found - recorded, shift, epsilon = 1e-9));
            }
        }
    }

    /// No policy is cheaper than hindsight, and every tuned rule is as good as each it was chosen
    /// from.
    #[test]
    fn hindsight_is_never_beaten(
        record in records(3..10, 0..3), overlap in overlaps(), remap_cost in 0.01..8.0_f64, late in any::<bool>(),
    ) {
        let (steps, price) = (0..record.steps(), Price { stops: remap_cost, overlap });
        let rules: Vec<Rule> = intervals(steps.len()).into_iter().chain(thresholds(&record, steps.clone(), Indicator::Excess)).collect();
        let best = tuned(&record, steps.clone(), price, &rules).unwrap();
        let start = || -> Vec<Box<dyn Policy>> {
            let family = if late { Family::Trends } else { Family::Means };
            let plan = Predictive::new((0..2).map(|s| record.path(s)), remap_cost, steps.len() as u64, true, family);
            let ours: [Box<dyn Policy>; 2] = [best.start(remap_cost), Box::new(plan)];
            ours.into_iter().chain(rules.iter().map(|rule| rule.start(remap_cost))).collect()
        };
        let found = replay(&record, steps.clone(), price, &start, &()).unwrap();
        for tally in &found.tallies {
            prop_assert!(tally.value >= found.clairvoyant - 1e-9);
        }
        for tally in &found.tallies[2..] {
            prop_assert!(found.tallies[0].value <= tally.value + 1e-9);
        }
    }
}

/// Ranks of which one gains steadily; uniform noise that does not add up.
pub fn drifting(ranks: usize, steps: usize, drift: f64, noise: f64) -> Record {
    let mut draws = stream(9, 0);
    let mut seconds = Vec::new();
    for step in 0..steps {
        for rank in 0..ranks {
            let draw: f64 = draws.random();
            let gained = if rank == 1 { drift * step as f64 } else { 0.0 };
            seconds.push(10.0 + gained + noise * (2.0 * draw - 1.0));
        }
    }
    Record::new(ranks, seconds, Vec::new()).unwrap()
}

/// On a steady drift the plan is hindsight's, end of the run included.
#[test]
fn the_plan_is_optimal_on_a_steady_drift() {
    for (drift, remap_cost) in [(0.1, 1.0), (0.1, 5.0), (0.02, 1.0), (1.0, 3.0)] {
        let record = drifting(8, 120, drift, 0.0);
        let start = || -> Vec<Box<dyn Policy>> {
            let rows = (0..60).map(|step| record.path(step));
            vec![Box::new(Predictive::new(rows, remap_cost, 60, true, Family::Trends))]
        };
        let found = replay(&record, 60..120, remap_cost, &start, &()).unwrap();
        let (own, best) = (found.tallies[0].value, found.clairvoyant);
        assert!(own - best <= 1e-9 * best, "drift {drift}, cost {remap_cost}: {own} is not {best}");
    }
}

/// Loads that leave their mean and return: a plan by means lets them, a plan by trends follows
/// them.
#[test]
fn what_returns_by_itself_is_left_alone() {
    let (mut draws, mut loads, mut seconds) = (stream(4, 0), [0.0; 8], Vec::new());
    for _ in 0..240 {
        for load in &mut loads {
            let draw: f64 = draws.random();
            *load = 0.7 * *load + draw - 0.5;
            seconds.push(10.0 + *load);
        }
    }
    let record = Record::new(8, seconds, Vec::new()).unwrap();
    let start = || -> Vec<Box<dyn Policy>> {
        let plan =
            |family| Predictive::new((0..120).map(|s| record.path(s)), 8.0, 120, true, family);
        vec![Box::new(plan(Family::Means)), Box::new(plan(Family::Trends)), Rule::Never.start(8.0)]
    };
    let found = replay(&record, 120..240, 8.0, &start, &()).unwrap();
    let [means, trends, never] = [0, 1, 2].map(|place| found.tallies[place].value);
    assert!(means <= never.min(trends), "{means}, {trends}, {never}");
}

#[test]
fn learning_is_reproducible_and_keeps_its_best() {
    let record = drifting(8, 200, 0.1, 0.05);
    let (first, curve) = learn(&record, 0..200, 2.0, 256, 7);
    let (second, again) = learn(&record, 0..200, 2.0, 256, 7);
    assert_eq!(first, second);
    assert_eq!(curve, again);
    let start = || -> Vec<Box<dyn Policy>> {
        vec![Box::new(first.clone()), Rule::Never.start(2.0), Rule::Fixed(1).start(2.0)]
    };
    let found = replay(&record, 0..200, 2.0, &start, &()).unwrap();
    let regret = |place: usize| found.tallies[place].value - found.clairvoyant;
    let least = curve.iter().map(|(_, regret)| *regret).fold(f64::INFINITY, f64::min);
    assert!(abs_diff_eq!(regret(0), least, epsilon = 1e-9), "the best is kept: {curve:?}");
    assert!(regret(0) < 0.25 * found.clairvoyant, "{curve:?}, {}", found.clairvoyant);
    assert!(regret(0) < 0.2 * regret(1).min(regret(2)));
}

/// Loads that drift apart for thousands of steps without remaps are next to never where the best
/// threshold lies.
#[test]
fn thresholds_of_long_drifting_records_are_tuned() {
    for steps in some(1, [1_000, 6_000]) {
        let (mut draws, mut seconds) = (stream(11, 0), Vec::new());
        let mut loads = [0.0_f64; 4];
        for _ in 0..steps {
            for (load, slope) in loads.iter_mut().zip([0.004, -0.003, 0.001, -0.002]) {
                let draw: f64 = draws.random();
                *load += slope + 0.004 * (draw - 0.5);
                seconds.push(50.0 + *load);
            }
        }
        let record = Record::new(4, seconds, Vec::new()).unwrap();
        // Means are near 50, and the least and the largest load are as far from them.
        let to = |indicator, excess: f64| match indicator {
            Indicator::Excess => Rule::Threshold(excess),
            Indicator::Utilization => Rule::Utilization(50.0 / (50.0 + excess)),
            Indicator::Range => Rule::Range(2.0 * excess / 50.0),
            Indicator::Ratio => Rule::Ratio((50.0 + excess) / (50.0 - excess).max(1e-9)),
        };
        let all = [Indicator::Excess, Indicator::Utilization, Indicator::Range, Indicator::Ratio];
        for indicator in all {
            let grid = |indicator| -> Vec<Rule> {
                (0..40).map(|k| to(indicator, 0.002 * 1.15_f64.powi(k))).collect()
            };
            let cost = |rules: &[Rule]| {
                let best = tuned(&record, 0..steps, 0.1, rules).unwrap();
                let start = || -> Vec<Box<dyn Policy>> { vec![best.start(0.1)] };
                replay(&record, 0..steps, 0.1, &start, &()).unwrap().tallies[0].value
            };
            let (found, best) =
                (cost(&thresholds(&record, 0..steps, indicator)), cost(&grid(indicator)));
            assert!(found <= 1.05 * best, "{steps} steps, {indicator:?}: {found} {best}");
        }
    }
}

/// Rules that cost the same but for rounding are told apart by their order, so that the unit of a
/// log changes no advice.
#[test]
fn ties_are_broken_alike_in_all_units() {
    assert_eq!(cheapest([3.0, 1.0 + 1e-12, 1.0, 2.0].into_iter()), Some(1));
    assert_eq!(cheapest([3.0, 1.0 + 1e-8, 1.0].into_iter()), Some(2));
    assert_eq!(cheapest([f64::NAN, 0.0, 0.0].into_iter()), Some(1));
    assert_eq!(cheapest([f64::INFINITY; 2].into_iter()), Some(0));
    assert_eq!(cheapest(std::iter::empty()), None);
    // A step costs as much as the next one until the first remap, and a remap as much as ten:
    // intervals of 20 and of 30 steps both cost 40 of 60 steps, added up in other orders.
    let tuned_in = |unit: f64| {
        let seconds = (0..60).flat_map(|_| [unit, 1.1 * unit]).collect();
        let record = Record::new(2, seconds, Vec::new()).unwrap();
        let cost = 10.0 * (record.row(0)[1] - 0.5 * (record.row(0)[0] + record.row(0)[1]));
        tuned(&record, 0..60, cost, &intervals(60)).unwrap()
    };
    for k in 0..200 {
        assert_eq!(tuned_in(1.37_f64.powi(k - 100)), Rule::Fixed(20), "{k}");
    }
}
