//! [NR90, section V-B]: the land battle, its rules and costs, and the shape of Fig. 7.

use crate::shapes::{hindsight_is_least, percent, rank_correlation, signs_change};
use approx::{abs_diff_eq, assert_abs_diff_eq};
use proptest::prelude::*;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use remapping::land_battle::Assigned;
use remapping::land_battle::battle::{Battle, Unit};
use remapping::land_battle::board::{Board, Hex, Turn};
use remapping::land_battle::cost::charge;
use remapping::land_battle::{Cost, LandBattle, Mapping};
use remapping::two_phase::figure::Policy;
use remapping::two_phase::workload::compare;
use std::collections::{HashMap, HashSet, VecDeque};

const BOARD: Board = Board { columns: 128, rows: 128 };

fn hex(column: i32, row: i32) -> Hex {
    Hex { column, row }
}

/// Distances from a hex by breadth-first search over neighbours.
fn search(from: Hex, radius: i32) -> HashMap<Hex, i32> {
    let mut distances = HashMap::from([(from, 0)]);
    let mut queue = VecDeque::from([from]);
    while let Some(here) = queue.pop_front() {
        let next = distances[&here] + 1;
        for neighbour in here.neighbours() {
            if next <= radius && !distances.contains_key(&neighbour) {
                distances.insert(neighbour, next);
                queue.push_back(neighbour);
            }
        }
    }
    distances
}

proptest! {
    #[test]
    fn hex_distance_counts_moves(column in -5..5, row in -5..5, radius in 0..6i32) {
        let from = hex(column, row);
        let found = search(from, radius);
        prop_assert_eq!(found.len() as i32, 1 + 3 * radius * (radius + 1));
        for (to, distance) in found {
            prop_assert_eq!(from.distance(to), distance);
            prop_assert_eq!(to.distance(from), distance);
        }
    }
}

#[test]
fn a_hex_has_six_neighbours_and_each_has_it() {
    for row in 0..4 {
        let here = hex(7, row);
        let neighbours: HashSet<Hex> = here.neighbours().into_iter().collect();
        assert_eq!(neighbours.len(), 6);
        assert!(neighbours.iter().all(|next| next.neighbours().contains(&here)));
    }
    // Two angled moves lead one column ahead, whatever the row.
    for row in 0..2 {
        for heading in [1, -1] {
            let there = hex(7, row).ahead(heading, Turn::Up).ahead(heading, Turn::Down);
            assert_eq!(there, hex(7 + heading, row));
        }
    }
}

#[test]
fn the_paper_s_mappings() {
    let blocks = Mapping::Blocks { columns: 64, rows: 32 };
    let mut owned = [0; 8];
    let mut scattered = [0; 8];
    let scatter = Mapping::Scatter { skew: 3 };
    for row in 0..128 {
        for column in 0..128 {
            owned[blocks.owner(&BOARD, 8, hex(column, row))] += 1;
            scattered[scatter.owner(&BOARD, 8, hex(column, row))] += 1;
        }
    }
    assert_eq!(owned, [64 * 32; 8]);
    assert_eq!(scattered, [64 * 32; 8]);
    // Row by row without a skew, a processor owns whole columns: the front of a battle is its own.
    let columns = Mapping::Scatter { skew: 8 };
    let owner = |mapping: Mapping, row| mapping.owner(&BOARD, 8, hex(64, row));
    assert!((0..128).all(|row| owner(columns, row) == owner(columns, 0)));
    let owners: HashSet<usize> = (0..8).map(|row| owner(scatter, row)).collect();
    assert_eq!(owners.len(), 8);
    // Every hex of the skewed pattern has six neighbours of six other owners.
    let assignment = scatter.assign(BOARD, 8);
    assert_eq!(assignment.watchers(hex(50, 50)), 6);
    assert_eq!(blocks.assign(BOARD, 8).watchers(hex(50, 50)), 0);
}

fn unit(side: u8, column: i32, row: i32) -> Unit {
    Unit { side, hex: hex(column, row), speed: 0.25, progress: 0.0, strength: 1.0 }
}

/// Units anywhere on a small part of the board.
fn units() -> impl Strategy<Value = Vec<Unit>> {
    let one = (0u8..2, 55..75i32, 55..75i32, 0.15..0.31f64, 0.4..1.0f64).prop_map(
        |(side, column, row, speed, strength)| Unit { speed, strength, ..unit(side, column, row) },
    );
    prop::collection::vec(one, 1..60)
}

proptest! {
    /// Against the obvious: everyone looks at everyone, everyone pays for everything.
    #[test]
    fn costs_are_those_of_the_units(
        units in units(),
        attrition in 0.0..3.0f64,
        exchange in 0.0..1.0f64,
        blocks in any::<bool>(),
    ) {
        let mapping = match blocks {
            true => Mapping::Blocks { columns: 64, rows: 32 },
            false => Mapping::Scatter { skew: 3 },
        };
        let model = LandBattle::default();
        let battle = Battle::new(&model, units);
        let mut expected = vec![0.0; 8];
        for unit in battle.units() {
            let owner = mapping.owner(&BOARD, 8, unit.hex);
            let enemies = battle.units().iter().filter(|other| {
                other.side != unit.side && other.hex.distance(unit.hex) <= model.combat.range as i32
            });
            let others: HashSet<usize> = (unit.hex.neighbours().iter())
                .map(|&next| mapping.owner(&BOARD, 8, next))
                .filter(|&other| other != owner)
                .collect();
            expected[owner] +=
                1.0 + attrition * enemies.count() as f64 + exchange * others.len() as f64;
        }
        let mut costs = vec![0.0; 8];
        let prices = Cost { attrition, exchange };
        charge(&mapping.assign(BOARD, 8), &prices, &battle, &mut costs);
        for (cost, expected) in costs.iter().zip(&expected) {
            prop_assert!(abs_diff_eq!(cost, expected, epsilon = 1e-9));
        }
    }

    /// Every unit with an enemy in range hands out its share of strength, and nobody else does.
    #[test]
    fn attrition_is_what_was_inflicted(units in units()) {
        let mut model = LandBattle::default();
        model.combat.broken_below = f64::NEG_INFINITY;
        let mut battle = Battle::new(&model, units);
        let strength = |battle: &Battle| battle.units().iter().map(|u| u.strength).sum::<f64>();
        let before = strength(&battle);
        let firing: f64 = (battle.units().iter().zip(battle.engaged()))
            .filter(|(_, engaged)| *engaged > 0)
            .map(|(unit, _)| model.combat.attrition * unit.strength)
            .sum();
        battle.step(&mut ChaCha8Rng::seed_from_u64(1));
        prop_assert!(abs_diff_eq!(before - firing, strength(&battle), epsilon = 1e-9));
    }
}

#[test]
fn a_unit_stands_while_more_than_three_enemies_are_next_to_it() {
    for (enemies, stands) in [(3, false), (4, true)] {
        let mut units = vec![Unit { speed: 1.0, ..unit(0, 60, 60) }];
        units.extend((0..enemies).map(|_| Unit { speed: 0.0, ..unit(1, 61, 60) }));
        let mut model = LandBattle::default();
        model.combat.attrition = 0.0;
        let mut battle = Battle::new(&model, units);
        battle.step(&mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(battle.units()[0].hex == hex(60, 60), stands);
    }
}

#[test]
fn units_cross_a_hex_in_the_time_their_speed_says() {
    // Nobody to meet: each side marches on, one hex every 4 steps.
    let mut model = LandBattle::default();
    model.movement.straight = 1.0;
    let mut battle = Battle::new(&model, vec![unit(0, 10, 20), unit(1, 110, 90)]);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    (0..40).for_each(|_| battle.step(&mut rng));
    let hexes: Vec<Hex> = battle.units().iter().map(|unit| unit.hex).collect();
    assert_eq!(hexes, [hex(20, 20), hex(100, 90)]);
}

#[test]
fn the_order_of_battle() {
    let model = LandBattle::default();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut rows = Vec::new();
    for _ in 0..100 {
        let units = model.units(20, &mut rng);
        assert_eq!(units.len(), 128);
        assert!(units.iter().all(|u| u.hex.column == if u.side == 0 { 54 } else { 74 }));
        assert!(units.iter().all(|u| (1.0 / 6.5..=1.0 / 3.25).contains(&u.speed)));
        rows.extend(units.iter().map(|unit| f64::from(unit.hex.row)));
    }
    let n = rows.len() as f64;
    let mean = rows.iter().sum::<f64>() / n;
    let deviation = (rows.iter().map(|row| (row - mean).powi(2)).sum::<f64>() / n).sqrt();
    assert_abs_diff_eq!(mean, 64.0, epsilon = 4.0 * 16.0 / n.sqrt());
    assert_abs_diff_eq!(deviation, 16.0, epsilon = 4.0 * 16.0 / (2.0 * n).sqrt());
}

#[test]
fn shape_of_figure_7() {
    has_the_shape_of_figure_7(1);
}

#[test]
#[ignore = "a minute for the same shape once more; run with: cargo test -p remapping-cli --test papers shape_of_figure_7 -- --ignored"]
fn shape_of_figure_7_with_another_seed() {
    has_the_shape_of_figure_7(2);
}

fn has_the_shape_of_figure_7(seed: u64) {
    let comparison = compare(&Assigned::new(&LandBattle::default()), 12, seed, &()).unwrap().0;
    let [block, scatter] =
        [Policy::StaticOld, Policy::StaticNew].map(|policy| percent(&comparison, policy));
    assert!(block[0] - block[15] > 10.0, "{block:?}");
    assert!(scatter[15] - scatter[0] > 5.0, "{scatter:?}");
    assert!(rank_correlation(&comparison.figure.at, &block) < -0.8, "{block:?}");
    assert!(rank_correlation(&comparison.figure.at, &scatter) > 0.9, "{scatter:?}");
    // At either end one of the static mappings is far behind.
    assert!(block[0] > 10.0 && scatter[15] > 10.0);
    hindsight_is_least(&comparison);
    signs_change(&comparison.envelope);
}

#[test]
fn same_seed_same_battle_whatever_the_threads() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let model = LandBattle { separations: vec![6, 20], ..LandBattle::default() };
    let run = || compare(&Assigned::new(&model), 4, 5, &()).unwrap().0;
    assert_eq!(one.install(run), three.install(run));
    assert_ne!(run(), compare(&Assigned::new(&model), 4, 6, &()).unwrap().0);
}
