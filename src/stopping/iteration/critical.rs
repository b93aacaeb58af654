//! Critical remap costs: the remap cost at which the decision of each state changes.
//!
//! With R the total cost of remapping, J is concave and piecewise linear in R. Every unbalanced
//! state switches at most once, from remapping to continuing, as R grows. Let C be the states that
//! continue already, and censor the chain on the others: from state i, until the next state outside
//! C, it costs c_i and balances with probability b_i. Continuing there costs
//!
//! ```text
//! c_i + (1 - b_i) R,   equal to R at R = c_i / b_i
//! ```
//!
//! The smallest of these ratios is where the next state joins C. Removing it from the censored
//! chain is one step of Gaussian elimination, so the whole path costs as much as one factorization.
//! All operations are on numbers of one sign `[Grassmann, Taksar & Heyman 1985, Oper. Res. 33(5)]`:
//! in doubles, R has a relative error of about n epsilon.

use crate::Rational;
use crate::parallel;
use std::ops::{Add, Div, Mul, Sub};

/// The number type of critical costs: exact, or doubles.
pub trait Scalar:
    Clone
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// 0.
    fn zero() -> Self;
}

impl Scalar for f64 {
    fn zero() -> Self {
        0.0
    }
}

impl Scalar for Rational {
    fn zero() -> Self {
        Rational::ZERO
    }
}

/// Where the decision of a state changes: it remaps at lower costs and continues at higher ones.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalCost<T> {
    /// The total cost of remapping, R: the critical remap cost of `Stop`.
    pub total: T,
    /// The critical remap cost of `Uniform`, `R - mean(J)`.
    pub uniform: T,
}

/// The critical costs of each state. `None` for balanced states (`running[s] = 0`), and for states
/// that cannot balance and so never continue.
///
/// `transition` holds the rows of the chain; each is taken to sum to one. `weights[s]` is the
/// number of load vectors that state s stands for. Takes O(n³) operations for n unbalanced states.
///
/// # Panics
/// When the lengths differ.
pub fn critical_costs<T: Scalar>(
    running: &[T],
    transition: &[Vec<T>],
    weights: &[T],
) -> Vec<Option<CriticalCost<T>>> {
    let n = running.len();
    assert!(transition.len() == n && weights.len() == n, "one row and weight for each state");
    let states: Vec<usize> = (0..n).filter(|&s| running[s] > T::zero()).collect();
    let mut rows: Vec<Row<T>> =
        states.iter().map(|&s| Row::new(running, &transition[s], &states, s)).collect();
    let zero = T::zero;
    let everything = weights.iter().fold(zero(), |sum, w| sum + w.clone());
    let unbalanced = states.iter().fold(zero(), |sum, &s| sum + weights[s].clone());
    let mut critical = vec![None; n];
    let mut waiting: Vec<usize> = (0..states.len()).collect();
    while let Some((position, total)) = next(&rows, &waiting) {
        let joining = waiting.swap_remove(position);
        join(&mut rows, &waiting, joining);
        // J is R where the policy remaps and c + (1 - b) R in C, so sum(w (R - J)) is:
        let mut saved = (everything.clone() - unbalanced.clone()) * total.clone();
        for (row, &s) in rows.iter().zip(&states).filter(|(row, _)| row.continues) {
            let below = row.balance.clone() * total.clone() - row.cost.clone();
            saved = saved + weights[s].clone() * below;
        }
        let uniform = saved / everything.clone();
        critical[states[joining]] = Some(CriticalCost { total, uniform });
    }
    critical
}

/// The censored chain from one unbalanced state, until it is next outside C or balanced.
struct Row<T> {
    continues: bool,
    /// Expected running cost.
    cost: T,
    /// Probability of balancing.
    balance: T,
    /// Probability of each unbalanced state as the next one outside C.
    hit: Vec<T>,
}

impl<T: Scalar> Row<T> {
    fn new(running: &[T], transition: &[T], states: &[usize], s: usize) -> Self {
        assert_eq!(transition.len(), running.len(), "one column for each state");
        let balanced = transition.iter().zip(running).filter(|(_, psi)| **psi <= T::zero());
        Row {
            continues: false,
            cost: running[s].clone(),
            balance: balanced.fold(T::zero(), |sum, (p, _)| sum + p.clone()),
            hit: states.iter().map(|&t| transition[t].clone()).collect(),
        }
    }
}

/// The state of `waiting` that joins C next, as its position there, and the R at which it joins.
fn next<T: Scalar>(rows: &[Row<T>], waiting: &[usize]) -> Option<(usize, T)> {
    let candidates = waiting.iter().enumerate().filter(|&(_, &k)| rows[k].balance > T::zero());
    let costs = candidates.map(|(at, &k)| (at, rows[k].cost.clone() / rows[k].balance.clone()));
    costs.reduce(|best, other| if other.1 < best.1 { other } else { best })
}

/// Removes state k from the censored chain; `waiting` are the states that stay outside C.
fn join<T: Scalar>(rows: &mut [Row<T>], waiting: &[usize], k: usize) {
    // The probability to leave k; the remainder is a loop.
    let own = &mut rows[k];
    let leaves = waiting.iter().fold(own.balance.clone(), |sum, &j| sum + own.hit[j].clone());
    own.continues = true;
    own.cost = own.cost.clone() / leaves.clone();
    own.balance = own.balance.clone() / leaves.clone();
    for &j in waiting {
        own.hit[j] = own.hit[j].clone() / leaves.clone();
    }
    let (cost, balance, hit) = (own.cost.clone(), own.balance.clone(), own.hit.clone());
    parallel::pieces(rows, 1, &|i, row| {
        if i == k {
            return;
        }
        let row = &mut row[0];
        let share = row.hit[k].clone();
        if share > T::zero() {
            row.cost = row.cost.clone() + share.clone() * cost.clone();
            row.balance = row.balance.clone() + share.clone() * balance.clone();
            for &j in waiting {
                row.hit[j] = row.hit[j].clone() + share.clone() * hit[j].clone();
            }
        }
    });
}
