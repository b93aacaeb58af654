//! What is left out as far off: excursions of a step or two, and nothing that walks do by
//! themselves.

use crate::shared::normal;
use rand_distr::{Distribution, Exp1, StudentT};
use remapping::fit::level::without_outliers;
use remapping::simulate::{Stream, stream};

const STEPS: usize = 20_000;

/// What a step adds for good, and what the next one takes back.
type Law = (&'static str, fn(&mut Stream) -> f64, fn(&mut Stream) -> f64);

fn heavy(random: &mut Stream) -> f64 {
    StudentT::new(5.0).unwrap().sample(random)
}

fn nothing(_: &mut Stream) -> f64 {
    0.0
}

const LAWS: [Law; 9] = [
    ("a walk", normal, nothing),
    ("a walk that mostly rises", |random| 1.0 + normal(random), nothing),
    ("a slope with some noise", |_| 1.0, |random| 0.3 * normal(random)),
    ("a slope, a walk and noise", |r| 0.1 + 0.05 * normal(r), |r| 0.1 * normal(r)),
    ("noise", nothing, normal),
    ("heavy tails", heavy, nothing),
    ("heavy tails that mostly rise", |random| 1.0 + heavy(random), nothing),
    ("noise with heavy tails", nothing, heavy),
    ("increments above 0", |random| Exp1.sample(random), |random| 0.1 * normal(random)),
];

fn path((_, step, noise): Law) -> Vec<f64> {
    let mut random = stream(7, 1);
    let mut load = 0.0;
    let next = |_| {
        load += step(&mut random);
        load + noise(&mut random)
    };
    (0..STEPS).map(next).collect()
}

#[test]
fn what_walks_and_noise_do_is_none() {
    for law in LAWS {
        let replaced = without_outliers(&mut path(law), 1);
        // .1 % at most, of heavy tails; of normal laws none.
        let most = if law.0.contains("heavy") { STEPS / 1000 } else { 0 };
        assert!(replaced <= most, "{}: {replaced} of {STEPS}", law.0);
    }
}

#[test]
fn excursions_of_one_and_two_steps_are_found_on_all_of_these() {
    for law in LAWS {
        let mut path = path(law);
        let clean = path.clone();
        let mut random = stream(8, 1);
        let mut places = Vec::new();
        for first in (10..STEPS - 10).step_by(50) {
            let side = if first % 100 == 10 { 30.0 } else { -30.0 };
            let size = side * (1.0 + normal(&mut random).abs());
            let last = first + first / 50 % 2;
            path[first..=last].iter_mut().for_each(|value| *value += size);
            places.extend(first..=last);
        }
        let replaced = without_outliers(&mut path, 1);
        assert!(replaced <= places.len() + STEPS / 1000, "{}: {replaced}", law.0);
        // One in a hundred at most is left, where steps with heavy tails lie around it.
        let left = places.iter().filter(|place| (path[**place] - clean[**place]).abs() > 20.0);
        let left = left.count();
        assert!(100 * left <= places.len(), "{}: {left} of {}", law.0, places.len());
    }
}

/// Jumps beside little noise, every fifty steps so many in successive steps: how many values are
/// left out.
fn left_out(jumps: usize) -> usize {
    let mut random = stream(9, 1);
    let mut load = 0.0;
    let next = |step: usize| {
        if step % 50 < jumps {
            load += 10.0 * normal(&mut random);
        }
        load + 0.1 * normal(&mut random)
    };
    let mut path: Vec<f64> = (0..STEPS).map(next).collect();
    without_outliers(&mut path, 1)
}

#[test]
fn jumps_that_stay_are_none() {
    assert_eq!(left_out(1), 0);
    // Where the second one takes back half of the first to twice as much it is an excursion: that
    // is so in a sixth of all pairs.
    let pairs = STEPS / 50;
    assert!(left_out(2) < pairs / 5, "{}", left_out(2));
}

#[test]
fn an_excursion_is_an_outlier_and_a_change_is_not() {
    let mut path: Vec<f64> = (0..60).map(|step| f64::from(step % 7) * 0.01).collect();
    path[20] += 5.0;
    path.iter_mut().skip(40).for_each(|value| *value += 3.0);
    let mut clean = path.clone();
    assert_eq!(without_outliers(&mut clean, 1), 1);
    assert!(clean[20] < 0.1);
    assert_eq!(clean[40..], path[40..]);
}
