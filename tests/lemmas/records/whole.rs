//! What is taken in step by step is what is known of the whole record.

use approx::abs_diff_eq;
use proptest::prelude::*;
use rand::RngExt;
use remapping::estimate::Estimate;
use remapping::fit::whole::{AROUND, BLOCK, Taking, Whole};
use remapping::random::stream;
use remapping::record::{Record, Remap};

/// A run on levels or off them, remapped now and then, with values far off.
fn record(seed: u64, ranks: usize, steps: usize, quantum: f64, every: usize, far: usize) -> Record {
    let mut numbers = stream(seed, 0);
    let mut levels = vec![5_i64; ranks];
    let mut seconds = Vec::new();
    let mut remaps = Vec::new();
    for step in 0..steps {
        if step > 0 && step % every == 0 {
            let mean = levels.iter().sum::<i64>() / ranks as i64;
            levels.fill(mean);
            remaps.push(Remap { before: step, seconds: None });
        }
        for level in &mut levels {
            let draw: f64 = numbers.random();
            *level = (*level + i64::from(draw < 0.3) - i64::from(draw > 0.7)).clamp(1, 12);
            let far = if far > 0 && step % far == 3 { 60 } else { 0 };
            let off: f64 = if quantum == 0.0 { numbers.random() } else { 0.0 };
            let unit = if quantum == 0.0 { 0.7 } else { quantum };
            seconds.push((*level + far) as f64 * unit + off);
        }
    }
    Record::new(ranks, seconds, remaps).unwrap()
}

/// Takes in a record of which so many steps are the beginning.
fn taken(record: &Record, beginning: usize) -> Whole {
    let mut taking = Taking::after(&record.part(0..beginning));
    for step in beginning..record.steps() {
        let remapped = record.remaps().iter().any(|remap| remap.before == step);
        taking.step(record.row(step), remapped);
    }
    taking.whole()
}

/// The same but for the order of sums: a stream adds up its beginning and then blocks of 16,384
/// steps, a record all steps in one go, and the changes are up to 100.
fn all_close(a: &[f64], b: &[f64]) -> bool {
    // Bounds may be infinite.
    let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() < 1e-12;
    a.len() == b.len() && a.iter().zip(b).all(close)
}

fn near(a: f64, b: f64) -> bool {
    abs_diff_eq!(a, b, epsilon = 1e-9 * (1e-9 + a.abs().max(b.abs())))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn counts_are_those_of_the_whole_record(
        seed in 0..1000_u64,
        ranks in 2..6_usize,
        steps in 120..600_usize,
        quantum in prop_oneof![Just(0.0), Just(1.0), Just(0.25), Just(0.1)],
        every in prop_oneof![7..60_usize, Just(1_000_000)],
        share in 0.34..1.0_f64,
    ) {
        let all = record(seed, ranks, steps, quantum, every, 0);
        let beginning = (share * steps as f64) as usize;
        let (found, known) = (taken(&all, beginning.max(103)), Whole::of(&all));
        prop_assert_eq!((found.steps, found.remaps), (known.steps, known.remaps));
        prop_assert_eq!((found.mean, found.range), (known.mean, known.range));
        // On levels of 60 and more at times, so that there are more than 100.
        prop_assert_eq!(found.moves.is_some(), quantum > 0.0);
        prop_assert_eq!(known.moves.is_some(), quantum > 0.0);
        if let Some((found, known)) = found.moves.zip(known.moves) {
            prop_assert_eq!((found.quantum, found.lowest), (known.quantum, known.lowest));
            prop_assert_eq!((&found.counts, found.jumps), (&known.counts, known.jumps));
            prop_assert_eq!(found.birth_death(), known.birth_death());
        }
        prop_assert_eq!(found.transitions.is_some(), known.transitions.is_some());
        if let Some((found, known)) = found.transitions.zip(known.transitions) {
            prop_assert_eq!((found.lowest, found.levels), (known.lowest, known.levels));
            prop_assert_eq!(found.matrices(), known.matrices());
            for rank in (0..ranks).map(Some).chain([None]) {
                prop_assert_eq!(found.probabilities(rank), known.probabilities(rank));
            }
        }
        // The same lags, where the beginning has such long stretches too.
        for (found, known) in found.growth.iter().zip(&known.growth) {
            prop_assert_eq!(found, known);
        }
        let (found, known) = (found.increments.unwrap(), known.increments.unwrap());
        // Whether a value is far off depends on how far off values are in the beginning.
        if found.outliers == 0 && known.outliers == 0 {
            prop_assert!(all_close(&found.drifts, &known.drifts));
            let bounds = |drift: Estimate| [drift.value, drift.lower, drift.upper];
            prop_assert!(all_close(&bounds(found.drift), &bounds(known.drift)));
            prop_assert_eq!(found.count, known.count);
            let pairs = [
                (found.deviation.value, known.deviation.value),
                (found.deviation.lower, known.deviation.lower),
                (found.deviation.upper, known.deviation.upper),
                (found.same_drift, known.same_drift),
            ];
            for (a, b) in pairs {
                prop_assert!(abs_diff_eq!(a, b, epsilon = 1e-6 * a.abs().max(b.abs())), "{} {}", a, b);
            }
        }
    }

    #[test]
    fn with_all_steps_as_its_beginning_nothing_differs(
        seed in 0..1000_u64,
        ranks in 2..5_usize,
        steps in 60..300_usize,
        quantum in prop_oneof![Just(0.0), Just(1.0)],
    ) {
        let all = record(seed, ranks, steps, quantum, 25, 40);
        let (found, known) = (taken(&all, steps), Whole::of(&all));
        prop_assert_eq!(found.growth, known.growth);
        let (found, known) = (found.increments.unwrap(), known.increments.unwrap());
        // Of times on levels most are their own medians: none is far off then.
        prop_assert!(quantum > 0.0 || known.outliers > 0);
        prop_assert_eq!(found.outliers, known.outliers);
        prop_assert!(all_close(&found.drifts, &known.drifts));
        prop_assert!(near(found.deviation.value, known.deviation.value));
        prop_assert!(near(found.noise, known.noise) || found.noise.max(known.noise) < 1e-6);
    }
}

#[test]
fn times_that_leave_the_lattice_later_are_on_none() {
    let all = record(1, 3, 400, 1.0, 50, 0);
    let mut taking = Taking::after(&all.part(0..200));
    taking.step(&[5.0, 5.5, 6.0], false);
    (201..400).for_each(|step| taking.step(all.row(step), false));
    let whole = taking.whole();
    assert!(whole.moves.is_none() && whole.transitions.is_none());
    // A time beyond which levels are too many: in memory there is no lattice either.
    let mut taking = Taking::after(&all.part(0..200));
    taking.step(&[5.0, 5.0, 20_000.0], false);
    assert!(taking.whole().moves.is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Whoever takes in which blocks, the sums have the same bits.
    #[test]
    fn parts_of_a_run_add_up_to_the_bits_of_one(
        seed in 0..1000_u64,
        ranks in 2..5_usize,
        quantum in prop_oneof![Just(0.0), Just(0.25)],
        every in prop_oneof![7..60_usize, Just(5000), Just(1_000_000)],
        far in prop_oneof![Just(0), Just(97)],
        more in 100..BLOCK + 1,
        cuts in prop::collection::btree_set(1..4_usize, 1..4),
    ) {
        let all = record(seed, ranks, 3 * BLOCK + more, quantum, every, far);
        let beginning = all.part(0..2000);
        let give = |taking: &mut Taking, steps: std::ops::Range<usize>| {
            for step in steps {
                let remapped = all.remaps().binary_search_by_key(&step, |remap| remap.before).is_ok();
                taking.step(all.row(step), remapped);
            }
        };
        let mut one = Taking::after(&beginning);
        give(&mut one, 2000..all.steps());
        let ends: Vec<usize> = cuts.iter().map(|cut| cut * BLOCK).collect();
        let mut first = Taking::after(&beginning).until(ends[0]);
        give(&mut first, 2000..ends[0] + AROUND);
        let mut numbers = Vec::new();
        for (place, own) in ends.iter().enumerate() {
            let part = Taking::part(&beginning, *own);
            let (mut part, end) = match ends.get(place + 1) {
                Some(end) => (part.until(*end), end + AROUND),
                None => (part, all.steps()),
            };
            give(&mut part, own - AROUND..end);
            numbers.extend(part.numbers());
        }
        let mut rest = &numbers[..];
        for _ in &ends {
            rest = first.join(rest).unwrap();
        }
        prop_assert!(rest.is_empty());
        prop_assert_eq!(format!("{:?}", first.whole()), format!("{:?}", one.whole()));
    }
}
