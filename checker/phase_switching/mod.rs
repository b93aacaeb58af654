//! Recurring phases: encloses the difference between the two mappings, and the saving by switching,
//! between functions of the belief. docs/certificates.md has the proof.

pub(crate) mod decided;
pub(crate) mod filter;
pub(crate) mod resting;
pub(crate) mod side;

use self::decided::{Decided, Equal};
use self::filter::{Filter, Upper};
use self::side::{Motion, Side, Step};
use crate::core::budget::{Budget, Refusal, model_error};
use crate::core::decimal::Number;
use crate::core::proof::{Interval, Proof, Switches};
use crate::core::span::{Span, UNIT, WEIGHT};
use crate::core::written;
use crate::detector::Detector;
use crate::lifetime::Lifetime;
use crate::lifetime::remaining::{Remaining, beliefs, powers};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

written! {
    pub struct PhaseSwitching {
        pub lifetime: Option<Lifetime>, pub cycle: Cycles, pub switch: Switch, pub rates: Rates,
        pub detector: Detector, pub initial: Option<Number>
    }
    pub struct Cycles { first: Times, second: Times }
    pub struct Times { own: Number, other: Number }
    pub struct Switch { to_second: Option<Number>, to_first: Option<Number> }
    pub struct Rates { pub to_second: Number, pub to_first: Number }
}

impl PhaseSwitching {
    pub(crate) fn review(&self) -> Result<(), Refusal> {
        let (one, [a, b], [before, after]) = (BigRational::one(), self.rates(), self.gains());
        let initial = self.initial.as_ref().is_none_or(|p| p.0 <= one);
        let returns = self.switch.to_second.is_some() && self.switch.to_first.is_some();
        let sum = &a + &b;
        if sum > one || !initial || after < before {
            return model_error("rates or beliefs are out of range, or the mappings are reversed");
        }
        match &self.lifetime {
            Some(law) => Remaining::new(law).map(drop),
            None if returns && !sum.is_zero() => Ok(()),
            None => model_error("without an end there must be changes, and a way back"),
        }
    }

    fn rates(&self) -> [BigRational; 2] {
        [self.rates.to_second.0.clone(), self.rates.to_first.0.clone()]
    }

    /// The additional time of a cycle of each phase under the first mapping.
    fn gains(&self) -> [BigRational; 2] {
        let Cycles { first, second } = &self.cycle;
        [&first.own.0 - &first.other.0, &second.other.0 - &second.own.0]
    }
}

/// A part of a certificate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Steps {
    /// One step, for these beliefs, written like those of a phase change.
    On(Vec<u64>),
    /// This many steps, for the beliefs of the last one.
    Held(u64),
    /// All remaining steps, which are alike.
    Rest(Rest),
}

/// Evidence for the remaining steps once the difference is stationary.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Rest {
    /// Ascending beliefs between which the saving is approximately linear, apart from a linear
    /// function.
    pub beliefs: Vec<u64>,
    /// The saving at each of these beliefs, and at 0 and 1.
    pub saved: Vec<u64>,
    /// The change of that by one step, then the mean of the change after one step, and so on.
    pub means: Vec<Vec<u64>>,
}

/// Both bounds after some steps back from the end.
#[derive(Clone)]
pub struct Recursion<'a> {
    model: &'a PhaseSwitching,
    budget: &'a Budget,
    /// The next step. `None` when step 0 is done, or when a program without an end has converged.
    pub next: Option<u64>,
    remaining: Remaining,
    motion: Motion,
    sides: [Side; 2],
    points: Rc<Vec<u64>>,
    /// Whether the initial functions enclose the difference at every step, and so do all later
    /// ones.
    enclosed: bool,
    /// The difference where it is a number, and the thresholds of the last step that follow from
    /// it.
    equal: Option<Equal>,
    exact: Option<[[u64; 2]; 2]>,
    /// The mean remaining time under the first mapping: a constant, and a factor of the belief less
    /// its long-run share.
    time: [Span; 2],
    /// Bounds on both thresholds. Each entry holds from its first step to the step before the next
    /// entry's.
    pub thresholds: Vec<(u64, [[u64; 2]; 2])>,
}

/// Proves what the steps of a certificate show.
pub(crate) fn prove(
    model: &PhaseSwitching,
    bits: u32,
    steps: &[Steps],
    budget: &Budget,
) -> Result<Proof, Refusal> {
    let mut recursion = Recursion::new(model, bits, budget)?;
    steps.iter().try_for_each(|steps| recursion.go(steps))?;
    recursion.proof()
}

impl<'a> Recursion<'a> {
    /// The state before any step. Times have `bits` fraction bits.
    pub fn new(
        model: &'a PhaseSwitching,
        bits: u32,
        budget: &'a Budget,
    ) -> Result<Recursion<'a>, Refusal> {
        if bits > 60 {
            return Err(Refusal::TooLarge);
        }
        let remaining = model.lifetime.as_ref().map_or(Ok(Remaining::default()), Remaining::new)?;
        let (one, rates, gains) = (BigRational::one(), model.rates(), model.gains());
        let changes = &rates[0] + &rates[1];
        let share = if changes.is_zero() { BigRational::zero() } else { &rates[0] / &changes };
        let unit = BigRational::from(BigInt::one() << bits);
        let whole = |x: BigRational| {
            let x = x.to_integer();
            i64::try_from(x).ok().filter(|x| x.unsigned_abs() < UNIT / 8).ok_or(Refusal::TooLarge)
        };
        // Rounded down and up.
        let units = |x: &BigRational| Ok([whole((x * &unit).floor())?, whole((x * &unit).ceil())?]);
        let [first, second] = [units(&gains[0])?, units(&gains[1])?];
        let cost = |cost: &Option<Number>| cost.as_ref().map(|cost| units(&cost.0)).transpose();
        let (to_second, to_first) = (cost(&model.switch.to_second)?, cost(&model.switch.to_first)?);
        // The difference cannot be larger than this.
        let largest =
            [first, second].as_flattened().iter().map(|x| x.unsigned_abs()).max().unwrap_or(0) + 4;
        let never = remaining.last.saturating_add(2).checked_mul(largest);
        let never = never.filter(|most| *most < UNIT / 8).map(|most| most as i64);
        let cut = |level: Option<[i64; 2]>, side: usize| {
            level.map(|level| level[side]).or(never).ok_or(Refusal::TooLarge)
        };
        let endless = model.lifetime.is_none();
        let costs = [&model.switch.to_second, &model.switch.to_first];
        let decided = match costs {
            [Some(there), Some(back)] if endless => {
                Decided::of(&gains, &rates, [&there.0, &back.0])
            }
            _ => Decided::Nothing,
        };
        let side = |mirrored: bool| {
            let ([a, b], reports) = (rates.clone(), &model.detector.reports);
            let turned: Vec<_> = reports.iter().map(|[a, b]| [b.clone(), a.clone()]).collect();
            let (filter, levels, gain) = match mirrored {
                false => {
                    (Filter::new(&[a, b], reports), [to_first, to_second], [first[1], second[1]])
                }
                true => {
                    (Filter::new(&[b, a], &turned), [to_second, to_first], [-second[0], -first[0]])
                }
            };
            let cut = [cut(levels[0], 0)?, cut(levels[1], 1)?];
            // Without an end any initial difference within its limits is valid, unless better
            // bounds are known.
            let most = match &decided {
                Decided::Between(most) => {
                    let [zero, one] = &most[usize::from(mirrored)];
                    Some([units(zero)?[1], units(one)?[1]])
                }
                _ => None,
            };
            let value = most.unwrap_or([if endless { cut[1] } else { 0 }; 2]).to_vec();
            let difference = Rc::new(Upper { at: vec![0, UNIT], value });
            let saved = Upper { at: vec![0, UNIT], value: vec![0; 2] };
            let own = if mirrored { &one - &share } else { share.clone() };
            let share = Span::from(&own);
            Ok(Side {
                filter: filter?,
                gain,
                cut,
                levels,
                most,
                mirrored,
                share,
                difference,
                saved,
                rest: Default::default(),
                whole: None,
            })
        };
        let more = &model.cycle.second.other.0 - &model.cycle.first.own.0;
        let motion = Motion {
            bits,
            memory: Span::from(&(&one - &changes)),
            cycle: [Span::from(&(&model.cycle.first.own.0 + &more * &share)), Span::from(&more)],
            share: Span::from(&share),
        };
        let mut sides = [side(false)?, side(true)?];
        let mut next = Some(if endless { 1 } else { remaining.last });
        let mut thresholds = Vec::new();
        if let Decided::Thresholds(both, saves) = &decided {
            sides[0].whole = Some(Span::from(saves));
            sides[1].whole = Some(Span::whole(0).minus(&Span::from(saves)));
            (next, thresholds) = (None, vec![(0, *both)]);
        }
        let costs = costs.map(|cost| cost.as_ref().map(|cost| cost.0.clone()));
        Ok(Recursion {
            model,
            budget,
            next,
            remaining,
            motion,
            sides,
            points: Rc::new(vec![0, UNIT]),
            enclosed: matches!(decided, Decided::Between(_)),
            equal: if endless { None } else { Equal::of(&gains, costs) },
            exact: None,
            time: Default::default(),
            thresholds,
        })
    }

    /// Whether what switching saves in the long run is known without a function of the belief, so
    /// that the fields of [`Rest`] are not read.
    pub fn knows_saving(&self) -> bool {
        self.enclosed || self.lasting().is_some()
    }

    /// The belief in the end, where one phase lasts forever and the program, too.
    fn lasting(&self) -> Option<u64> {
        let [a, b] = self.model.rates();
        let endless = self.model.lifetime.is_none();
        (endless && (a.is_zero() || b.is_zero())).then(|| if a.is_zero() { 0 } else { UNIT })
    }

    /// Does the steps of one part.
    pub fn go(&mut self, steps: &Steps) -> Result<(), Refusal> {
        match steps {
            Steps::On(differences) => {
                self.points = Rc::new(beliefs(differences)?);
                self.step()
            }
            Steps::Held(steps) => (0..*steps).try_for_each(|_| self.step()),
            Steps::Rest(rest) => self.rest(rest),
        }
    }

    /// Moves to the next step.
    fn leave(&mut self, n: u64) -> Result<Step, Refusal> {
        match &self.model.lifetime {
            Some(law) => self.remaining.step_back(law, n),
            None => self.remaining.survival = Span::whole(1),
        }
        let span = self.remaining.survival.clone();
        Ok(Step { survival: span.units(WEIGHT)?, span })
    }

    /// One step, for the beliefs of the last one.
    fn step(&mut self) -> Result<(), Refusal> {
        let n = self.next.ok_or(Refusal::Malformed)?;
        self.budget.spend(1000)?;
        let step = self.leave(n)?;
        let mirrored: Vec<u64> = self.points.iter().rev().map(|p| UNIT - p).collect();
        for (side, points) in self.sides.iter_mut().zip([&self.points[..], &mirrored]) {
            let raw = side.before(&side.difference, points, &step, self.budget)?;
            side.take(raw, &step, &self.motion, self.budget)?;
        }
        self.pass(&step);
        if let (Some(equal), Some(law)) = (&mut self.equal, &self.model.lifetime) {
            self.exact = equal.step(law, self.remaining.first, n);
            self.equal = self.equal.take().filter(|_| self.exact.is_some());
        }
        self.note(n);
        self.next = if self.model.lifetime.is_some() { n.checked_sub(1) } else { Some(n) };
        Ok(())
    }

    /// Adds the time of a step.
    fn pass(&mut self, step: &Step) {
        let forget = step.span.times(&self.motion.memory);
        let [level, tilt] = &self.time;
        let [one, more] = &self.motion.cycle;
        self.time = [level.times(&step.span).plus(one), tilt.times(&forget).plus(more)];
    }

    /// Records the thresholds that follow from both bounds, from step n on.
    fn note(&mut self, n: u64) {
        let [[second, first], [above, below]] = self.sides.each_ref().map(Side::thresholds);
        let both = self.exact.unwrap_or([[second, UNIT - below], [first, UNIT - above]]);
        match self.thresholds.last_mut() {
            Some((first, same)) if *same == both => *first = n,
            _ => self.thresholds.push((n, both)),
        }
    }

    /// Takes all remaining steps at once: neither bound moves outward any more.
    fn rest(&mut self, rest: &Rest) -> Result<(), Refusal> {
        let n = self.next.ok_or(Refusal::Malformed)?;
        let endless = self.model.lifetime.is_none();
        if !endless && n >= self.remaining.first {
            return Err(Refusal::Unproved("the steps are not alike"));
        }
        let (step, steps) = (self.leave(n)?, n + 1 - u64::from(endless));
        let initial = self.initial();
        let mirrored = BigRational::one() - &initial;
        self.exact = self.equal.as_ref().and_then(Equal::rest);
        let lasting = self.lasting();
        for (side, initial) in self.sides.iter_mut().zip([&initial, &mirrored]) {
            if self.enclosed {
                side.whole = Some(Span::whole(0));
                continue;
            }
            side.difference = Rc::new(side.settled(&step, self.budget)?);
            if let Some(belief) = lasting {
                side.whole = Some(side.saving_at(belief, self.motion.bits));
                continue;
            }
            let steps = (!endless).then_some(steps);
            side.whole = Some(side.whole((steps, initial), rest, &self.motion, self.budget)?);
        }
        if endless {
            self.thresholds.clear();
        }
        self.note(n);
        self.thresholds.last_mut().into_iter().for_each(|last| last.0 = 0);
        let [lasting, passing] =
            [&Span::whole(1), &self.motion.memory].map(|factor| powers(factor, steps));
        let [level, tilt] = &self.time;
        self.time = [
            level.times(&lasting.0).plus(&self.motion.cycle[0].times(&lasting.1)),
            tilt.times(&passing.0).plus(&self.motion.cycle[1].times(&passing.1)),
        ];
        self.next = None;
        Ok(())
    }

    fn initial(&self) -> BigRational {
        self.model.initial.as_ref().map_or_else(BigRational::zero, |p| p.0.clone())
    }

    /// The proof, once all steps are done.
    pub fn proof(&self) -> Result<Proof, Refusal> {
        if self.next.is_some() {
            return Err(Refusal::Malformed);
        }
        let ends = |[low, high]: [u64; 2]| -> Interval {
            let (below, above) = Span::between(low.min(high), high.max(low), WEIGHT).reals();
            let below = if low == UNIT { 1.0 } else { below.max(0.0) };
            (below, if high == 0 { 0.0 } else { above.min(1.0) }).into()
        };
        let mut end = self.remaining.last + 1;
        let endless = self.model.lifetime.is_none();
        let steps = self.thresholds.iter().map(|(first, [second, back])| {
            let last = if endless { u64::MAX } else { std::mem::replace(&mut end, *first) - 1 };
            Switches { first: *first, last, to_second: ends(*second), to_first: ends(*back) }
        });
        let mut steps: Vec<Switches> = steps.collect();
        steps.reverse();
        let [above, below] = &self.sides;
        if endless {
            let [most, least] = [above, below].map(|side| side.whole.clone().unwrap_or_default());
            let [low, high] =
                [self.motion.cycle[0].minus(&most), self.motion.cycle[0].plus(&least)];
            let average = Some((low.reals().0, high.reals().1).into());
            return Ok(Proof::Recurring { value: None, average, steps });
        }
        let initial = self.initial();
        let distance = Span::from(&initial).minus(&self.motion.share);
        let line = |[level, tilt]: &[Span; 2], distance: &Span| level.plus(&tilt.times(distance));
        let time = line(&self.time, &distance);
        let back = Span::whole(0).minus(&distance);
        let saved = |side: &Side, at: &BigRational, distance: &Span| -> Result<Span, Refusal> {
            if let Some(whole) = &side.whole {
                return Ok(whole.clone());
            }
            let own = side.saved.value_at(Span::from(at).units(WEIGHT)?[1]) as i64;
            Ok(line(&side.rest, distance).plus(&Span::between(own, own, self.motion.bits)))
        };
        let least = time.minus(&saved(above, &initial, &distance)?).reals().0;
        let most = time.plus(&saved(below, &(BigRational::one() - &initial), &back)?).reals().1;
        Ok(Proof::Recurring { value: Some((least, most).into()), average: None, steps })
    }
}
