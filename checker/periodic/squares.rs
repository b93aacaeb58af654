//! Proves how long a bound is kept by a quantity that is quadratic in time.

use crate::core::proof::Proof;
use crate::periodic::keeping::Line;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

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
