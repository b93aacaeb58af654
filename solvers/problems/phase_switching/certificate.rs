//! The certificate of both thresholds: the beliefs between which the difference of the mappings is
//! almost linear.

use super::super::certificate::{stored, widest};
use remap_checker::phase_change::BELIEF_BITS;
use remap_checker::phase_switching::{Recursion, Rest, Steps};
use remap_checker::{Budget, Evidence, PhaseSwitching, Proof, Refusal};
use remapping::lifetime::Lifetime;
use remapping::phase_switching::{self, AtRest, Places};

/// The first coarseness relative to the tolerance, the smallest factor from one to the next, and
/// the last.
const COARSEST: f64 = 0.3;
const FINER: f64 = 1e-3;
const FINEST: f64 = 1e-8;

/// Bounds that shrink by less than this factor from one attempt to the next are as close as the
/// beliefs allow, after so many steps; and the factor to the next coarseness.
const CLOSER: f64 = 0.99;
const SETTLED: u64 = 200;
const STALLED: f64 = 0.1;

/// Fraction bits of the values of a certificate; fewer if they do not fit.
const MOST_BITS: u32 = 50;

/// The least number of equal steps that are worth taking at once; the number of steps before the
/// first attempt; and how many more steps on the same beliefs are tried.
const LONG: u64 = 16;
const FIRST: u64 = 64;
const HELD: [u64; 5] = [16, 48, 144, 432, 1296];

/// The number of steps after which a longer horizon is tried again with more beliefs.
const MOST_STEPS: u64 = 20_000;

/// Parts of the tolerance: how far a step may move a threshold that is almost stationary, and by
/// how much it may change the value. `HEAD` steps share the error of the whole program.
const NEAR: f64 = 0.1;
const PART: f64 = 0.1;
const HEAD: f64 = 400.0;

/// Bounds get nodes of their own, four for each observation and step, with detectors of so few
/// observations.
const FEW: usize = 16;

/// The most beliefs of a certificate: each takes a few bytes.
const MOST_POINTS: usize = 7_000_000;

type Found = (Evidence, Proof);

pub(in crate::problems) fn of(
    model: &PhaseSwitching,
    (problem, lifetime, cost): (&phase_switching::PhaseSwitching, Option<&Lifetime>, f64),
    tolerance: f64,
    budget: &Budget,
) -> Result<Found, Refusal> {
    let (mut finer, mut bits) = (COARSEST, MOST_BITS);
    // `None`: not tried; `Some(false)`: given up, since it took too many nodes.
    let mut own_kinks = None;
    let mut best: Option<(f64, Found)> = None;
    loop {
        let found = loop {
            let asked = Asked {
                problem,
                lifetime,
                cost,
                tolerance,
                finer,
                own_kinks: own_kinks == Some(true),
            };
            match asked.walk(model, bits, budget) {
                Err(Refusal::TooLarge) if bits > 24 => bits -= 4,
                found => break found,
            }
        };
        let observations = problem.detector.likelihoods().len();
        let is_unproved = matches!(found, Err(Refusal::Unproved(_)));
        if own_kinks.is_none() && observations <= FEW && is_unproved {
            own_kinks = Some(true);
            continue;
        }
        let width = found.as_ref().map_or(f64::INFINITY, |found| widest(&found.1, tolerance).0);
        let spent = matches!(found, Err(Refusal::OverBudget | Refusal::TooLarge));
        if spent && best.is_none() && own_kinks == Some(true) {
            (own_kinks, finer) = (Some(false), STALLED * finer);
            continue;
        }
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
        finer *= if width.is_finite() { (0.3 / width).clamp(FINER, 0.3) } else { STALLED };
    }
}

struct Asked<'a> {
    problem: &'a phase_switching::PhaseSwitching,
    lifetime: Option<&'a Lifetime>,
    /// The expected time, or the average time of a cycle without an end: errors are relative to it.
    cost: f64,
    tolerance: f64,
    finer: f64,
    /// Whether each step also has nodes where the bounds bend: the preimages of their thresholds.
    own_kinks: bool,
}

impl Asked<'_> {
    /// Walks back through the horizon and records the parts of the certificate.
    fn walk(&self, model: &PhaseSwitching, bits: u32, budget: &Budget) -> Result<Found, Refusal> {
        let mut recursion = Recursion::new(model, bits, budget)?;
        let (step, cycles) = (
            self.finer * self.tolerance,
            self.lifetime.map_or(f64::INFINITY, |law| law.residual_mean(0)),
        );
        let each = step * self.cost / if cycles.is_finite() { cycles.max(1.0) } else { 1.0 };
        let mut places =
            Places::new(self.problem, step, each * PART * (cycles / HEAD).clamp(1.0, 1e6));
        let (mut all, mut points, mut done, mut next) = (Vec::new(), 0, 0u64, FIRST);
        let mut narrowest = f64::INFINITY;
        while let Some(n) = recursion.next {
            let survival = self.lifetime.map_or(1.0, |law| law.continuation(n));
            let mut inner = places.step(survival);
            if let Some((_, both)) = recursion.thresholds.last().filter(|_| self.own_kinks) {
                let one = (1u64 << 62) as f64;
                let bends = both.as_flattened().iter().map(|belief| *belief as f64 / one);
                inner.extend(bends.flat_map(|belief| places.preimages(belief)));
            }
            let list = beliefs(&inner);
            points += list.len();
            if points > MOST_POINTS {
                return Err(Refusal::OverBudget);
            }
            let steps = Steps::On(list);
            let before = recursion.thresholds.last().map(|(_, both)| *both);
            recursion.go(&steps)?;
            all.push(steps);
            done += 1;
            // The number of equal steps that remain.
            let alike = match self.lifetime {
                None => u64::MAX,
                Some(law) if n > 0 && n < law.last() && law.constant_from(n) == 0 => n,
                Some(_) => 0,
            };
            if alike > MOST_STEPS && done > MOST_STEPS {
                return Err(Refusal::Unproved("steps on so few beliefs do not become stationary"));
            }
            if alike < LONG || done < next || !self.is_near_rest(before, &recursion) {
                continue;
            }
            next = done + done / 2;
            let rest = match recursion.knows_saving() {
                true => Rest { beliefs: vec![], saved: vec![0; 2], means: vec![] },
                false => written(&places.rest(each), bits),
            };
            if let Some((held, rest, rested)) = self.rest(&recursion, rest, alike)? {
                all.extend([Steps::Held(held), Steps::Rest(rest)]);
                recursion = rested;
                continue;
            }
            let width = width(&recursion);
            // With small gains a bound on a threshold is 0 or 1 for many steps before it moves.
            let arrived = !self.own_kinks || is_known(&recursion);
            if done >= SETTLED && arrived && width > self.tolerance && width > CLOSER * narrowest {
                return Err(Refusal::Unproved("steps on so few beliefs do not become stationary"));
            }
            narrowest = width;
        }
        let proof = recursion.proof()?;
        Ok((Evidence::PhaseSwitching(bits, all), proof))
    }

    /// Whether the thresholds of the last step are almost those of the step before. (Equal ones are
    /// recorded once.)
    fn is_near_rest(&self, before: Option<[[u64; 2]; 2]>, recursion: &Recursion) -> bool {
        let last = recursion.thresholds.last().map(|(_, both)| both);
        let (Some(before), Some(last)) = (before, last) else { return true };
        let moved = before.as_flattened().iter().zip(last.as_flattened());
        let moved = moved.map(|(before, last)| before.abs_diff(*last)).max().unwrap_or(0);
        moved as f64 <= NEAR * self.tolerance * (1u64 << 62) as f64
    }

    /// The number of further steps on the same beliefs after which the others can be taken at once,
    /// if both thresholds are then known.
    fn rest<'a>(
        &self,
        recursion: &Recursion<'a>,
        rest: Rest,
        alike: u64,
    ) -> Result<Option<(u64, Rest, Recursion<'a>)>, Refusal> {
        let (mut held, mut count) = (recursion.clone(), 0);
        for next in HELD {
            if next + rest.means.len() as u64 > alike {
                break;
            }
            held.go(&Steps::Held(next - count))?;
            count = next;
            let mut tried = held.clone();
            match tried.go(&Steps::Rest(rest.clone())) {
                Err(refusal @ (Refusal::OverBudget | Refusal::TooLarge)) => return Err(refusal),
                Err(_) => continue,
                Ok(()) => {}
            }
            if width(&tried) <= self.tolerance {
                return Ok(Some((count, rest, tried)));
            }
        }
        Ok(None)
    }
}

/// Whether both bounds on each threshold of the last step are beliefs between 0 and 1, or equal.
fn is_known(recursion: &Recursion<'_>) -> bool {
    recursion.thresholds.last().is_some_and(|(_, both)| {
        both.iter().all(|[low, high]| low == high || (*low > 0 && *high < 1 << 62))
    })
}

/// The width of the wider threshold of the last step.
fn width(recursion: &Recursion<'_>) -> f64 {
    recursion.thresholds.last().map_or(f64::INFINITY, |(_, both)| {
        let wide = both.iter().map(|[low, high]| high.saturating_sub(*low)).max().unwrap_or(0);
        wide as f64 / (1u64 << 62) as f64
    })
}

/// The saving, which is the decrease of the value, tilted so that it rises.
fn written(found: &AtRest, bits: u32) -> Rest {
    let AtRest { at, value, means } = found;
    let (unit, one) = ((1u64 << bits) as f64, (1u64 << BELIEF_BITS) as f64);
    let mut all: Vec<(u64, f64)> =
        at.iter().zip(value).map(|(p, v)| ((p * one).round() as u64, -v)).collect();
    all.dedup_by_key(|own| own.0);
    let slope =
        |pair: &[(u64, f64)]| (pair[0].1 - pair[1].1) / (pair[1].0 - pair[0].0) as f64 * one;
    let slope = all.windows(2).map(slope).fold(0.0, f64::max) * (1.0 + 1e-9);
    let start = all[0].1;
    let rising =
        all.iter().map(|(p, v)| ((v - start + slope * (*p as f64 / one)) * unit).max(0.0) as u64);
    let mut saved: Vec<u64> = rising.collect();
    for k in 1..saved.len() {
        saved[k] = saved[k].max(saved[k - 1]);
    }
    let inner: Vec<f64> = at.iter().copied().filter(|p| *p > 0.0 && *p < 1.0).collect();
    Rest {
        beliefs: beliefs(&inner),
        saved,
        means: means.iter().map(|list| beliefs(list)).collect(),
    }
}

/// Beliefs as certificates store them: each less the one before.
fn beliefs(places: &[f64]) -> Vec<u64> {
    let one = (1u64 << BELIEF_BITS) as f64;
    stored(places.iter().map(|p| (p * one).round() as u64).collect())
}
