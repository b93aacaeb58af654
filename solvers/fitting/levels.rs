//! Writes chains on levels as text: matrices whose decimals add up to one, and their parameters by
//! name.

use remapping::estimate::Estimate;

/// The units of a probability in a matrix: six decimals.
const UNITS: f64 = 1e6;

/// Rows of decimals that add up to exactly one: the largest entry of each takes the rounding error.
pub fn dense_rows(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let exact = |row: &Vec<f64>| {
        let mut units: Vec<i64> = row.iter().map(|p| (p * UNITS).round() as i64).collect();
        let rest = UNITS as i64 - units.iter().sum::<i64>();
        if let Some(largest) = units.iter_mut().max() {
            *largest += rest;
        }
        units.into_iter().map(|unit| unit as f64 / UNITS).collect()
    };
    rows.iter().map(exact).collect()
}

/// The rows as a list of lists, indented.
pub fn matrix(rows: &[Vec<f64>], indent: usize) -> String {
    let space = " ".repeat(indent);
    let row = |row: &Vec<f64>| {
        let entries: Vec<String> = row.iter().map(f64::to_string).collect();
        format!("{space}[{}],\n", entries.join(", "))
    };
    let rows: String = rows.iter().map(row).collect();
    format!("[\n{rows}{}]", &space[..indent - 4])
}

/// Probabilities of moves between loads, named with `of` as prefix.
pub fn named(of: &str, probabilities: Vec<(i64, i64, Estimate)>) -> Vec<(String, Estimate)> {
    let name = |(from, to, found)| (format!("{of}{from} to {to}"), found);
    probabilities.into_iter().map(name).collect()
}
