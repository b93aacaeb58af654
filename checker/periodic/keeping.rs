//! Finds how long a bound on the imbalance is kept, from bounds on the imbalance at given times.

use crate::core::budget::Refusal;
use crate::core::proof::Proof;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

/// The mean load, and its mean change per step.
pub struct Line {
    pub load: BigRational,
    pub mean: BigRational,
}

impl Line {
    pub fn at(&self, time: u64) -> BigRational {
        &self.load + &self.mean * BigInt::from(time)
    }

    /// The last time at which a decreasing mean load is above 0.
    pub fn last_loaded(&self) -> Option<BigRational> {
        self.mean.is_negative().then(|| (-&self.load / &self.mean).ceil() - BigInt::one())
    }
}

/// Computes the imbalance at times from 1 on. The mean effect of `t` steps divided by `t` does not
/// increase, so one time proves later ones as well.
pub fn search(
    line: &Line,
    bound: &BigRational,
    mut largest: impl FnMut(u64) -> Result<[BigRational; 2], Refusal>,
) -> Result<Proof, Refusal> {
    let mut kept = 0u64;
    loop {
        let time = kept + 1;
        if !line.at(time).is_positive() {
            return Ok(Proof::Longest { kept: Some(kept), broken: Some(time) });
        }
        let [low, high] = largest(time)?;
        let allowed = bound * line.at(time);
        if low > allowed {
            return Ok(Proof::Longest { kept: Some(kept), broken: Some(time) });
        }
        if high > allowed {
            return Ok(Proof::Longest { kept: Some(kept), broken: None });
        }
        // (u/t) high <= bound (load + u mean), and the mean load is above 0.
        let rate = high / BigInt::from(time) - bound * &line.mean;
        let ends =
            [rate.is_positive().then(|| (bound * &line.load / rate).floor()), line.last_loaded()];
        let Some(end) = ends.into_iter().flatten().min() else {
            return Ok(Proof::Longest { kept: None, broken: None });
        };
        kept = end.to_integer().to_u64().ok_or(Refusal::TooLarge)?.max(time);
    }
}
