//! The proof of both thresholds: the beliefs between which the difference of the mappings is nearly linear.

use super::super::certificate::widest;
use remap_checker::recursion::{BELIEF_BITS, Steps};
use remap_checker::switching::Recursion;
use remap_checker::{Budget, Evidence, PhaseSwitching, Proof, Refusal};
use remapping::lifetime::Lifetime;
use remapping::switching::{self, Places};

/// Functions so much coarser than the tolerance are tried first, and how much finer the next ones are at most, and
/// the last.
const COARSEST: f64 = 0.3;
const FINER: f64 = 1e-3;
const FINEST: f64 = 1e-8;

/// Fraction bits of the values of a certificate, if so many fit.
const MOST_BITS: u32 = 58;

/// Steps that are alike from which on it is worth asking whether they are at rest, and how many are gone through
/// on the same beliefs until they are.
const LONG: u64 = 16;
const MOST_HELD: u64 = 1 << 13;

/// Steps of a program without end before it is asked.
const FIRST: u64 = 64;

/// Beliefs of a certificate: each takes a few bytes of it.
const MOST_POINTS: usize = 7_000_000;

type Found = (Evidence, Proof);

pub(in crate::problems) fn of(
    model: &PhaseSwitching,
    (problem, lifetime): (&switching::PhaseSwitching, Option<&Lifetime>),
    tolerance: f64,
    budget: &Budget,
) -> Result<Found, Refusal> {
    let (mut finer, mut bits) = (COARSEST, MOST_BITS);
    let mut best: Option<(f64, Found)> = None;
    loop {
        let found = loop {
            let asked = Asked { problem, lifetime, tolerance, finer };
            match asked.walk(model, bits, budget) {
                Err(Refusal::TooLarge) if bits > 24 => bits -= 2,
                found => break found,
            }
        };
        let width = found.as_ref().map_or(f64::INFINITY, |found| widest(&found.1, tolerance).0);
        let spent = matches!(found, Err(Refusal::OverBudget | Refusal::TooLarge));
        match (found, &best) {
            (Ok(found), least) if least.as_ref().is_none_or(|(least, _)| width < *least) => {
                best = Some((width, found));
            }
            (Err(refusal), None) if spent || finer <= FINEST => return Err(refusal),
            _ => {}
        }
        if width <= 1.0 || spent || finer <= FINEST {
            return best.map(|(_, found)| found).ok_or(Refusal::TooLarge);
        }
        finer *= (0.3 / width).clamp(FINER, 0.3);
    }
}

struct Asked<'a> {
    problem: &'a switching::PhaseSwitching,
    lifetime: Option<&'a Lifetime>,
    tolerance: f64,
    finer: f64,
}

impl Asked<'_> {
    /// Steps back through the horizon, noting how.
    fn walk(&self, model: &PhaseSwitching, bits: u32, budget: &Budget) -> Result<Found, Refusal> {
        let mut recursion = Recursion::new(model, bits, budget)?;
        let mut places = Places::new(self.problem, self.finer * self.tolerance);
        let (mut all, mut points, mut done) = (Vec::new(), 0, 0u64);
        while let Some(n) = recursion.next {
            let survival = self.lifetime.map_or(1.0, |law| law.continuation(n));
            let steps = Steps::On(beliefs(&places.step(survival)));
            if let Steps::On(list) = &steps {
                points += list.len();
            }
            if points > MOST_POINTS {
                return Err(Refusal::TooLarge);
            }
            recursion.go(&steps)?;
            all.push(steps);
            done += 1;
            // So many steps that are alike are still to come.
            let alike = match self.lifetime {
                None => u64::MAX,
                Some(law) if n > 0 && n < law.last() => n - law.constant_from(n),
                Some(_) => 0,
            };
            if alike < LONG
                || self.lifetime.is_none() && done < FIRST
                || !self.is_near_rest(&recursion)
            {
                continue;
            }
            if let Some((held, left, rested)) = self.rest(&recursion, alike)? {
                all.extend([Steps::Held(held), Steps::Rest(left)]);
                recursion = rested;
            }
        }
        let proof = recursion.proof()?;
        Ok((Evidence::PhaseSwitching(bits, all), proof))
    }

    /// Whether the thresholds of the last two steps hardly differ.
    fn is_near_rest(&self, recursion: &Recursion) -> bool {
        let [.., (_, before), (_, last)] = &recursion.thresholds[..] else {
            return recursion.thresholds.len() == 1;
        };
        let moved = before.as_flattened().iter().zip(last.as_flattened());
        let moved = moved.map(|(before, last)| before.abs_diff(*last)).max().unwrap_or(0);
        moved as f64 <= self.tolerance * (1u64 << 62) as f64
    }

    /// After how many steps on the same beliefs the others are at rest, and so closely that nothing is gained by
    /// more.
    fn rest<'a>(
        &self,
        recursion: &Recursion<'a>,
        alike: u64,
    ) -> Result<Option<(u64, u64, Recursion<'a>)>, Refusal> {
        let (mut held, mut best) = (recursion.clone(), None);
        let (mut count, mut next, mut least) = (0, 4, f64::INFINITY);
        while next + 3 < alike && next <= MOST_HELD {
            held.go(&Steps::Held(next - count))?;
            count = next;
            next = next + next / 2;
            let mut tried = held.clone();
            let left = if self.lifetime.is_none() { 0 } else { alike - count };
            match tried.go(&Steps::Rest(left)) {
                Err(Refusal::OverBudget) => return Err(Refusal::OverBudget),
                Err(_) => continue,
                Ok(()) => {}
            }
            // Where other steps follow, the thresholds tell.
            let width = match tried.proof() {
                Ok(proof) => widest(&proof, self.tolerance).0,
                Err(_) => tried.thresholds.last().map_or(f64::INFINITY, |(_, both)| {
                    let wide = both.iter().map(|[low, high]| high.saturating_sub(*low)).max();
                    wide.unwrap_or(0) as f64 / (self.tolerance * (1u64 << 62) as f64)
                }),
            };
            let gained = width < 0.9 * least;
            if width < least {
                (least, best) = (width, Some((count, left, tried)));
            }
            if width <= 0.9 || !gained && least.is_finite() && count > 512 {
                break;
            }
        }
        Ok(best)
    }
}

/// As certificates have them: each less the one before.
fn beliefs(places: &[f64]) -> Vec<u64> {
    let one = (1u64 << BELIEF_BITS) as f64;
    let mut list: Vec<u64> = places.iter().map(|p| (p * one).round() as u64).collect();
    list.retain(|p| (1..1 << BELIEF_BITS).contains(p));
    list.sort_unstable();
    list.dedup();
    let mut last = 0;
    list.iter_mut().for_each(|p| *p -= std::mem::replace(&mut last, *p));
    list
}
