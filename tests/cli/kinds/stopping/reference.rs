//! Decision maps and values state by state against a solver that shares no code with the engine:
//! every load vector is a state, the transition matrix is written out, and policy iteration
//! eliminates without iteration.

use crate::support::prelude::*;
use nalgebra::{DMatrix, DVector};

/// A model, as numbers.
struct Model {
    /// One transition matrix for each process.
    chains: Vec<Vec<Vec<f64>>>,
    /// The same in the model file.
    text: String,
    lowest: i64,
    capacities: Vec<i64>,
}

/// The reference solution.
struct Reference {
    /// J, or relative costs for `Restart`.
    value: Vec<f64>,
    /// What continuing costs more than remapping; `None` in balanced states.
    advantage: Vec<Option<f64>>,
    /// What remapping costs in all, or the average cost per step for `Restart`.
    remap_value: f64,
}

const COSTS: [&str; 3] = ["MaxMinusMean", "MaxAbsDeviation", "EuclideanDeviation"];

impl Model {
    /// Equal walks; `hold` at the edges or reflect.
    fn walks(levels: usize, capacities: &[i64], p: [f64; 2], hold: bool) -> Self {
        let [up, down] = p;
        let edge = if hold { "Hold" } else { "Reflect" };
        let count = capacities.len();
        let text = format!(
            "Identical(count: {count}, chain: Walk(levels: {levels}, up: {up}, down: {down}, \
             edge: {edge}))"
        );
        let mut rows = vec![vec![0.0; levels]; levels];
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, p) in [(i as i64 + 1, up), (i as i64 - 1, down)] {
                let inside = (0..levels as i64).contains(&j);
                let target = match inside {
                    true => j,
                    false if hold => i as i64,
                    false => 2 * i as i64 - j,
                };
                row[target as usize] += p;
            }
            row[i] += 1.0 - up - down;
        }
        Self { chains: vec![rows; count], text, lowest: 0, capacities: capacities.to_vec() }
    }

    /// Different dense chains.
    fn distinct(chains: &[Vec<Vec<f64>>], lowest: i64, capacities: &[i64]) -> Self {
        let each = chains.iter().map(|rows| format!("Matrix(lowest: {lowest}, rows: {rows:?})"));
        let text = format!("Distinct([{}])", each.collect::<Vec<_>>().join(", "));
        Self { chains: chains.to_vec(), text, lowest, capacities: capacities.to_vec() }
    }

    fn states(&self) -> usize {
        self.chains.iter().map(Vec::len).product()
    }

    /// The levels of the processes, the last one varying fastest.
    fn levels(&self, mut state: usize) -> Vec<usize> {
        let mut levels = vec![0; self.chains.len()];
        for (level, chain) in levels.iter_mut().zip(&self.chains).rev() {
            *level = state % chain.len();
            state /= chain.len();
        }
        levels
    }

    fn state(&self, levels: &[usize]) -> usize {
        levels.iter().zip(&self.chains).fold(0, |s, (level, chain)| s * chain.len() + level)
    }

    fn loads(&self, state: usize) -> Vec<i64> {
        self.levels(state).into_iter().map(|level| self.lowest + level as i64).collect()
    }

    fn running(&self, cost: &str) -> Vec<f64> {
        let whole: i64 = self.capacities.iter().sum();
        let psi = |loads: Vec<i64>| {
            let total: i64 = loads.iter().sum();
            let pairs = || loads.iter().zip(&self.capacities);
            if pairs().all(|(w, c)| w * whole == c * total) {
                return 0.0;
            }
            let mean = total as f64 / whole as f64;
            let deviations = pairs().map(|(&w, &c)| w as f64 / c as f64 - mean);
            match cost {
                "MaxMinusMean" => deviations.fold(f64::MIN, f64::max),
                "MaxAbsDeviation" => deviations.map(f64::abs).fold(0.0, f64::max),
                _ => deviations.map(|d| d * d).sum::<f64>().sqrt(),
            }
        };
        (0..self.states()).map(|s| psi(self.loads(s))).collect()
    }

    /// The non-zero entries of each row of the joint chain.
    fn rows(&self) -> Vec<Vec<(usize, f64)>> {
        let row = |s: usize| {
            let mut entries = vec![(0, 1.0)];
            for (level, chain) in self.levels(s).into_iter().zip(&self.chains) {
                let next = entries.iter().flat_map(|&(t, p)| {
                    let moves = chain[level].iter().enumerate().filter(|(_, q)| **q > 0.0);
                    moves.map(move |(j, q)| (t * chain.len() + j, p * q))
                });
                entries = next.collect();
            }
            entries
        };
        (0..self.states()).map(row).collect()
    }

    /// The solution for `Stop` or `Uniform`.
    fn reference(&self, cost: &str, rho: f64, uniform: bool) -> Reference {
        let (running, rows) = (self.running(cost), self.rows());
        let n = running.len();
        let mut continues: Vec<bool> = running.iter().map(|psi| *psi > 0.0).collect();
        loop {
            // c: the cost until the first stop; b: the probability that it is not a remap.
            let (c, b) = until_stop(&rows, &running, &continues);
            let mean = |v: &[f64]| v.iter().sum::<f64>() / n as f64;
            let remap = if uniform { (rho + mean(&c)) / mean(&b) } else { rho };
            let value: Vec<f64> = (0..n).map(|s| c[s] + (1.0 - b[s]) * remap).collect();
            let advantage = |s: usize| {
                let image: f64 = rows[s].iter().map(|&(t, p)| p * value[t]).sum();
                (running[s] > 0.0).then(|| running[s] + image - remap)
            };
            let advantage: Vec<Option<f64>> = (0..n).map(advantage).collect();
            // What rounding may have made of zero is no reason to change.
            let slack = 1e-11 * remap.max(1.0);
            let keep = |(a, go): (&Option<f64>, &bool)| {
                a.is_some_and(|a| if *go { a <= slack } else { a < -slack })
            };
            let next: Vec<bool> = advantage.iter().zip(&continues).map(keep).collect();
            if next == continues {
                return Reference { value, advantage, remap_value: remap };
            }
            continues = next;
        }
    }

    /// The even split of the same total for each state.
    fn split(&self, state: usize) -> usize {
        let loads = self.loads(state);
        let (total, whole) = (loads.iter().sum::<i64>(), self.capacities.iter().sum::<i64>());
        let mut split: Vec<i64> =
            self.capacities.iter().map(|c| (c * total).div_euclid(whole)).collect();
        while split.iter().sum::<i64>() < total {
            // One more for the process that is furthest below its share.
            let below =
                |i: &usize| (self.capacities[*i] * total - split[*i] * whole, loads.len() - i);
            let i = (0..loads.len()).max_by_key(below).unwrap();
            split[i] += 1;
        }
        let levels = split.iter().map(|load| (load - self.lowest) as usize);
        self.state(&levels.collect::<Vec<_>>())
    }

    /// The smallest long-run average for `Restart`.
    fn restart_reference(&self, cost: &str, rho: f64) -> Reference {
        let (running, rows) = (self.running(cost), self.rows());
        let n = running.len();
        let back: Vec<usize> = (0..n).map(|s| self.split(s)).collect();
        let mut remaps = vec![false; n];
        loop {
            // Relative costs, and the average in the place of the one of state 0.
            let mut system = DMatrix::zeros(n, n);
            let mut right = DVector::zeros(n);
            for s in 0..n {
                let from = if remaps[s] { back[s] } else { s };
                system[(s, s)] += 1.0;
                rows[from].iter().for_each(|&(t, p)| system[(s, t)] -= p);
                right[s] = running[from] + if remaps[s] { rho } else { 0.0 };
            }
            system.column_mut(0).fill(1.0);
            let solution = system.lu().solve(&right).unwrap();
            let value = |s: usize| if s == 0 { 0.0 } else { solution[s] };
            let go: Vec<f64> = (0..n)
                .map(|s| running[s] + rows[s].iter().map(|&(t, p)| p * value(t)).sum::<f64>())
                .collect();
            let advantage = |s: usize| (running[s] > 0.0).then(|| go[s] - rho - go[back[s]]);
            let advantage: Vec<Option<f64>> = (0..n).map(advantage).collect();
            let slack = 1e-10 * rho.max(1.0);
            let keep = |(a, remaps): (&Option<f64>, &bool)| {
                a.is_some_and(|a| if *remaps { a >= -slack } else { a > slack })
            };
            let next: Vec<bool> = advantage.iter().zip(&remaps).map(keep).collect();
            if next == remaps {
                let value = (0..n).map(value).collect();
                return Reference { value, advantage, remap_value: solution[0] };
            }
            remaps = next;
        }
    }

    fn solve(&self, cost: &str, rho: &str, after: &str, options: &str) -> Value {
        let Self { text, capacities, .. } = self;
        let place = Workplace::stating(format!(
            "Stopping(processes: {text}, capacities: {capacities:?}, running_cost: {cost}, remap_cost: {rho}, \
             after_remap: {after})"
        ));
        place.answer(format!("solve model.ron --values {options}"))
    }

    /// Compares map, ties and values; returns how many states are ties.
    fn check(&self, cost: &str, rho: f64, after: &str, options: &str) -> usize {
        let restart = after == "Restart";
        let reference = match restart {
            true => self.restart_reference(cost, rho),
            false => self.reference(cost, rho, after == "Uniform"),
        };
        let found = self.solve(cost, &format!("{rho:?}"), after, options);
        let case = format!("{} {:?} {cost} {rho} {after} {options:?}", self.text, self.capacities);
        assert_eq!(found["status"], "converged", "{case}");
        assert!(found["value_gap"].f64() <= 1e-9, "{case}");
        let scale = if restart { rho.max(1.0) } else { reference.remap_value.max(1.0) };
        if restart {
            let bound = |end: &str| found["average"][end].f64();
            let (low, high) = (bound("lower") - 1e-12, bound("upper") + 1e-12);
            assert!(low <= reference.remap_value && reference.remap_value <= high, "{case}");
        } else {
            let remap = found["remap_value"].f64();
            assert!(abs_diff_eq!(remap, reference.remap_value, epsilon = 1e-9 * scale), "{case}");
        }
        let value = found["value"].numbers();
        let ties: Vec<usize> = found["ties"].list().iter().map(|t| t.u64() as usize).collect();
        let decision: Vec<char> = found["decision"].text().chars().collect();
        assert!(decision.len() == self.states() && value.len() == self.states());
        for (s, (&letter, advantage)) in decision.iter().zip(&reference.advantage).enumerate() {
            let near = abs_diff_eq!(value[s], reference.value[s], epsilon = 1e-9 * scale);
            assert!(near || restart, "{case}: J{:?} {}", self.loads(s), value[s]);
            let tie = ties.contains(&s);
            let state = || format!("{case}: {:?} {advantage:?} tie: {tie}", self.loads(s));
            match *advantage {
                None => assert!(letter == 'B' && !tie, "{}", state()),
                Some(a) if a.abs() <= 1e-12 * scale => assert!(tie, "{}", state()),
                Some(a) => {
                    assert!(!tie || a.abs() <= 4e-9 * scale, "{}", state());
                    assert!(tie || letter == if a > 0.0 { 'R' } else { 'C' }, "{}", state());
                }
            }
        }
        ties.len()
    }
}

/// For the policy that goes on where `continues`: expected costs until the first stop, and the
/// probability that it is in a state without costs. By elimination without pivots, which M-matrices
/// need not, within the band.
fn until_stop(
    rows: &[Vec<(usize, f64)>],
    running: &[f64],
    continues: &[bool],
) -> (Vec<f64>, Vec<f64>) {
    let n = rows.len();
    let distance = |s: usize| rows[s].iter().map(|&(t, _)| t.abs_diff(s)).max().unwrap_or(0);
    let band = (0..n).map(distance).max().unwrap_or(0);
    let width = 2 * band + 1;
    // Entry (s, t) is at [s][t + band - s].
    let mut matrix = vec![0.0; n * width];
    let (mut c, mut b) = (vec![0.0; n], vec![0.0; n]);
    for s in 0..n {
        matrix[s * width + band] = 1.0;
        if continues[s] {
            rows[s].iter().for_each(|&(t, p)| matrix[s * width + t + band - s] -= p);
            c[s] = running[s];
        } else if running[s] == 0.0 {
            b[s] = 1.0;
        }
    }
    for k in 0..n {
        let (above, below) = matrix.split_at_mut((k + 1) * width);
        let reach = band.min(n - 1 - k);
        let pivot = &above[k * width + band..k * width + band + reach + 1];
        for i in 1..=reach {
            let start = (i - 1) * width + band - i;
            let row = &mut below[start..start + reach + 1];
            if row[0] != 0.0 {
                let factor = row[0] / pivot[0];
                row.iter_mut().zip(pivot).for_each(|(x, y)| *x -= factor * y);
                c[k + i] -= factor * c[k];
                b[k + i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let row = &matrix[k * width + band..(k + 1) * width];
        for right in [&mut c, &mut b] {
            let known: f64 = row[1..].iter().zip(&right[k + 1..]).map(|(p, x)| p * x).sum();
            right[k] = (right[k] - known) / row[0];
        }
    }
    (c, b)
}

const QUARTER: [f64; 2] = [0.25, 0.25];

#[test]
fn two_processes_of_21_levels() {
    for capacities in &some(1, [[1, 2], [1, 1]]) {
        let model = Model::walks(21, capacities, QUARTER, *capacities == [1, 2]);
        for (cost, rho) in COSTS.iter().flat_map(|cost| [3.0, 40.0, 300.0].map(|rho| (cost, rho))) {
            for after in ["Stop", "Uniform"] {
                model.check(cost, rho, after, "");
            }
        }
        model.check("MaxMinusMean", 12.5, "Uniform", "--method value");
        model.check("MaxMinusMean", 12.5, "Uniform", "--method policy");
    }
}

#[test]
fn three_processes_of_11_levels() {
    let all = [[1, 2, 2], [1, 1, 2], [1, 1, 1]];
    for capacities in &some(1, all) {
        let model = Model::walks(11, capacities, [0.3, 0.2], *capacities != [1, 1, 1]);
        for (cost, rho) in some(2, COSTS.iter().zip([4.0, 30.0, 150.0])) {
            for after in ["Stop", "Uniform"] {
                model.check(cost, rho, after, "");
            }
        }
    }
}

#[test]
fn four_processes() {
    for capacities in some(1, [[1, 1, 2, 2], [1, 1, 1, 1]]) {
        let model = Model::walks(few_or_all(5, 7), &capacities, QUARTER, false);
        for (after, rho) in [("Stop", 8.0), ("Uniform", 2.0), ("Stop", 120.0)] {
            model.check("MaxMinusMean", rho, after, "");
        }
    }
}

#[test]
fn different_dense_chains_from_negative_loads() {
    let chain = |n: usize, k: usize| {
        let row = |i: usize| {
            let weights: Vec<f64> =
                (0..n).map(|j| ((i * 3 + j * 5 + k) % 4) as f64 + 1.0).collect();
            let sum: f64 = weights.iter().sum();
            weights.into_iter().map(|w| w / sum).collect()
        };
        (0..n).map(row).collect::<Vec<Vec<f64>>>()
    };
    let model = Model::distinct(&[chain(7, 1), chain(5, 2), chain(6, 3)], -2, &[2, 1, 1]);
    for (cost, rho) in COSTS.iter().zip([1.0, 3.0, 9.0]) {
        for after in ["Stop", "Uniform"] {
            model.check(cost, rho, after, "");
        }
    }
}

#[test]
fn ties_are_those_of_the_reference() {
    // Both branches of the states next to balance cost the same at 4/3.
    let model = Model::walks(6, &[1, 1], QUARTER, false);
    assert!(model.check("MaxMinusMean", 4.0 / 3.0, "Stop", "") > 0);
    // From (0, 1) every state is equally likely: psi + R/2 = 1/2 + 1/2 = R.
    let held = Model::walks(2, &[1, 1], [0.5, 0.5], true);
    assert_eq!(held.check("MaxMinusMean", 1.0, "Stop", ""), 2);
}

#[test]
fn long_jobs() {
    let walk = |levels| Model::walks(levels, &[1], QUARTER, false).chains[0].clone();
    let models = [
        Model::walks(few_or_all(15, 21), &[1, 1], QUARTER, false),
        Model::walks(few_or_all(6, 9), &[1, 1, 1], [0.3, 0.2], true),
        // Levels for every split of a total in shares of one third and two thirds.
        Model::distinct(&[walk(8), walk(15)], 0, &[1, 2]),
    ];
    for model in &models {
        for (cost, rho) in COSTS.iter().zip([2.0, 15.0, 100.0]) {
            model.check(cost, rho, "Restart", "");
        }
    }
}
