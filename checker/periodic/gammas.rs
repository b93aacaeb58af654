//! Exponential distributions, and gamma distributions of integer shape: bounds on the largest
//! deviation from the mean.

use crate::core::budget::{Budget, Refusal};
use crate::periodic::laws::Law;
use crate::periodic::tails::{FAR, FINE, Tails, enclose, exponential};
use crate::periodic::windows::MOST;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

/// Bounds on the expected largest deviation of sums of exponential numbers from their mean.
pub fn of_gamma(
    classes: &[(u64, Law)],
    time: u64,
    grid: u32,
    budget: &Budget,
) -> Result<[BigRational; 2], Refusal> {
    let why = "there are proofs for steps, exponential laws, gamma laws of whole shapes and one normal law, not for \
               other laws or both kinds together";
    let parts = classes.iter().map(|(count, law)| {
        let (shape, mean) = match law {
            Law::Exponential { mean } => (BigInt::one(), &mean.0),
            Law::Gamma { shape, mean } if shape.0.is_integer() => (shape.0.to_integer(), &mean.0),
            _ => return Err(Refusal::Unproved(why)),
        };
        let terms = (&shape * time).to_u32().filter(|n| *n <= 1 << 12).ok_or(Refusal::TooLarge)?;
        Ok((*count, terms, mean / shape))
    });
    let parts = parts.collect::<Result<Vec<_>, Refusal>>()?;
    // The grid is a part of the least standard deviation: scale * sqrt(n), to three digits.
    let deviation = |(_, terms, scale): &(u64, u32, BigRational)| {
        scale * BigRational::new(BigInt::from(u64::from(*terms) * 1_000_000).sqrt(), 1000.into())
    };
    let least = parts.iter().map(deviation).min().ok_or(Refusal::Malformed)?;
    let span = least / BigInt::from(grid);
    let tails = |(count, terms, scale): &(u64, u32, BigRational)| {
        Ok((*count, gamma(*terms, scale, &span, budget)?))
    };
    let tails: Result<Vec<(u64, Tails)>, Refusal> = parts.iter().map(tails).collect();
    Ok(enclose(&tails?, budget)?.map(|x| x * &span))
}

/// The sum of `shape` exponential numbers of mean `scale`, at multiples of a span.
fn gamma(
    shape: u32,
    scale: &BigRational,
    span: &BigRational,
    budget: &Budget,
) -> Result<Tails, Refusal> {
    let (n, step) = (BigInt::from(shape), span / scale);
    // x_k = k step. The bound sqrt(shape) <= (shape + 1) / 2 is not needed: the root is rounded up.
    let root = n.sqrt() + 1u32;
    let far = |cells: BigRational| {
        cells.to_integer().to_i64().filter(|k| *k < MOST as i64).ok_or(Refusal::TooLarge)
    };
    let middle = |off: BigInt| BigRational::from(&n + off) / &step;
    let first = far(middle(-&root * FAR))?.max(0);
    let last = far(middle(&root * FAR + 40))? + 1;
    let most = (BigRational::from(BigInt::from(last)) * &step)
        .ceil()
        .to_integer()
        .to_u32()
        .ok_or(Refusal::TooLarge)?;
    let bits = 384 + 2 * most + 2 * shape;
    budget.spend((last - first) as u64 * u64::from(shape) * u64::from(bits / 64 + 4))?;
    let decay = exponential(&step, bits);
    let mut at = BigInt::one() << bits;
    for _ in 0..first {
        at = (at * &decay) >> bits;
    }
    let (mut above, mut excess) = (Vec::new(), Vec::new());
    for k in first..=last {
        let x = BigRational::from(BigInt::from(k)) * &step;
        // e^-x (1 + x + ... + x^(n-1)/(n-1)!), and the same with one more term.
        let (mut term, mut sum) = (at.clone(), BigInt::zero());
        for j in 1..=shape {
            sum += &term;
            term = term * x.numer() / (x.denom() * j);
        }
        let more = &sum + &term;
        let spans = |x: BigInt| (BigRational::from(x) / &step).to_integer();
        let own = spans(more * shape) - &sum * BigInt::from(k);
        above.push(sum >> (bits - FINE));
        excess.push(own >> (bits - FINE));
        at = (at * &decay) >> bits;
    }
    Ok(Tails { first, above, excess, mean: BigRational::from(n) / step })
}
