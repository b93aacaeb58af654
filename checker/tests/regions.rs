//! What is proved from the states in which something can be saved, against value iteration over all
//! loads of processes that differ.

use remap_checker::{Evidence, Model, Proof, Refusal};
use std::path::Path;

/// The lowest load of a process, and up and down at each level.
type Chain = (i64, Vec<f64>, Vec<f64>);

const RHO: f64 = 2.3;
const SCALE: f64 = (1u64 << 50) as f64;

fn model(chains: &[Chain], rho: f64, after: &str) -> Model {
    let chain = |(lowest, up, down): &Chain| {
        format!("BirthDeath(lowest: {lowest}, up: {up:?}, down: {down:?})")
    };
    let chains: Vec<String> = chains.iter().map(chain).collect();
    let text = format!(
        "Model(title: \"t\", problem: Stopping(processes: Distinct([{}]), remap_cost: {rho}, after_remap: {after}))",
        chains.join(", ")
    );
    Model::read(&text, Path::new("")).unwrap()
}

/// All loads, the last process fastest.
fn vectors(chains: &[Chain]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for (lowest, up, _) in chains {
        let more = |loads: &Vec<i64>, level: usize| [&loads[..], &[lowest + level as i64]].concat();
        all = all.iter().flat_map(|l| (0..up.len()).map(move |level| more(l, level))).collect();
    }
    all
}

fn cost(loads: &[i64]) -> f64 {
    let mean = loads.iter().sum::<i64>() as f64 / loads.len() as f64;
    loads.iter().map(|load| *load as f64 - mean).fold(0.0, f64::max)
}

fn expect(chains: &[Chain], value: &[f64]) -> Vec<f64> {
    let (mut value, mut stride) = (value.to_vec(), value.len());
    for (_, up, down) in chains {
        stride /= up.len();
        let mean = |s: usize| {
            let level = s / stride % up.len();
            let above = if up[level] > 0.0 { up[level] * value[s + stride] } else { 0.0 };
            let below = if down[level] > 0.0 { down[level] * value[s - stride] } else { 0.0 };
            above + below + (1.0 - up[level] - down[level]) * value[s]
        };
        value = (0..value.len()).map(mean).collect();
    }
    value
}

fn count(proof: &Proof, name: &str) -> f64 {
    let (_, low, high) = proof.intervals().into_iter().find(|(other, ..)| other == name).unwrap();
    assert_eq!(low, high);
    low
}

fn walk(lowest: i64, levels: usize, up: f64, down: f64) -> Chain {
    let (mut ups, mut downs) = (vec![up; levels], vec![down; levels]);
    (ups[levels - 1], downs[0]) = (0.0, 0.0);
    (lowest, ups, downs)
}

#[test]
fn processes_that_differ_are_proved_as_value_iteration_has_them() {
    let (a, b) = (walk(-1, 4, 0.3, 0.2), walk(0, 3, 0.125, 0.5));
    // Those at level 1 stay there, and the others never do.
    let odd = (-2, vec![1.0, 0.0, 0.5, 0.0], vec![0.0, 0.0, 0.5, 1.0]);
    let all = [
        vec![a.clone(), a.clone(), b.clone()],
        vec![b.clone(), a.clone(), b.clone(), a.clone()],
        vec![b.clone(), b.clone(), b.clone(), b.clone(), a.clone()],
        vec![a.clone(), odd.clone(), odd.clone()],
        vec![odd.clone(), odd.clone(), odd.clone()],
        // They cannot be balanced.
        vec![b, walk(5, 3, 0.1, 0.1)],
    ];
    for chains in all {
        let (found, states) = (model(&chains, RHO, "Stop"), vectors(&chains));
        let (mut value, psi) =
            (vec![0.0; states.len()], states.iter().map(|s| cost(s)).collect::<Vec<_>>());
        let balanced = |s: usize| psi[s] < 1e-9;
        for _ in 0..4000 {
            let ahead = expect(&chains, &value);
            let best = |s: usize| if balanced(s) { 0.0 } else { RHO.min(psi[s] + ahead[s]) };
            value = (0..states.len()).map(best).collect();
        }
        let ahead = expect(&chains, &value);
        let canonical = |s: usize| {
            let equal = |i: usize, j: usize| chains[i] == chains[j] && states[s][i] > states[s][j];
            !(0..chains.len()).any(|j| (0..j).any(|i| equal(i, j)))
        };
        let classes: Vec<usize> = (0..states.len()).filter(|s| canonical(*s)).collect();
        let number = |of: &dyn Fn(usize) -> bool| classes.iter().filter(|s| of(**s)).count() as f64;
        let goes_on = |s: usize| !balanced(s) && psi[s] + ahead[s] < RHO;
        let prove = |low: f64, high: f64, skip: usize| {
            let saves = classes.iter().filter(|s| value[**s] < RHO - 1e-12);
            let entry = |&s: &usize| {
                let most = ((RHO - value[s] * (1.0 - low)) * SCALE) as u64 + 1;
                let least = ((RHO - value[s] * (1.0 + high)) * SCALE) as u64;
                (states[s].clone(), most, most - least)
            };
            let entries = saves.enumerate().filter(|(i, _)| *i != skip).map(|(_, s)| entry(s));
            found.prove(&Evidence::Region(50, entries.collect()))
        };
        let proof = prove(1e-11, 1e-11, usize::MAX).unwrap();
        assert_eq!(count(&proof, "balanced"), number(&balanced));
        assert_eq!(count(&proof, "proved_continue"), number(&goes_on));
        assert_eq!(count(&proof, "proved_remap"), number(&|s| !balanced(s) && !goes_on(s)));
        assert_eq!(count(&proof, "either"), 0.0);
        let saves = number(&|s| value[s] < RHO - 1e-12) as usize;
        assert!((0..saves).all(|skip| prove(1e-11, 1e-11, skip).is_err()));
        if number(&goes_on) > 0.0 {
            assert!(prove(-1e-11, 1e-11, usize::MAX).is_err());
            assert!(prove(1e-11, -1e-11, usize::MAX).is_err());
        }
    }
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
    let (_, low, high) =
        proof.intervals().into_iter().find(|(name, ..)| name == "proved_remap").unwrap();
    let within = |x: f64| x as i128 - 9_007_199_254_740_993;
    assert!(within(low) < 0 && within(high) > 0, "{low} {high}");
}

/// What it is divided by is a lower bound on R.
#[test]
fn gaps_are_bounds_however_coarse_the_numbers_are() {
    let found = model(&vec![walk(0, 3, 0.25, 0.25); 2], 1.001, "Stop");
    let classes = (0..3).flat_map(|i| (i..3).map(move |j| (vec![i, j], 48, 48)));
    let proof = found.prove(&Evidence::Region(4, classes.collect())).unwrap();
    let bound = |name: &str| proof.intervals().iter().find(|(other, ..)| other == name).unwrap().2;
    assert!(bound("value_gap") >= 3.0 / 1.001 && bound("value_width") >= 3.0);
    // The whole in coarse numbers: at least 1 in 16.
    let whole = found.prove(&Evidence::Stopping(
        4,
        vec![(1, 0, 0), (1, 0, 48), (1, 0, 0), (1, 0, 48), (1, 0, 48), (1, 0, 0)],
    ));
    let proof = whole.unwrap();
    let bound = |name: &str| proof.intervals().iter().find(|(other, ..)| other == name).unwrap().2;
    assert!(bound("value_gap") >= 3.0 / 1.001);
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
    let one = (1u64 << 50) as f64;
    let most = (RHO * one) as u64 + 1;
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
