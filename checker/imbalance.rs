//! The running cost of a load vector, and the even split of a total.

use crate::model::{RunningCost, Stopping};
use crate::{Refusal, model_error};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Deviations as integers over one denominator.
pub struct Imbalance {
    cost: RunningCost,
    /// `unit / c_i`.
    pub each: Vec<i64>,
    /// `unit / sum(c)`.
    total: i64,
    unit: i64,
}

impl Imbalance {
    /// That of a model with so many processes.
    pub fn of(model: &Stopping, processes: usize) -> Result<Imbalance, Refusal> {
        let capacities = model.capacities().unwrap_or_else(|| vec![BigRational::one(); processes]);
        if capacities.len() != processes || model.remap_cost.0.is_zero() {
            return model_error("a capacity is missing, or remapping is free");
        }
        Imbalance::new(model.running_cost.clone().unwrap_or(RunningCost::MaxMinusMean), &capacities)
    }

    pub fn new(cost: RunningCost, capacities: &[BigRational]) -> Result<Imbalance, Refusal> {
        if capacities.is_empty() || !capacities.iter().all(Signed::is_positive) {
            return model_error("a capacity is not positive");
        }
        let sum = capacities.iter().sum::<BigRational>();
        // The reciprocals have the numerators for denominators.
        let unit =
            capacities.iter().chain([&sum]).fold(BigInt::from(1), |unit, c| unit.lcm(c.numer()));
        let scaled = |c: BigRational| {
            let scaled = (c.recip() * &unit).to_integer().to_i64();
            scaled.filter(|x| *x < 1 << 40).ok_or(Refusal::TooLarge)
        };
        let each = capacities.iter().cloned().map(scaled).collect::<Result<_, _>>()?;
        let one = BigRational::from(BigInt::from(1));
        Ok(Imbalance { cost, each, total: scaled(sum)?, unit: scaled(one)? })
    }

    /// The cost in units of 2^-bits, rounded down and up: both 0 if and only if the loads, which are below
    /// 2^40, are balanced.
    pub fn cost(&self, loads: &[i64], bits: u32) -> Result<[u64; 2], Refusal> {
        let wide = |load: i64, of: i64| i128::from(load) * i128::from(of);
        let share = wide(loads.iter().sum(), self.total);
        let each = loads.iter().zip(&self.each);
        let deviations = each.map(|(load, each)| wide(*load, *each) - share);
        // The numerator for the denominator unit 2^shift, and how much more it is at most.
        let (whole, shift, more) = match self.cost {
            RunningCost::MaxMinusMean => (deviations.fold(0, i128::max).unsigned_abs(), 0, 0),
            RunningCost::MaxAbsDeviation => {
                (deviations.map(i128::unsigned_abs).fold(0, u128::max), 0, 0)
            }
            RunningCost::EuclideanDeviation => {
                let add = |sum: u128, d: i128| sum.checked_add(d.unsigned_abs().checked_pow(2)?);
                let sum = { deviations }.try_fold(0, add).ok_or(Refusal::TooLarge)?;
                let shift = sum.leading_zeros().min(126) / 2;
                ((sum << (2 * shift)).isqrt(), shift, u128::from(sum > 0))
            }
        };
        let unit = (self.unit as u128) << shift;
        let scaled = |x: u128| x.checked_mul(1 << bits).ok_or(Refusal::TooLarge);
        let ends = [scaled(whole)? / unit, scaled(whole + more)?.div_ceil(unit)];
        if ends[1] < 1 << 62 { Ok(ends.map(|end| end as u64)) } else { Err(Refusal::TooLarge) }
    }

    /// A total in shares proportional to the capacities, in whole units: each share rounded down, and the
    /// units left over to the largest remainders, the first of equal ones first.
    pub fn split(&self, total: i64) -> Vec<i64> {
        let all = i128::from(total) * i128::from(self.total);
        let share = |each: &i64| all.div_mod_floor(&i128::from(*each));
        let mut loads: Vec<i64> = self.each.iter().map(|each| share(each).0 as i64).collect();
        let mut order: Vec<usize> = (0..loads.len()).collect();
        let rest = |each: i64| BigRational::new(share(&each).1.into(), each.into());
        order.sort_by_key(|i| -rest(self.each[*i]));
        let left = total - loads.iter().sum::<i64>();
        order.into_iter().take(left as usize).for_each(|i| loads[i] += 1);
        loads
    }
}
