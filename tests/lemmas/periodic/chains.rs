//! Loads on the levels of a chain: against all joint levels, and against a look at every step.

use proptest::prelude::*;
use remapping::periodic::{Bound, ChainLoads, LoadChain};
use remapping::{Halt, Observer, Status};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

fn loads(
    counts: std::ops::Range<usize>,
    levels: std::ops::Range<usize>,
) -> impl Strategy<Value = ChainLoads> {
    let probability = prop_oneof![Just(0.25), 0.01..0.49f64];
    (
        counts,
        levels,
        prop::collection::vec((probability.clone(), probability), 40),
        0.0..1.0f64,
        0u8..4,
    )
        .prop_map(|(count, levels, moves, start, lowest)| {
            let last = levels - 1;
            let up = (0..levels).map(|l| if l == last { 0.0 } else { moves[l].0 }).collect();
            let down = (0..levels).map(|l| if l == 0 { 0.0 } else { moves[l].1 }).collect();
            let start = (start * levels as f64) as usize;
            ChainLoads { count, chain: LoadChain { up, down }, lowest: f64::from(lowest), start }
        })
}

/// `E max |w_i - wbar|` over all joint levels.
fn enumerated(loads: &ChainLoads, law: &[f64]) -> f64 {
    let levels = law.len();
    let joint = (0..levels.pow(loads.count as u32)).map(|mut code| {
        let own: Vec<usize> = (0..loads.count)
            .map(|_| {
                let level = code % levels;
                code /= levels;
                level
            })
            .collect();
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

/// Asks for nothing, and counts.
struct Asked(AtomicU64);

impl Observer for Asked {
    fn progress(&self, _: u64, _: u64) -> ControlFlow<Halt> {
        self.0.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

/// The imbalance of 200 processors is evaluated where it matters: an evaluation asks once for each
/// of hundreds of frequencies, and the interval has 60 steps.
#[test]
fn few_steps_of_many_processors_are_evaluated() {
    let levels = 610;
    let up = (0..levels).map(|l| if l == levels - 1 { 0.0 } else { 0.25 }).collect();
    let down = (0..levels).map(|l| if l == 0 { 0.0 } else { 0.25 }).collect();
    let loads = ChainLoads { count: 200, chain: LoadChain { up, down }, lowest: 1.0, start: 53 };
    let asked = Asked(AtomicU64::new(0));
    let found = loads.longest(Bound::MaxDeviation(0.3), &asked);
    assert_eq!(found.status, Status::Converged);
    let (steps, asked) = (found.interval.steps.unwrap(), asked.0.into_inner());
    assert_eq!(steps, 60);
    assert!(asked < 6000, "{asked}");
}

/// A slow walk has a million steps to go until its law is at rest but for rounding; the bound
/// leaves room long before, and with levels by turns, too.
#[test]
fn a_bound_with_room_is_kept_before_laws_are_at_rest() {
    let levels = 60;
    let walk = |p: f64, inward: f64| {
        let up = |l| {
            if l == levels - 1 {
                0.0
            } else if l == 0 {
                p + inward
            } else {
                p
            }
        };
        let down = |l| {
            if l == 0 {
                0.0
            } else if l == levels - 1 {
                p + inward
            } else {
                p
            }
        };
        LoadChain { up: (0..levels).map(up).collect(), down: (0..levels).map(down).collect() }
    };
    for (chain, most) in [(walk(0.01, 0.0), 400_000), (walk(0.5, 0.5), 8_000)] {
        let loads = ChainLoads { count: 4, chain, lowest: 1.0, start: 10 };
        for bound in [Bound::MaxDeviation(2.0), Bound::RmsDeviation(2.5)] {
            let asked = Asked(AtomicU64::new(0));
            let found = loads.longest(bound, &asked);
            assert_eq!(
                (found.status, found.interval.steps),
                (Status::Converged, None),
                "{bound:?}"
            );
            let asked = asked.0.into_inner();
            assert!(asked < most, "{bound:?}: {asked}");
        }
    }
}
