//! Normal changes of one variance: bounds on the largest deviation from the mean.

use crate::core::budget::{Budget, Refusal};
use crate::core::proof::Proof;
use crate::periodic::keeping::{Line, quadratic};
use crate::periodic::tails::{FAR, FINE, Tails, enclose, exponential};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// Proves how long equal normal changes keep a bound: their deviations grow as the root of the
/// time.
pub fn of_normal(
    (count, deviation): (u64, &BigRational),
    line: &Line,
    bound: &BigRational,
    grid: u32,
    budget: &Budget,
) -> Result<Proof, Refusal> {
    let zero = BigRational::zero();
    let both = enclose(&[(count, normal(grid, budget)?)], budget)?;
    let cells = BigRational::from(BigInt::from(grid));
    let ends = both.map(|x| (x.max(zero.clone()) * deviation / &cells).pow(2));
    let [low, high] = ends.map(|square| quadratic([&square, &zero], line, bound, true));
    match (high, low) {
        (Proof::Longest { kept, .. }, Proof::Longest { broken, .. }) => {
            Ok(Proof::Longest { kept, broken })
        }
        _ => Err(Refusal::Malformed),
    }
}

/// A standard normal number, at multiples of 1/cells.
fn normal(cells: u32, budget: &Budget) -> Result<Tails, Refusal> {
    const BITS: u32 = 640;
    let last = i64::from(FAR * cells);
    budget.spend(last as u64 * 10_000)?;
    // sqrt(1 / (2 pi)); 60 digits suffice.
    let pi = "314159265358979323846264338327950288419716939937510582097494459".parse::<BigInt>();
    let pi = pi.map_err(|_| Refusal::Malformed)?;
    let ten = BigInt::from(10).pow(62);
    let scale = ((ten << (2 * BITS - 1)) / pi).sqrt();
    let half = BigInt::one() << (BITS - 1);
    let side = (0..=last).map(|k| {
        let x = BigRational::new(k.into(), cells.into());
        let density = (&scale * exponential(&(&x * &x / BigInt::from(2)), BITS)) >> BITS;
        // x + x^3/3 + x^5/(3 5) + ...
        let (mut term, mut sum, mut j) = ((x.numer() << BITS) / x.denom(), BigInt::zero(), 1u32);
        while !term.is_zero() {
            sum += &term;
            j += 2;
            term = term * x.numer() * x.numer() / (x.denom() * x.denom() * j);
        }
        let above = &half - ((&density * sum) >> BITS);
        let excess = &density * cells - &above * k;
        (above, excess)
    });
    let side: Vec<(BigInt, BigInt)> = side.collect();
    let (mut above, mut excess) = (Vec::new(), Vec::new());
    for k in -last..=last {
        let (beyond, more) = &side[k.unsigned_abs() as usize];
        let reflected = k < 0;
        // P(Z > -x) = 1 - P(Z > x), E (Z + x)^+ = x + E (Z - x)^+.
        above.push(if reflected { (&half << 1) - beyond } else { beyond.clone() } >> (BITS - FINE));
        let shift = if reflected { (&half << 1) * -k } else { BigInt::zero() };
        excess.push((more + shift) >> (BITS - FINE));
    }
    Ok(Tails { first: -last, above, excess, mean: BigRational::zero() })
}
