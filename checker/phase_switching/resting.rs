//! Recurring phases with a stationary difference: takes all remaining steps at once.
//! docs/certificates.md has the proof.

use super::Rest;
use super::filter::Upper;
use super::side::{Motion, Side, Step};
use crate::core::budget::{Budget, Refusal};
use crate::core::span::{Span, UNIT, WEIGHT, up, wide};
use crate::lifetime::remaining::{beliefs, powers};
use num_rational::BigRational;

impl Side {
    /// An upper bound on the difference that holds however often this step is taken.
    pub(crate) fn settled(&self, step: &Step, budget: &Budget) -> Result<Upper<i64>, Refusal> {
        let mut above = (*self.difference).clone();
        for _ in 0..MOST_ROUNDS {
            let next = self.before(&above, &above.at, step, budget)?;
            if next.value.iter().zip(&above.value).all(|(next, own)| next <= own) {
                return Ok(above);
            }
            let value = above
                .value
                .iter()
                .zip(&next.value)
                .map(|(own, next)| next.max(own) + (next - own).max(0) + 1);
            above = Upper::rising(above.at, value.collect());
            if above.value.iter().any(|v| v.unsigned_abs() > UNIT / 2) {
                break;
            }
        }
        Err(Refusal::Unproved("the difference of the mappings does not become stationary"))
    }

    /// The saving of a step at a belief that no observation changes: what each step saves in the
    /// long run where the belief tends to this one.
    pub(crate) fn saving_at(&self, belief: u64, bits: u32) -> Span {
        let (cut, now) = self.kinks(&self.difference);
        let own = if self.mirrored { UNIT - belief } else { belief };
        let end = if own == 0 { 0 } else { cut.at.len() - 1 };
        Span::between(now[end], now[end], bits)
    }

    /// The total saving after `steps` more steps, or its long-run growth per step. It sums an
    /// approximate function, the change of that by a step, the change of the change, and a bound on
    /// the error; each is a mean over the later beliefs.
    pub(crate) fn whole(
        &self,
        (steps, initial): (Option<u64>, &BigRational),
        rest: &Rest,
        motion: &Motion,
        budget: &Budget,
    ) -> Result<Span, Refusal> {
        let (Motion { bits, memory, .. }, share) = (motion, &self.share);
        let turn = |at: Vec<u64>| {
            if self.mirrored { at.iter().rev().map(|p| UNIT - p).collect() } else { at }
        };
        let mut rough = Upper { at: beliefs(&rest.beliefs)?, value: rest.saved.clone() };
        if rough.at.len() != rough.value.len() || !rough.value.is_sorted() {
            return Err(Refusal::Malformed);
        }
        if rough.value[rough.value.len() - 1] > UNIT / 4 {
            return Err(Refusal::TooLarge);
        }
        if self.mirrored {
            let most = rough.value[rough.value.len() - 1];
            rough.value = rough.value.iter().rev().map(|v| most - v).collect();
            rough.at = turn(rough.at);
        }
        // The saving of this step, and the total so far.
        let (cut, now) = self.kinks(&self.difference);
        let least = now.iter().copied().min().unwrap_or(0);
        let now = Upper { value: now.iter().map(|v| (v - least) as u64).collect(), at: cut.at };
        let first = rest.means.first().ok_or(Refusal::Malformed)?;
        let mut at = [&rough.at[..], &now.at, &turn(beliefs(first)?), &self.saved.at].concat();
        at.sort_unstable();
        at.dedup();
        let later = self.filter.mean(&rough, &at, budget)?;
        let added = at.iter().zip(later).map(|(p, later)| {
            now.value_at(*p) as i64 + least + later as i64 - rough.below(*p) as i64
        });
        let missed = at.iter().map(|p| self.saved.value_at(*p) as i64 - rough.below(*p) as i64);
        let mut parts = [Tilted::new(&at, added.collect())?, Tilted::new(&at, missed.collect())?];
        let (near, place) = (share.units(WEIGHT)?[0], Span::from(initial).units(WEIGHT)?[1]);
        let distance = Span::from(initial).minus(share);
        let units = |x: i64| Span::between(x, x, *bits);
        let mut sum = units(rough.value_at(place) as i64);
        let mut fade = Span::whole(1);
        for means in &rest.means[1..] {
            let to = turn(beliefs(means)?);
            sum = sum.plus(&parts[0].value(place, &distance, &fade, share, *bits));
            for part in &mut parts {
                let value = self.filter.mean(&part.shape, &to, budget)?;
                part.shape = Upper::rising(to.clone(), value);
            }
            fade = fade.times(memory);
        }
        let [added, missed] = parts.map(|part| part.line(near, share, &fade, *bits));
        let Some(steps) = steps else { return Ok(added[0].clone()) };
        let left = (steps + 1).checked_sub(rest.means.len() as u64).ok_or(Refusal::Malformed)?;
        let (power, passing) = powers(memory, left);
        let all = powers(memory, steps).0;
        let terms = [
            added[0].times(&Span::whole(left)),
            added[1].times(&passing).times(&distance),
            missed[0].clone(),
            missed[1].times(&power).times(&distance),
            self.rest[0].clone(),
            self.rest[1].times(&all).times(&distance),
        ];
        Ok(terms.iter().fold(sum, |sum, term| sum.plus(term)))
    }
}

/// A function written as a rising one less a multiple of the belief.
struct Tilted {
    shape: Upper<u64>,
    /// The multiple, and the amount subtracted from all values.
    slope: u64,
    start: i64,
}

impl Tilted {
    fn new(at: &[u64], value: Vec<i64>) -> Result<Tilted, Refusal> {
        let falls = (1..at.len()).map(|k| {
            let fall = value[k - 1].saturating_sub(value[k]).max(0) as u64;
            wide(fall, UNIT).div_ceil(u128::from(at[k] - at[k - 1]))
        });
        let slope = falls
            .max()
            .and_then(|slope| u64::try_from(slope).ok())
            .filter(|slope| *slope < UNIT / 4);
        let slope = slope.ok_or(Refusal::TooLarge)?;
        let start = value[0];
        let shape = value.iter().zip(at).map(|(v, p)| (v - start) + up(slope, *p) as i64);
        let shape = Upper::rising(at.to_vec(), shape.collect());
        let value = shape.value.iter().map(|v| *v.max(&0) as u64).collect();
        Ok(Tilted { shape: Upper { at: shape.at, value }, slope, start })
    }

    /// An upper bound on the function at a belief. `distance` is from the long-run share; `fade` is
    /// the factor by which it has shrunk.
    fn value(&self, place: u64, distance: &Span, fade: &Span, share: &Span, bits: u32) -> Span {
        let own = i128::from(self.shape.value_at(place)) + i128::from(self.start);
        let slope = Span::between(self.slope, self.slope, bits);
        let tilt = share.plus(&distance.times(fade));
        Span::between(own, own, bits).minus(&slope.times(&tilt))
    }

    /// A linear function above it: its value at the share, and its slope.
    fn line(&self, near: u64, share: &Span, fade: &Span, bits: u32) -> [Span; 2] {
        let Upper { at, value } = &self.shape;
        let tilt = (value[value.len() - 1] - value[0]) as i64;
        let level = value.iter().zip(at).map(|(v, p)| {
            let beside = i128::from(tilt) * (i128::from(*p) - i128::from(near));
            // The share is known to one unit.
            *v as i64 - beside.div_euclid(i128::from(UNIT)) as i64 + 2
        });
        let level = level.max().unwrap_or(0) + self.start;
        let slope = Span::between(self.slope, self.slope, bits);
        let units = |x: i64| Span::between(x, x, bits);
        [units(level).minus(&slope.times(share)), units(tilt).minus(&slope.times(fade))]
    }
}

/// The most rounds in which the difference may become stationary.
const MOST_ROUNDS: u32 = 10_000;
