//! One policy on recorded steps: what it pays step by step, what the run itself paid, and intervals
//! of differences.

use super::records;
use crate::shared::Planned;
use approx::{abs_diff_eq, assert_abs_diff_eq};
use proptest::prelude::*;
use rand::RngExt;
use remapping::policy::Rule;
use remapping::record::Record;
use remapping::replay::{
    difference, difference_of_last, hindsight, play, recorded, replay, standing, total,
};
use remapping::simulate::{Base, stream};
use std::ops::Range;

proptest! {
    /// A policy that remaps where the run did, from where the run stood, pays what the run paid.
    #[test]
    fn the_run_itself_is_one_of_the_policies(record in records(3..12, 0..4), cut in 0_usize..4, cost in 0.0..5.0_f64) {
        let steps = cut.min(record.steps() - 1)..record.steps();
        let remapped: Vec<usize> = record.remaps().iter().filter(|remap| remap.before > steps.start)
            .map(|remap| remap.before - steps.start).collect();
        let mut same = Planned::at(remapped.iter().copied());
        let played = play(&record, steps.clone(), standing(&record, steps.start), cost, &mut same);
        let run = recorded(&record, steps.clone(), cost);
        prop_assert_eq!(&played.remaps, &run.remaps);
        prop_assert!(abs_diff_eq!(played.tally.value, run.tally.value, epsilon = 1e-9));
        prop_assert!(abs_diff_eq!(played.tally.time, run.tally.time, epsilon = 1e-9));
        // By hand.
        let imbalance: f64 = steps.clone().map(|step| record.imbalance(step)).sum();
        prop_assert!(abs_diff_eq!(run.tally.value - imbalance, cost * remapped.len() as f64, epsilon = 1e-9));
        prop_assert!(abs_diff_eq!(run.costs.iter().sum::<f64>(), run.tally.value, epsilon = 1e-9));
        // Nobody is better than hindsight from the same start, and hindsight is not better than
        // all.
        let least = hindsight(&record, steps.clone(), standing(&record, steps.start), cost, &()).unwrap();
        prop_assert!(least <= run.tally.value + 1e-9);
        let best = (0..1_u64 << (steps.len() - 1)).map(|plan| {
            let mut plan = Planned::new(plan << 1);
            play(&record, steps.clone(), standing(&record, steps.start), cost, &mut plan).tally.value
        });
        let best = best.fold(f64::INFINITY, f64::min);
        prop_assert!(abs_diff_eq!(least, best, epsilon = 1e-9 * best.max(1.0)), "{least} is not {best}");
    }

    /// From balance, step by step is what `replay` sums up.
    #[test]
    fn courses_add_up_to_what_replay_says(record in records(3..12, 0..4), cost in 0.0..5.0_f64) {
        let steps = 1..record.steps();
        let rules = [Rule::Never, Rule::Fixed(2), Rule::Threshold(1.5), Rule::StopAtRise];
        let start = || rules.iter().map(|rule| rule.start(cost)).collect();
        let found = replay(&record, steps.clone(), cost, &start, &()).unwrap();
        for (rule, tally) in rules.iter().zip(&found.tallies) {
            let mut run = rule.start(cost);
            let course = play(&record, steps.clone(), Base::Balanced(0), cost, run.as_mut());
            prop_assert_eq!(course.tally, *tally);
            prop_assert_eq!(course.remaps.len() as u64, tally.remaps);
        }
        let least = hindsight(&record, steps, Base::Balanced(0), cost, &()).unwrap();
        prop_assert!(abs_diff_eq!(least, found.clairvoyant, epsilon = 1e-9 * least.max(1.0)));
    }
}

/// Intervals of sums of correlated numbers contain the expected sum about as often as they say.
#[test]
fn intervals_contain_the_truth() {
    let mut inside = [0, 0];
    const RUNS: u64 = 300;
    for run in 0..RUNS {
        let mut numbers = stream(77, run);
        for (place, keeps) in [0.0, 0.7].into_iter().enumerate() {
            let mut value = 0.0;
            let values: Vec<f64> = (0..400)
                .map(|_| {
                    let draw: f64 = numbers.random();
                    value = keeps * value + draw - 0.5;
                    value + 0.1
                })
                .collect();
            let found = total(&values, 20, f64::INFINITY, 1);
            inside[place] += u64::from(found.lower <= 40.0 && 40.0 <= found.upper);
        }
    }
    for inside in inside {
        assert!(inside as f64 >= 0.9 * RUNS as f64 && inside < RUNS, "{inside} of {RUNS}");
    }
}

/// Equal courses do not differ, and one that always pays more differs for sure.
#[test]
fn differences_have_the_sign_of_what_is_paid() {
    let times = (0..100).flat_map(|step| [1.0, 1.0 + 0.1 * f64::from(step % 7)]).collect();
    let record = Record::new(2, times, Vec::new()).unwrap();
    let course =
        |rule: Rule| play(&record, 1..100, Base::Balanced(0), 0.2, rule.start(0.2).as_mut());
    let (never, often) = (course(Rule::Never), course(Rule::Fixed(1)));
    let same = difference(&never, &never, 1);
    assert_eq!((same.value, same.lower, same.upper), (0.0, 0.0, 0.0));
    let more = difference(&often, &never, 1);
    assert_abs_diff_eq!(more.value, (often.tally.value - never.tally.value), epsilon = 1e-9);
    assert!(more.lower <= more.value && more.value <= more.upper);
    let less = difference(&never, &often, 1);
    assert!((less.value + more.value).abs() < 1e-9);
}

/// Bursts on the steps before tell how far sums vary on steps that happen to have none.
#[test]
fn steps_before_tell_how_far_sums_vary() {
    let burst = |step: u32| if step < 100 && step % 25 < 8 { 1.0 } else { 0.001 };
    let times = (0..200).flat_map(|step| [1.0, 1.0 + burst(step)]).collect();
    let record = Record::new(2, times, Vec::new()).unwrap();
    let course = |steps: Range<usize>, rule: Rule| {
        play(&record, steps, Base::AsRecorded, 0.2, rule.start(0.2).as_mut())
    };
    let [never, often] = [Rule::Never, Rule::Fixed(10)].map(|rule| course(100..200, rule));
    let [all, all_often] = [Rule::Never, Rule::Fixed(10)].map(|rule| course(0..200, rule));
    let alone = difference(&never, &often, 1);
    let found = difference_of_last(&never, &often, [&all, &all_often], 1);
    assert_eq!(found.value, alone.value);
    assert!(found.upper - found.value > 5.0 * (alone.upper - alone.value), "{found:?} {alone:?}");
    assert!(found.value - found.lower > 5.0 * (alone.value - alone.lower), "{found:?} {alone:?}");
}
