//! The running cost of a load vector, in integers.

use crate::core::budget::{Refusal, model_error};
use crate::core::written;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

written! {
    #[derive(Default)]
    pub enum RunningCost { #[default] MaxMinusMean, MaxAbsDeviation, EuclideanDeviation }
}

/// Deviations `w_i / c_i - sum(w) / sum(c)`, in integers.
pub struct Imbalance {
    cost: RunningCost,
    /// The capacities as integers without a common factor.
    pub(crate) capacities: Vec<i64>,
    pub(crate) total: i64,
    /// 1 / (capacity * `total` * unit) for each process; `small` has the same where it fits.
    exact: Vec<BigRational>,
    small: Vec<Option<[u64; 2]>>,
}

impl Imbalance {
    pub fn new(cost: RunningCost, capacities: &[BigRational]) -> Result<Imbalance, Refusal> {
        if capacities.is_empty() || !capacities.iter().all(Signed::is_positive) {
            return model_error("a capacity is not positive");
        }
        let common = capacities.iter().fold(BigInt::one(), |all, c| all.lcm(c.denom()));
        let whole: Vec<BigInt> = capacities.iter().map(|c| (c * &common).to_integer()).collect();
        let shared = whole.iter().fold(BigInt::zero(), |all, c| all.gcd(c));
        let small = |c: BigInt| c.to_i64().filter(|c| *c < 1 << 60).ok_or(Refusal::TooLarge);
        let total = small(whole.iter().sum::<BigInt>() / &shared)?;
        let capacities: Vec<i64> =
            whole.into_iter().map(|c| small(c / &shared)).collect::<Result<_, _>>()?;
        let product = |c: &i64| shared.clone() * *c * total;
        let exact = capacities.iter().map(|c| BigRational::new(common.clone(), product(c)));
        let exact: Vec<BigRational> = exact.collect();
        let small = |x: &BigRational| Some([x.numer().to_u64()?, x.denom().to_u64()?]);
        let small = exact.iter().map(small).collect();
        Ok(Imbalance { cost, capacities, total, exact, small })
    }

    /// The cost in units of 2^-bits, rounded down and up. Both are 0 if and only if the loads, at
    /// most 2^40, are balanced.
    pub fn cost(&self, loads: &[i64], bits: u32) -> Result<[u64; 2], Refusal> {
        let wide = |load: i64, of: i64| i128::from(load) * i128::from(of);
        let all = loads.iter().sum();
        let each = loads.iter().zip(&self.capacities).enumerate();
        let deviations = each.map(|(i, (load, c))| (i, wide(*load, self.total) - wide(all, *c)));
        let most = |bits: u32, size: fn(i128) -> u128| {
            let mut most = [0; 2];
            for (i, deviation) in deviations.clone() {
                let own = self.scaled(i, size(deviation), bits)?;
                most = [0, 1].map(|end| most[end].max(own[end]));
            }
            Ok(most)
        };
        match self.cost {
            RunningCost::MaxMinusMean => most(bits, |d| d.max(0).unsigned_abs()),
            RunningCost::MaxAbsDeviation => most(bits, i128::unsigned_abs),
            RunningCost::EuclideanDeviation => {
                // As many additional bits as squares have room for.
                let [_, largest] = most(bits, i128::unsigned_abs)?;
                let more = 58u32.saturating_sub(u64::BITS - largest.leading_zeros());
                let mut sums = [0u128; 2];
                for (i, deviation) in deviations {
                    let own = self.scaled(i, deviation.unsigned_abs(), bits + more)?;
                    for (sum, own) in sums.iter_mut().zip(own) {
                        let square = u128::from(own) * u128::from(own);
                        *sum = sum.checked_add(square).ok_or(Refusal::TooLarge)?;
                    }
                }
                let root = sums[1].isqrt();
                let root = root + u128::from(root * root < sums[1]);
                fitting([sums[0].isqrt() >> more, root.div_ceil(1 << more)])
            }
        }
    }

    /// A deviation in units of 2^-bits, rounded down and up.
    fn scaled(&self, i: usize, deviation: u128, bits: u32) -> Result<[u64; 2], Refusal> {
        let small = self.small[i].and_then(|[numerator, denominator]| {
            let whole = deviation.checked_mul(numerator.into())?.checked_mul(1 << bits)?;
            Some([whole / u128::from(denominator), whole.div_ceil(denominator.into())])
        });
        let ends = small.or_else(|| {
            let exact = &self.exact[i] * (BigInt::from(deviation) << bits);
            let [low, high] = [exact.floor(), exact.ceil()].map(|end| end.to_integer().to_u128());
            Some([low?, high?])
        });
        fitting(ends.ok_or(Refusal::TooLarge)?)
    }
}

/// Refuses numbers that leave no room for sums.
fn fitting(ends: [u128; 2]) -> Result<[u64; 2], Refusal> {
    if ends[1] < 1 << 62 { Ok(ends.map(|end| end as u64)) } else { Err(Refusal::TooLarge) }
}
