//! Drifting loads against the recursion on load vectors.

use super::{expect, imbalance, interval, model, place, vectors, walk};
use remap_checker::Evidence;

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
                    let before = decide == "BeforeStep";
                    let own = |s: &Vec<usize>| if before { 0.0 } else { cost(s) };
                    if !before || step > 0 {
                        let next: Vec<f64> =
                            states.iter().map(|s| own(s) + best(&value, s)).collect();
                        value = expect(&rows, count, &next);
                    }
                    if before {
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
