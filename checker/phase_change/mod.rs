//! The phase-change recursion between lines above and values at points below.
//!
//! Let x = (1-p, p), and count times beyond e_F before the change and beyond e_R after it. The
//! value function is then homogeneous, concave and nonnegative. A line above step n is the cost of
//! a step plus two lines of step n+1, one for each observation; any choice of lines is valid.
//! Below, a belief is worth at least as much as any two points of step n+1 that lie within it.
//! docs/certificates.md has the proof.

pub(crate) mod horizon;

pub use crate::lifetime::remaining::BELIEF_BITS;

use self::horizon::{Horizon, Motion, PhaseChange};
use crate::core::budget::{Budget, Refusal};
use crate::core::proof::{self, Proof};
use crate::core::span::{Span, UNIT, WEIGHT, down, up, wide};
use crate::lifetime::remaining::{beliefs, powers};
use num_rational::BigRational;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A part of a certificate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Steps {
    /// One step, for these ascending beliefs between 0 and 1. The first is a multiple of 2^-44, the
    /// others are differences. An empty list means the beliefs of the last step.
    On(Vec<u64>),
    /// Repeats the last step this many times, with its beliefs and its parts.
    Held(u64),
    /// Takes this many steps like the last one at once.
    Rest(u64),
}

/// Values at p = 0 and at p = 1 of a line, in units of 2^-bits.
type Line = [u64; 2];

/// Both bounds on the value function after some steps back from the end.
#[derive(Clone)]
pub struct Recursion<'a> {
    model: &'a PhaseChange,
    budget: &'a Budget,
    /// The next step; `None` when step 0 is done.
    pub next: Option<u64>,
    horizon: Horizon,
    /// Fraction bits of times, values and lines.
    bits: u32,
    /// e_B less the lesser of it and e_R; D_d; and D_d + D_r.
    gain: [u64; 2],
    test: [u64; 2],
    delay: [u64; 2],
    /// The value function is this times 1-p, plus the function between lines and values.
    common: Span,
    /// Ascending beliefs from 0 to 1, as multiples of 2^-62.
    points: Rc<Vec<u64>>,
    /// For each belief a line above the function and a value below it.
    lines: Vec<Line>,
    values: Vec<u64>,
    /// A lower bound on the loss if the change is certain.
    certain: u64,
    /// The parts of the last step, if it used the points of the step before.
    held: Option<Rc<(Motion, Vec<Vec<Part>>)>>,
    /// Bounds on thresholds as multiples of 2^-62. Each entry holds from its first step to the step
    /// before the next entry's.
    pub thresholds: Vec<(u64, [u64; 2])>,
}

/// A line of step n+1, and weights of a point and the next one that lie within the image of a
/// belief.
struct Part {
    line: usize,
    point: usize,
    weights: [u64; 2],
}

/// Proves what the steps of a certificate show.
pub(crate) fn prove(
    model: &PhaseChange,
    bits: u32,
    steps: &[Steps],
    budget: &Budget,
) -> Result<Proof, Refusal> {
    let mut recursion = Recursion::new(model, bits, budget)?;
    steps.iter().try_for_each(|steps| recursion.go(steps))?;
    recursion.proof()
}

impl<'a> Recursion<'a> {
    /// The state before any step: V = 0 after the last one. Times and values have `bits` fraction
    /// bits.
    pub fn new(
        model: &'a PhaseChange,
        bits: u32,
        budget: &'a Budget,
    ) -> Result<Recursion<'a>, Refusal> {
        let (horizon, cycle, test) = (Horizon::new(model)?, &model.cycle, &model.remap.test.0);
        let (gain, delay) = (&cycle.after.0 - model.after(), test + &model.remap.install.0);
        if bits > 60 {
            return Err(Refusal::TooLarge);
        }
        let units = |time: &BigRational| Span::from(time).units(bits);
        Ok(Recursion {
            model,
            budget,
            next: Some(horizon.remaining.last),
            horizon,
            bits,
            gain: units(&gain)?,
            test: units(test)?,
            delay: units(&delay)?,
            common: Span::default(),
            points: Rc::new(vec![0, UNIT]),
            lines: vec![[0, 0]; 2],
            values: vec![0; 2],
            certain: 0,
            held: None,
            thresholds: Vec::new(),
        })
    }

    /// Does the steps of one part.
    pub fn go(&mut self, steps: &Steps) -> Result<(), Refusal> {
        let points = match steps {
            Steps::Held(steps) => {
                return (0..*steps).try_for_each(|_| self.step(self.points.clone()));
            }
            Steps::Rest(steps) => return self.rest(*steps),
            Steps::On(differences) if differences.is_empty() => self.points.clone(),
            Steps::On(differences) => Rc::new(beliefs(differences)?),
        };
        self.held = None;
        self.step(points)
    }

    /// One step, for these beliefs.
    fn step(&mut self, points: Rc<Vec<u64>>) -> Result<(), Refusal> {
        let n = self.next.ok_or(Refusal::Malformed)?;
        // Work that does not depend on the beliefs takes as long as a thousand beliefs.
        let reports = self.model.detector.reports.len() as u64;
        self.budget.spend((points.len() as u64 + 1000).saturating_mul(reports))?;
        self.horizon.step_back(self.model, n);
        let (motion, gain, delay) = (self.horizon.motion(self.model)?, self.gain, self.delay);
        let held = match self.held.take() {
            Some(held) if held.0 == motion => held,
            _ => {
                let parts = self.images(&points, &motion);
                Rc::new((motion, parts))
            }
        };
        // The branch that retains the mapping.
        let retain = |(p, parts): (&u64, &Vec<Part>)| {
            let (mut line, mut value) = ([0, gain[1]], down(gain[0], *p));
            for (part, [stay, change, after]) in parts.iter().zip(&held.0) {
                let [start, end] = self.lines[part.line];
                line[0] += up(start, stay[1]) + up(end, change[1]);
                line[1] += up(end, after[1]);
                let two = self.values[part.point..].iter().zip(part.weights);
                value += two.map(|(value, weight)| down(*value, weight)).sum::<u64>();
            }
            (line, value)
        };
        let both = points.iter().zip(&held.1).map(retain);
        let (mut lines, mut values): (Vec<Line>, Vec<u64>) = both.unzip();
        let certain = gain[1] + up(self.certain, self.horizon.remaining.survival.units(WEIGHT)?[1]);
        // The branch that remaps: a line below and one above.
        self.common = self.common.times(&self.horizon.stay);
        let start = match self.model.regret() {
            None => [self.test[0] + values[0], self.test[1] + lines[0][0]],
            Some(regret) => {
                let kept = Span::from(&regret).times(&self.horizon.quiet).minus(&self.common);
                Span::between(delay[0], delay[1], self.bits).plus(&kept).units(self.bits)?
            }
        };
        let (below, above) = ([start[0], delay[0]], [start[1], delay[1]]);
        let low = if certain <= delay[0] { UNIT } else { lowest(&lines, below) };
        let threshold = [low, highest(&points, &values, above)];
        match self.thresholds.last_mut() {
            Some((first, same)) if *same == threshold => *first = n,
            _ => self.thresholds.push((n, threshold)),
        }
        // The value at p = 0 is moved to the common part.
        let moved = values[0].min(below[0]);
        for ((line, value), p) in lines.iter_mut().zip(&mut values).zip(points.iter()) {
            if at(above, *p) < at(*line, *p) {
                *line = above;
            }
            let remap = (at(below, *p) >> WEIGHT) as u64;
            *value = remap.min(*value).saturating_sub(up(moved, UNIT - p));
            line[0] = line[0].checked_sub(moved).ok_or(Refusal::TooLarge)?;
            if line[0].max(line[1]) > UNIT {
                return Err(Refusal::TooLarge);
            }
        }
        self.common = self.common.plus(&Span::between(moved, moved, self.bits));
        self.certain = certain.min(delay[1]);
        self.held = (points == self.points).then_some(held);
        (self.points, self.lines, self.values) = (points, lines, values);
        self.next = n.checked_sub(1);
        Ok(())
    }

    /// For each belief and observation, two points around the image, and the better of their lines.
    fn images(&self, points: &[u64], motion: &Motion) -> Vec<Vec<Part>> {
        let (later, lines) = (&self.points, &self.lines);
        let mut last = vec![0; motion.len()];
        let mut part = |p: u64, report: usize| {
            let ([stay, change, after], point) = (motion[report], &mut last[report]);
            let y = [down(UNIT - p, stay[0]), down(UNIT - p, change[0]) + down(p, after[0])];
            let all = y[0] + y[1];
            let beyond = |point: usize| wide(later[point], all) > wide(UNIT, y[1]);
            while *point > 0 && beyond(*point) {
                *point -= 1;
            }
            while *point + 2 < later.len() && !beyond(*point + 1) {
                *point += 1;
            }
            let value = |line: usize| wide(lines[line][0], y[0]) + wide(lines[line][1], y[1]);
            let line = *point + usize::from(value(*point + 1) <= value(*point));
            let (a, b) = (later[*point], later[*point + 1]);
            let right = wide(UNIT, y[1]).saturating_sub(wide(all, a)) / u128::from(b - a);
            let right = right.min(all.into()) as u64;
            let left = (all - right).saturating_sub(1);
            // Whichever points were chosen, their sum must lie within the image.
            let within = |a: u64, b: u64, y: u64| wide(left, a) + wide(right, b) <= wide(UNIT, y);
            let fit = within(a, b, y[1]) && within(UNIT - a, UNIT - b, y[0]);
            Part { line, point: *point, weights: if fit { [left, right] } else { [0; 2] } }
        };
        points.iter().map(|p| (0..motion.len()).map(|report| part(*p, report)).collect()).collect()
    }

    /// Takes the next `steps` steps at once: one of them shows T U <= U + k x_0 and T L >= L + k'
    /// x_0. T moves x_0 to l x_0, l = s(1-h), so j steps lead to at most U + k (1 + l + ... +
    /// l^(j-1)) x_0.
    fn rest(&mut self, steps: u64) -> Result<(), Refusal> {
        let n = self.next.ok_or(Refusal::Malformed)?;
        let first = (n + 1).checked_sub(steps).filter(|_| steps > 0).ok_or(Refusal::Malformed)?;
        if self.model.regret().is_some() || !self.horizon.stays(self.model, first, n) {
            return Err(Refusal::Unproved("the steps are not alike"));
        }
        let mut one = self.clone();
        one.step(self.points.clone())?;
        let (rise, fall) = self.drift(&one)?;
        let (power, sum) = powers(&one.horizon.stay, steps);
        // In each of these steps the two bounds are at most this far apart, relative to the common
        // part.
        let apart = sum.times(&Span::whole((rise - fall).max(0))).units(0)?[1];
        let closer = sum.times(&Span::whole((fall - rise).max(0))).units(0)?[0];
        self.lines.iter_mut().for_each(|line| line[0] += apart);
        if self.lines.iter().any(|line| line[0] > UNIT) {
            return Err(Refusal::TooLarge);
        }
        self.certain = self.delay[1];
        let mut wide = self.clone();
        wide.step(self.points.clone())?;
        self.thresholds = wide.thresholds;
        self.thresholds.last_mut().into_iter().for_each(|last| last.0 = first);
        self.next = first.checked_sub(1);
        // At the end they are closer, if the lower bound rises by more.
        self.lines.iter_mut().for_each(|line| line[0] = line[0].saturating_sub(closer));
        let fall = Span::between(fall, fall, self.bits).plus(&one.common).minus(&self.common);
        self.common = self.common.plus(&fall.times(&sum));
        self.horizon.cycles = self.horizon.cycles.plus(&Span::whole(steps));
        self.horizon.quiet = self.horizon.quiet.times(&power).plus(&sum);
        Ok(())
    }

    /// Two bounds on a step at p = 0, apart from the common part: by how much it raises the upper
    /// function at most, and the lower one at least.
    fn drift(&self, one: &Recursion) -> Result<(i128, i128), Refusal> {
        let less = |a: u64, b: u64| i128::from(a) - i128::from(b);
        let (mut rise, mut fall) = (i128::MIN, i128::MAX);
        let remap = one.lines[one.lines.len() - 1];
        for (new, old) in one.lines.iter().zip(&self.lines) {
            // A line that has become steeper is mixed with remapping until its slope is as before.
            let (more, most) = (less(new[1], old[1]).max(0), less(new[1], remap[1]).max(0));
            if more > most {
                return Err(Refusal::Unproved("the upper function changes its slope"));
            }
            let mixed = (less(remap[0], new[0]).max(0) * more + most) / most.max(1);
            rise = rise.max(less(new[0], old[0]) + mixed);
        }
        for ((new, old), p) in one.values.iter().zip(&self.values).zip(self.points.iter()) {
            // Where the change is certain, the lower function does not decrease.
            if *p < UNIT {
                fall = fall.min((less(*new, *old) << WEIGHT).div_euclid((UNIT - p).into()));
            }
        }
        Ok((rise, fall))
    }

    /// The proof, once step 0 is done.
    pub fn proof(&self) -> Result<Proof, Refusal> {
        if self.next.is_some() {
            return Err(Refusal::Malformed);
        }
        let Horizon { cycles, quiet, remaining, .. } = &self.horizon;
        let [before, after] = [&self.model.cycle.before.0, self.model.after()].map(Span::from);
        let mean = quiet.times(&before).plus(&cycles.minus(quiet).times(&after));
        let delays = Span::between(self.values[0], self.lines[0][0], self.bits).plus(&self.common);
        let mut end = remaining.last + 1;
        let steps = self.thresholds.iter().map(|(first, [low, high])| {
            let (below, above) = Span::between(*low, *high, WEIGHT).reals();
            // Where remapping never pays, the threshold is 1.
            let below = if *low == UNIT { 1.0 } else { below.max(0.0) };
            let last = std::mem::replace(&mut end, *first) - 1;
            proof::Steps { first: *first, last, threshold: (below, above.min(1.0)).into() }
        });
        let mut steps: Vec<proof::Steps> = steps.collect();
        steps.reverse();
        Ok(Proof::Thresholds { value: mean.plus(&delays).reals().into(), steps })
    }
}

/// The value of a line at p, in units of 2^-62 of its own unit.
fn at(line: Line, p: u64) -> u128 {
    wide(line[0], UNIT - p) + wide(line[1], p)
}

/// The largest p at which some retaining line is at most the cost of remapping.
fn lowest(lines: &[Line], remap: Line) -> u64 {
    let mut best = 0;
    // The last lines reach farthest; few others come close.
    for line in lines.iter().rev() {
        if line[0] <= remap[0] && at(*line, best) <= at(remap, best) {
            let (ahead, behind) = (remap[0] - line[0], line[1].saturating_sub(remap[1]));
            let cross = wide(ahead, UNIT).checked_div((ahead + behind).into());
            best = cross.map_or(UNIT, |p| p as u64);
        }
    }
    best
}

/// A p from which on remapping costs at most as much as retaining, whose values are known at these
/// points.
fn highest(points: &[u64], values: &[u64], remap: Line) -> u64 {
    // The cost of remapping less that of retaining, rounded up to a unit.
    let gap = |i: usize| {
        let retain = i128::from(values[i]) << WEIGHT;
        (at(remap, points[i]) as i128 - retain + i128::from(UNIT) - 1) >> WEIGHT
    };
    match (0..points.len()).rev().find(|i| gap(*i) > 0) {
        _ if gap(points.len() - 1) >= 0 => UNIT,
        None => 0,
        Some(i) => {
            // The difference is convex.
            let share = i128::from(points[i + 1] - points[i]) * gap(i) / (gap(i) - gap(i + 1));
            (points[i] + share as u64 + 1).min(points[i + 1])
        }
    }
}
