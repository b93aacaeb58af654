//! Changes that are multiples of one number after a common part is subtracted, and the position of a
//! processor after some of them: integer distributions that enclose the true one.

use crate::core::budget::{Budget, Refusal};
use crate::core::decimal::{Listed, Number};
use crate::core::span::{UNIT, WEIGHT};
use crate::loads::signed::Signed;
use crate::periodic::laws::Law;
use crate::periodic::windows::{MOST, Part, Place, largest};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// The mass of a tail that is moved to the end of the distribution.
const TAIL: u64 = 1 << 12;

/// The integer steps of each class, in units of a span.
pub struct Walks {
    pub span: BigRational,
    pub classes: Vec<(u64, Vec<(i64, BigRational)>)>,
}

impl Walks {
    /// `None` if some change is not a list of steps.
    pub fn of(classes: &[(u64, Law)]) -> Option<Walks> {
        let steps = |(count, law): &'_ (u64, Law)| match law {
            Law::Steps(Listed(points)) => Some((*count, points.clone())),
            _ => None,
        };
        let all = classes.iter().map(steps).collect::<Option<Vec<_>>>()?;
        // A part that all positions have in common does not matter.
        let start = all.first()?.1.first_key_value()?.0.0.clone();
        let steps = all.iter().flat_map(|(_, points)| points.keys()).map(|x| &x.0 - &start);
        let span = steps.fold(BigRational::zero(), |a, b| gcd(&a, &b));
        let span = if span.is_zero() { BigRational::one() } else { span };
        let class = |(count, points): &(u64, BTreeMap<Signed, Number>)| {
            let sum: BigRational = points.values().map(|p| &p.0).sum();
            let place = |(x, p): (&Signed, &Number)| {
                Some((((&x.0 - &start) / &span).to_integer().to_i64()?, &p.0 / &sum))
            };
            Some((*count, points.iter().map(place).collect::<Option<Vec<_>>>()?))
        };
        Some(Walks { classes: all.iter().map(class).collect::<Option<_>>()?, span })
    }

    pub fn largest(&self, time: u64, budget: &Budget) -> Result<[BigRational; 2], Refusal> {
        let place = |(count, steps): &(u64, Vec<(i64, BigRational)>)| {
            Ok((*count, Place::walk(steps, time, budget)?))
        };
        let places: Result<Vec<(u64, Place)>, Refusal> = self.classes.iter().map(place).collect();
        Ok(largest(&places?, budget)?.map(|x| x * &self.span))
    }
}

/// The largest number of which both are multiples.
fn gcd(a: &BigRational, b: &BigRational) -> BigRational {
    let numerator = (a.numer() * b.denom()).gcd(&(b.numer() * a.denom()));
    BigRational::new(numerator, a.denom() * b.denom())
}

impl Place {
    /// The probability that is missing.
    pub fn missing(&self) -> u64 {
        self.weights.iter().fold(UNIT, |left, w| left - w)
    }

    /// The distribution of the sum of `time` steps, given as integers with their probabilities,
    /// which are rounded down. Tails are cut off; no mass moves farther than `time` times (largest
    /// step - smallest step).
    pub fn walk(
        steps: &[(i64, BigRational)],
        time: u64,
        budget: &Budget,
    ) -> Result<Place, Refusal> {
        let mut ends = steps.iter().map(|(step, _)| *step);
        let (Some(least), Some(most)) = (ends.clone().min(), ends.by_ref().max()) else {
            return Err(Refusal::Malformed);
        };
        let range = most.abs_diff(least).saturating_mul(time);
        if range >= 1 << 40 || most.abs_diff(least) >= MOST as u64 || time >= 1 << 20 {
            return Err(Refusal::TooLarge);
        }
        let mut weights = vec![0; most.abs_diff(least) as usize + 1];
        for (step, p) in steps {
            weights[step.abs_diff(least) as usize] = units(p);
        }
        let all = Part::new(least, weights).repeated(time, budget)?;
        let mut place = Place { first: all.first, weights: all.weights, moved: BigInt::zero() };
        let tail = |weights: &mut dyn Iterator<Item = u64>| {
            let mut sum = 0;
            let tiny = |w: &u64| {
                sum += w;
                sum <= TAIL
            };
            weights.take_while(tiny).count()
        };
        let start = tail(&mut place.weights.iter().copied());
        let end = tail(&mut place.weights.iter().rev().copied());
        let len = place.weights.len();
        if start + end < len {
            place.weights.truncate(len - end);
            place.weights.drain(..start);
            place.first += start as i64;
            place.moved = BigInt::from(place.missing()) * range;
        }
        Ok(place)
    }
}

/// A probability in units of 2^-62, rounded down.
fn units(p: &BigRational) -> u64 {
    ((p.numer() << WEIGHT) / p.denom()).to_u64().unwrap_or(0)
}
