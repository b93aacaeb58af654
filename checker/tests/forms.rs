//! Costs of remaps that depend on the loads, computations with an end, periods one after the other
//! and intervals of least cost: what is proved encloses what plain recursions and all outcomes
//! give.

use crate::shared::{is_model_error, model};
use remap_checker::{Evidence, Proof, Refusal};
use std::collections::BTreeMap;

fn prove(problem: &str, evidence: &Evidence) -> Proof {
    model(problem).prove(evidence).unwrap_or_else(|refusal| panic!("{problem}: {refusal}"))
}

const ROWS: [[f64; 3]; 3] = [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.25, 0.75]];

fn walks(more: &str) -> String {
    format!(
        "Stopping(processes: Identical(count: 2, chain: BirthDeath(up: [0.5, 0.25, 0], down: [0, 0.25, 0.25])), {more})"
    )
}

/// The mean over the next loads of a function of two of them.
fn mean(value: &[[f64; 3]; 3], at: [usize; 2]) -> f64 {
    let all = (0..9).map(|n| (n / 3, n % 3));
    all.map(|(i, j)| ROWS[at[0]][i] * ROWS[at[1]][j] * value[i][j]).sum()
}

/// The costs after so many steps where a remap moves units at a cost each; it ends the costs, or
/// they go on.
fn after(steps: u64, fixed: f64, each: f64, ends: bool) -> [[f64; 3]; 3] {
    let mut value = [[0.0; 3]; 3];
    for _ in 0..steps {
        let imbalance = |i: usize, j: usize| i.abs_diff(j) as f64 / 2.0;
        let go = |i: usize, j: usize| imbalance(i, j) + mean(&value, [i, j]);
        let mut next = value;
        for (i, j) in (0..9usize).map(|n| (n / 3, n % 3)) {
            let moved = (i.abs_diff(j) / 2) as f64;
            let even = (i + j) / 2;
            let later = if ends { 0.0 } else { go(i + j - even, even) };
            next[i][j] = go(i, j).min(fixed + each * moved + later);
            if ends && i == j {
                next[i][j] = 0.0;
            }
        }
        value = next;
    }
    value
}

fn largest(proof: &Proof) -> (f64, f64) {
    let Proof::Map { largest_value, value_width, .. } = proof else { panic!("{proof:?}") };
    assert!(*value_width < 1e-9, "{value_width}");
    (largest_value.lower, largest_value.upper)
}

#[test]
fn computations_with_an_end_agree_with_the_recursion_on_load_vectors() {
    for (fixed, each) in [(0.5, 0.0), (0.25, 0.75), (2.0, 0.5), (0.0, 0.0)] {
        for (after_remap, ends) in [("Stop", true), ("Restart", false)] {
            for steps in [1, 2, 3, 7, 40] {
                let problem = walks(&format!(
                    "remap_cost: (fixed: {fixed}, per_unit_moved: {each}), after_remap: {after_remap}, steps: {steps}"
                ));
                let (low, high) = largest(&prove(&problem, &Evidence::Stopping(45, Vec::new())));
                let right = after(steps, fixed, each, ends);
                let right = right.as_flattened().iter().copied().fold(0.0, f64::max);
                let near = low - 1e-9 <= right && right <= high + 1e-9;
                assert!(near, "{problem}: {right} in [{low}, {high}]");
            }
        }
    }
}

/// What is computed is not told, and there is no shorter way.
#[test]
fn computations_with_an_end_have_no_other_evidence() {
    let problem = walks("remap_cost: 1, after_remap: Stop, steps: 5");
    let free = Evidence::Stopping(20, vec![(6, 0, 1 << 20)]);
    assert_eq!(model(&problem).prove(&free), Err(Refusal::Malformed));
    for more in ["steps: 5, remap_cost: 1", "remap_cost: (fixed: 1, per_unit_moved: 1)"] {
        let problem = walks(&format!("{more}, after_remap: Stop"));
        let balanced = (0..3).map(|level| (vec![level; 2], 1 << 20, 4)).collect();
        let found = model(&problem).prove(&Evidence::Region(20, balanced));
        assert_eq!(found, Err(Refusal::Malformed), "{more}");
    }
    let most = Evidence::Stopping(61, Vec::new());
    assert_eq!(model(&problem).prove(&most), Err(Refusal::Malformed));
}

/// A bound on the cost of remaps that is right for one cost is wrong where some cost less.
#[test]
fn costs_by_the_units_moved_are_those_of_the_loads() {
    let moved = walks("remap_cost: (fixed: 1, per_unit_moved: 2), after_remap: Stop");
    // (2, 0) moves a unit, (1, 0) none: colexicographic are 00 01 11 02 12 22.
    let upper = |values: [u64; 6]| {
        let runs = values.map(|upper| (1, 0, upper << 20)).to_vec();
        model(&moved).prove(&Evidence::Stopping(20, runs))
    };
    assert!(upper([0, 1, 0, 3, 1, 0]).is_ok());
    let unproved = Err(Refusal::Unproved("the values do not enclose the optimal cost"));
    for low in [[0, 1, 0, 1, 1, 0], [0, 0, 0, 3, 1, 0]] {
        assert_eq!(upper(low), unproved, "{low:?}");
    }
    let lower = vec![(1, 0, 0), (1, 3 << 20, 0), (1, -(3 << 20), 0), (3, 0, 3 << 20)];
    assert_eq!(model(&moved).prove(&Evidence::Stopping(20, lower)), unproved);
    // As many costs as states, and where they are listed.
    let joint = |costs: &str, more: &str| {
        format!(
            "Stopping(processes: Joint(loads: [[0, 2], [1, 1]], transition: Dense([[0.5, 0.5], [0.5, 0.5]])), \
             remap_cost: PerState({costs}), after_remap: {more})"
        )
    };
    let dear = Evidence::Stopping(20, vec![(1, 0, 4 << 20), (1, 0, 0)]);
    assert!(model(&joint("[4, 0]", "Stop")).prove(&dear).is_ok());
    assert!(model(&joint("[5, 4]", "Stop")).prove(&dear).is_ok());
    let cheap = Evidence::Stopping(20, vec![(1, 1 << 20, 4 << 20), (1, -(1 << 20), 0)]);
    assert!(model(&joint("[1, 4]", "Stop")).prove(&cheap).is_ok());
    assert_eq!(model(&joint("[0.5, 4]", "Stop")).prove(&cheap), unproved);
    for (costs, more) in
        [("[4]", "Stop"), ("[4, -1]", "Stop"), ("[4, 1]", "Uniform"), ("[4, 1]", "Stop, steps: 0")]
    {
        is_model_error(&joint(costs, more));
    }
    for more in [
        "remap_cost: PerState([1, 1, 1]), after_remap: Stop",
        "remap_cost: (fixed: 1), after_remap: Stop",
    ] {
        is_model_error(&walks(more));
    }
}

/// Every period by itself, from the mean load at the end of the one before.
#[test]
fn periods_are_as_long_as_they_are_alone() {
    let periodic = |load: f64, law: &str, more: &str| {
        format!(
            "Periodic(initial_load: {load}, changes: Identical(count: 3, law: {law}), bound: {more})"
        )
    };
    for (law, bound, change) in [
        ("Steps({-1: 0.25, 2: 0.75})", "MaxDeviation(0.1)", 1.25),
        ("Steps({-1: 0.75, 1: 0.25})", "MaxDeviation(0.3)", -0.5),
        ("Moments(mean: 0.25, variance: 1)", "RmsDeviation(0.4)", 0.25),
        ("Exponential(mean: 0.5)", "RmsDeviation(0.1)", 0.5),
    ] {
        let more = format!("{bound}, periods: 5");
        let Proof::Periods(all) = prove(&periodic(10.0, law, &more), &Evidence::Periodic(4)) else {
            panic!()
        };
        let mut load = 10.0;
        for own in &all {
            assert_eq!(*own, prove(&periodic(load, law, bound), &Evidence::Periodic(4)), "{law}");
            let Proof::Longest { kept: Some(kept), .. } = own else { break };
            load += change * *kept as f64;
        }
        assert!(all.len() > 1, "{law}");
    }
    let law = "Steps({-1: 0.5, 1: 0.5})";
    for more in ["MaxDeviation(0.1), periods: 0", "MaxDeviation(0.1), periods: 1001"] {
        is_model_error(&periodic(10.0, law, more));
    }
    let chain = "Periodic(initial_load: 1, changes: Chain(count: 2, chain: Walk(levels: 3, up: 0.25, down: 0.25, \
                 edge: Hold)), bound: MaxDeviation(0.1), periods: 2)";
    is_model_error(chain);
}

/// E max - mean after 1, 2, .. steps, by all outcomes.
fn ahead(laws: &[Vec<(i64, f64)>], steps: usize) -> Vec<f64> {
    let mut all = BTreeMap::from([(vec![0i64; laws.len()], 1.0)]);
    let mut found = Vec::new();
    for _ in 0..steps {
        for (i, law) in laws.iter().enumerate() {
            let mut next = BTreeMap::new();
            for (places, p) in &all {
                for (step, q) in law {
                    let mut places = places.clone();
                    places[i] += step;
                    *next.entry(places).or_insert(0.0) += p * q;
                }
            }
            all = next;
        }
        let own = |places: &Vec<i64>| {
            let mean = places.iter().sum::<i64>() as f64 / laws.len() as f64;
            *places.iter().max().unwrap() as f64 - mean
        };
        found.push(all.iter().map(|(places, p)| p * own(places)).sum());
    }
    found
}

#[test]
fn the_interval_of_least_cost_is_the_cheapest_of_all_that_are_gone_through() {
    let (fair, slow) = (vec![(-1, 0.5), (1, 0.5)], vec![(0, 0.75), (2, 0.25)]);
    let (still, lame) = (vec![(0, 1.0)], vec![(-1, 0.25), (0, 0.5), (1, 0.25)]);
    for laws in [
        vec![fair.clone(), fair.clone(), lame.clone()],
        vec![fair.clone(), slow.clone(), still.clone()],
        vec![lame.clone(), still.clone()],
        vec![slow.clone(), slow.clone()],
    ] {
        let words = laws.iter().map(|law| {
            let points: Vec<String> = law.iter().map(|(x, p)| format!("{x}: {p}")).collect();
            format!("Steps({{{}}})", points.join(", "))
        });
        let words = words.collect::<Vec<_>>().join(", ");
        let ahead = ahead(&laws, 30);
        for cost in [0.5, 1.0, 3.0, 5.5] {
            let problem = format!(
                "Periodic(initial_load: 10, changes: Distinct([{words}]), remap_cost: {cost})"
            );
            let Proof::Cheapest { least, most, cost: found } =
                prove(&problem, &Evidence::Periodic(1))
            else {
                panic!()
            };
            let all = |n: usize| cost + ahead[..n].iter().sum::<f64>();
            let each: Vec<f64> = (1..=ahead.len()).map(|n| all(n) / n as f64).collect();
            let best = each.iter().copied().fold(f64::INFINITY, f64::min);
            let inside = found.lower - 1e-12 <= best && best <= found.upper + 1e-12;
            assert!(inside && found.upper - found.lower < 1e-9, "{problem}: {best} {found:?}");
            let cheap = |n: u64| each[n as usize - 1] <= best + 1e-9;
            let (least, most) = (least.unwrap(), most.unwrap());
            assert!(cheap(least) && cheap(most) && least <= most, "{problem}");
            for n in (1..=30).filter(|n| *n < least || *n > most) {
                assert!(each[n as usize - 1] > best, "{problem}: {n}");
            }
        }
    }
    let still = "Periodic(initial_load: 10, changes: Identical(count: 3, law: Steps({1: 1})), remap_cost: 3)";
    let never = Proof::Cheapest { least: None, most: None, cost: (0.0, 0.0).into() };
    assert_eq!(prove(still, &Evidence::Periodic(1)), never);
}

#[test]
fn a_description_of_the_machine_is_its_cost() {
    let periodic = |cost: &str| {
        format!(
            "Periodic(initial_load: 10, changes: Identical(count: 3, law: Steps({{-1: 0.5, 1: 0.5}})), remap_cost: {cost})"
        )
    };
    let evidence = Evidence::Periodic(1);
    // 2 * 0.5 + 1 + 2 * max(0.25, 0.5) + (10 - 3) * 0.5 + 2
    let machine = "LogGP(latency: 1, overhead: 0.5, gap: 0.25, gap_per_byte: 0.5, messages: 3, bytes: 10, planning: 2)";
    assert_eq!(prove(&periodic(machine), &evidence), prove(&periodic("8.5"), &evidence));
    let without = machine.replace(", planning: 2", "").replace("gap: 0.25", "gap: 0.75");
    assert_eq!(prove(&periodic(&without), &evidence), prove(&periodic("7"), &evidence));
    for (from, to) in
        [("messages: 3", "messages: 0"), ("bytes: 10", "bytes: 2"), ("latency: 1", "latency: -1")]
    {
        is_model_error(&periodic(&machine.replace(from, to)));
    }
}
