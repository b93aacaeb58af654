//! Noise on top of random walks: none is told where there is none, and what there is comes out.

use rand_distr::{Distribution, StandardNormal, StudentT};
use remapping::fit::increments::Increments;
use remapping::record::Record;
use remapping::simulate::{Stream, stream};

/// Noise of a measurement, beside steps of deviation 1.
#[derive(Debug, Clone, Copy)]
struct Noise {
    deviation: f64,
    /// How much of it is still there one step later.
    lasts: f64,
}

const NONE: Noise = Noise { deviation: 0.0, lasts: 0.0 };

/// What is found of so many ranks and steps.
fn found([ranks, steps]: [usize; 2], heavy: bool, noise: Noise, seed: u64) -> Increments {
    let mut random = stream(seed, 1);
    let law = StudentT::new(5.0).unwrap();
    let normal = |random: &mut Stream| -> f64 { StandardNormal.sample(random) };
    let (mut path, mut seconds) = (vec![1000.0; ranks], Vec::new());
    let mut off: Vec<f64> = (0..ranks).map(|_| normal(&mut random)).collect();
    for _ in 0..steps {
        for (load, off) in path.iter_mut().zip(&mut off) {
            *load += match heavy {
                true => law.sample(&mut random) / (5.0_f64 / 3.0).sqrt(),
                false => normal(&mut random),
            };
            let fresh = (1.0 - noise.lasts * noise.lasts).sqrt();
            *off = noise.lasts * *off + fresh * normal(&mut random);
            seconds.push(*load + noise.deviation * *off);
        }
    }
    Increments::of(&Record::new(ranks, seconds, Vec::new()).unwrap()).unwrap()
}

const SEEDS: u64 = 200;

#[test]
fn none_is_told_where_there_is_none() {
    for size in [[2, 40], [4, 20], [8, 100], [16, 400], [64, 60]] {
        for heavy in [false, true] {
            let told =
                (0..SEEDS).filter(|seed| found(size, heavy, NONE, *seed).noise > 0.0).count();
            // One in 20 at most, on average; by chance of the seeds 21 are enough in one of a
            // thousand such tests.
            assert!(told <= 21, "{size:?} {heavy}: {told} of {SEEDS}");
        }
    }
}

#[test]
fn what_there_is_comes_out() {
    for (deviation, lasts, size) in
        [(0.5, 0.0, [16, 400]), (1.0, 0.0, [8, 100]), (10.0, 0.0, [8, 100]), (3.0, 0.5, [16, 400])]
    {
        let noise = Noise { deviation, lasts };
        let mut all: Vec<f64> = (0..50).map(|seed| found(size, false, noise, seed).noise).collect();
        all.sort_by(f64::total_cmp);
        // A tenth of the records may tell less or more.
        for part in [all[5], all[45]] {
            assert!((part / deviation - 1.0).abs() < 0.2, "{noise:?} {size:?}: {all:?}");
        }
    }
}
