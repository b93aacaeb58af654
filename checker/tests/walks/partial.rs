//! Remaps of any number of units.

use super::{Chain, average, holds, prove, values};
use crate::shared::{is_model_error, model, read};
use remap_checker::{Interval, Model};

/// The states that moving 1, 2, .. units leads to, unit by unit.
fn path(loads: &[i64], even: &[i64], capacities: &[i64]) -> Vec<Vec<i64>> {
    let sorted = |loads: &[i64]| {
        let mut all = Vec::from_iter((0..loads.len()).map(|i| (capacities[i], loads[i], i)));
        all.sort_unstable();
        all
    };
    let mut share = vec![0; loads.len()];
    sorted(loads).iter().zip(sorted(even)).for_each(|((.., i), (_, load, _))| share[*i] = load);
    let (mut now, mut all) = (loads.to_vec(), Vec::new());
    loop {
        let above = |i: usize| now[i] - share[i];
        let most = (0..now.len()).rev().max_by_key(|i| above(*i)).unwrap();
        let least = (0..now.len()).min_by_key(|i| above(*i)).unwrap();
        if above(most) <= 0 {
            return all;
        }
        now[most] -= 1;
        now[least] += 1;
        all.push(now.clone());
    }
}

/// Loads in proportion to capacities, in whole units.
fn split(total: i64, capacities: &[i64]) -> Vec<i64> {
    let sum: i64 = capacities.iter().sum();
    let mut loads: Vec<i64> = capacities.iter().map(|c| total * c / sum).collect();
    let mut order = Vec::from_iter(0..loads.len());
    order.sort_by_key(|i| -(total * capacities[*i] % sum));
    let left = total - loads.iter().sum::<i64>();
    order.iter().take(left as usize).for_each(|i| loads[*i] += 1);
    loads
}

#[test]
fn remaps_of_some_units_cost_what_plain_iteration_says() {
    let mut pays = 0;
    for (count, levels, moves, fixed, each) in [
        (2, 5, vec![0.25], 0.5, 1.5),
        (3, 6, vec![0.25], 0.5, 4.0),
        (3, 5, vec![0.375], 1.0, 0.25),
        (3, 4, vec![0.0625, 0.4375], 0.125, 2.5),
    ] {
        let chain = Chain::hidden(count, levels, &moves, true);
        let price = |units: usize| fixed + each * units as f64;
        let ways = |whole: bool, ascending: bool| {
            let one = |s: usize| {
                let mut loads = chain.loads[s].clone();
                if ascending {
                    loads.sort_unstable();
                }
                let even = split(loads.iter().sum(), &vec![1; count]);
                // Processes that depend on each other are not known to move alike.
                let kinds = |i: usize| if ascending { 1 } else { 1 + i as i64 };
                let all = path(&loads, &even, &Vec::from_iter((0..count).map(kinds)));
                let first = if whole { all.len().saturating_sub(1) } else { 0 };
                let all = all.iter().enumerate().skip(first);
                all.map(|(m, to)| (price(m + 1), chain.twin(s, to).unwrap())).collect()
            };
            Vec::from_iter((0..chain.loads.len()).map(one))
        };
        let (right, h) = chain.forever(&ways(false, false));
        let (whole, _) = chain.forever(&ways(true, false));
        assert!(right <= whole + 1e-9);
        pays += usize::from(right < whole - 1e-3);
        let cost =
            format!("remap_cost: (fixed: {fixed}, per_unit_moved: {each}), after_remap: Restart");
        let joint = chain.written(&format!("{cost}, partial_remaps: true"));
        holds(average(&prove(&joint, &values(h.iter().map(|v| [*v; 2]))).unwrap()), right);
        // Whatever is said of the states, the best average is within what that shows.
        for seed in 1..6u64 {
            let odd = |s: u64| ((s * 7919 * seed + seed * seed * 31) % 97) as f64 / 16.0;
            let found = prove(&joint, &values((0..h.len() as u64).map(|s| [odd(s); 2])));
            let Interval { lower, upper } = average(&found.unwrap());
            assert!(lower <= right && right <= upper, "[{lower}, {upper}] {right}");
        }
        if moves.len() > 1 {
            continue;
        }
        // The same of walks that are lumped: units are taken from equal ones in the order of their
        // loads.
        let (right, h) = chain.forever(&ways(false, true));
        let p = moves[0];
        let walks = format!(
            "Stopping(processes: Identical(count: {count}, chain: Walk(levels: {levels}, up: {p}, down: {p}, edge: \
             Hold)), {cost}"
        );
        let lumped = format!("{walks}, partial_remaps: true)");
        let model = model(&lumped);
        let Model::Stopping(own) = &model else { panic!() };
        let of = |loads: &[i64]| h[chain.loads.iter().position(|other| other == loads).unwrap()];
        let all = own.space().unwrap().each(|_, loads| Ok([of(loads); 2])).unwrap();
        holds(average(&model.prove(&values(all)).unwrap()), right);
    }
    assert!(pays >= 1);
}

#[test]
fn remaps_of_some_units_go_with_what_goes_on() {
    let problem = |more: &str| {
        let walk = "Walk(levels: 3, up: 0.25, down: 0.25, edge: Hold)";
        format!(
            "Stopping(processes: Identical(count: 2, chain: {walk}), {more}, partial_remaps: true)"
        )
    };
    let units = "remap_cost: (fixed: 1, per_unit_moved: 1)";
    assert!(read(&problem(&format!("{units}, after_remap: Restart"))).is_ok());
    for more in ["after_remap: Stop", "after_remap: Uniform", "after_remap: Restart, steps: 4"] {
        is_model_error(&problem(&format!("{units}, {more}")));
    }
    let listed = "Stopping(processes: Joint(loads: [[0, 1], [1, 0]], transition: Dense([[0.5, 0.5], [0.5, 0.5]])), \
                  remap_cost: PerState([1, 1]), after_remap: Restart, partial_remaps: true)";
    is_model_error(listed);
}
