//! Markov operators: the conditional expectation `(P v)(s) = E[v(next state) | state s]`.
//!
//! Every operator acts on functions of the state, given as slices, and never forms the joint
//! transition matrix:
//!
//! | operator | state space | one application |
//! |---|---|---|
//! | [`BirthDeath`] | one process, L levels, steps of at most one level | O(L) |
//! | [`Dense`] | one process or a joint chain, any transition matrix | O(S²) |
//! | [`Exchangeable`] | r equal birth–death processes, C(L+r-1, r) states | about r terms a state |
//! | [`Product`] | independent factors, each any of the above | sum over the factors |
//! | [`Restricted`] | some states of a chain, sparse rows | O(non-zeros) |
//! | [`Shared`] | the own rows of one of several ranks | its share of the above |
//! | [`Joint`], [`JointRows`] | any dependence between processes, sparse rows | O(nonzeros) |
//!
//! Results do not depend on the number of threads, bit for bit.
//!
//! ```
//! use remapping::chain::{BirthDeath, Edge, Exchangeable, Operator};
//!
//! // Four equal walks on three levels: 15 multisets instead of 81 load vectors.
//! let walk = BirthDeath::walk(3, 0.25, 0.25, Edge::Reflect)?;
//! let chain = Exchangeable::new(walk, 4)?;
//! assert_eq!(chain.states(), 15);
//! # Ok::<(), remapping::chain::ChainError>(())
//! ```

mod affine;
mod birth_death;
mod dense;
mod exchangeable;
mod inversion;
mod joint;
mod kernel;
mod multisets;
mod part;
mod process;
mod product;
mod restricted;
mod shared;
mod tube;
mod wanted;

use crate::parallel;

pub use affine::{Change, affine_rows};
pub use birth_death::{BirthDeath, Edge};
pub use dense::Dense;
pub(crate) use exchangeable::Effort;
pub use exchangeable::Exchangeable;
pub(crate) use inversion::{Inversion, Successors};
pub use joint::{Joint, JointRows};
pub use multisets::{Multisets, Occupancies};
pub use process::ProcessChain;
pub use product::{Factor, Product};
pub use restricted::Restricted;
pub(crate) use shared::Divided;
pub use shared::Shared;
pub(crate) use tube::{Modes, Tube};
pub use wanted::Wanted;

/// Entries of a vector that are finished at a time.
const PART: usize = 1 << 12;

/// Shorter vectors are not split among threads.
const PARALLEL: usize = 1 << 15;

/// Final operation on an image `P v`.
#[derive(Clone, Copy)]
pub enum Finish<'f> {
    /// Nothing.
    Keep,
    /// Subtract the cost of each state.
    Less(&'f [f64]),
    /// Add the cost of each state and truncate at the bound; 0 where there is no cost.
    Least {
        /// One for each state.
        costs: &'f [f64],
        /// The upper bound.
        bound: f64,
    },
    /// Call this function with parts of the image, and the first state of each.
    Parts(&'f (dyn Fn(usize, &mut [f64]) + Sync)),
}

impl Finish<'_> {
    /// Finishes a whole image.
    fn all(self, image: &mut [f64]) {
        if image.len() < PARALLEL {
            return self.finish(0, image);
        }
        parallel::pieces(image, PART, &|part, image| self.finish(part * PART, image));
    }
}

/// A Markov operator on functions of S states: nonnegative, with rows that sum to one.
///
/// Rows may miss one by what the given decimals miss it (at most [`ROW_SUM_TOLERANCE`]). They are
/// used as given and never rescaled.
pub trait Operator: Send + Sync {
    /// The number of states S.
    fn states(&self) -> usize;

    /// `out[s] = sum over t of P(s, t) v[t]`.
    ///
    /// # Panics
    /// When `v` or `out` does not have [`states`](Self::states) entries.
    fn apply_into(&self, v: &[f64], out: &mut [f64]);

    /// [`apply_into`](Self::apply_into), then `finish` on every part of `out` while it is in the
    /// cache.
    fn apply_then(&self, v: &[f64], out: &mut [f64], finish: Finish<'_>) {
        self.apply_into(v, out);
        finish.all(out);
    }

    /// A bound k such that the computed `P v` differs from the exact one, in every state s, by at
    /// most `k * f64::EPSILON * (P |v|)(s)`.
    fn rounding(&self) -> f64;

    /// Whether the exact rows sum to one, so that constants are preserved: the probability of
    /// staying is the exact complement of moving, however rounded. `false` where rows are used as
    /// given.
    fn conserves(&self) -> bool {
        false
    }

    /// Detailed-balance weights: positive w, up to a factor, with `w(s) P(s, t) = w(t) P(t, s)`.
    /// `None` when there are none, or they are unknown or span more than doubles can hold.
    fn reversing_weights(&self) -> Option<Vec<f64>>;

    /// Whether such weights exist, as far as known; birth–death chains need not compute them.
    fn is_reversible(&self) -> bool {
        self.reversing_weights().is_some()
    }

    /// The probability to stay in each state, where it is known: the diagonal of P.
    fn staying(&self) -> Option<Vec<f64>> {
        None
    }
}

/// Largest deviation from one of a sum of given transition probabilities.
pub const ROW_SUM_TOLERANCE: f64 = 1e-9;

/// Whether the sum of `terms` probabilities misses one by more than allowed. Rounding of decimals
/// and of the sum adds half a unit of the last place each.
fn misses_one(sum: f64, terms: usize) -> bool {
    (sum - 1.0).abs() > ROW_SUM_TOLERANCE + terms as f64 * f64::EPSILON
}

/// Why a chain cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// Fewer than two levels.
    #[error("a chain needs at least 2 levels, found {0}")]
    TooFewLevels(usize),
    /// No process at all.
    #[error("a chain needs at least one process")]
    NoProcess,
    /// Two lists that should have the same length do not.
    #[error("{what}: expected {expected} entries, found {found}")]
    Shape {
        /// The list, in words.
        what: String,
        /// How many entries it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A probability is negative, above one or not a number.
    #[error("{what} is {value}, not a probability between 0 and 1")]
    NotAProbability {
        /// Which number, in words.
        what: String,
        /// Its value.
        value: f64,
    },
    /// The probabilities of a row do not sum to one.
    #[error("row {row} sums to {sum}: it misses 1 by {:e}", sum - 1.0)]
    RowSum {
        /// The row, from 0.
        row: usize,
        /// The sum of its entries.
        sum: f64,
    },
    /// The probabilities of moving up and down from a level sum to more than one.
    #[error("at level {level} (from 0) up + down = {sum}, which is more than 1")]
    TooMuchMotion {
        /// The level, from 0.
        level: usize,
        /// Up + down.
        sum: f64,
    },
    /// A process would leave its range of levels.
    #[error("`{direction}` at the {edge} level must be 0, found {value}")]
    LeavesRange {
        /// `up` or `down`.
        direction: &'static str,
        /// `highest` or `lowest`.
        edge: &'static str,
        /// The probability given.
        value: f64,
    },
    /// The number of states does not fit a machine word.
    #[error("the number of states, {0}, is too large to count on this machine")]
    TooManyStates(String),
}

fn probability(value: f64, what: impl FnOnce() -> String) -> Result<(), ChainError> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(ChainError::NotAProbability { what: what(), value })
    }
}

/// Detailed-balance weights, computed along a spanning forest and checked on every entry. `row`
/// lists the entries of a row with their columns.
fn balanced_weights<R: Iterator<Item = (usize, f64)>>(
    states: usize,
    row: impl Fn(usize) -> R,
    entry: impl Fn(usize, usize) -> f64,
) -> Option<Vec<f64>> {
    let mut weights = vec![0.0; states];
    for root in 0..states {
        if weights[root] > 0.0 {
            continue;
        }
        weights[root] = 1.0;
        let mut queue = vec![root];
        while let Some(i) = queue.pop() {
            for (j, there) in row(i) {
                let back = entry(j, i);
                if weights[j] == 0.0 && there > 0.0 && back > 0.0 {
                    weights[j] = weights[i] * there / back;
                    queue.push(j);
                }
            }
        }
    }
    let balanced = |i: usize, (j, p): (usize, f64)| {
        let (a, b) = (weights[i] * p, weights[j] * entry(j, i));
        (a - b).abs() <= 1e-13 * a.max(b)
    };
    let all = (0..states).all(|i| row(i).all(|own| balanced(i, own)));
    if all { usable(weights) } else { None }
}

/// Ratios of weights beyond this leave too few digits for the light states.
const WEIGHT_SPAN: f64 = 1e12;

/// The weights, scaled to maximum one, if their range is small enough.
fn usable(weights: Vec<f64>) -> Option<Vec<f64>> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let positive = weights.iter().all(|&w| w > 0.0 && w * WEIGHT_SPAN >= largest);
    (positive && largest.is_finite()).then(|| weights.into_iter().map(|w| w / largest).collect())
}
