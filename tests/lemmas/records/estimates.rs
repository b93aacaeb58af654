//! What is estimated from recorded runs: levels and moves, edges, drift and noise, changes of
//! phase, growth.

use super::replay::drifting;
use crate::thorough::few_or_all;
use approx::{abs_diff_eq, assert_abs_diff_eq};
use rand::RngExt;
use remapping::chain::Edge;
use remapping::fit::chain::{Moves, lattice};
use remapping::fit::change::change;
use remapping::fit::growth;
use remapping::fit::increments::Increments;
use remapping::fit::transitions::Transitions;
use remapping::record::{Record, Remap};
use remapping::simulate::stream;

#[test]
fn a_lattice_is_found_and_its_moves_counted() {
    // Two ranks on the levels 3..=6 of 0.25 each: up, up, up, down, stay; stay throughout.
    let first = [3.0, 4.0, 5.0, 6.0, 5.0, 5.0];
    let seconds = first.iter().flat_map(|level| [0.25 * level, 0.75]).collect();
    let record = Record::new(2, seconds, Vec::new()).unwrap();
    assert_abs_diff_eq!(lattice(&record).unwrap(), 0.25, epsilon = 1e-12);
    let moves = Moves::of(&record, 0.25);
    assert_eq!(moves.lowest, 3);
    assert_eq!(moves.counts, [[0, 5, 1], [0, 0, 1], [0, 1, 1], [1, 0, 0]]);
    assert_eq!((moves.total(), moves.jumps), (10, 0));
    let irregular =
        Record::new(2, vec![1.0, 2.0_f64.sqrt(), 1.1, 3.0_f64.sqrt()], Vec::new()).unwrap();
    assert_eq!(lattice(&irregular), None);
}

#[test]
fn ranks_that_move_alike_are_told_from_those_that_do_not() {
    let walk = |ups: [f64; 4], seed: u64| {
        let (mut draws, mut levels, mut seconds) = (stream(seed, 0), [3_usize; 4], Vec::new());
        for _ in 0..1500 {
            seconds.extend(levels.map(|level| 1.0 + level as f64));
            for (level, up) in levels.iter_mut().zip(ups) {
                let draw: f64 = draws.random();
                *level = match draw {
                    _ if draw < up => (*level + 2).min(6),
                    _ if draw < up + 0.3 => level.saturating_sub(1),
                    _ => *level,
                };
            }
        }
        Transitions::of(&Record::new(4, seconds, Vec::new()).unwrap(), 1.0).unwrap()
    };
    // If they are alike the probability is uniform: below 0.05 in 5 of 100.
    let (seeds, most) = few_or_all((6, 1), (40, 7));
    let low = (0..seeds).filter(|seed| walk([0.2; 4], *seed).alike() < 0.05).count();
    assert!(low <= most, "{low} of {seeds}");
    assert!(walk([0.2, 0.2, 0.2, 0.4], 1).alike() < 1e-6);
    // One that is a little unlike is not lost among the moves from each level to each other.
    let (seeds, least) = few_or_all((3, 3), (10, 8));
    let unlike = |seed: &u64| walk([0.2, 0.2, 0.2, 0.3], *seed).alike() < 0.001;
    let refuted = (0..seeds).filter(unlike).count();
    assert!(refuted >= least, "{refuted} of {seeds}");
    let moves = walk([0.2; 4], 3);
    // A fifth of the steps from all levels but the two at the top.
    assert!((0.05..0.2).contains(&moves.jumps()), "{}", moves.jumps());
    for rows in moves.matrices().into_iter().chain([moves.matrix()]) {
        for row in rows {
            assert_abs_diff_eq!(row.iter().sum::<f64>(), 1.0, epsilon = 1e-12);
        }
    }
    assert!(moves.probabilities(None).iter().any(|(from, to, found)| {
        (*from, *to) == (2, 4) && found.contains(0.2) && found.contains(found.value)
    }));
}

#[test]
fn the_kind_of_edge_is_recognised() {
    let counts = |inward: u64, stays: u64| {
        vec![[0, stays, inward], [250, 500, 250], [250, 500, 250], [inward, stays, 0]]
    };
    // Two ranks side by side make each move, and are remapped before the next.
    let moves = |counts: Vec<[u64; 3]>| {
        let (mut seconds, mut remaps) = (Vec::new(), Vec::new());
        for (level, counts) in counts.iter().enumerate() {
            for (side, &count) in counts.iter().enumerate() {
                for _ in 0..count / 2 {
                    remaps.push(Remap { before: seconds.len() / 2, seconds: None });
                    seconds.extend([level, level, level + side - 1, level + side - 1]);
                }
            }
        }
        let seconds = seconds.into_iter().map(|level| level as f64).collect();
        Moves::of(&Record::new(2, seconds, remaps).unwrap(), 1.0)
    };
    assert_eq!(moves(counts(250, 750)).walk().edge, Edge::Hold);
    assert_eq!(moves(counts(500, 500)).walk().edge, Edge::Reflect);
    let walk = moves(counts(250, 750)).walk();
    assert!(walk.up.contains(0.25) && walk.same_at_every_level > 0.9);
    let uneven = vec![[0, 10, 10], [400, 500, 100], [100, 500, 400], [10, 10, 0]];
    assert!(moves(uneven).walk().same_at_every_level < 1e-6);
}

#[test]
fn drift_and_noise_are_told_apart() {
    let found = Increments::of(&drifting(32, 200, 0.05, 0.2)).unwrap();
    assert_abs_diff_eq!(found.drifts[1], 0.05, epsilon = 0.005);
    assert!(found.same_drift < 1e-6);
    // Uniform in [-.2, .2].
    assert!(abs_diff_eq!(found.noise, 0.2 / 3.0_f64.sqrt(), epsilon = 0.02), "{}", found.noise);
    assert!(found.deviation.value < 0.03);
}

#[test]
fn a_change_point_is_found_where_it_is() {
    let jitter = |i: usize| ((i * 37) % 11) as f64 / 100.0;
    let values: Vec<f64> = (0..80).map(|i| jitter(i) + if i < 50 { 1.0 } else { 2.0 }).collect();
    let found = change(&values).unwrap();
    assert_eq!(found.at, 50);
    assert_abs_diff_eq!(found.before, 1.05, epsilon = 0.01);
    assert_abs_diff_eq!(found.after, 2.05, epsilon = 0.01);
    let line: Vec<f64> = (0..80).map(|i| jitter(i) + 0.05 * i as f64).collect();
    assert!(change(&line).is_none(), "a line is no change of phase");
    let flat: Vec<f64> = (0..80).map(jitter).collect();
    assert!(change(&flat).is_none());
}

/// E max of 2 standard normals is 1/sqrt(pi): after n steps max - mean is sqrt(n/pi).
#[test]
fn growth_of_independent_changes_is_that_of_normal_extremes() {
    let lags = growth::lags(21);
    assert_eq!(lags, [1, 2, 3, 5, 8, 13, 21]);
    for point in growth::normal(&[0.0, 0.0], 1.0, 0.0, &lags, 5) {
        let exact = (point.lag as f64 / std::f64::consts::PI).sqrt();
        assert!(abs_diff_eq!(point.mean, exact, epsilon = 2.0 * point.half_width), "{point:?}");
    }
}

#[test]
fn what_is_no_record_is_refused() {
    assert!(Record::new(1, vec![1.0], Vec::new()).is_err());
    assert!(Record::new(2, Vec::new(), Vec::new()).is_err());
    assert!(Record::new(2, vec![1.0; 3], Vec::new()).is_err());
    for wrong in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(Record::new(2, vec![1.0, wrong], Vec::new()).is_err());
    }
    let late = Remap { before: 1, seconds: None };
    assert!(Record::new(2, vec![1.0; 2], vec![late]).is_err());
    let negative = Remap { before: 0, seconds: Some(-1.0) };
    assert!(Record::new(2, vec![1.0; 2], vec![negative]).is_err());
}

/// A time that was filled in lies between levels, which the others still have, and no move leads to
/// it or from it.
#[test]
fn levels_outlast_gaps() {
    let (mut draws, mut seconds, mut level) = (stream(5, 0), Vec::new(), [6.0_f64; 3]);
    for _ in 0..400 {
        for load in &mut level {
            let draw: f64 = draws.random();
            *load = (*load + f64::from(draw < 0.3) - f64::from(draw > 0.7)).clamp(1.0, 12.0);
            seconds.push(*load);
        }
    }
    let (mut gone, mut filled) = (seconds.clone(), vec![false; seconds.len()]);
    for cell in [40, 41, 300, 307, 900] {
        (gone[cell], filled[cell]) = (4.5, true);
    }
    let whole = Record::new(3, seconds.clone(), Vec::new()).unwrap();
    let record = Record::new(3, gone, Vec::new()).unwrap().with_filled(filled.clone());
    assert_eq!(lattice(&record), Some(1.0));
    let mut counts = vec![[0; 3]; 12];
    for cell in 3..seconds.len() {
        if !filled[cell] && !filled[cell - 3] {
            let side = (seconds[cell] - seconds[cell - 3]).signum();
            let side = if seconds[cell] == seconds[cell - 3] { 0.0 } else { side };
            counts[seconds[cell - 3] as usize - 1][(side + 1.0) as usize] += 1;
        }
    }
    let moves = Moves::of(&record, 1.0);
    let shift = moves.lowest as usize - 1;
    assert_eq!(moves.counts, counts[shift..shift + moves.counts.len()]);
    assert_eq!(Moves::of(&whole, 1.0).total() - moves.total(), 10);
}
