//! Loads that are multiplied and added to, on whole loads.

use proptest::prelude::*;
use remapping::Rational;
use remapping::chain::{Change, affine_rows};

fn quarters(number: i64) -> Rational {
    Rational::from(number) / Rational::from(4)
}

proptest! {
    /// Rows are laws, they keep the mean of loads that do not leave the levels, and of a load
    /// between two levels no other level is reached.
    #[test]
    fn the_mean_is_kept(
        lowest in -3i64..4,
        levels in 2usize..9,
        changes in prop::collection::vec((0i64..9, -9i64..9, 1i64..5), 1..4),
    ) {
        let all: i64 = changes.iter().map(|change| change.2).sum();
        let of = |&(factor, added, weight): &(i64, i64, i64)| Change {
            factor: quarters(factor),
            added: quarters(added),
            probability: Rational::from(weight) / Rational::from(all),
        };
        let changes: Vec<Change> = changes.iter().map(of).collect();
        let rows = affine_rows(lowest, levels, &changes);
        let highest = lowest + levels as i64 - 1;
        for (level, row) in rows.iter().enumerate() {
            let load = Rational::from(lowest + level as i64);
            let sum = row.iter().fold(Rational::ZERO, |sum, p| sum + p);
            prop_assert_eq!(sum, Rational::ONE);
            prop_assert!(row.iter().all(|p| *p >= Rational::ZERO));
            let mean = row.iter().zip(lowest..).fold(Rational::ZERO, |sum, (p, to)| sum + p * Rational::from(to));
            let to = |change: &Change| &change.factor * &load + &change.added;
            let (low, high) = (Rational::from(lowest), Rational::from(highest));
            let held = |change: &Change| to(change).max(low.clone()).min(high.clone());
            let exact = changes.iter().fold(Rational::ZERO, |sum, change| sum + &change.probability * held(change));
            prop_assert_eq!(mean, exact);
            for (p, target) in row.iter().zip(lowest..).filter(|(p, _)| **p > Rational::ZERO) {
                let target = Rational::from(target);
                let near = |change: &Change| {
                    let distance = held(change) - &target;
                    distance > -Rational::ONE && distance < Rational::ONE
                };
                prop_assert!(changes.iter().any(near), "{p} to {target}");
            }
        }
    }
}

/// Half as much again or a third less, by hand.
#[test]
fn a_small_matrix() {
    let change = |factor: Rational| Change {
        factor,
        added: Rational::ZERO,
        probability: Rational::ONE / Rational::from(2),
    };
    let changes = [
        change(Rational::from(3) / Rational::from(2)),
        change(Rational::from(2) / Rational::from(3)),
    ];
    let rows = affine_rows(1, 3, &changes);
    let sixths = |row: [i64; 3]| row.map(|x| Rational::from(x) / Rational::from(12)).to_vec();
    // 1: to 3/2, and to 2/3, below the levels. 2: to 3, and to 4/3. 3: beyond them, and to 2.
    assert_eq!(rows, [sixths([9, 3, 0]), sixths([4, 2, 6]), sixths([0, 6, 6])]);
}
