//! Partial remaps: the long-run average cost per step if a remap of m units has a fixed cost plus m
//! times a unit cost, and the computation continues. \[YXW03\] leaves partial remaps for later.
//!
//! ```text
//! (T h)(s) = min over m = 0, 1, ... of rho(m) + psi(b_m(s)) + (P h)(b_m(s)),
//!            b_0(s) = s, rho(0) = 0
//! ```
//!
//! The m-th unit moves from the process most above its share to the one most below, so that a remap
//! of all units above leads to balance. Processes with equal chains on equal processors take their
//! shares in sorted order.
//!
//! Damped relative value iteration: for every h the best average lies between the minimum and the
//! maximum of `T h - h` (Odoni 1969). A sweep takes one application of P plus O(states x units).

use crate::imbalance::Imbalance;
use crate::stopping::{Exchange, Problem, States};
use crate::{Bounds, Observer, Status};
use std::ops::ControlFlow;

/// The best average, and the number of units to move.
#[derive(Debug, Clone, PartialEq)]
pub struct Partial {
    /// Bounds on the average cost per step, from every state.
    pub average: Bounds,
    /// By state: the number of units to move; 0 means continue.
    pub units: Vec<usize>,
    /// Relative costs, zero at state 0.
    pub value: Vec<f64>,
    /// Whether the best remap and no remap differ in relative cost by at most the tolerance.
    pub ties: Vec<bool>,
    /// Applications of the transition operator.
    pub iterations: u64,
    /// How the computation ended.
    pub status: Status,
}

/// Damping, so that periodic chains converge.
const DAMPING: f64 = 0.9;

/// By state: the states after moving 1, 2, ... units, the last of them as balanced as whole units
/// allow.
///
/// # Errors
/// The loads of a state from which a remap leads out of the states.
pub fn partial_targets(
    states: &States,
    imbalance: &Imbalance,
) -> Result<Vec<Vec<usize>>, Vec<i64>> {
    let (range, exchange) = (states.range(), Exchange::of_equal_processes(states, imbalance));
    let one = |state: usize| {
        let loads = states.loads(state);
        let total: i64 = loads.iter().sum();
        let split = match &range {
            None => Some(imbalance.split(total)),
            Some((low, high)) => imbalance.split_within(total, low, high),
        };
        let shares = exchange.best(&loads, &split.ok_or_else(|| loads.clone())?);
        let mut above: Vec<i64> =
            loads.iter().zip(&shares).map(|(load, share)| load - share).collect();
        let (mut now, mut targets) = (loads.clone(), Vec::new());
        while above.iter().any(|above| *above > 0) {
            let by =
                |sign: i64| (0..above.len()).min_by_key(|&i| sign * above[i]).expect("a process");
            for (i, unit) in [(by(-1), -1), (by(1), 1)] {
                above[i] += unit;
                now[i] += unit;
            }
            targets.push(states.twin(state, &now).ok_or_else(|| loads.clone())?);
        }
        Ok(targets)
    };
    (0..states.count()).map(one).collect()
}

/// The best average, if moving m units leads from state s to `targets[s][m - 1]` and costs `fixed`
/// plus m `per_unit`. With `whole` a remap must move all units.
///
/// # Panics
/// Unless `targets` has one entry for each state.
pub fn long_run_partial(
    problem: &Problem,
    targets: &[Vec<usize>],
    ([fixed, per_unit], whole): ([f64; 2], bool),
    (tolerance, sweeps): (f64, u64),
    observer: &dyn Observer,
) -> Partial {
    let n = problem.states();
    assert_eq!(targets.len(), n);
    let cost = |units: usize| fixed + per_unit * units as f64;
    let dearest = targets.iter().map(|to| cost(to.len())).fold(0.0, f64::max);
    // Rounding of the operator, of two sums and of the differences.
    let rounding = (problem.operator.rounding() + 8.0) * f64::EPSILON;
    // The cost of the best remap from a state, and how many units it moves.
    let remap = |go: &[f64], s: usize| {
        let all = targets[s].len();
        let first = if whole { all.max(1) } else { 1 };
        let moved = (first..=all).map(|m| (cost(m) + go[targets[s][m - 1]], m));
        moved.fold((f64::INFINITY, 0), |best, next| if next.0 < best.0 { next } else { best })
    };
    let (mut h, mut go) = (vec![0.0; n], vec![0.0; n]);
    // All costs are nonnegative.
    let (mut lower, mut upper) = (0.0_f64, f64::INFINITY);
    let mut iterations = 0;
    let status = loop {
        problem.operator.apply_into(&h, &mut go);
        iterations += 1;
        go.iter_mut().zip(problem.running()).for_each(|(go, psi)| *go += psi);
        let next: Vec<f64> = (0..n).map(|s| go[s].min(remap(&go, s).0)).collect();
        let size = go.iter().map(|go| go.abs()).fold(dearest, f64::max);
        let slack = rounding * (2.0 * size + dearest);
        let moved = next.iter().zip(&h).map(|(next, h)| next - h);
        let (low, high) = moved.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), change| {
            (low.min(change), high.max(change))
        });
        (lower, upper) = (lower.max(low - slack), upper.min(high + slack));
        if upper - lower <= tolerance * lower.abs().min(upper.abs()).max(1.0) {
            break Status::Converged;
        }
        if iterations >= sweeps {
            break Status::IterationLimit;
        }
        if let ControlFlow::Break(halt) = observer.progress(iterations, sweeps) {
            break halt.into();
        }
        let damped = |(h, next): (&f64, &f64)| (1.0 - DAMPING) * h + DAMPING * next;
        let damped: Vec<f64> = h.iter().zip(&next).map(damped).collect();
        h = damped.iter().map(|value| value - damped[0]).collect();
    };
    let close = tolerance * dearest.max(1.0);
    let decide = |s: usize| {
        let (least, units) = remap(&go, s);
        (if least < go[s] { units } else { 0 }, (least - go[s]).abs() <= close)
    };
    let (units, ties) = (0..n).map(decide).unzip();
    Partial { average: Bounds { lower, upper }, units, value: h, ties, iterations, status }
}
