//! The interval between remaps with the least cost per step: tries all intervals until longer ones
//! cannot cost less. docs/certificates.md has the proof.

use crate::core::budget::{Budget, Refusal};
use crate::core::proof::Proof;
use crate::core::span::{Span, UNIT, WEIGHT, down, up};
use crate::periodic::windows::{Place, power};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

/// The number of equal processors, and their integer steps with probabilities.
type Class = (u64, Vec<(i64, BigRational)>);

/// The longest interval that is tried.
const LONGEST: u64 = 1 << 16;

/// Proves the interval of least cost. Steps are multiples of `span` after the part that all have in
/// common; a remap costs `cost`; no interval is longer than `end`.
pub(crate) fn prove(
    classes: &[Class],
    span: &BigRational,
    (cost, end): (&BigRational, Option<BigRational>),
    budget: &Budget,
) -> Result<Proof, Refusal> {
    // An end beyond all integers is no limit.
    let end = end.and_then(|end| end.to_integer().to_u64());
    let mean = |steps: &[(i64, BigRational)]| -> BigRational {
        steps.iter().map(|(step, p)| p * BigInt::from(*step)).sum()
    };
    let count: BigInt = classes.iter().map(|(count, _)| BigInt::from(*count)).sum();
    let sum: BigRational =
        classes.iter().map(|(count, steps)| mean(steps) * BigInt::from(*count)).sum();
    let average = sum / &count;
    let lead = classes.iter().map(|(_, steps)| mean(steps) - &average).max();
    let lead = lead.ok_or(Refusal::Malformed)?;
    if end.is_none() && lead.is_zero() && classes.iter().all(|(_, steps)| steps.len() == 1) {
        return Ok(Proof::Cheapest { least: None, most: None, cost: (0.0, 0.0).into() });
    }
    let mut sums = [cost / span, cost / span];
    let (mut all, mut best) = (Vec::<[BigRational; 2]>::new(), None::<BigRational>);
    for time in 1..=LONGEST.min(end.unwrap_or(LONGEST)) {
        let place = |(count, steps): &Class| Ok((*count, Place::walk(steps, time, budget)?));
        let places = classes.iter().map(place).collect::<Result<Vec<_>, Refusal>>()?;
        let ahead = highest(&places, budget)?.map(|x| x - &average * BigInt::from(time));
        sums.iter_mut().zip(&ahead).for_each(|(sum, own)| *sum += own);
        let each = sums.each_ref().map(|sum| sum / BigInt::from(time));
        if best.as_ref().is_none_or(|best| each[1] < *best) {
            best = Some(each[1].clone());
        }
        all.push(each);
        // A lower bound on the cost of later steps: the mean of a convex function of a martingale
        // rises, and E max >= max E.
        let later = &lead * BigInt::from(time + 1);
        let later = if lead.is_zero() { (&ahead[0]).max(&later) } else { &later };
        let done = |best: &&BigRational| later >= *best || end == Some(time);
        let Some(best) = best.as_ref().filter(done) else { continue };
        let possible = |each: &&[BigRational; 2]| each[0] <= *best;
        let first = all.iter().position(|each| possible(&each));
        let last = all.iter().rposition(|each| possible(&each));
        let least = all.iter().map(|each| &each[0]).min().unwrap_or(best);
        let ends = [least, best].map(|end| Span::from(&(end * span)).reals());
        let steps = |place: Option<usize>| place.map(|place| place as u64 + 1);
        return Ok(Proof::Cheapest {
            least: steps(first),
            most: steps(last),
            cost: (ends[0].0, ends[1].1).into(),
        });
    }
    Err(Refusal::TooLarge)
}

/// Bounds on the expected maximum position of all processors.
fn highest(classes: &[(u64, Place)], budget: &Budget) -> Result<[BigRational; 2], Refusal> {
    let end = |place: &Place| place.first + place.weights.len() as i64 - 1;
    let top = classes.iter().map(|(_, place)| end(place)).max().ok_or(Refusal::Malformed)?;
    let start = classes.iter().map(|(_, place)| place.first).min().unwrap_or(top);
    budget.spend(((top - start) as u64).saturating_mul(classes.len() as u64 * 64))?;
    let mut each = Vec::from_iter(classes.iter().map(|(_, place)| [0, place.missing()]));
    // E max = top - sum over x < top of P(max <= x).
    let mut sums = [BigInt::zero(), BigInt::zero()];
    for x in start..top {
        let mut both = [UNIT; 2];
        for ((count, place), below) in classes.iter().zip(&mut each) {
            let at = usize::try_from(x - place.first).ok();
            let own = at.and_then(|at| place.weights.get(at)).unwrap_or(&0);
            below.iter_mut().for_each(|below| *below += own);
            both = [
                down(both[0], power(below[0], *count, down)),
                up(both[1], power(below[1], *count, up)),
            ];
        }
        sums.iter_mut().zip(both).for_each(|(sum, own)| *sum += own);
    }
    let moved: BigInt =
        classes.iter().map(|(count, place)| &place.moved * BigInt::from(*count)).sum();
    let (top, [few, many], unit) = (BigInt::from(top) << WEIGHT, sums, BigInt::one() << WEIGHT);
    let ends = [&top - many - &moved, top - few + moved];
    Ok(ends.map(|end| BigRational::new(end, unit.clone())))
}
