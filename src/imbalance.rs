//! The running cost of an unbalanced load: the additional time of a step compared with a balanced
//! one.
//!
//! Process i carries the integer load w_i on a processor of capacity c_i. Its share of the total is
//! `c_i sum(w) / sum(c)`. Its deviation
//!
//! ```text
//! d_i = w_i / c_i - sum(w) / sum(c)
//! ```
//!
//! is the time by which it finishes after (before, if negative) a balanced step would. The cost is
//! a function of the deviations. Balance is decided in integers. O(processes) per evaluation.
//!
//! ```
//! use remapping::Rational;
//! use remapping::imbalance::{Imbalance, RunningCost};
//!
//! // The second processor is twice as fast.
//! let capacities = [Rational::from(1), Rational::from(2)];
//! let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &capacities, 100)?;
//! assert!(imbalance.is_balanced(&[3, 6]));
//! assert_eq!(imbalance.cost(&[6, 6]), 2.0);
//! assert_eq!(imbalance.split(9), [3, 6]);
//! # Ok::<(), remapping::imbalance::ImbalanceError>(())
//! ```

use crate::Rational;
use dashu_base::{Gcd, UnsignedAbs};
use dashu_int::UBig;

/// The function of the deviations that is the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum RunningCost {
    /// The largest deviation: the additional time of the step. (`|i - j| / 2` for two processes in
    /// `[YXW03, section 5]`.)
    #[default]
    MaxMinusMean,
    /// The largest deviation in absolute value `[YXW03, eq. (4)]`.
    MaxAbsDeviation,
    /// The Euclidean norm of the deviations `[YXW03, eq. (5)]`.
    EuclideanDeviation,
}

/// Why a running cost cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImbalanceError {
    /// A capacity that is not positive.
    #[error("capacity {index} (from 0) is {value}, not positive")]
    NotPositive {
        /// Its index, from 0.
        index: usize,
        /// Its value.
        value: String,
    },
    /// No capacity at all.
    #[error("there must be a capacity for each process, found none")]
    Empty,
    /// Capacities or loads whose exact shares do not fit 62 bits.
    #[error(
        "capacities and loads need more than 62 bits to compare shares exactly; use rounder capacities"
    )]
    TooFine,
}

/// The running cost of load vectors, zero exactly on balanced ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Imbalance {
    cost: RunningCost,
    /// The capacities divided by `unit`: coprime integers.
    capacities: Vec<i64>,
    total: i64,
    /// `1 / (capacities[i] * total * unit)`.
    scale: Vec<f64>,
}

impl Imbalance {
    /// The running cost on processors with these capacities, for loads of absolute value at most
    /// `largest_load`.
    ///
    /// No capacities, a capacity that is not positive, or capacities so fine that shares overflow
    /// 62 bits.
    pub fn new(
        cost: RunningCost,
        capacities: &[Rational],
        largest_load: u64,
    ) -> Result<Self, ImbalanceError> {
        if capacities.is_empty() {
            return Err(ImbalanceError::Empty);
        }
        for (index, c) in capacities.iter().enumerate() {
            if *c <= Rational::ZERO {
                return Err(ImbalanceError::NotPositive { index, value: c.to_string() });
            }
        }
        // c_i = n_i / d_i = C_i g / l, with l the common denominator and g the greatest common
        // divisor of the numerators.
        let common = capacities.iter().fold(UBig::ONE, |l, c| {
            let shared = (&l).gcd(c.denominator());
            l * c.denominator() / shared
        });
        let numerators = capacities
            .iter()
            .map(|c| c.numerator().clone().unsigned_abs() * (&common / c.denominator()));
        let numerators: Vec<UBig> = numerators.collect();
        let shared = numerators
            .iter()
            .fold(UBig::ZERO, |g, n| if g.is_zero() { n.clone() } else { g.gcd(n) });
        let integers = numerators.iter().map(|n| i64::try_from(n / &shared));
        let integers: Vec<i64> =
            integers.collect::<Result<_, _>>().map_err(|_| ImbalanceError::TooFine)?;
        let sum = integers.iter().map(|&c| i128::from(c)).sum::<i128>();
        // A share and a deviation are differences of two such products.
        let bound = sum.checked_mul(2 * i128::from(largest_load.max(1)) * capacities.len() as i128);
        let total = i64::try_from(sum).map_err(|_| ImbalanceError::TooFine)?;
        if bound.is_none_or(|bound| bound >= 1 << 62) {
            return Err(ImbalanceError::TooFine);
        }
        let unit = Rational::from_parts(shared.into(), common).to_f64().value();
        let scale = integers.iter().map(|&c| 1.0 / (c as f64 * total as f64 * unit)).collect();
        Ok(Self { cost, capacities: integers, total, scale })
    }

    /// The number of processes.
    pub fn processes(&self) -> usize {
        self.capacities.len()
    }

    /// Whether process `i` and `j` run on equal processors.
    pub fn same_capacity(&self, i: usize, j: usize) -> bool {
        self.capacities[i] == self.capacities[j]
    }

    /// Whether every process carries exactly its share, computed in integers.
    ///
    /// # Panics
    /// Unless there is one load for each process.
    pub fn is_balanced(&self, loads: &[i64]) -> bool {
        self.excess(loads).all(|excess| excess == 0)
    }

    /// The balanced load vector in which process `i` carries `load`, if there is one.
    pub fn balanced_with(&self, i: usize, load: i64) -> Option<Vec<i64>> {
        // The capacities are coprime, so proportional loads are integer multiples of them.
        let own = self.capacities[i];
        (load % own == 0).then(|| self.capacities.iter().map(|c| c * (load / own)).collect())
    }

    /// A total load in shares proportional to the capacities, in whole units (largest remainder
    /// method). Each share is rounded down; the remaining units go to the largest remainders, ties
    /// to the first.
    pub fn split(&self, total: i64) -> Vec<i64> {
        let share = |c: &i64| i128::from(*c) * i128::from(total);
        let whole = i128::from(self.total);
        let mut loads: Vec<i64> =
            self.capacities.iter().map(|c| share(c).div_euclid(whole) as i64).collect();
        let mut order: Vec<usize> = (0..loads.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(share(&self.capacities[i]).rem_euclid(whole)));
        let left = total - loads.iter().sum::<i64>();
        order.into_iter().take(left as usize).for_each(|i| loads[i] += 1);
        loads
    }

    /// The [`split`](Self::split) of a total; if that leaves these ranges, the split within them
    /// that minimizes the largest scaled load. It adds units one by one to the lowest loads, each
    /// to the process where the result is least, ties to the first. `None` if the ranges cannot
    /// hold the total.
    pub fn split_within(&self, total: i64, lowest: &[i64], highest: &[i64]) -> Option<Vec<i64>> {
        let split = self.split(total);
        if fits(&split, lowest, highest) {
            return Some(split);
        }
        let mut loads = lowest.to_vec();
        for _ in lowest.iter().sum::<i64>()..total {
            let next = self.next_unit(&loads, highest)?;
            loads[next] += 1;
        }
        (loads.iter().sum::<i64>() == total).then_some(loads)
    }

    /// The process where one more unit gives the least scaled load, ties to the first.
    fn next_unit(&self, loads: &[i64], highest: &[i64]) -> Option<usize> {
        // (w + 1) / c, compared as products.
        let order = |i: usize, j: usize| {
            let (a, b) = (i128::from(loads[i] + 1), i128::from(loads[j] + 1));
            let (c, d) = (i128::from(self.capacities[i]), i128::from(self.capacities[j]));
            (a * d).cmp(&(b * c))
        };
        let free = (0..loads.len()).filter(|&i| loads[i] < highest[i]);
        free.min_by(|&i, &j| order(i, j))
    }

    /// [`split_within`](Self::split_within) for all feasible totals, in ascending order.
    pub(crate) fn splits_within(&self, lowest: &[i64], highest: &[i64]) -> Vec<Vec<i64>> {
        let (mut loads, mut all) = (lowest.to_vec(), Vec::new());
        loop {
            let split = self.split(loads.iter().sum());
            all.push(if fits(&split, lowest, highest) { split } else { loads.clone() });
            let Some(next) = self.next_unit(&loads, highest) else { return all };
            loads[next] += 1;
        }
    }

    /// The function of the deviations that is the cost.
    pub(crate) fn kind(&self) -> RunningCost {
        self.cost
    }

    /// Factors of the load of process i: in its scaled load, and in the mean.
    pub(crate) fn scales(&self, i: usize) -> [f64; 2] {
        [self.scale[i] * self.total as f64, self.scale[i] * self.capacities[i] as f64]
    }

    /// The running cost of these loads: zero if and only if they are balanced, otherwise positive
    /// and exact to a few units in the last place.
    ///
    /// # Panics
    /// Unless there is one load for each process.
    pub fn cost(&self, loads: &[i64]) -> f64 {
        let deviations = self.excess(loads).zip(&self.scale).map(|(e, scale)| e as f64 * scale);
        match self.cost {
            RunningCost::MaxMinusMean => deviations.fold(0.0, f64::max),
            RunningCost::MaxAbsDeviation => deviations.map(f64::abs).fold(0.0, f64::max),
            RunningCost::EuclideanDeviation => deviations.map(|d| d * d).sum::<f64>().sqrt(),
        }
    }

    /// The deviations d_i, multiplied by c_i times the sum of capacities in integers.
    fn excess(&self, loads: &[i64]) -> impl Iterator<Item = i64> {
        assert_eq!(loads.len(), self.capacities.len(), "one load for each process");
        let sum: i64 = loads.iter().sum();
        loads.iter().zip(&self.capacities).map(move |(&w, &c)| w * self.total - c * sum)
    }
}

/// Whether loads are within their ranges.
fn fits(loads: &[i64], lowest: &[i64], highest: &[i64]) -> bool {
    loads
        .iter()
        .zip(lowest.iter().zip(highest))
        .all(|(load, (low, high))| (low..=high).contains(&load))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacities(parts: &[(i64, u64)]) -> Vec<Rational> {
        parts.iter().map(|&(n, d)| Rational::from_parts(n.into(), d.into())).collect()
    }

    #[test]
    fn two_equal_processes_pay_half_their_difference() {
        let pair = capacities(&[(1, 1), (1, 1)]);
        let cost = Imbalance::new(RunningCost::MaxMinusMean, &pair, 5).unwrap();
        for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
            assert_eq!(cost.cost(&[i, j]), (i - j).abs() as f64 / 2.0);
        }
    }

    #[test]
    fn balance_is_exact_for_decimal_capacities() {
        // In doubles 0.1 * 3 differs from 0.3.
        let pair = capacities(&[(1, 10), (3, 10)]);
        for kind in [
            RunningCost::MaxMinusMean,
            RunningCost::MaxAbsDeviation,
            RunningCost::EuclideanDeviation,
        ] {
            let cost = Imbalance::new(kind, &pair, 100).unwrap();
            for (i, j) in (0..30).flat_map(|i| (0..30).map(move |j| (i, j))) {
                assert_eq!(cost.is_balanced(&[i, j]), j == 3 * i, "{i} {j}");
                assert_eq!(cost.cost(&[i, j]) == 0.0, j == 3 * i, "{i} {j}");
            }
        }
    }

    #[test]
    fn the_three_costs_on_a_worked_example() {
        // Loads 3, 1, 8 on capacities 1, 1, 2: mean 3, scaled loads 3, 1, 4, deviations 0, -2, 1.
        let all = capacities(&[(1, 1), (1, 1), (2, 1)]);
        let cost = |kind| Imbalance::new(kind, &all, 8).unwrap().cost(&[3, 1, 8]);
        assert_eq!(cost(RunningCost::MaxMinusMean), 1.0);
        assert_eq!(cost(RunningCost::MaxAbsDeviation), 2.0);
        approx::assert_relative_eq!(cost(RunningCost::EuclideanDeviation), 5f64.sqrt());
    }

    #[test]
    fn a_split_keeps_the_total_and_follows_the_capacities() {
        let all = capacities(&[(1, 1), (1, 1), (2, 1)]);
        let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &all, 100).unwrap();
        assert_eq!(imbalance.split(8), [2, 2, 4]);
        assert_eq!(imbalance.split(9), [2, 2, 5]);
        assert_eq!(imbalance.split(10), [3, 2, 5]);
        assert_eq!(imbalance.split(-1), [0, 0, -1]);
        for total in -20..60 {
            assert_eq!(imbalance.split(total).iter().sum::<i64>(), total);
        }
    }

    #[test]
    fn a_split_that_leaves_its_ranges_is_replaced_by_the_most_even_one_within() {
        let all = capacities(&[(1, 1), (1, 1), (3, 1)]);
        let imbalance = Imbalance::new(RunningCost::EuclideanDeviation, &all, 100).unwrap();
        let (low, high) = ([0, 1, 0], [5, 5, 5]);
        let shape = [6, 5, 6];
        let vector = |k: i64| [k / 30, 1 + k / 6 % 5, k % 6];
        for total in 1..=15 {
            let split = imbalance.split_within(total, &low, &high).unwrap();
            assert_eq!(split.iter().sum::<i64>(), total);
            let free = imbalance.split(total);
            if (0..3).all(|i| (low[i]..=high[i]).contains(&free[i])) {
                assert_eq!(split, free);
                continue;
            }
            let least = (0..shape.iter().product())
                .map(vector)
                .filter(|loads| loads.iter().sum::<i64>() == total)
                .map(|loads| spread(&loads))
                .fold(f64::INFINITY, f64::min);
            assert!(spread(&split) <= least + 1e-12, "{total} {split:?}");
        }
        assert_eq!(imbalance.split_within(16, &low, &high), None);
        assert_eq!(imbalance.split_within(0, &low, &high), None);

        /// The largest scaled load.
        fn spread(loads: &[i64]) -> f64 {
            loads.iter().zip([1.0, 1.0, 3.0]).map(|(&w, c)| w as f64 / c).fold(0.0, f64::max)
        }
    }

    #[test]
    fn bad_capacities_are_refused() {
        let new = |parts: &[(i64, u64)], load| {
            Imbalance::new(RunningCost::MaxMinusMean, &capacities(parts), load)
        };
        assert_eq!(new(&[], 5), Err(ImbalanceError::Empty));
        assert!(matches!(new(&[(1, 1), (0, 1)], 5), Err(ImbalanceError::NotPositive { .. })));
        assert_eq!(new(&[(1, 1), (i64::MAX, 1)], 5), Err(ImbalanceError::TooFine));
    }
}
