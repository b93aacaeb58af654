//! Continuous distributions given by their tails: integer distributions that enclose them in the
//! convex order.

use crate::core::budget::{Budget, Refusal};
use crate::core::span::{UNIT, WEIGHT};
use crate::periodic::windows::{MOST, Place, largest};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Fraction bits of the tails; each number is known to one unit.
pub const FINE: u32 = 128;

/// At multiples of a span from `first` on: the probability of a larger value, and the mean excess
/// above it in spans.
pub struct Tails {
    pub first: i64,
    pub above: Vec<BigInt>,
    pub excess: Vec<BigInt>,
    /// The mean, in spans.
    pub mean: BigRational,
}

/// Two lattice distributions that enclose a continuous one. Above: the mass of each cell is moved
/// to its ends with its mean kept. Below: it is moved to the middle. `off` bounds for each cell the
/// distance of its mean from the middle.
pub struct Enclosed {
    pub above: Place,
    pub below: Place,
    /// Distances in units of 2^-62 spans, with their probabilities in units of 2^-62.
    pub off: Vec<(BigInt, u64)>,
}

impl Tails {
    /// Both distributions. Each tail is known to one unit of 2^-128.
    pub fn enclosed(&self) -> Result<Enclosed, Refusal> {
        let (len, unit) = (self.above.len(), BigInt::one() << FINE);
        if !(3..MOST).contains(&len) {
            return Err(Refusal::TooLarge);
        }
        let positive = |x: BigInt| -> BigInt { x.max(BigInt::zero()) };
        let weight = |x: BigInt| (positive(x) >> (FINE - WEIGHT)).to_u64().unwrap_or(0).min(UNIT);
        let excess = |k: usize| &self.excess[k];
        let upper = (0..len).map(|k| {
            let left =
                if k == 0 { &unit - excess(0) + excess(1) } else { excess(k - 1) - excess(k) };
            let falls = k > 0 && k + 1 < len;
            let right = if falls { excess(k) - excess(k + 1) } else { BigInt::zero() };
            if k == 0 { weight(left - 2) } else { weight(left - right - 4) }
        });
        // E (S - last)^+ and E (first - S)^+.
        let start = (BigRational::from(BigInt::from(self.first)) - &self.mean)
            * BigRational::from(unit.clone());
        let below = excess(0) + start.ceil().to_integer() + 2;
        let moved: BigInt = ((positive(below) + excess(len - 1) + 2) >> (FINE - WEIGHT)) + 1;
        let above = Place { first: self.first, weights: upper.collect(), moved: moved.clone() };
        let mass = |k: usize| -> BigInt { &self.above[k] - &self.above[k + 1] };
        // The tails at both ends move by an additional half span.
        let tails = positive(&unit - &self.above[0] + 1) + &self.above[len - 1] + 1;
        let moved = moved + (tails >> (FINE - WEIGHT)) + 1;
        let weights = (0..len - 1).map(|k| weight(mass(k) - 2)).collect();
        let below = Place { first: self.first, weights, moved };
        let half = BigInt::one() << (WEIGHT - 1);
        let off = (0..len - 1).map(|k| {
            let [least, most]: [BigInt; 2] = [mass(k) - 2, mass(k) + 2];
            let probability =
                (positive(most.clone()) >> (FINE - WEIGHT)).to_u64().unwrap_or(UNIT).min(UNIT - 1)
                    + 1;
            if !least.is_positive() {
                return (half.clone(), probability);
            }
            let moment = excess(k) - excess(k + 1) - &self.above[k + 1];
            let mean = |moment: BigInt, mass: &BigInt| (moment << WEIGHT).div_floor(mass);
            let [low, high] = [mean(moment.clone() - 3, &most), mean(moment + 3, &least) + 1];
            let off = (&half - low).max(high - &half);
            (positive(off).min(half.clone()), probability)
        });
        Ok(Enclosed { above, below, off: off.collect() })
    }
}

/// A bound on the mean of the maximum of all these distances, in units of 2^-62. The probability
/// that one exceeds a number is at most the sum of the single probabilities.
pub fn largest_off(lists: &[(u64, &[(BigInt, u64)])]) -> BigInt {
    let each = lists.iter().flat_map(|(count, list)| {
        list.iter().map(move |(off, p)| (off, u128::from(*count) * u128::from(*p)))
    });
    let mut all: Vec<(&BigInt, u128)> = each.collect();
    all.sort_by(|a, b| b.cmp(a));
    let (mut sum, mut chance) = (BigInt::zero(), 0u128);
    for (i, (off, p)) in all.iter().enumerate() {
        chance = (chance + p).min(UNIT.into());
        let next = all.get(i + 1).map_or_else(BigInt::zero, |(off, _)| (*off).clone());
        sum += (*off - next) * chance;
    }
    (sum >> WEIGHT) + 1
}

/// e^-x in units of 2^-bits. The error is less than `bits` e^x units.
pub fn exponential(x: &BigRational, bits: u32) -> BigInt {
    let (mut term, mut sum, mut j) = (BigInt::one() << bits, BigInt::zero(), 0u32);
    while !term.is_zero() {
        sum += &term;
        j += 1;
        term = -(&term * x.numer() / (x.denom() * j));
    }
    sum
}

/// Half the width of the grid, in standard deviations around the mean.
pub const FAR: u32 = 9;

/// Bounds on the expected largest deviation from the mean, in spans.
pub fn enclose(tails: &[(u64, Tails)], budget: &Budget) -> Result<[BigRational; 2], Refusal> {
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
