//! What is proved from the states in which something can be saved: of very many states, in coarse
//! numbers, and what is no region. `states` has the proofs of small models.

use crate::shared::{self, count, interval};
use crate::states::{Chain, walk, written};
use remap_checker::{Evidence, Model, Refusal};

const RHO: f64 = 2.3;
const SCALE: f64 = (1u64 << 50) as f64;

fn model(chains: &[Chain], rho: f64, after: &str) -> Model {
    shared::model(&written(chains, rho, after))
}

#[test]
fn more_states_than_can_be_looked_at_are_proved_around_balance() {
    // 10^30 load vectors of which ten are balanced; nothing else is worth 0.01.
    let chains = vec![walk(3, 10, 0.25, 0.25); 30];
    let found = model(&chains, 0.01, "Stop");
    let most = (0.01 * SCALE) as u64 + 1;
    let entries = |levels: std::ops::Range<i64>| -> Vec<_> {
        levels.map(|level| (vec![level; 30], most, 2)).collect()
    };
    let prove = |entries: Vec<_>| found.prove(&Evidence::Region(50, entries));
    let proof = prove(entries(3..13)).unwrap();
    assert_eq!((count(&proof, "balanced"), count(&proof, "proved_continue")), (10.0, 0.0));
    // C(39, 30) - 10
    assert_eq!(count(&proof, "proved_remap"), 211_915_122.0);
    let missing = Err(Refusal::Unproved("a balanced state is missing"));
    // From there one may come to where the others are.
    assert!(matches!(prove(entries(3..12)), Err(Refusal::Unproved(_))));
    assert_eq!(prove(entries(3..14)), Err(Refusal::Malformed));
    assert_eq!(prove(Vec::new()), missing);
    // All states are too many.
    let whole = found.prove(&Evidence::Stopping(50, vec![(211_915_132, 0, 0)]));
    assert_eq!(whole, Err(Refusal::TooLarge));
}

#[test]
fn counts_that_are_no_doubles_lie_between_bounds() {
    // 9007199254740996 states; the last process alone moves its load, and three are open.
    let levels = [2, 2, 3, 3, 307, 2857, 6529, 43691];
    let still =
        |(i, levels): (usize, &usize)| (i as i64 * 100_000, vec![0.0; *levels], vec![0.0; *levels]);
    let chains: Vec<Chain> = levels.iter().enumerate().map(still).collect();
    let entry = |more: i64| {
        let mut loads: Vec<i64> = chains.iter().map(|chain| chain.0).collect();
        loads[7] += more;
        (loads, 1 << 62, 1 << 62)
    };
    let found = model(&chains, 1.0, "Stop");
    let proof = found.prove(&Evidence::Region(20, (0..3).map(entry).collect())).unwrap();
    let (low, high) = interval(&proof, "proved_remap");
    let within = |x: f64| x as i128 - 9_007_199_254_740_993;
    assert!(within(low) < 0 && within(high) > 0, "{low} {high}");
}

/// What it is divided by is a lower bound on R.
#[test]
fn gaps_are_bounds_however_coarse_the_numbers_are() {
    let found = model(&vec![walk(0, 3, 0.25, 0.25); 2], 1.001, "Stop");
    let classes = (0..3).flat_map(|i| (i..3).map(move |j| (vec![i, j], 48, 48)));
    let proof = found.prove(&Evidence::Region(4, classes.collect())).unwrap();
    assert!(interval(&proof, "value_gap").1 >= 3.0 / 1.001);
    assert!(interval(&proof, "value_width").1 >= 3.0);
    // The whole in coarse numbers: at least 1 in 16.
    let runs = [0, 48, 0, 48, 48, 0].map(|wide| (1, 0, wide)).to_vec();
    let proof = found.prove(&Evidence::Stopping(4, runs)).unwrap();
    assert!(interval(&proof, "value_gap").1 >= 3.0 / 1.001);
}

#[test]
fn more_ways_into_a_state_than_fit_are_refused() {
    for (count, fits) in [(300, true), (600, false), (1000, false)] {
        let found = model(&vec![walk(0, 3, 0.25, 0.25); count], 1.0, "Stop");
        let proof = found.prove(&Evidence::Region(50, vec![(vec![1; count], 1, 0)]));
        assert_eq!(proof == Err(Refusal::TooLarge), !fits, "{count} {proof:?}");
    }
}

#[test]
fn what_is_no_region_is_refused() {
    let chains = vec![walk(0, 3, 0.3, 0.2); 2];
    let most = (RHO * SCALE) as u64 + 1;
    let good: Vec<(Vec<i64>, u64, u64)> = (0..3).map(|level| (vec![level; 2], most, 2)).collect();
    let prove = |after: &str, bits: u32, entries: Vec<_>| {
        model(&chains, RHO, after).prove(&Evidence::Region(bits, entries))
    };
    // Something is saved where the loads differ by one.
    assert!(matches!(prove("Stop", 50, good.clone()), Err(Refusal::Unproved(_))));
    let with = |entry: (Vec<i64>, u64, u64)| prove("Stop", 50, [&good[..], &[entry]].concat());
    for loads in
        [vec![1, 0], vec![0], vec![0, 1, 2], vec![0, 3], vec![-1, 0], vec![0, i64::MAX], vec![]]
    {
        assert_eq!(with((loads, 1, 0)), Err(Refusal::Malformed));
    }
    assert_eq!(with((vec![0, 1], 0, 0)), Err(Refusal::Malformed));
    assert_eq!(with((vec![0, 1], 1, 2)), Err(Refusal::Malformed));
    assert_eq!(with((vec![0, 1], most, 0)), Err(Refusal::Malformed));
    assert_eq!(with((vec![0, 1], u64::MAX, u64::MAX)), Err(Refusal::Malformed));
    assert_eq!(prove("Stop", 61, good.clone()), Err(Refusal::Malformed));
    assert_eq!(prove("Uniform", 50, good.clone()), Err(Refusal::Malformed));
    assert_eq!(prove("Restart", 50, good), Err(Refusal::Malformed));
}
