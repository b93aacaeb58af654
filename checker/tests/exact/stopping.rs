//! Optimal stopping against value iteration on load vectors, and models that are described in other
//! ways.

use super::{expect, imbalance, interval, model, place, vectors, walk};
use crate::shared::{self, by_steps};
use remap_checker::{Evidence, Model, Proof};

fn chain(levels: usize, reflect: bool) -> String {
    let edge = if reflect { "Reflect" } else { "Hold" };
    format!("Walk(levels: {levels}, up: 0.3, down: 0.2, edge: {edge})")
}

fn stopping(after: &str, cost: &str, capacities: &[f64], levels: usize, reflect: bool) {
    let processes =
        format!("Identical(count: {}, chain: {})", capacities.len(), chain(levels, reflect));
    stopping_of(&processes, after, cost, capacities, levels, reflect);
}

/// What value iteration on all load vectors comes to, and the classes of a certificate for it.
fn stopping_of(
    processes: &str,
    after: &str,
    cost: &str,
    capacities: &[f64],
    levels: usize,
    reflect: bool,
) {
    let (count, rho) = (capacities.len(), 2.3);
    let found = model(&format!(
        "Stopping(processes: {processes}, capacities: {capacities:?}, running_cost: {cost}, \
         remap_cost: {rho}, after_remap: {after})"
    ));
    let Model::Stopping(problem) = &found else { panic!("another problem") };
    let (rows, states) = (walk(levels, 0.3, 0.2, reflect), vectors(count, levels));
    let psi: Vec<f64> = states.iter().map(|s| imbalance(s, capacities, cost)).collect();
    let balanced = |s: usize| psi[s] < 1e-9 && after != "Restart";
    let mut value = vec![0.0; states.len()];
    let split = |s: usize| {
        let (total, all) = (states[s].iter().sum::<usize>(), capacities.iter().sum::<f64>());
        let share: Vec<f64> = capacities.iter().map(|c| total as f64 * c / all).collect();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|i, j| share[*j].fract().total_cmp(&share[*i].fract()));
        let mut split: Vec<usize> = share.iter().map(|x| *x as usize).collect();
        let left = total - split.iter().sum::<usize>();
        order.iter().take(left).for_each(|i| split[*i] += 1);
        place(&split, levels)
    };
    let (mut least, mut most) = (0.0, 0.0);
    for _ in 0..4000 {
        let image = expect(&rows, count, &value);
        let mean = value.iter().sum::<f64>() / value.len() as f64;
        let remap = |s: usize| match after {
            "Stop" => rho,
            "Uniform" => rho + mean,
            _ => rho + psi[split(s)] + image[split(s)],
        };
        let best = |s: usize| if balanced(s) { 0.0 } else { remap(s).min(psi[s] + image[s]) };
        let next: Vec<f64> = (0..states.len()).map(best).collect();
        let change = || next.iter().zip(&value).map(|(n, v)| n - v);
        (least, most) = (change().fold(f64::MAX, f64::min), change().fold(f64::MIN, f64::max));
        value = next;
        if after == "Restart" {
            let least = value.iter().copied().fold(f64::MAX, f64::min);
            value.iter_mut().for_each(|v| *v -= least);
        }
    }
    let scale = 2f64.powi(50);
    let of = |loads: &[i64]| {
        value[place(&loads.iter().map(|l| *l as usize).collect::<Vec<_>>(), levels)]
    };
    let certificate = |away: f64| {
        let pair = |loads: &[i64]| {
            let away = if of(loads) > 0.0 && after != "Restart" { away } else { 0.0 };
            [1.0 - away, 1.0 + away].map(|part| ((of(loads) * part) * scale) as i64)
        };
        let values = problem.space().unwrap().each(|_, loads| Ok(pair(loads))).unwrap();
        // Intervals whose ends have traded places hold nothing and would be refused for that. Their
        // upper end is mirrored at the lower one: in order, and wholly above the value.
        let values = values.into_iter().map(|[low, high]| (low, high.max(2 * low - high)));
        Evidence::Stopping(50, by_steps(values).collect())
    };
    let proof = found.prove(&certificate(1e-11)).unwrap();
    if after == "Restart" {
        let (low, high) = interval(&proof, "average");
        assert!(low <= least + 1e-12 && most - 1e-12 <= high && high - low < 1e-9, "{low} {high}");
        return;
    }
    let (low, high) = interval(&proof, "remap_value");
    let mean = value.iter().sum::<f64>() / value.len() as f64;
    let exact = if after == "Stop" { rho } else { rho + mean };
    let inside = low <= exact + 1e-12 && exact - 1e-12 <= high;
    assert!(inside && high - low < 1e-9, "[{low}, {high}] {exact}");
    assert!(interval(&proof, "value_gap").1 < 1e-10);
    // Claims too narrow on either side prove nothing, by whatever little.
    for away in [0.0, -1e-11, -1e-6] {
        let refused = found.prove(&certificate(away));
        assert!(away == 0.0 || refused.is_err(), "{away} {refused:?}");
    }
    // Decisions are those of the value.
    let image = expect(&rows, count, &value);
    let letters = problem.space().unwrap().each(|_, loads| {
        let s = place(&loads.iter().map(|l| *l as usize).collect::<Vec<_>>(), levels);
        Ok(if balanced(s) { 0 } else { 1 + usize::from(psi[s] + image[s] < exact) })
    });
    let mut counts = [0; 4];
    letters.unwrap().into_iter().for_each(|letter: usize| counts[letter] += 1);
    let names = ["balanced", "proved_remap", "proved_continue", "either"];
    for (name, known) in names.into_iter().zip(counts) {
        assert_eq!(shared::count(&proof, name), f64::from(known), "{name}");
    }
    if after == "Stop" && processes.starts_with("Identical") {
        let classes = problem.space().unwrap().each(|_, loads| Ok(loads.to_vec())).unwrap();
        let saving = classes.into_iter().filter(|loads| of(loads) < rho - 1e-12).collect();
        check_region(&found, saving, rho, of, &proof);
    }
}

/// The same from the states in which something can be saved.
fn check_region(
    found: &Model,
    saving: Vec<Vec<i64>>,
    rho: f64,
    of: impl Fn(&[i64]) -> f64,
    all: &Proof,
) {
    let scale = 2f64.powi(50);
    let entry = |loads: &Vec<i64>, low: f64, high: f64| {
        let most = ((rho - of(loads) * (1.0 - low)) * scale) as u64 + 1;
        (loads.clone(), most, most - ((rho - of(loads) * (1.0 + high)) * scale) as u64)
    };
    let entries = |low: f64, high: f64| {
        saving.iter().map(|loads| entry(loads, low, high)).collect::<Vec<_>>()
    };
    let prove = |entries: Vec<_>| found.prove(&Evidence::Region(50, entries));
    let proof = prove(entries(1e-11, 1e-11)).unwrap();
    for (name, low, high) in &all.intervals() {
        let own = interval(&proof, name);
        if name == "largest_value" {
            assert!(own.0 <= *high && *low <= own.1, "{name}: {own:?}, [{low}, {high}]");
            continue;
        }
        let same = if name.starts_with("value") { own.1 < 1e-10 } else { own == (*low, *high) };
        assert!(same, "{name}: {own:?}, [{low}, {high}]");
    }
    let [gap, width] = ["value_gap", "value_width"].map(|name| interval(&proof, name).1);
    assert!(gap * rho >= width * (1.0 - 1e-15) && gap * rho <= width * (1.0 + 1e-14));
    let unbalanced = |loads: &Vec<i64>| of(loads) > 0.0;
    assert!(!saving.iter().any(unbalanced) || prove(entries(-1e-11, 1e-11)).is_err());
    assert!(!saving.iter().any(unbalanced) || prove(entries(1e-11, -1e-11)).is_err());
    for left_out in 0..saving.len() {
        let mut entries = entries(1e-11, 1e-11);
        let doubled = entries[left_out].clone();
        entries.push(doubled);
        assert!(prove(entries.clone()).is_err());
        entries.pop();
        entries.remove(left_out);
        assert!(prove(entries).is_err(), "{:?}", saving[left_out]);
    }
}

#[test]
fn optimal_stopping_agrees_with_value_iteration_on_load_vectors() {
    for after in ["Stop", "Uniform", "Restart"] {
        for cost in ["MaxMinusMean", "MaxAbsDeviation", "EuclideanDeviation"] {
            stopping(after, cost, &[1.0, 1.0], 4, true);
            stopping(after, cost, &[1.0, 1.0, 1.0], 3, false);
        }
    }
    for after in ["Stop", "Uniform"] {
        stopping(after, "MaxMinusMean", &[2.0, 1.0, 1.0], 4, true);
        stopping(after, "EuclideanDeviation", &[1.0, 2.0], 5, false);
    }
}

#[test]
fn processes_described_in_other_ways_are_the_same() {
    let (levels, reflect) = (4, true);
    let (rows, states) = (walk(levels, 0.3, 0.2, reflect), vectors(3, levels));
    let up: Vec<f64> = (0..levels).map(|i| rows[i].get(i + 1).copied().unwrap_or(0.0)).collect();
    let down: Vec<f64> = (0..levels).map(|i| if i > 0 { rows[i][i - 1] } else { 0.0 }).collect();
    let walk = chain(levels, reflect);
    let distinct = format!(
        "Distinct([{walk}, Matrix(rows: {rows:?}), BirthDeath(up: {up:?}, down: {down:?})])"
    );
    let chance = |from: &Vec<usize>, to: &Vec<usize>| -> f64 {
        from.iter().zip(to).map(|(i, j)| rows[*i][*j]).product()
    };
    let dense: Vec<Vec<f64>> =
        states.iter().map(|from| states.iter().map(|to| chance(from, to)).collect()).collect();
    let joint = format!("Joint(loads: {states:?}, transition: Dense({dense:?}))");
    let file = std::env::temp_dir().join(format!("remap_checker_{}.mtx", std::process::id()));
    let mut text = format!(
        "%%MatrixMarket matrix coordinate real general\n% three walks\n\n{0} {0} {1}\n",
        states.len(),
        dense.iter().flatten().filter(|p| **p > 0.0).count()
    );
    for (i, row) in dense.iter().enumerate() {
        for (j, p) in row.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            text.push_str(&format!("{} {} {p:e}\n", i + 1, j + 1));
        }
    }
    std::fs::write(&file, text).unwrap();
    let filed = format!("Joint(loads: {states:?}, transition: File({file:?}))");
    for after in ["Stop", "Uniform", "Restart"] {
        for processes in [&distinct, &joint, &filed] {
            stopping_of(processes, after, "MaxMinusMean", &[1.0; 3], levels, reflect);
        }
    }
    // The last process alone may have another capacity.
    stopping_of(&distinct, "Uniform", "MaxAbsDeviation", &[1.0, 1.0, 2.0], levels, reflect);
    std::fs::remove_file(file).unwrap();
}

#[test]
fn an_even_split_goes_by_capacity_and_largest_remainder() {
    // Loads 0 to 4 on twice the capacity of loads 0 to 2.
    let found = model(&format!(
        "Stopping(processes: Distinct([{}, {}]), capacities: [2.0, 1.0], remap_cost: 0.9, \
         running_cost: MaxAbsDeviation, after_remap: Restart)",
        chain(5, false),
        chain(3, false)
    ));
    let Model::Stopping(problem) = &found else { panic!("another problem") };
    let (rows, other) = (walk(5, 0.3, 0.2, false), walk(3, 0.3, 0.2, false));
    let split = [[0, 0], [1, 0], [1, 1], [2, 1], [3, 1], [3, 2], [4, 2]];
    let psi = |i: usize, j: usize| imbalance(&[i, j], &[2.0, 1.0], "MaxAbsDeviation");
    let mut value = [[0.0; 3]; 5];
    let (mut least, mut most) = (0.0, 0.0);
    for _ in 0..2000 {
        let go = |i: usize, j: usize| {
            let to = |k: usize| (0..3).map(|l| other[j][l] * value[k][l]).sum::<f64>();
            psi(i, j) + (0..5).map(|k| rows[i][k] * to(k)).sum::<f64>()
        };
        let best = |i: usize, j: usize| go(i, j).min(0.9 + go(split[i + j][0], split[i + j][1]));
        let next: [[f64; 3]; 5] = std::array::from_fn(|i| std::array::from_fn(|j| best(i, j)));
        let change = || (0..15).map(|s| next[s / 3][s % 3] - value[s / 3][s % 3]);
        (least, most) = (change().fold(f64::MAX, f64::min), change().fold(f64::MIN, f64::max));
        value = next.map(|row| row.map(|v| v - next[0][0]));
    }
    let of = |loads: &[i64]| {
        let now = ((value[loads[0] as usize][loads[1] as usize] + 10.0) * 2f64.powi(50)) as i64;
        (now, now)
    };
    let values = problem.space().unwrap().each(|_, loads| Ok(of(loads))).unwrap();
    let evidence = Evidence::Stopping(50, by_steps(values).collect());
    let (low, high) = interval(&found.prove(&evidence).unwrap(), "average");
    assert!(low <= least + 1e-12 && most - 1e-12 <= high && high - low < 1e-9, "[{low}, {high}]");
}
