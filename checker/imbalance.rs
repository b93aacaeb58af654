//! The running cost of a load vector, exactly, and in fixed point.

use crate::Refusal;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Norm {
    MaxMinusMean,
    MaxAbsDeviation,
    EuclideanDeviation,
}

/// Deviations as integers over one denominator.
pub(crate) struct Imbalance {
    norm: Norm,
    /// `unit / c_i`.
    each: Vec<i128>,
    /// `unit / sum(c)`.
    total: i128,
    unit: i128,
}

impl Imbalance {
    pub fn new(norm: Norm, capacities: &[BigRational]) -> Result<Imbalance, Refusal> {
        if capacities.iter().any(|c| !c.is_positive()) {
            return Err(Refusal::Model("a capacity is not positive".to_owned()));
        }
        let inverses: Vec<BigRational> = capacities.iter().map(BigRational::recip).collect();
        let total = capacities.iter().sum::<BigRational>().recip();
        let unit = inverses.iter().chain([&total]).fold(BigInt::one(), |l, x| l.lcm(x.denom()));
        let small = |x: BigInt| x.to_i128().filter(|x| x.abs() < 1 << 40).ok_or(Refusal::TooLarge);
        let scaled = |x: &BigRational| small((x * &unit).to_integer());
        Ok(Imbalance {
            norm,
            each: inverses.iter().map(scaled).collect::<Result<_, _>>()?,
            total: scaled(&total)?,
            unit: small(unit)?,
        })
    }

    /// The cost in units of 2^-q, rounded down and up: both 0 if and only if the loads are balanced.
    pub fn cost(&self, loads: &[i64], q: u32) -> Result<(i128, i128), Refusal> {
        if loads.iter().any(|load| load.abs() >= 1 << 40) {
            return Err(Refusal::TooLarge);
        }
        let share = self.total * loads.iter().map(|load| i128::from(*load)).sum::<i128>();
        let mut deviations =
            loads.iter().zip(&self.each).map(|(load, each)| i128::from(*load) * each - share);
        let largest = match self.norm {
            Norm::MaxMinusMean => deviations.max(),
            Norm::MaxAbsDeviation => deviations.map(i128::abs).max(),
            Norm::EuclideanDeviation => {
                let squares: BigInt = deviations.by_ref().map(|d| BigInt::from(d).pow(2)).sum();
                let root = (squares.clone() << (2 * q)).sqrt();
                let exact = &root * &root == squares << (2 * q);
                let unit = BigInt::from(self.unit);
                let (low, rest) = root.div_mod_floor(&unit);
                let low = low.to_i128().ok_or(Refusal::TooLarge)?;
                return Ok((low, low + i128::from(!(rest.is_zero() && exact))));
            }
        };
        let scaled = BigInt::from(largest.unwrap_or(0)) << q;
        let (low, rest) = match largest.unwrap_or(0).checked_mul(1 << q) {
            Some(scaled) => scaled.div_mod_floor(&self.unit),
            None => {
                let (low, rest) = scaled.div_mod_floor(&BigInt::from(self.unit));
                (low.to_i128().ok_or(Refusal::TooLarge)?, i128::from(!rest.is_zero()))
            }
        };
        Ok((low, low + i128::from(rest != 0)))
    }

    /// A total in shares proportional to the capacities, in whole units: each share rounded down, and the
    /// units left over to the largest remainders, the first of equal ones first.
    pub fn split(&self, total: i64) -> Vec<i64> {
        let parts: Vec<_> = self
            .each
            .iter()
            .map(|each| (i128::from(total) * self.total).div_mod_floor(each))
            .collect();
        let mut loads: Vec<i64> = parts.iter().map(|(whole, _)| *whole as i64).collect();
        let mut order: Vec<usize> = (0..loads.len()).collect();
        order.sort_by(|&i, &j| (parts[j].1 * self.each[i]).cmp(&(parts[i].1 * self.each[j])));
        let left = total - loads.iter().sum::<i64>();
        order.into_iter().take(left as usize).for_each(|i| loads[i] += 1);
        loads
    }
}
