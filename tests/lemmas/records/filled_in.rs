//! Times that were filled in say nothing of how loads change.

use crate::shared::normal;
use rand::RngExt;
use remapping::estimate::Estimate;
use remapping::fit::increments::Increments;
use remapping::fit::lasting::Lasting;
use remapping::fit::whole::{Taking, Whole};
use remapping::record::{Record, Remap};
use remapping::simulate::stream;

/// Walks of deviation 1 seen through noise, remapped every 50 steps, of which this share of the
/// times is missing and filled in on the line between those that are not.
fn record([ranks, steps]: [usize; 2], noise: f64, share: f64, seed: u64) -> Record {
    let mut random = stream(seed, 1);
    let (mut loads, mut seconds) = (vec![1000.0; ranks], Vec::new());
    for step in 0..steps {
        if step > 0 && step % 50 == 0 {
            let mean = loads.iter().sum::<f64>() / ranks as f64;
            loads.fill(mean);
        }
        for load in &mut loads {
            *load += normal(&mut random);
            seconds.push(*load + noise * normal(&mut random));
        }
    }
    let mut missing = stream(seed, 2);
    let mut filled: Vec<bool> = seconds.iter().map(|_| missing.random::<f64>() < share).collect();
    for rank in 0..ranks {
        (filled[rank], filled[(steps - 1) * ranks + rank]) = (false, false);
        let mut before = 0;
        for step in (1..steps).filter(|step| !filled[step * ranks + rank]).collect::<Vec<_>>() {
            let [from, to] = [before, step].map(|step| seconds[step * ranks + rank]);
            for gap in before + 1..step {
                let along = (gap - before) as f64 / (step - before) as f64;
                seconds[gap * ranks + rank] = from + along * (to - from);
            }
            before = step;
        }
    }
    let remap = |before| Remap { before, seconds: None };
    Record::new(ranks, seconds, (50..steps).step_by(50).map(remap).collect())
        .unwrap()
        .with_filled(filled)
}

#[test]
fn they_do_not_make_walks_smaller() {
    for (size, share) in [([8, 600], 0.03), ([8, 600], 0.08), ([2, 600], 0.08), ([4, 2000], 0.08)] {
        let records = (0..60).map(|seed| record(size, 0.0, share, seed));
        let found: Vec<Increments> =
            records.map(|record| Increments::of(&record).unwrap()).collect();
        let deviations: Vec<f64> = found.iter().map(|found| found.deviation.value).collect();
        let mean = Estimate::of(&deviations);
        // Three standard errors, and some bias.
        let far = 1.5 * mean.half_width() + 0.002;
        assert!((mean.value - 1.0).abs() < far, "{size:?} {share}: {mean:?}");
        let inside = found.iter().filter(|found| found.deviation.contains(1.0)).count();
        assert!(inside >= 52, "{size:?} {share}: {inside} of 60");
        let told = found.iter().filter(|found| found.noise > 0.0).count();
        assert!(told <= 10, "{size:?} {share}: noise told in {told} of 60");
    }
}

#[test]
fn nor_noise() {
    let records: Vec<Record> = (0..40).map(|seed| record([8, 600], 2.0, 0.08, seed)).collect();
    let by_lags = |record: &Record| Increments::of(record).unwrap().noise;
    let lasting = |record: &Record| Lasting::of(record).unwrap().noise;
    for noise in [&by_lags as &dyn Fn(&Record) -> f64, &lasting] {
        let mean = Estimate::of(&records.iter().map(noise).collect::<Vec<_>>());
        assert!((mean.value - 2.0).abs() < 1.5 * mean.half_width() + 0.01, "{mean:?}");
    }
}

#[test]
fn the_same_of_steps_that_come_one_by_one() {
    for noise in [0.0, 2.0] {
        let all = record([4, 3000], noise, 0.05, 1);
        let known = Whole::of(&all).increments.unwrap();
        let mut taking = Taking::after(&all.part(0..1000));
        for step in 1000..3000 {
            taking.filled(all.filled(step));
            let remapped = all.remaps().iter().any(|remap| remap.before == step);
            taking.step(all.row(step), remapped);
        }
        let found = taking.whole().increments.unwrap();
        let ends = |found: &Increments| {
            [found.deviation.value, found.deviation.lower, found.deviation.upper, found.noise]
        };
        for (found, known) in ends(&found).into_iter().zip(ends(&known)) {
            assert!((found - known).abs() <= 1e-3 * known, "{found} {known}");
        }
    }
}
