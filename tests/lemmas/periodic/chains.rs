//! Loads on the levels of a chain: against all joint levels, and against a look at every step.

use crate::shared::Asked;
use proptest::prelude::*;
use remapping::Status;
use remapping::chain::{BirthDeath, Edge};
use remapping::periodic::{Bound, ChainLoads, LoadChain};

/// The moves of a birth-death chain.
pub fn moves(chain: &BirthDeath) -> LoadChain {
    let of = |move_of: fn(&BirthDeath, usize) -> f64| {
        (0..chain.levels()).map(|level| move_of(chain, level)).collect()
    };
    LoadChain { up: of(BirthDeath::up), down: of(BirthDeath::down) }
}

fn walk(levels: usize, p: f64, edge: Edge) -> LoadChain {
    moves(&BirthDeath::walk(levels, p, p, edge).unwrap())
}

fn loads(
    counts: std::ops::Range<usize>,
    levels: std::ops::Range<usize>,
) -> impl Strategy<Value = ChainLoads> {
    let probability = prop_oneof![Just(0.25), 0.01..0.49f64];
    let moves = prop::collection::vec((probability.clone(), probability), levels);
    (counts, moves, 0.0..1.0f64, 0u8..4).prop_map(|(count, moves, start, lowest)| {
        let levels = moves.len();
        let (mut up, mut down): (Vec<f64>, Vec<f64>) = moves.into_iter().unzip();
        (up[levels - 1], down[0]) = (0.0, 0.0);
        let start = (start * levels as f64) as usize;
        ChainLoads { count, chain: LoadChain { up, down }, lowest: f64::from(lowest), start }
    })
}

/// `E max |w_i - wbar|` over all joint levels.
fn enumerated(loads: &ChainLoads, law: &[f64]) -> f64 {
    let levels = law.len();
    let joint = (0..levels.pow(loads.count as u32)).map(|code| {
        let level = |i: usize| code / levels.pow(i as u32) % levels;
        let own: Vec<usize> = (0..loads.count).map(level).collect();
        let mean = own.iter().sum::<usize>() as f64 / own.len() as f64;
        let most = own.iter().map(|level| (*level as f64 - mean).abs()).fold(0.0, f64::max);
        most * own.iter().map(|level| law[*level]).product::<f64>()
    });
    joint.sum()
}

/// Steps that are looked at one by one.
const LOOKED: u64 = 60;

/// The longest interval within `limit`, by the imbalance after each step; at most `last`.
fn step_by_step(loads: &ChainLoads, limit: f64, last: usize) -> usize {
    let keeps = |law: &Vec<f64>| {
        let found = loads.imbalance(law, Bound::MaxDeviation(limit), &());
        let average = loads.mean_load(law);
        average > 0.0 && found.value - found.error <= limit * average
    };
    loads.laws().skip(1).take(last).take_while(keeps).count()
}

proptest! {
    #[test]
    fn the_imbalance_is_that_of_all_joint_levels_and_below_its_bound(
        loads in loads(2..6, 2..6), time in 0usize..40,
    ) {
        let law = loads.laws().nth(time).unwrap();
        let exact = enumerated(&loads, &law);
        let found = loads.imbalance(&law, Bound::MaxDeviation(1.0), &());
        prop_assert!((found.value - exact).abs() <= found.error + 1e-12, "{found:?} {exact}");
        let most = loads.max_deviation_bound(&law);
        let variance = |mean: f64| -> f64 {
            law.iter().enumerate().map(|(l, p)| p * (l as f64 - mean).powi(2)).sum()
        };
        let spread = variance(loads.mean_load(&law) - loads.lowest) / loads.count as f64;
        prop_assert!(exact <= most && most <= exact + 2.0 * spread.sqrt() + 1e-9, "{exact} {most}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Where the bound shows that an interval goes on, looking at every step would have gone on,
    /// too.
    #[test]
    fn the_longest_interval_is_that_of_looking_at_every_step(
        loads in loads(2..12, 2..16), limit in 0.02..1.5f64,
    ) {
        let found = loads.longest(Bound::MaxDeviation(limit), &());
        // A search that is given up has looked at a million steps.
        let far = found.interval.steps >= Some(LOOKED);
        prop_assert!(found.status == Status::Converged || far);
        let steps = found.interval.steps.map_or(LOOKED, |steps| steps.min(LOOKED));
        prop_assert_eq!(steps, step_by_step(&loads, limit, LOOKED as usize) as u64);
        if let (Some(steps), Some(real)) = (found.interval.steps, found.interval.real) {
            prop_assert!(real >= steps as f64 && real <= steps as f64 + 1.0, "{steps} {real}");
        }
    }
}

/// The imbalance of 200 processors is evaluated where it matters: an evaluation asks once for each
/// of hundreds of frequencies, and the interval has 60 steps.
#[test]
fn few_steps_of_many_processors_are_evaluated() {
    let chain = walk(610, 0.25, Edge::Hold);
    let loads = ChainLoads { count: 200, chain, lowest: 1.0, start: 53 };
    let asked = Asked::at_most(u64::MAX);
    let found = loads.longest(Bound::MaxDeviation(0.3), &asked);
    assert_eq!((found.status, found.interval.steps), (Status::Converged, Some(60)));
    let asked = asked.times();
    assert!(asked < 6000, "{asked}");
}

/// A slow walk has a million steps to go until its law is at rest but for rounding; the bound
/// leaves room long before, and with levels by turns, too.
#[test]
fn a_bound_with_room_is_kept_before_laws_are_at_rest() {
    for (p, edge, most) in [(0.01, Edge::Hold, 400_000), (0.5, Edge::Reflect, 8_000)] {
        let chain = walk(60, p, edge);
        let loads = ChainLoads { count: 4, chain, lowest: 1.0, start: 10 };
        for bound in [Bound::MaxDeviation(2.0), Bound::RmsDeviation(2.5)] {
            let asked = Asked::at_most(u64::MAX);
            let found = loads.longest(bound, &asked);
            let known = (found.status, found.interval.steps);
            assert_eq!(known, (Status::Converged, None), "{bound:?}");
            let asked = asked.times();
            assert!(asked < most, "{bound:?}: {asked}");
        }
    }
}
