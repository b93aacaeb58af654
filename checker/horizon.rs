//! The phase-change problem and its horizon, step by step, in exact fractions.

use crate::Refusal;
use crate::model::{self, Hazard, Lifetime, Premature};
use crate::number::{Span, one};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// A model with one change of phase.
#[derive(Default)]
pub struct PhaseChange {
    /// M, the last step; s is 1 up to the first value of N.
    pub(crate) last: u64,
    first: u64,
    /// s from there on; where it is not listed P(N = n + 1) = tilt P(N = n).
    listed: Vec<BigRational>,
    tilt: BigRational,
    /// One for all steps, or one for each.
    hazards: Vec<BigRational>,
    /// e_F, the lesser of e_B and e_R, and by how much e_B is more.
    pub(crate) before: BigRational,
    pub(crate) after: BigRational,
    pub(crate) gain: BigRational,
    /// D_d, and D_d + D_r.
    pub(crate) test: BigRational,
    pub(crate) delay: BigRational,
    /// e_P - e_F where a premature remapping is kept.
    pub(crate) regret: Option<BigRational>,
    /// The probability of each report before the change and after it.
    pub(crate) reports: [[BigRational; 2]; 2],
}

impl PhaseChange {
    pub(crate) fn new(model: model::PhaseChange) -> Result<PhaseChange, Refusal> {
        let mut new = PhaseChange { tilt: one(), ..PhaseChange::default() };
        (new.first, new.last) = match model.lifetime {
            Lifetime::Fixed(last) => (last, last),
            Lifetime::Uniform { first, last } => (first, last),
            Lifetime::Geometric { rate, first, .. } if rate.0.is_one() => (first, first),
            Lifetime::Geometric { rate, first, last } => {
                new.tilt = one() - rate.0;
                (first, last)
            }
            Lifetime::Pmf(mut law) => {
                law.retain(|_, p| !p.0.is_zero());
                let values = law.first_key_value().zip(law.last_key_value());
                let (first, last) =
                    values.map_or((1, 0), |((first, _), (last, _))| (*first, *last));
                if last.saturating_sub(first) >= 1 << 24 {
                    return Err(Refusal::TooLarge);
                }
                let mut tail = BigRational::zero();
                for n in (first..=last).rev() {
                    let here = law.get(&n).map_or_else(BigRational::zero, |p| p.0.clone());
                    new.listed.push(&tail / (&tail + &here));
                    tail += here;
                }
                new.listed.reverse();
                (first, last)
            }
        };
        new.hazards = match model.hazard {
            Hazard::Constant(hazard) => vec![hazard.0],
            Hazard::PerStep(list) if list.len() as u64 != new.last => {
                return Refusal::model("there must be a hazard for each step");
            }
            // After the last step it does not matter.
            Hazard::PerStep(list) => list.into_iter().map(|p| p.0).chain([one()]).collect(),
        };
        let (alarm, missed) = (model.detector.false_alarm.0, model.detector.missed.0);
        let (before, test) = (model.cycle.before.0, model.remap.test.0);
        if let Some(Premature::Keep { before_remapped }) = model.premature {
            new.regret = Some(before_remapped.0 - &before);
        }
        let improper = |p: &BigRational| p.is_negative() || *p > one();
        if new.first > new.last
            || new.last == u64::MAX
            || new.hazards.iter().chain([&alarm, &missed, &new.tilt]).any(improper)
            || new.regret.as_ref().is_some_and(Signed::is_negative)
        {
            return Refusal::model("a probability or a time is out of range");
        }
        let after = model.cycle.after.0.clone().min(model.cycle.remapped.0);
        let (gain, delay) = (model.cycle.after.0 - &after, &test + model.remap.install.0);
        let reports = [[alarm.clone(), one() - &missed], [one() - alarm, missed]];
        Ok(PhaseChange { before, after, gain, test, delay, reports, ..new })
    }

    /// h_{n+1}.
    fn hazard(&self, n: u64) -> &BigRational {
        &self.hazards[(self.hazards.len() - 1).min(n as usize)]
    }

    /// Fraction bits with which every value fits 61 bits.
    pub(crate) fn bits(&self) -> Result<u32, Refusal> {
        let kept = self.regret.clone().unwrap_or_default() * BigInt::from(self.last + 1);
        let bound = (&self.delay + &self.gain) * BigInt::from(4) + kept;
        let whole = bound.ceil().to_integer().bits() as u32;
        61u32.checked_sub(whole).filter(|bits| *bits >= 16).ok_or(Refusal::TooLarge)
    }
}

/// What is known exactly at the step of the horizon that has been reached, backwards.
#[derive(Clone, Default)]
pub(crate) struct Horizon {
    /// s_n and h_{n+1}.
    pub survival: Span,
    pub hazard: BigRational,
    /// Mean number of cycles left, and of those before the change.
    pub cycles: Span,
    pub quiet: Span,
    /// P(N >= n) / P(N = n).
    tail: Span,
    /// V(1) beyond e_R a cycle.
    certain: Span,
    /// Whether remapping surely pays if the change is certain, and whether it surely does not.
    pub pays: bool,
    pub never: bool,
}

impl Horizon {
    /// s (1-h).
    pub fn discount(&self) -> Span {
        self.survival.times(&(one() - &self.hazard).into())
    }

    /// Goes to step n, from the one after it.
    pub fn step_back(&mut self, model: &PhaseChange, n: u64) {
        self.survival = match n.checked_sub(model.first).map(|n| model.listed.get(n as usize)) {
            None => one().into(),
            Some(Some(survival)) => survival.clone().into(),
            Some(None) => {
                self.tail = self.tail.times(&model.tilt.clone().into()).plus(&one().into());
                Span::new(one() - self.tail.low.recip(), one() - self.tail.high.recip())
            }
        };
        self.hazard = model.hazard(n).clone();
        self.cycles = self.cycles.times(&self.survival).plus(&one().into());
        self.quiet = self.quiet.times(&self.discount()).plus(&one().into());
        // V(1) = min(delay, G + s V(1)).
        let retain = self.certain.times(&self.survival).plus(&model.gain.clone().into());
        (self.pays, self.never) = (retain.low > model.delay, retain.high <= model.delay);
        let least = |retain: BigRational| retain.min(model.delay.clone());
        self.certain = Span { low: least(retain.low), high: least(retain.high) };
    }

    /// Whether all steps from `first` to n are like n + 1, the last one done, and remapping pays.
    pub fn stays(&self, model: &PhaseChange, first: u64, n: u64) -> bool {
        let alike = |n| *model.hazard(n) == self.hazard;
        (model.hazards.len() == 1 || (first..=n).all(alike))
            && (n < model.first && self.survival.low.is_one())
            && (self.pays && self.certain.low == model.delay)
    }

    /// Does steps like the last one, given the power of s (1-h) and the sum of those less than it.
    pub fn skip(&mut self, steps: u64, (power, sum): (&Span, &Span)) {
        self.cycles = self.cycles.plus(&BigRational::from(BigInt::from(steps)).into());
        self.quiet = self.quiet.times(power).plus(sum);
    }
}

/// l^n, and 1 + l + ... + l^(n-1).
pub(crate) fn powers(l: &Span, n: u64) -> (Span, Span) {
    let (mut power, mut sum) = (Span::from(one()), Span::default());
    for bit in (0..64).rev() {
        sum = sum.plus(&sum.times(&power));
        power = power.times(&power);
        if n >> bit & 1 == 1 {
            sum = sum.times(l).plus(&one().into());
            power = power.times(l);
        }
    }
    (power, sum)
}
