//! Laws that are on no lattice, put on one: bounds on how far the farthest place is from the mean.

use crate::keeping::Line;
use crate::laws::Law;
use crate::number::WEIGHT;
use crate::proof::Proof;
use crate::squares::quadratic;
use crate::tails::{Tails, gamma, largest_off, normal};
use crate::windows::largest;
use crate::{Budget, Refusal};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

/// How long a bound is kept by so many numbers of one normal law: what is far from the mean grows as the root of the time.
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

/// How far the farthest of sums of exponential numbers is from the mean.
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
    // A part of the least deviation: of scale sqrt(n), to three digits.
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

/// Bounds on the expected largest distance from the mean, in spans.
fn enclose(tails: &[(u64, Tails)], budget: &Budget) -> Result<[BigRational; 2], Refusal> {
    let each = tails.iter().map(|(count, tails)| Ok((*count, tails.enclosed()?)));
    let each = each.collect::<Result<Vec<_>, Refusal>>()?;
    let (mut above, mut below, mut off) = (Vec::new(), Vec::new(), Vec::new());
    for (count, both) in &each {
        above.push((*count, both.above.clone()));
        below.push((*count, both.below.clone()));
        off.push((*count, &both.off[..]));
    }
    let off = BigRational::new(largest_off(&off) * 2, BigInt::one() << WEIGHT);
    let ([_, high], [low, _]) = (largest(&above, budget)?, largest(&below, budget)?);
    Ok([low - off, high])
}
