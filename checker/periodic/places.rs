//! The position of a processor after some steps: integer distributions that enclose the true one,
//! for [`crate::periodic::windows`].

use crate::core::budget::{Budget, Refusal};
use crate::core::span::{UNIT, WEIGHT};
use crate::periodic::windows::{MOST, Place};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// The mass of a tail that is moved to the end of the distribution.
const TAIL: u64 = 1 << 12;

impl Place {
    /// A position with these probabilities, rounded down, at the integers from `first` on. Tails
    /// are cut off; no mass moves farther than `range`.
    pub fn of(first: i64, weights: Vec<u64>, range: u64) -> Place {
        let mut place = Place { first, weights, moved: BigInt::zero() };
        let tail = |weights: &mut dyn Iterator<Item = u64>| {
            let mut sum = 0;
            weights
                .take_while(|w| {
                    sum += w;
                    sum <= TAIL
                })
                .count()
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
        place
    }

    fn missing(&self) -> u64 {
        self.weights.iter().fold(UNIT, |left, w| left - w)
    }

    /// The distribution of the sum of `time` steps, given as integers with their probabilities.
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
        let one = Place { first: least, weights, moved: BigInt::zero() };
        let mut all = one.clone();
        for bit in (0..time.max(1).ilog2()).rev() {
            all = all.joined(&all, budget)?;
            if time >> bit & 1 == 1 {
                all = all.joined(&one, budget)?;
            }
        }
        Ok(Place::of(all.first, all.weights, range))
    }

    fn joined(&self, other: &Place, budget: &Budget) -> Result<Place, Refusal> {
        let (a, b) = (&self.weights, &other.weights);
        budget.spend((a.len() as u64).saturating_mul(b.len() as u64))?;
        let mut sums = vec![0u128; a.len() + b.len() - 1];
        for (i, x) in a.iter().enumerate().filter(|(_, x)| **x > 0) {
            for (sum, y) in sums[i..].iter_mut().zip(b) {
                *sum += u128::from(*x) * u128::from(*y);
            }
        }
        let first = self.first + other.first;
        let weights = sums.into_iter().map(|sum| (sum >> WEIGHT) as u64).collect();
        let mut sum = Place { first, weights, moved: BigInt::zero() };
        let end = sum.weights.iter().rposition(|w| *w > 0).map_or(1, |at| at + 1);
        sum.weights.truncate(end);
        let start = sum.weights.iter().position(|w| *w > 0).unwrap_or(0);
        sum.weights.drain(..start);
        sum.first += start as i64;
        Ok(sum)
    }
}

/// A probability in units of 2^-62, rounded down.
fn units(p: &BigRational) -> u64 {
    ((p.numer() << WEIGHT) / p.denom()).to_u64().unwrap_or(0)
}
