//! What is proved of small models encloses what plain recursions on load vectors give, closely.

use remap_checker::{Evidence, Model, Proof};
use std::path::Path;

fn model(problem: &str) -> Model {
    let text = format!("Model(title: \"t\", problem: {problem})");
    Model::read(&text, Path::new("")).unwrap_or_else(|refusal| panic!("{problem}: {refusal}"))
}

fn interval(proof: &Proof, name: &str) -> (f64, f64) {
    let found = proof.intervals().into_iter().find(|(other, ..)| other == name);
    found.map_or_else(|| panic!("{name}: {proof:?}"), |(_, low, high)| (low, high))
}

/// Down, stay and up of a walk with these edges.
fn walk(levels: usize, up: f64, down: f64, reflect: bool) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; levels]; levels];
    for i in 0..levels {
        let back = |p: f64| if reflect { p } else { 0.0 };
        let (mut u, mut d) = (up, down);
        if i == 0 {
            (u, d) = (up + back(down), 0.0);
        } else if i + 1 == levels {
            (u, d) = (0.0, down + back(up));
        }
        rows[i][i] = 1.0 - u - d;
        if u > 0.0 {
            rows[i][i + 1] = u;
        }
        if d > 0.0 {
            rows[i][i - 1] = d;
        }
    }
    rows
}

/// All vectors of `count` levels, the last one fastest.
fn vectors(count: usize, levels: usize) -> Vec<Vec<usize>> {
    (0..levels.pow(count as u32))
        .map(|n| (0..count).rev().map(|i| n / levels.pow(i as u32) % levels).collect())
        .collect()
}

/// The expectation over independent moves of all processes.
fn expect(rows: &[Vec<f64>], count: usize, value: &[f64]) -> Vec<f64> {
    let (levels, states) = (rows.len(), vectors(count, rows.len()));
    let mut value = value.to_vec();
    for i in 0..count {
        let step = levels.pow((count - 1 - i) as u32);
        let one = |(s, state): (usize, &Vec<usize>)| {
            (0..levels).map(|to| rows[state[i]][to] * value[s + to * step - state[i] * step]).sum()
        };
        value = states.iter().enumerate().map(one).collect();
    }
    value
}

fn place(levels: &[usize], count: usize) -> usize {
    levels.iter().fold(0, |place, level| place * count + level)
}

fn imbalance(levels: &[usize], capacities: &[f64], cost: &str) -> f64 {
    let share = levels.iter().sum::<usize>() as f64 / capacities.iter().sum::<f64>();
    let deviations = levels.iter().zip(capacities).map(|(l, c)| *l as f64 / c - share);
    match cost {
        "MaxMinusMean" => deviations.fold(0.0, f64::max),
        "MaxAbsDeviation" => deviations.map(f64::abs).fold(0.0, f64::max),
        _ => deviations.map(|d| d * d).sum::<f64>().sqrt(),
    }
}

#[test]
fn drifting_loads_agree_with_the_recursion_on_load_vectors() {
    for (count, levels, steps, edge) in [(2, 4, 5, "Hold"), (3, 3, 7, "Reflect"), (1, 3, 4, "Hold")]
    {
        for (rebalance, each) in
            [("Split", 0.0), ("Split", 0.21), ("Nearest", 0.0), ("Stochastic", 0.0)]
        {
            for (decide, objective) in [
                ("AfterStep", "Imbalance"),
                ("BeforeStep", "Imbalance"),
                ("AfterStep", "Makespan"),
                ("BeforeStep", "Makespan"),
            ] {
                let remap_cost = match each {
                    0.0 => "0.37".to_owned(),
                    each => format!("(fixed: 0.37, per_unit_moved: {each})"),
                };
                let found = model(&format!(
                    "LoadDrift(processors: {count}, chain: Walk(lowest: 1, levels: {levels}, up: 0.3, down: 0.2, \
                     edge: {edge}), initial_load: 2, steps: {steps}, remap_cost: {remap_cost}, rebalance: {rebalance}, \
                     decide: {decide}, objective: {objective})"
                ));
                let (low, high) = interval(&found.prove(&Evidence::LoadDrift).unwrap(), "value");
                let rows = walk(levels, 0.3, 0.2, edge == "Reflect");
                let states = vectors(count, levels);
                let even = vec![1.0; count];
                let cost = |s: &Vec<usize>| match objective {
                    "Makespan" => 1.0 + *s.iter().max().unwrap() as f64,
                    _ => imbalance(s, &even, "MaxMinusMean"),
                };
                let to = |total: usize, value: &[f64]| {
                    let (level, rest) = ((total + count) / count - 1, total % count);
                    let all = |level: usize| value[place(&vec![level; count], levels)];
                    match rebalance {
                        "Split" => {
                            let split: Vec<usize> =
                                (0..count).map(|i| level + usize::from(i < rest)).collect();
                            value[place(&split, levels)]
                        }
                        "Nearest" => all(level + usize::from(2 * rest >= count)),
                        _ if rest == 0 => all(level),
                        _ => {
                            let up = rest as f64 / count as f64;
                            (1.0 - up) * all(level) + up * all(level + 1)
                        }
                    }
                };
                let mut value = vec![0.0; states.len()];
                for step in 0..steps {
                    let best = |value: &[f64], s: &Vec<usize>| {
                        let now = value[place(s, levels)];
                        // Those with more than their share give it away.
                        let total: usize = s.iter().sum();
                        let mut sorted = s.clone();
                        sorted.sort_unstable();
                        let shares =
                            sorted.iter().enumerate().map(|(i, l)| (l, (total + i) / count));
                        let moved: usize = shares.map(|(l, share)| l.saturating_sub(share)).sum();
                        now.min(0.37 + each * moved as f64 + to(total, value))
                    };
                    let next: Vec<f64> = if decide == "AfterStep" {
                        states.iter().map(|s| cost(s) + best(&value, s)).collect()
                    } else if step == 0 {
                        value.clone()
                    } else {
                        states.iter().map(|s| best(&value, s)).collect()
                    };
                    value = if decide == "BeforeStep" && step == 0 {
                        next
                    } else {
                        expect(&rows, count, &next)
                    };
                    if decide == "BeforeStep" {
                        value.iter_mut().zip(&states).for_each(|(v, s)| *v += cost(s));
                    }
                }
                let exact = value[place(&vec![1; count], levels)];
                let close = 1e-13 * exact.max(1.0);
                let inside = low - close <= exact && exact <= high + close;
                assert!(
                    inside && high - low < 1e-12,
                    "{rebalance} {decide} {objective} {count}: [{low}, {high}] {exact}"
                );
            }
        }
    }
}

/// Rows of a matrix that miss 1 are what they are over a horizon that ends.
#[test]
fn drifting_loads_of_any_matrix_agree_with_the_recursion_on_load_vectors() {
    for off in [0.0, 1e-9, -1e-9] {
        let text = |p: f64| format!("{p:.10}");
        let rows = [[0.5 + off, 0.25, 0.25], [0.125, 0.375, 0.5], [0.0, 0.75, 0.25 - off]];
        let written: Vec<String> =
            rows.iter().map(|row| format!("[{}]", row.map(text).join(", "))).collect();
        let found = model(&format!(
            "LoadDrift(processors: 2, chain: Matrix(lowest: 1, rows: [{}]), initial_load: 2, steps: 200, \
             remap_cost: 0.37, rebalance: Nearest)",
            written.join(", ")
        ));
        let (low, high) = interval(&found.prove(&Evidence::LoadDrift).unwrap(), "value");
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        let states = vectors(2, 3);
        let mut value = [0.0f64; 9];
        for _ in 0..200 {
            let best = |s: &Vec<usize>| {
                let level = (s[0] + s[1]).div_ceil(2);
                value[place(s, 3)].min(0.37 + value[place(&[level, level], 3)])
            };
            let next: Vec<f64> =
                states.iter().map(|s| s[0].abs_diff(s[1]) as f64 / 2.0 + best(s)).collect();
            value.copy_from_slice(&expect(&rows, 2, &next));
        }
        let exact = value[4];
        let inside = low - 1e-12 * exact <= exact && exact <= high + 1e-12 * exact;
        assert!(inside && high - low < 1e-11 * exact, "{off}: [{low}, {high}] {exact}");
    }
}

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
        let mut last = 0;
        let mut pair = |loads: &[i64]| {
            let away = if of(loads) > 0.0 && after != "Restart" { away } else { 0.0 };
            let low = ((of(loads) * (1.0 - away)) * scale) as i64;
            let high = ((of(loads) * (1.0 + away)) * scale) as i64;
            let step = low - std::mem::replace(&mut last, low);
            (1, step, (high - low).unsigned_abs())
        };
        Evidence::Stopping(50, problem.space().unwrap().each(|_, loads| Ok(pair(loads))).unwrap())
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
    assert!(
        low <= exact + 1e-12 && exact - 1e-12 <= high && high - low < 1e-9,
        "[{low}, {high}] {exact}"
    );
    assert!(interval(&proof, "value_gap").1 < 1e-10);
    // Claims too narrow on either side prove nothing, by whatever little.
    for away in [0.0, -1e-11, -1e-6] {
        let bytes = certificate(away);
        let refused = found.prove(&bytes);
        assert!(away == 0.0 || refused.is_err(), "{away} {refused:?}");
    }
    // Decisions are those of the value.
    let image = expect(&rows, count, &value);
    let letters = problem.space().unwrap().each(|_, loads| {
        let s = place(&loads.iter().map(|l| *l as usize).collect::<Vec<_>>(), levels);
        Ok(if balanced(s) {
            0
        } else if psi[s] + image[s] >= exact {
            1
        } else {
            2
        })
    });
    let mut counts = [0; 4];
    letters.unwrap().into_iter().for_each(|letter: usize| counts[letter] += 1);
    let names = ["balanced", "proved_remap", "proved_continue", "either"];
    for (name, count) in names.into_iter().zip(counts) {
        assert_eq!(interval(&proof, name), (f64::from(count), f64::from(count)), "{name}");
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
    let scale = 2f64.powi(50);
    let mut last = 0;
    let mut pair = |loads: &[i64]| {
        let now = ((value[loads[0] as usize][loads[1] as usize] + 10.0) * scale) as i64;
        (1, now - std::mem::replace(&mut last, now), 0)
    };
    let evidence =
        Evidence::Stopping(50, problem.space().unwrap().each(|_, loads| Ok(pair(loads))).unwrap());
    let (low, high) = interval(&found.prove(&evidence).unwrap(), "average");
    assert!(low <= least + 1e-12 && most - 1e-12 <= high && high - low < 1e-9, "[{low}, {high}]");
}

#[test]
fn all_that_rounding_may_take_away_is_in_the_interval() {
    // A unit for each process and for each of its weights that are no binary fractions.
    for (count, steps, up, down, own) in [
        (1, 40, 0.25, 0.25, 1.0),
        (2, 40, 0.3, 0.2, 3.0),
        (3, 40, 0.25, 0.25, 1.0),
        (5, 7, 0.3, 0.1, 4.0),
    ] {
        let found = model(&format!(
            "LoadDrift(processors: {count}, chain: Walk(lowest: 1, levels: 4, up: {up}, down: {down}, edge: Hold), \
             initial_load: 2, steps: {steps}, remap_cost: 0.7)"
        ));
        let (low, high) = interval(&found.prove(&Evidence::LoadDrift).unwrap(), "value");
        // Besides, per step: its cost, the remap's and what it leads to.
        let units = f64::from(steps) * (6.0 + 1.0 + own * f64::from(count));
        let bits = 60 - (((0.7 + 4.0 * f64::from(count) + 1.0) * 8.0) as u64).ilog2() as i32 - 1;
        let (width, double) =
            ((high - low) * 2f64.powi(bits), high * f64::EPSILON * 2f64.powi(bits));
        assert!(units <= width && width <= units + 1.0 + 4.0 * double, "{count}: {units} {width}");
    }
}

#[test]
fn where_nothing_moves_the_interval_is_what_rounding_may_take_away() {
    for count in [1, 2, 6] {
        let found = model(&format!(
            "LoadDrift(processors: {count}, chain: Walk(levels: 3, up: 0, down: 0, edge: Hold), initial_load: 1, \
             steps: 9, remap_cost: 1)"
        ));
        let (low, high) = interval(&found.prove(&Evidence::LoadDrift).unwrap(), "value");
        let span = 8 * (1 + 2 * count + 1) as u64;
        let units = high * 2f64.powi(60 - span.ilog2() as i32 - 1);
        let expected = f64::from(1 + 9 * (6 + 1 + count));
        assert!(
            low <= 0.0 && low > -1e-300 && (units - expected).abs() < 1e-6,
            "{count}: {units} {expected}"
        );
    }
}

/// Functions that differ in one class of states only, and rows that miss 1 by what is allowed, which keep
/// processes apart: both show in the bounds on the change in a step.
#[test]
fn functions_equal_nearly_everywhere_are_averaged_as_any_other() {
    for (levels, count, missed) in [
        (2, 2, 0.0),
        (2, 4, 0.0),
        (3, 3, 0.0),
        (4, 2, 0.0),
        (5, 3, 0.0),
        (2, 3, 4e-10),
        (4, 2, 4e-10),
    ] {
        let mut rows = walk(levels, 0.25, 0.125, false);
        rows[1][1] -= missed;
        let found = model(&format!(
            "Stopping(processes: Identical(count: {count}, chain: Matrix(rows: {rows:?})), \
             remap_cost: 500, after_remap: Restart)"
        ));
        let Model::Stopping(problem) = &found else { panic!("another problem") };
        let (states, even) = (vectors(count, levels), vec![1.0; count]);
        let classes = problem.space().unwrap().each(|_, loads| Ok(loads.to_vec())).unwrap();
        for (odd, other) in (0..classes.len()).flat_map(|odd| [(odd, 0.0), (odd, 90.0)]) {
            let of = |class: usize| if class == odd { other } else { 64.0 };
            let scale = 2f64.powi(50);
            let mut last = 0;
            let runs = (0..classes.len()).map(|class| {
                let now = (of(class) * scale) as i64;
                (1, now - std::mem::replace(&mut last, now), 0)
            });
            let proof = found.prove(&Evidence::Stopping(50, runs.collect())).unwrap();
            let value = states.iter().map(|state| {
                let mut sorted: Vec<i64> = state.iter().map(|level| *level as i64).collect();
                if missed == 0.0 {
                    sorted.sort_unstable();
                }
                of(classes.iter().position(|class| *class == sorted).unwrap())
            });
            // Relative costs are counted from the least of them.
            let value: Vec<f64> = value.collect();
            let base = value.iter().copied().fold(f64::MAX, f64::min);
            let value: Vec<f64> = value.iter().map(|v| v - base).collect();
            let image = expect(&rows, count, &value);
            let missing = missed * count as f64 * value.iter().copied().fold(0.0, f64::max);
            let psi = states.iter().map(|s| imbalance(s, &even, "MaxMinusMean"));
            let change =
                psi.zip(&image).zip(&value).map(|((psi, image), value)| psi + image - value);
            let change: Vec<f64> = change.collect();
            // No cost is negative.
            let least = change.iter().copied().fold(f64::MAX, f64::min).max(0.0);
            let most = change.iter().copied().fold(f64::MIN, f64::max);
            let (low, high) = interval(&proof, "average");
            let close = |a: f64, b: f64| (a - b).abs() < 1e-11;
            assert!(
                close(low, least) && close(high, most + missing),
                "{count} of {levels}, {odd}: {proof:?}, not [{least}, {most}]"
            );
        }
    }
}

/// Rows that miss 1 on either side: what is proved of the average holds for every chain whose rows sum to 1,
/// that has what is missing besides or lacks what is too much, however relative costs are chosen.
#[test]
fn averages_hold_for_every_chain_near_rows_that_miss_one() {
    for (p, sign) in [("0.333333333", 1.0), ("0.3333333336", -1.0)] {
        let row = format!("[{p}, {p}, {p}]");
        let found = model(&format!(
            "Stopping(processes: Identical(count: 2, chain: Matrix(rows: [{row}, {row}, {row}])), \
             remap_cost: 100, after_remap: Restart)"
        ));
        // Relative costs are all the same, and any number is added to them.
        for base in [0u64, 1, 1 << 30, 1 << 50, (1 << 60) - (1 << 41)] {
            let equal = Evidence::Stopping(20, vec![(9, base as i64, 0)]);
            let (low, high) = interval(&found.prove(&equal).unwrap(), "average");
            assert!(low <= 4.0 / 9.0 && 4.0 / 9.0 <= high, "{p} {base}: [{low}, {high}]");
        }
        // In one state more is to come than in all others: the more, the less is proved.
        for place in 0..9 {
            for more in [1i64 << 30, 1 << 40, 1 << 59] {
                let runs = [(place, 0, 0), (1, more, 0), (8 - place, -more, 0)];
                let runs = runs.into_iter().filter(|run| run.0 > 0).collect();
                let Ok(proof) = found.prove(&Evidence::Stopping(20, runs)) else { continue };
                let (low, high) = interval(&proof, "average");
                // The exact operator at rows of three thirds, and what the missing mass makes of it.
                let own = more as f64 / 2f64.powi(20);
                let mean = own / 9.0;
                let psi = |s: usize| (s / 3).abs_diff(s % 3) as f64 / 2.0;
                let change = |s: usize| {
                    let go = (psi(s) + mean)
                        .min(100.0 + mean + if (s / 3 + s % 3) % 2 == 1 { 0.5 } else { 0.0 });
                    go - if s == place as usize { own } else { 0.0 }
                };
                let least = (0..9).map(change).fold(f64::MAX, f64::min).max(0.0);
                let most = (0..9).map(change).fold(f64::MIN, f64::max);
                let close = 1e-12 * own;
                assert!(
                    low <= least + close && most - close <= high,
                    "{sign} {place}: [{low}, {high}] [{least}, {most}]"
                );
            }
        }
    }
}
