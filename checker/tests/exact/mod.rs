//! What is proved of small models encloses what plain recursions on load vectors give, closely.

mod drifting;
mod rounding;
mod stopping;

use crate::shared::{interval, model};

/// Down, stay and up of a walk with these edges.
pub fn walk(levels: usize, up: f64, down: f64, reflect: bool) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; levels]; levels];
    let back = |p: f64| if reflect { p } else { 0.0 };
    for (i, row) in rows.iter_mut().enumerate() {
        let (u, d) = match i {
            0 => (up + back(down), 0.0),
            i if i + 1 == levels => (0.0, down + back(up)),
            _ => (up, down),
        };
        row[i] = 1.0 - u - d;
        if u > 0.0 {
            row[i + 1] = u;
        }
        if d > 0.0 {
            row[i - 1] = d;
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
