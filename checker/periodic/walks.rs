//! Changes that are multiples of one number after a common part is subtracted.

use crate::core::budget::{Budget, Refusal};
use crate::periodic::laws::{Law, Points};
use crate::periodic::windows::{Place, largest};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

/// The integer steps of each class, in units of a span.
pub struct Walks {
    pub span: BigRational,
    pub classes: Vec<(u64, Vec<(i64, BigRational)>)>,
}

impl Walks {
    /// `None` if some change is not a list of steps.
    pub fn of(classes: &[(u64, Law)]) -> Option<Walks> {
        let points = |law: &'_ Law| match law {
            Law::Steps(Points(points)) => Some(points.clone()),
            _ => None,
        };
        let all: Vec<(u64, Vec<(BigRational, BigRational)>)> = classes
            .iter()
            .map(|(count, law)| Some((*count, points(law)?)))
            .collect::<Option<_>>()?;
        // A part that all positions have in common does not matter.
        let start = all.first()?.1.first()?.0.clone();
        let steps = all.iter().flat_map(|(_, points)| points).map(|(x, _)| x - &start);
        let span = steps.fold(BigRational::zero(), |a, b| gcd(&a, &b));
        let span = if span.is_zero() { BigRational::one() } else { span };
        let place = |(x, p): &(BigRational, BigRational), all: &BigRational| {
            Some((((x - &start) / &span).to_integer().to_i64()?, p / all))
        };
        let class = |(count, points): &(u64, Vec<(BigRational, BigRational)>)| {
            let sum: BigRational = points.iter().map(|(_, p)| p).sum();
            Some((
                *count,
                points.iter().map(|point| place(point, &sum)).collect::<Option<Vec<_>>>()?,
            ))
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
