//! States that share loads, walks without a highest load, remaps of any number of units: what is
//! proved encloses what plain iterations on all states give, and what is forged is refused.

mod partial;
mod shared;
mod unbounded;

use crate::exact::walk;
use crate::shared::{by_steps, prove, text};
use remap_checker::{Budget, Checked, Evidence, Interval, Proof, Run, certificate, check_within};
use std::path::Path;

const BITS: u32 = 44;

fn checked(problem: &str, evidence: &Evidence) -> Checked {
    let (text, proof) = (text(problem), prove(problem, evidence).unwrap());
    let bytes = certificate(&text, evidence, &proof);
    check_within(&text, Path::new(""), &bytes, &Budget::default()).unwrap()
}

/// Lower and upper values, one after the other.
fn runs(values: impl IntoIterator<Item = [f64; 2]>) -> Vec<Run> {
    let scale = (1u64 << BITS) as f64;
    let whole =
        |[low, high]: [f64; 2]| ((low * scale).floor() as i64, (high * scale).ceil() as i64);
    by_steps(values.into_iter().map(whole)).collect()
}

fn values(values: impl IntoIterator<Item = [f64; 2]>) -> Evidence {
    Evidence::Stopping(BITS, runs(values))
}

/// A little outward.
fn around(value: &[f64]) -> Vec<[f64; 2]> {
    value.iter().map(|v| [v * (1.0 - 1e-10), v * (1.0 + 1e-10)]).collect()
}

fn psi(loads: &[i64]) -> f64 {
    let mean = loads.iter().sum::<i64>() as f64 / loads.len() as f64;
    *loads.iter().max().unwrap() as f64 - mean
}

/// A chain of listed states.
struct Chain {
    loads: Vec<Vec<i64>>,
    rows: Vec<Vec<f64>>,
}

impl Chain {
    /// Walks of so many levels that move with these probabilities up and down, in each hidden
    /// phase, of which there are as many; phases are listed together, or loads are.
    fn hidden(count: usize, levels: i64, moves: &[f64], together: bool) -> Chain {
        let phases = moves.len();
        let vectors = levels.pow(count as u32) as usize;
        let digits = |n: usize| -> Vec<i64> {
            let place = |i: usize| levels.pow((count - 1 - i) as u32);
            (0..count).map(|i| n as i64 / place(i) % levels).collect()
        };
        let all = (0..vectors * phases).map(|s| match together {
            true => (digits(s % vectors), s / vectors),
            false => (digits(s / phases), s % phases),
        });
        let all = Vec::from_iter(all);
        let rows = Vec::from_iter(moves.iter().map(|p| walk(levels as usize, *p, *p, false)));
        let chance = |(from, phase): &(Vec<i64>, usize), (to, next): &(Vec<i64>, usize)| {
            let change = match phase == next {
                true if phases == 1 => 1.0,
                true => 0.875,
                false => 0.125 / (phases - 1) as f64,
            };
            let moves = from.iter().zip(to).map(|(i, j)| rows[*phase][*i as usize][*j as usize]);
            change * moves.product::<f64>()
        };
        let rows = all.iter().map(|from| all.iter().map(|to| chance(from, to)).collect());
        Chain { rows: rows.collect(), loads: all.iter().map(|(loads, _)| loads.clone()).collect() }
    }

    fn written(&self, more: &str) -> String {
        format!(
            "Stopping(processes: Joint(loads: {:?}, transition: Dense({:?})), {more})",
            self.loads, self.rows
        )
    }

    fn ahead(&self, value: &[f64]) -> Vec<f64> {
        let mean = |row: &Vec<f64>| row.iter().zip(value).map(|(p, v)| p * v).sum::<f64>();
        self.rows.iter().map(mean).zip(&self.loads).map(|(mean, loads)| mean + psi(loads)).collect()
    }

    /// The cost where a remap ends it.
    fn once(&self, rho: f64) -> (Vec<f64>, Vec<f64>) {
        let mut value = vec![0.0; self.loads.len()];
        for _ in 0..4000 {
            let go = self.ahead(&value);
            let best = go.iter().zip(&self.loads);
            value = best.map(|(go, l)| if psi(l) == 0.0 { 0.0 } else { go.min(rho) }).collect();
        }
        let go = self.ahead(&value);
        (value, go)
    }

    /// The average where one goes on, each state having these other ones to move to at a cost, and
    /// what states cost in addition to the cheapest.
    fn forever(&self, ways: &[Vec<(f64, usize)>]) -> (f64, Vec<f64>) {
        let mut h = vec![0.0; self.loads.len()];
        let mut average = 0.0;
        for _ in 0..3_000 {
            let go = self.ahead(&h);
            let best = |(s, go_on): (usize, &f64)| {
                ways[s].iter().fold(*go_on, |best, (cost, to)| best.min(cost + go[*to]))
            };
            let next: Vec<f64> = go.iter().enumerate().map(best).collect();
            average = next[0] - h[0];
            let damped = next.iter().zip(&h).map(|(new, old)| 0.5 * new + 0.5 * old);
            let damped = Vec::from_iter(damped);
            let least = damped.iter().copied().fold(f64::INFINITY, f64::min);
            h = damped.iter().map(|v| v - least).collect();
        }
        (average, h)
    }

    /// The k-th state with some loads, if this is the k-th with its own.
    fn twin(&self, s: usize, loads: &[i64]) -> Option<usize> {
        let k = self.loads[..s].iter().filter(|other| **other == self.loads[s]).count();
        (0..self.loads.len()).filter(|other| self.loads[*other] == loads).nth(k)
    }
}

fn average(proof: &Proof) -> Interval {
    let Proof::Average(average) = proof else { panic!("{proof:?}") };
    *average
}

#[track_caller]
fn holds(found: Interval, right: f64) {
    let Interval { lower, upper } = found;
    assert!(lower <= right + 1e-9 && right - 1e-9 <= upper, "[{lower}, {upper}] {right}");
    assert!(upper - lower < 1e-7, "[{lower}, {upper}]");
}

const RHO: f64 = 2.0;
