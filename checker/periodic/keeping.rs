//! Finds how long a bound on the imbalance is kept, from bounds on the imbalance at given times; or
//! on a quantity that is quadratic in time.

use crate::core::budget::Refusal;
use crate::core::proof::Proof;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

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

/// The longest time for which spread t + drift t^2 is at most (bound times mean load)^2. If this is
/// the exact quantity (`exact`), also proves that the bound fails one step later.
pub fn quadratic(
    [spread, drift]: [&BigRational; 2],
    line: &Line,
    bound: &BigRational,
    exact: bool,
) -> Proof {
    let excess = |t: u64| {
        let time = BigRational::from(BigInt::from(t));
        spread * &time + drift * &time * &time - (bound * line.at(t)).pow(2)
    };
    let fits = |t: u64| line.at(t).is_positive() && !excess(t).is_positive();
    let curve = drift - (bound * &line.mean).pow(2);
    let slope = spread - bound.pow(2) * &line.load * &line.mean * BigInt::from(2);
    const LAST: u64 = 1 << 52;
    let mut end = LAST;
    if curve.is_negative() {
        // The quadratic is largest here, and decreases afterwards.
        let top = (-&slope / (&curve * BigInt::from(2))).floor().to_integer();
        let top = top.to_u64().unwrap_or(if slope.is_positive() { LAST } else { 0 });
        match [top, top + 1].into_iter().find(|t| excess(*t).is_positive()) {
            Some(above) => end = above.min(LAST),
            None if top < LAST && !line.mean.is_negative() => {
                return Proof::Longest { kept: None, broken: None };
            }
            None => {}
        }
    } else if curve.is_zero() && !slope.is_positive() && !line.mean.is_negative() {
        return Proof::Longest { kept: None, broken: None };
    }
    // The bound is kept at 0, then for some time, and then no more.
    let (mut kept, mut broken) = (0, end);
    if fits(end) {
        return Proof::Longest { kept: Some(end), broken: None };
    }
    while broken - kept > 1 {
        let middle = kept + (broken - kept) / 2;
        *(if fits(middle) { &mut kept } else { &mut broken }) = middle;
    }
    Proof::Longest { kept: Some(kept), broken: Some(broken).filter(|_| exact) }
}
