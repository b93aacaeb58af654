use super::*;
use crate::simulate::{Estimate, stream};

const DRIFT: Moves = Moves { east: 0.3, west: 0.05, north: 0.2, south: 0.1 };

fn mesh(boundary: Boundary, units: Vec<u32>) -> ActivityMesh {
    ActivityMesh::new((6, 4), units, 4, DRIFT, boundary, 10, 5.0).unwrap()
}

#[test]
fn units_are_conserved_unless_they_exit() {
    let units: Vec<u32> = (0..24).map(|k| [0, 1, 7, 40, 500][k % 5]).collect();
    let total: u32 = units.iter().sum();
    for boundary in [Boundary::Reject, Boundary::Reflect, Boundary::Torus, Boundary::Exit] {
        let mesh = mesh(boundary, units.clone());
        let mut field = mesh.start(stream(5, 0));
        for _ in 0..50 {
            mesh.advance(&mut field);
        }
        let left: u32 = field.units().iter().sum();
        let all = Rectangle { left: 0, right: 6, bottom: 0, top: 4 };
        assert_eq!(u64::from(left), field.weight(&all));
        if boundary == Boundary::Exit {
            assert!(left < total);
        } else {
            assert_eq!(left, total, "{boundary:?}");
        }
    }
}

/// Mean of every point after one step, compared with the transition probabilities.
#[test]
fn moves_have_the_given_law() {
    for (boundary, small) in [
        (Boundary::Reject, true),
        (Boundary::Reflect, false),
        (Boundary::Exit, true),
        (Boundary::Torus, false),
    ] {
        // Below and above the largest tabulated number.
        let units: Vec<u32> =
            (0..24).map(|k| if small { k % 9 } else { 30 + 40 * (k % 3) }).collect();
        let mesh = mesh(boundary, units.clone());
        let mut expected = vec![0.0; 24];
        for (here, &count) in units.iter().enumerate() {
            let count = f64::from(count);
            let ways = [DRIFT.east, DRIFT.west, DRIFT.north, DRIFT.south];
            expected[here] += count * (1.0 - ways.iter().sum::<f64>());
            let (x, y) = (here as i32 % 6, here as i32 / 6);
            for ((dx, dy), p) in [(1, 0), (-1, 0), (0, 1), (0, -1)].into_iter().zip(ways) {
                let inside = (0..6).contains(&(x + dx)) && (0..4).contains(&(y + dy));
                let (x, y) = match boundary {
                    _ if inside => (x + dx, y + dy),
                    Boundary::Reject => (x, y),
                    Boundary::Reflect => (x - dx, y - dy),
                    Boundary::Exit => continue,
                    Boundary::Torus => ((x + dx).rem_euclid(6), (y + dy).rem_euclid(4)),
                };
                expected[(y * 6 + x) as usize] += count * p;
            }
        }
        let runs = 3000;
        let mut samples = vec![Vec::new(); 24];
        for run in 0..runs {
            let mut field = mesh.start(stream(11, run));
            mesh.advance(&mut field);
            samples.iter_mut().zip(field.units()).for_each(|(all, &n)| all.push(f64::from(n)));
        }
        for (point, (samples, expected)) in samples.iter().zip(&expected).enumerate() {
            let estimate = Estimate::of(samples);
            let off = (estimate.value - expected).abs();
            assert!(
                off <= 2.3 * estimate.half_width() + 1e-12,
                "{boundary:?} {point}: {estimate:?} {expected}"
            );
        }
    }
}

#[test]
fn split_counts_have_binomial_variance() {
    let splitter = binomial::Splitter::new([0.25, 0.5, 0.0, 0.25]);
    for n in [8u32, 200] {
        let mut stream = stream(3, n.into());
        let draws: Vec<[u32; 4]> = (0..20_000).map(|_| splitter.split(n, &mut stream)).collect();
        assert!(draws.iter().all(|draw| draw.iter().sum::<u32>() == n && draw[2] == 0));
        for (way, p) in [(0, 0.25), (1, 0.5), (3, 0.25)] {
            let mean = f64::from(n) * p;
            let squares = draws.iter().map(|draw| (f64::from(draw[way]) - mean).powi(2));
            let variance = squares.sum::<f64>() / draws.len() as f64;
            let expected = f64::from(n) * p * (1.0 - p);
            // The variance of a variance is about 2 sigma^4 / n: this is five deviations.
            assert!((variance / expected - 1.0).abs() < 0.05, "{n} {way}: {variance} {expected}");
        }
    }
}

#[test]
fn uniform_weights_are_cut_evenly() {
    for (size, processors) in [((64, 64), 16), ((32, 8), 8), ((12, 12), 9), ((5, 7), 35)] {
        let parts = dissect(size, processors, Rectangle::points);
        assert_eq!(parts.len(), processors);
        let points: Vec<u64> = parts.iter().map(Rectangle::points).collect();
        assert_eq!(points.iter().sum::<u64>(), u64::from(size.0 * size.1));
        if processors.is_power_of_two() {
            assert!(points.iter().all(|&p| p == points[0]), "{points:?}");
        }
    }
}

/// All weight is on one corner point: it cannot be divided, and all other parts have no weight.
#[test]
fn points_are_indivisible() {
    let weight = |r: &Rectangle| u64::from(r.left == 0 && r.bottom == 0 && r.points() > 0) * 100;
    let parts = dissect((8, 8), 4, weight);
    let loads: Vec<u64> = parts.iter().map(weight).collect();
    assert_eq!(loads.iter().filter(|&&load| load == 100).count(), 1);
    assert_eq!(parts.iter().map(Rectangle::points).sum::<u64>(), 64);
    let crowded = dissect((1, 1), 3, Rectangle::points);
    assert_eq!(crowded.iter().map(Rectangle::points).collect::<Vec<_>>(), [1, 0, 0]);
}

/// Known weights: columns 1, 2, .., 8 cut for two processors after column 5 (15 | 21) or 6 (21 |
/// 15) are equally good, and the lower is taken.
#[test]
fn known_weights_are_cut_where_they_balance() {
    let weight = |r: &Rectangle| (r.left..r.right).map(|x| u64::from(x) + 1).sum::<u64>();
    let parts = dissect((8, 1), 2, weight);
    assert_eq!(parts[0].right, 5);
    assert_eq!((weight(&parts[0]), weight(&parts[1])), (15, 21));
    let third = dissect((8, 1), 3, weight);
    assert_eq!(third.iter().map(weight).collect::<Vec<_>>(), [10, 11, 15]);
}

/// The demand of units at their point is the load of its processor, and each place has its own
/// moves.
#[test]
fn weights_and_moves_by_place() {
    let units: Vec<u32> = (0..24).map(|k| 20 + k % 3).collect();
    let weights: Vec<u32> = (0..24).map(|k| k % 5).collect();
    let still = Moves { east: 0.0, west: 0.0, north: 0.0, south: 0.0 };
    let east = Moves { east: 1.0, ..still };
    let place = Rectangle { left: 1, right: 3, bottom: 2, top: 4 };
    let mesh = ActivityMesh::new((6, 4), units.clone(), 4, still, Boundary::Exit, 10, 5.0)
        .and_then(|mesh| mesh.with_weights(weights.clone()))
        .and_then(|mesh| mesh.with_moves(place, east))
        .unwrap();
    let mut field = mesh.start(stream(2, 0));
    let mut expected = units;
    for _ in 0..2 {
        let all = Rectangle { left: 0, right: 6, bottom: 0, top: 4 };
        let demand: u32 = expected.iter().zip(&weights).map(|(units, weight)| units * weight).sum();
        assert_eq!(field.weight(&all), u64::from(demand));
        assert_eq!(field.units(), expected);
        let (mut mapping, mut loads) = (mesh.initial(&mut field), Vec::new());
        mesh.remap(&field, &mut mapping);
        mesh.loads(&field, &mapping, &mut loads);
        assert_eq!(loads.iter().sum::<f64>(), f64::from(demand));
        mesh.advance(&mut field);
        for y in 2..4 {
            let row = &mut expected[6 * y..6 * y + 6];
            (row[3], row[2], row[1]) = (row[3] + row[2], row[1], 0);
        }
    }
    let heavy = |mesh: ActivityMesh| mesh.with_weights(vec![u32::MAX; 24]);
    let plain = || mesh.clone();
    assert_eq!(heavy(plain()).unwrap_err(), MeshError::Units);
    let beyond = Rectangle { right: 7, ..place };
    assert_eq!(plain().with_moves(beyond, still).unwrap_err(), MeshError::Place(beyond));
    let none = Rectangle { right: 1, ..place };
    assert_eq!(plain().with_moves(none, still).unwrap_err(), MeshError::Place(none));
}
