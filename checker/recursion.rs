//! The phase-change recursion between lines above and values at points below.
//!
//! With x = (1-p, p) and times counted beyond e_F before the change and e_R after it, the value function
//! is homogeneous, concave and nonnegative. A line above step n is the cost of a step plus two lines of
//! step n+1, one for each report, whichever they are. Below, a belief is worth at least what any two
//! points of step n+1 are that lie within it. docs/certificates.md has the proof.

use crate::horizon::{Horizon, PhaseChange, powers};
use crate::number::{Span, UNIT, WEIGHT, ceil, down, floor, one, over, reals, small, up, wide};
use crate::{Proof, Refusal};
use num_bigint::BigInt;
use num_rational::BigRational;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A part of a certificate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Steps {
    /// One step, for these beliefs between 0 and 1, ascending: the first as a multiple of 2^-44, the others
    /// less the one before.
    On(Vec<u64>),
    /// One, for those of the last one.
    Same,
    /// So many, for those of the last one and made of the same parts.
    Held(u64),
    /// So many that are like the last one, at once.
    Rest(u64),
}

/// Fraction bits of the beliefs of a certificate.
pub const BELIEF_BITS: u32 = 44;

/// Values at p = 0 and at p = 1 of a line, in units of 2^-bits.
type Line = (u64, u64);

/// Both sides of a value function.
#[derive(Clone)]
struct Sides {
    /// Beliefs, 0 the first and 1 the last, as multiples of 2^-62.
    points: Rc<Vec<u64>>,
    /// A line above for each, and a value below.
    lines: Vec<Line>,
    values: Vec<u64>,
    /// What both are to be increased by, times 1-p.
    base: i128,
}

/// Both sides of the value function after some steps back from the end.
#[derive(Clone)]
pub struct Recursion<'a> {
    model: &'a PhaseChange,
    /// The step to do next; `None` when step 0 is done.
    pub next: Option<u64>,
    horizon: Horizon,
    bits: u32,
    sides: Sides,
    /// What the last step was made of, if it was on the points of the step before.
    held: Option<Rc<Held>>,
    /// Bounds on thresholds as multiples of 2^-62, from a first step to the one before the next first one.
    thresholds: Vec<(u64, [u64; 2])>,
}

/// Coefficients of the homogeneous step under either report: from before the change to before it and to
/// after it, and from after it to after it. Rounded down, and up.
type Motion = [[(u64, u64); 3]; 2];

/// What the lines and values of a step are made of, for each point and report.
type Held = (Motion, Vec<[Part; 2]>);

/// A line of step n+1, and how much of a point and the next one lies within the image.
struct Part {
    line: usize,
    point: usize,
    weights: [u64; 2],
}

impl<'a> Recursion<'a> {
    /// Before any step: V = 0 after the last one.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] for times that need more than 61 bits.
    pub fn new(model: &'a PhaseChange) -> Result<Recursion<'a>, Refusal> {
        let points = Rc::new(vec![0, UNIT]);
        let sides = Sides { points, lines: vec![(0, 0); 2], values: vec![0; 2], base: 0 };
        let (next, horizon, bits) = (Some(model.last), Horizon::default(), model.bits()?);
        Ok(Recursion { model, next, horizon, bits, sides, held: None, thresholds: Vec::new() })
    }

    /// How far apart the bounds on the threshold of the last step done are.
    pub fn width(&self) -> f64 {
        self.thresholds.last().map_or(0.0, |(_, [low, high])| (high - low) as f64 / UNIT as f64)
    }

    /// Does some steps.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] if beliefs do not ascend or there are not so many steps,
    /// [`Refusal::Unproved`] if nothing can be said of many at once, [`Refusal::TooLarge`].
    pub fn go(&mut self, steps: &Steps) -> Result<(), Refusal> {
        match steps {
            Steps::Same => {
                self.held = None;
                self.step(self.sides.points.clone())
            }
            Steps::Held(steps) => {
                (0..*steps).try_for_each(|_| self.step(self.sides.points.clone()))
            }
            Steps::Rest(steps) => self.rest(*steps),
            Steps::On(differences) => {
                let (mut points, mut last) = (vec![0], 0u64);
                for difference in differences {
                    last = last.saturating_add(*difference).min(1 << BELIEF_BITS);
                    points.push(last << (WEIGHT - BELIEF_BITS));
                }
                points.push(UNIT);
                self.held = None;
                let ascend = points.is_sorted_by(|a, b| a < b);
                if ascend { self.step(Rc::new(points)) } else { Err(Refusal::Malformed) }
            }
        }
    }

    fn step(&mut self, points: Rc<Vec<u64>>) -> Result<(), Refusal> {
        let n = self.next.ok_or(Refusal::Malformed)?;
        self.horizon.step_back(self.model, n);
        let (sides, held, threshold) = self.stepped(&points)?;
        self.held = (points == self.sides.points).then_some(held);
        self.sides = sides;
        self.reach(n, threshold);
        Ok(())
    }

    fn reach(&mut self, n: u64, threshold: [u64; 2]) {
        match self.thresholds.last_mut() {
            Some((first, same)) if *same == threshold => *first = n,
            _ => self.thresholds.push((n, threshold)),
        }
        self.next = n.checked_sub(1);
    }

    fn motion(&self) -> Result<Motion, Refusal> {
        let hazard = &self.horizon.hazard;
        let mut motion = Motion::default();
        for (motion, [no, yes]) in motion.iter_mut().zip(&self.model.reports) {
            let factors = [no * (one() - hazard), yes * hazard, yes.clone()];
            for (weight, factor) in motion.iter_mut().zip(factors) {
                let Span { low, high } = self.horizon.survival.times(&factor.into());
                *weight = (small(floor(&low, WEIGHT)?)?, small(ceil(&high, WEIGHT)?)?);
            }
        }
        Ok(motion)
    }

    /// For each point a good line, and two points around the image, under either report.
    fn parts(&self, points: &[u64], motion: &Motion) -> Vec<[Part; 2]> {
        let (later, lines) = (&self.sides.points, &self.sides.lines);
        let mut last = [(0, 0); 2];
        let mut part = |p: u64, report: usize| {
            let ([stay, change, after], (line, point)) = (motion[report], &mut last[report]);
            let y = (up(UNIT - p, stay.1), up(UNIT - p, change.1) + up(p, after.1));
            let value = |line: usize| wide(lines[line].0, y.0) + wide(lines[line].1, y.1);
            while *line + 1 < lines.len() && value(*line + 1) <= value(*line) {
                *line += 1;
            }
            let y = (down(UNIT - p, stay.0), down(UNIT - p, change.0) + down(p, after.0));
            let all = y.0 + y.1;
            let beyond = |point: usize| wide(later[point], all) > wide(UNIT, y.1);
            while *point > 0 && beyond(*point) {
                *point -= 1;
            }
            while *point + 2 < later.len() && !beyond(*point + 1) {
                *point += 1;
            }
            let (a, b) = (later[*point], later[*point + 1]);
            let right = wide(UNIT, y.1).saturating_sub(wide(all, a)) / u128::from(b - a);
            let right = right.min(all.into()) as u64;
            let left = (all - right).saturating_sub(1);
            // However they were found: together they must lie within the image.
            let within = |a: u64, b: u64, y: u64| wide(left, a) + wide(right, b) <= wide(UNIT, y);
            let fit = within(a, b, y.1) && within(UNIT - a, UNIT - b, y.0);
            Part { line: *line, point: *point, weights: if fit { [left, right] } else { [0; 2] } }
        };
        points.iter().map(|p| [part(*p, 0), part(*p, 1)]).collect()
    }

    /// The step that the horizon stands at, what it is made of, and its threshold.
    fn stepped(&self, points: &Rc<Vec<u64>>) -> Result<(Sides, Rc<Held>, [u64; 2]), Refusal> {
        let (m, bits, motion, before) = (self.model, self.bits, self.motion()?, &self.sides);
        let held = match &self.held {
            Some(held) if held.0 == motion && *points == before.points => held.clone(),
            _ => Rc::new((motion, self.parts(points, &motion))),
        };
        // What the base becomes, the same integer on both sides: the rest goes to the upper one.
        let Span { low, high } = self.horizon.discount();
        let base = floor(&(low * BigInt::from(before.base)), 0)?;
        let excess = small(ceil(&(high * BigInt::from(before.base)), 0)? - base)?;
        // Retaining.
        let gain = (small(floor(&m.gain, bits)?)?, small(ceil(&m.gain, bits)?)?);
        let (mut lines, mut values) = (Vec::new(), Vec::new());
        for (p, parts) in points.iter().zip(&held.1) {
            let (mut line, mut value) = ((excess, gain.1), down(gain.0, *p));
            for (part, [stay, change, after]) in parts.iter().zip(motion) {
                let (start, end) = before.lines[part.line];
                line.0 += up(start, stay.1) + up(end, change.1);
                line.1 += up(end, after.1);
                let two = before.values[part.point..].iter().zip(part.weights);
                value += two.map(|(value, weight)| down(*value, weight)).sum::<u64>();
            }
            lines.push((small(line.0.into())?, small(line.1.into())?));
            values.push(value);
        }
        // Remapping: a line, from below and from above.
        let start = match &m.regret {
            None => (
                floor(&m.test, bits)? + i128::from(values[0]),
                ceil(&m.test, bits)? + i128::from(lines[0].0),
            ),
            Some(regret) => {
                let cost = |cycles: &BigRational| &m.delay + regret * cycles;
                let Span { low, high } = &self.horizon.quiet;
                (floor(&cost(low), bits)? - base, ceil(&cost(high), bits)? - base)
            }
        };
        let below = (small(start.0)?, small(floor(&m.delay, bits)?)?);
        let above = (small(start.1)?, small(ceil(&m.delay, bits)?)?);
        let (never, pays) = (self.horizon.never, self.horizon.pays);
        let threshold = [
            if never { UNIT } else { lowest(&lines, below) },
            if pays { highest(points, &values, above) } else { UNIT },
        ];
        // The value at p = 0 becomes part of the base.
        let gone = values[0].min(below.0);
        for ((line, value), p) in lines.iter_mut().zip(&mut values).zip(points.iter()) {
            if at(above, *p) < at(*line, *p) {
                *line = above;
            }
            let remap = down(below.0, UNIT - p) + down(below.1, *p);
            *value = (*value).min(remap).saturating_sub(up(gone, UNIT - p));
            line.0 = line.0.checked_sub(gone).ok_or(Refusal::TooLarge)?;
        }
        let base = base + i128::from(gone);
        Ok((Sides { points: points.clone(), lines, values, base }, held, threshold))
    }

    /// Takes the next `steps` steps at once. They must be like the step before, and remapping must pay.
    ///
    /// One more step T on the same points shows T U <= U + k x_0 and T L >= L + k' x_0. T moves x_0 to
    /// l x_0, l = s(1-h), so j steps lead to at most U + k (1 + l + ... + l^(j-1)) x_0.
    fn rest(&mut self, steps: u64) -> Result<(), Refusal> {
        let n = self.next.ok_or(Refusal::Malformed)?;
        let first = (n + 1).checked_sub(steps).filter(|_| steps > 0).ok_or(Refusal::Malformed)?;
        if !self.horizon.stays(self.model, first, n) || self.model.regret.is_some() {
            return Err(Refusal::Unproved("the steps are not alike"));
        }
        let points = self.sides.points.clone();
        let (rise, fall) = drift(&self.sides, &self.stepped(&points)?.0)?;
        let (power, sum) = powers(&self.horizon.discount(), steps);
        let grown = if rise < fall { &sum.low } else { &sum.high } * BigInt::from(rise - fall);
        let apart = ceil(&grown, 0)? + 2;
        // So far apart, whatever both have in common, the two sides are at most in any of the steps.
        self.widen(apart.max(2))?;
        let (_, _, threshold) = self.stepped(&points)?;
        self.widen(apart.min(2) - 2)?;
        let fallen = if fall < 0 { &sum.high } else { &sum.low } * BigInt::from(fall);
        self.sides.base += floor(&fallen, 0)?;
        self.horizon.skip(steps, (&power, &sum));
        self.reach(first, threshold);
        Ok(())
    }

    fn widen(&mut self, more: i128) -> Result<(), Refusal> {
        for line in &mut self.sides.lines {
            line.0 = small(i128::from(line.0) + more)?;
        }
        Ok(())
    }

    /// What the steps have shown, once step 0 is done.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] if it is not.
    pub fn proof(&self) -> Result<Proof, Refusal> {
        if self.next.is_some() {
            return Err(Refusal::Malformed);
        }
        let (m, Horizon { cycles, quiet, .. }) = (self.model, &self.horizon);
        let value = |quiet: &BigRational, changed: BigRational, delays: u64| {
            let delays = over(self.sides.base + i128::from(delays), self.bits);
            quiet * &m.before + changed * &m.after + delays
        };
        let low = value(&quiet.low, &cycles.low - &quiet.high, self.sides.values[0]);
        let high = value(&quiet.high, &cycles.high - &quiet.low, self.sides.lines[0].0);
        let (low, high) = reals(&low, &high);
        let mut intervals = vec![("value".to_owned(), low, high)];
        let (mut end, mut widest, mut pi_0, mut never) =
            (m.last + 1, 0.0f64, (0.0, 0.0), m.last + 1);
        for (first, [low, high]) in &self.thresholds {
            pi_0 = reals(&over((*low).into(), WEIGHT), &over((*high).into(), WEIGHT));
            pi_0 = (pi_0.0.max(0.0), pi_0.1.min(1.0));
            widest = widest.max(pi_0.1 - pi_0.0);
            never = if *low == UNIT && end == never { *first } else { never };
            let last = if end - first > 1 { format!("..{}", end - 1) } else { String::new() };
            intervals.push((format!("pi_{first}{last}"), pi_0.0, pi_0.1));
            end = *first;
        }
        let lines = vec![
            format!("every threshold to within {widest:.2e}: pi_0 in [{}, {}]", pi_0.0, pi_0.1),
            format!("remapping never pays from step {never} on"),
            format!("the least expected completion time is in [{low}, {high}]"),
        ];
        Ok(Proof { lines, intervals })
    }
}

/// The value of a line at p, in units of 2^-62 of its own.
fn at(line: Line, p: u64) -> u128 {
    wide(line.0, UNIT - p) + wide(line.1, p)
}

/// `a - b`.
fn less(a: u64, b: u64) -> i128 {
    i128::from(a) - i128::from(b)
}

/// By how much one step raises the upper function at most, and the lower one at least, at p = 0.
fn drift(old: &Sides, new: &Sides) -> Result<(i128, i128), Refusal> {
    let (mut rise, mut fall) = (i128::MIN, i128::MAX);
    let remap = new.lines[new.lines.len() - 1];
    for (new, old) in new.lines.iter().zip(&old.lines) {
        // A line that has become steeper is mixed with remapping until it has not.
        let mixed = match (less(new.1, old.1), less(new.1, remap.1)) {
            (..=0, _) => 0,
            (_, ..=0) => return Err(Refusal::Unproved("the upper function changes its slope")),
            (more, most) if more <= most => more * less(remap.0, new.0).max(0) / most + 1,
            _ => return Err(Refusal::Unproved("the upper function changes its slope")),
        };
        rise = rise.max(less(new.0, old.0) + mixed);
    }
    for ((new, old), p) in new.values.iter().zip(&old.values).zip(old.points.iter()) {
        match UNIT - p {
            0 if new < old => return Err(Refusal::Unproved("the lower function falls")),
            0 => {}
            left => fall = fall.min((less(*new, *old) << WEIGHT).div_euclid(left.into())),
        }
    }
    Ok((rise + new.base - old.base, fall + new.base - old.base))
}

/// The largest p at which some line of retaining is not above remapping.
fn lowest(lines: &[Line], remap: Line) -> u64 {
    let mut best = 0;
    // The last lines reach furthest: few of the others come close.
    for line in lines.iter().rev() {
        match (less(remap.0, line.0), less(line.1, remap.1)) {
            (0.., ..=0) => return UNIT,
            (ahead @ 0.., behind) if at(*line, best) <= at(remap, best) => {
                best = ((ahead << WEIGHT) / (ahead + behind)) as u64;
            }
            _ => {}
        }
    }
    best
}

/// A p from which on remapping is not above retaining, whose values are known at these points.
fn highest(points: &[u64], values: &[u64], remap: Line) -> u64 {
    // Remapping less retaining, rounded up to a unit.
    let gap = |i: usize| {
        let retain = i128::from(values[i]) << WEIGHT;
        (at(remap, points[i]) as i128 - retain + i128::from(UNIT) - 1) >> WEIGHT
    };
    match (0..points.len()).rev().find(|i| gap(*i) > 0) {
        None => 0,
        Some(i) if i + 1 == points.len() => UNIT,
        Some(i) => {
            // The difference is convex.
            let share = less(points[i + 1], points[i]) * gap(i) / (gap(i) - gap(i + 1));
            (points[i] + share as u64 + 1).min(points[i + 1])
        }
    }
}
