//! Slopes that ranks keep, and slopes that each remap redraws, told apart on logs made one way or
//! the other.

use crate::thorough::some;
use approx::abs_diff_eq;
use rand::RngExt;
use remapping::fit::slopes::{Fate, Slopes};
use remapping::record::{Record, Remap};
use remapping::simulate::{Stream, stream};

fn normal(numbers: &mut Stream) -> f64 {
    (0..12).map(|_| numbers.random::<f64>()).sum::<f64>() - 6.0
}

/// How slopes arise.
#[derive(Clone, Copy, PartialEq)]
enum Made {
    Kept,
    Redrawn,
    /// One rank, another one after each remap.
    OneRedrawn,
    /// Half of each slope is kept, half is redrawn.
    Half,
    None,
}

fn log(made: Made, ranks: usize, stretches: usize, (walk, noise): (f64, f64), seed: u64) -> Record {
    let mut numbers = stream(seed, 0);
    let each = 25;
    let mut slopes: Vec<f64> = vec![0.0; ranks];
    if made == Made::Kept {
        slopes[1] = 0.02;
    }
    let own: Vec<f64> = (0..ranks).map(|_| 0.01 * normal(&mut numbers)).collect();
    let (mut seconds, mut loads) = (Vec::new(), vec![5.0; ranks]);
    for step in 0..each * stretches {
        if step % each == 0 {
            loads.fill(5.0);
            if made == Made::Redrawn {
                slopes.iter_mut().for_each(|slope| *slope = 0.01 * normal(&mut numbers));
            }
            if made == Made::Half {
                let drawn = own.iter().map(|own| own + 0.01 * normal(&mut numbers));
                slopes = drawn.collect();
            }
            if made == Made::OneRedrawn {
                slopes.fill(0.0);
                slopes[numbers.random_range(0..ranks)] = 0.02;
            }
        }
        for (load, slope) in loads.iter_mut().zip(&slopes) {
            *load += slope + walk * normal(&mut numbers);
            seconds.push(*load + noise * normal(&mut numbers));
        }
    }
    let remap = |at: usize| Remap { before: at * each, seconds: Some(1.0) };
    Record::new(ranks, seconds, (1..stretches).map(remap).collect()).unwrap()
}

fn fates(made: Made, ranks: usize, stretches: usize, chance: (f64, f64)) -> [usize; 4] {
    let mut counts = [0; 4];
    for seed in 0..100 {
        let found = Slopes::of(&log(made, ranks, stretches, chance, seed)).unwrap();
        counts[found.fate as usize] += 1;
        if found.fate == Fate::Kept && made == Made::Kept {
            let (rank, slope) = found.steep[0];
            assert_eq!(rank, 1);
            let right = 0.02 * (1.0 - 1.0 / ranks as f64);
            assert!(abs_diff_eq!(slope, right, epsilon = 0.5 * right), "{slope} is not {right}");
        }
    }
    counts
}

#[test]
fn kept_and_redrawn_slopes_are_told_apart() {
    for chance in some(1, [(0.01, 0.03), (0.01, 0.0), (0.0, 0.05)]) {
        let [kept, redrawn, ..] = fates(Made::Kept, 8, 6, chance);
        assert!(kept >= 95 && redrawn == 0, "kept: {kept}, {redrawn}, {chance:?}");
        for made in [Made::Redrawn, Made::OneRedrawn] {
            let [kept, redrawn, ..] = fates(made, 8, 6, chance);
            assert!(kept <= 4 && redrawn >= 90, "redrawn: {kept}, {redrawn}, {chance:?}");
        }
        let [kept, redrawn, unknown, none] = fates(Made::None, 8, 6, chance);
        assert!(
            none >= 90 && redrawn <= 4,
            "none: {kept}, {redrawn}, {unknown}, {none}, {chance:?}"
        );
        // Where half of each slope is kept, that half is what is found as a rule.
        let [kept, redrawn, ..] = fates(Made::Half, 8, 6, chance);
        assert!(kept >= 75 && redrawn <= 15, "half: {kept}, {redrawn}, {chance:?}");
    }
}

#[test]
fn what_cannot_be_told_is_not() {
    // Of two stretches of three ranks nothing follows, however clear the slopes.
    for made in [Made::Kept, Made::OneRedrawn] {
        let [kept, ..] = fates(made, 3, 2, (0.002, 0.0));
        assert_eq!(kept, 0);
    }
    assert_eq!(Slopes::of(&log(Made::Kept, 8, 1, (0.01, 0.0), 1)), None);
}

/// Walks without slopes, split evenly every 40 steps: the first ranks get the rest, and come down
/// from there. With stretches enough that is seen in any test, and is nothing to be told.
#[test]
fn the_rest_of_a_split_is_no_slope() {
    let mut numbers = stream(7, 0);
    let (steps, each) = (60_000, 40);
    let (mut levels, mut seconds, mut remaps) = ([9_u32; 4], Vec::new(), Vec::new());
    for step in 0..steps {
        if step > 0 && step % each == 0 {
            let total: u32 = levels.iter().sum();
            levels = std::array::from_fn(|rank| total / 4 + u32::from((rank as u32) < total % 4));
            remaps.push(Remap { before: step, seconds: Some(1.0) });
        }
        for level in &mut levels {
            let draw: f64 = numbers.random();
            *level = match draw {
                _ if draw < 0.2 => (*level + 1).min(18),
                _ if draw < 0.45 => level.saturating_sub(1),
                _ => *level,
            };
            seconds.push(1.0 + f64::from(*level));
        }
    }
    let found = Slopes::of(&Record::new(4, seconds, remaps).unwrap()).unwrap();
    assert!(found.redrawn < 0.01, "{found:?}");
    assert_eq!(found.fate, Fate::None, "{found:?}");
}
