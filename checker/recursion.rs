//! The phase-change recursion between lines above and values at nodes below.
//!
//! With x = (1-p, p) and times counted beyond e_F before the change and e_R after it, the value function
//! is homogeneous, concave and nonnegative. Above it stand lines; a line of step n is the cost of a step
//! plus two lines of step n+1, one for each report, whichever they are. Below it stand values at nodes:
//! that of a belief between two nodes is at least the mean of theirs. docs/certificates.md has the proof.

use crate::Refusal;
use crate::fixed::{Span, UNIT, WEIGHT, ceil, down, floor, up};
use crate::images::{Held, Later, Motion, Share};
use crate::phase_change::PhaseChange;
use crate::phase_model::{Horizon, PhaseChange as Problem, amplification};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Where to look: beliefs p as multiples of 2^-[`BITS`](Grid::BITS), ascending, without 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    /// A line above the value function is made for each.
    pub tangents: Vec<u64>,
    /// And a value below it for each; the last is p = 1.
    pub nodes: Vec<u64>,
}

/// A threshold in [low, high], as multiples of 2^-62, for the steps down from the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The first of the steps.
    pub first: u64,
    /// Not above the threshold.
    pub low: u64,
    /// Not below it.
    pub high: u64,
}

/// Both sides of the value function after some steps back from the end, in units of 2^-bits and less
/// `base` before the change.
#[derive(Clone)]
pub struct Recursion<'a> {
    pub(crate) model: &'a Problem,
    pub(crate) last: u64,
    pub(crate) horizon: Horizon<'a>,
    pub(crate) bits: u32,
    grid: Grid,
    /// Lines (at p = 0, at p = 1) above, tangent at p = 0 and the grid's; those beyond the threshold are
    /// replaced by remapping.
    pub(crate) lines: Vec<(u64, u64)>,
    /// Values below at p = 0 and the nodes.
    pub(crate) values: Vec<u64>,
    pub(crate) base: i128,
    /// Lines and parts of nodes chosen at the step before, if it was on the same grid as its own.
    held: Option<Held>,
    pub(crate) thresholds: Vec<Threshold>,
}

/// One step back.
struct Stepped {
    lines: Vec<(u64, u64)>,
    values: Vec<u64>,
    base: i128,
    low: u64,
    high: u64,
    held: Option<Held>,
}

fn unsigned(value: i128) -> Result<u64, Refusal> {
    u64::try_from(value.max(0)).ok().filter(|value| *value < UNIT).ok_or(Refusal::TooLarge)
}

impl Grid {
    /// Fraction bits of its beliefs.
    pub const BITS: u32 = 44;

    /// The same beliefs as multiples of 2^-62.
    fn refined(self) -> Result<Grid, Refusal> {
        let ascends = |list: &[u64]| {
            list.first().is_none_or(|p| *p > 0) && list.windows(2).all(|pair| pair[0] < pair[1])
        };
        let one = 1u64 << Self::BITS;
        let inside =
            self.tangents.last().is_none_or(|p| *p < one) && self.nodes.last() == Some(&one);
        if !(ascends(&self.tangents) && ascends(&self.nodes) && inside) {
            return Err(Refusal::Malformed);
        }
        let fine = |list: Vec<u64>| list.into_iter().map(|p| p << (WEIGHT - Self::BITS)).collect();
        Ok(Grid { tangents: fine(self.tangents), nodes: fine(self.nodes) })
    }
}

impl<'a> Recursion<'a> {
    /// Before any step: V = 0 after the last one.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] for times that need more than 61 bits.
    pub fn new(model: &'a PhaseChange) -> Result<Recursion<'a>, Refusal> {
        let (PhaseChange { problem, last }, nodes) = (model, vec![UNIT]);
        Ok(Recursion {
            model: problem,
            last: *last,
            horizon: Horizon::new(problem, *last),
            bits: problem.bits(*last)?,
            grid: Grid { tangents: Vec::new(), nodes },
            lines: vec![(0, 0)],
            values: vec![0, 0],
            base: 0,
            held: None,
            thresholds: Vec::new(),
        })
    }

    /// The step to do next; `None` when step 0 is done.
    pub fn next(&self) -> Option<u64> {
        self.horizon.next
    }

    /// The thresholds of the steps done, the last steps of the horizon first.
    pub fn thresholds(&self) -> &[Threshold] {
        &self.thresholds
    }

    /// How far apart the bounds on the threshold of the last step done are.
    pub fn width(&self) -> f64 {
        self.thresholds.last().map_or(0.0, |last| (last.high - last.low) as f64 / UNIT as f64)
    }

    fn push(&mut self, first: u64, low: u64, high: u64) {
        match self.thresholds.last_mut() {
            Some(last) if (last.low, last.high) == (low, high) => last.first = first,
            _ => self.thresholds.push(Threshold { first, low, high }),
        }
    }

    /// Does the next step on `grid`, or on that of the step before.
    pub fn step(&mut self, grid: Option<Grid>) -> Result<(), Refusal> {
        let n = self.horizon.next.ok_or(Refusal::Malformed)?;
        let grid = match grid {
            Some(grid) => grid.refined()?,
            None => self.grid.clone(),
        };
        self.horizon.step_back()?;
        let stepped = self.stepped(&grid, 0)?;
        self.push(n, stepped.low, stepped.high);
        (self.lines, self.values, self.base) = (stepped.lines, stepped.values, stepped.base);
        self.held = stepped.held;
        self.grid = grid;
        Ok(())
    }

    fn motion(&self) -> Result<Motion, Refusal> {
        let (s, h) = (&self.horizon.survival, &self.horizon.hazard);
        let (one, m) = (BigRational::one(), self.model);
        let quiet = &one - h;
        let mut motion = Motion { low: [[0; 3]; 2], high: [[0; 3]; 2] };
        let reports =
            [(m.false_alarm.clone(), &one - &m.missed), (&one - &m.false_alarm, m.missed.clone())];
        for (report, (no, yes)) in reports.iter().enumerate() {
            for (k, factor) in [no * &quiet, yes * h, yes.clone()].iter().enumerate() {
                let p = Span { low: &s.low * factor, high: &s.high * factor };
                (motion.low[report][k], motion.high[report][k]) = p.weights()?;
            }
        }
        Ok(motion)
    }

    /// The step that `horizon` stands at, on `grid`; the two sides may be `apart` further at p = 0 than
    /// they are, for the thresholds only.
    fn stepped(&self, grid: &Grid, apart: i128) -> Result<Stepped, Refusal> {
        let (model, bits, motion) = (self.model, self.bits, self.motion()?);
        if !model.gain.is_positive() {
            // Every delay is at least 0 and buys nothing.
            return Ok(Stepped {
                lines: vec![(0, 0)],
                values: vec![0, 0],
                base: 0,
                low: UNIT,
                high: UNIT,
                held: None,
            });
        }
        let gain = (unsigned(floor(&model.gain, bits)?)?, unsigned(ceil(&model.gain, bits)?)?);
        let held = match &self.held {
            Some(held)
                if *grid == self.grid
                    && held.motion == motion
                    && held.lines == self.lines.len() =>
            {
                held.clone()
            }
            _ => Later { lines: &self.lines, grid: &self.grid }.choose(grid, motion)?,
        };
        let (lines, mut values) = rayon::join(
            || self.retain_lines(&held, gain.1),
            || self.retain_values(grid, &held, gain.0),
        );
        let mut lines = lines?;
        // What the old base has become, the same integer on both sides: the rest goes to the upper one.
        let kept = self.horizon.quiet_survival();
        let exact = |factor: &BigRational| factor * BigRational::from(BigInt::from(self.base));
        let base = floor(&exact(&kept.low), 0)?;
        let excess = ceil(&exact(&kept.high), 0)? - base;
        for line in &mut lines {
            line.0 = unsigned(i128::from(line.0) + excess)?;
        }
        // Remapping: a line, from below and from above.
        let delay = &model.test + &model.install;
        let end = (unsigned(floor(&delay, bits)?)?, unsigned(ceil(&delay, bits)?)?);
        let start = match &model.regret {
            None => (
                floor(&model.test, bits)? + i128::from(values[0]) - apart,
                ceil(&model.test, bits)? + i128::from(lines[0].0),
            ),
            Some(regret) => {
                let quiet = &self.horizon.quiet;
                let cost = |cycles: &BigRational| &delay + regret * cycles;
                (floor(&cost(&quiet.low), bits)? - base, ceil(&cost(&quiet.high), bits)? - base)
            }
        };
        let pays = self.horizon.pays;
        let low = match pays {
            Some(false) => UNIT,
            _ => lowest(&lines, (start.0, end.0)),
        };
        let high = match pays {
            Some(true) => highest(grid, &values, (start.1 + apart, end.1)),
            _ => UNIT,
        };
        if pays != Some(false) {
            let remap = (unsigned(start.1)?, end.1);
            let tangents = std::iter::once(0).chain(grid.tangents.iter().copied());
            let better = |(line, p): (&(u64, u64), u64)| at(*line, p) < at(remap, p);
            let kept = lines.iter().zip(tangents).take_while(|&pair| better(pair)).count();
            lines.truncate(kept.max(1));
            if kept == 0 {
                lines[0] = remap;
            } else {
                lines.push(remap);
            }
            for (value, p) in values.iter_mut().zip(std::iter::once(&0).chain(&grid.nodes)) {
                let remap = below(start.0, UNIT - p)? + down(end.0, *p);
                *value = (*value).min(remap);
            }
        }
        // The value at p = 0 becomes part of the base.
        let gone = values[0];
        for line in &mut lines {
            line.0 = line.0.checked_sub(gone).ok_or(Refusal::TooLarge)?;
        }
        for (value, p) in values.iter_mut().zip(std::iter::once(&0).chain(&grid.nodes)) {
            *value = value.saturating_sub(up(gone, UNIT - p));
        }
        let held = (*grid == self.grid).then_some(held);
        Ok(Stepped { lines, values, base: base + i128::from(gone), low, high, held })
    }

    /// Retaining, seen from above.
    fn retain_lines(&self, held: &Held, gain: u64) -> Result<Vec<(u64, u64)>, Refusal> {
        let line = |tags: &[u32; 2]| {
            let mut sum = (0, gain);
            for (tag, [stay, change, after]) in tags.iter().zip(held.motion.high) {
                let line = self.lines[*tag as usize];
                sum.0 += up(line.0, stay) + up(line.1, change);
                sum.1 += up(line.1, after);
            }
            if sum.0 < UNIT && sum.1 < UNIT { Ok(sum) } else { Err(Refusal::TooLarge) }
        };
        held.tags.iter().map(line).collect()
    }

    /// Retaining, seen from below, at p = 0 and the nodes.
    fn retain_values(&self, grid: &Grid, held: &Held, gain: u64) -> Vec<u64> {
        let value = |(shares, p): (&[Share; 2], &u64)| {
            let part = |&(i, left, right): &Share| {
                down(self.values[i as usize], left) + down(self.values[i as usize + 1], right)
            };
            down(gain, *p) + shares.iter().map(part).sum::<u64>()
        };
        held.shares.iter().zip(std::iter::once(&0).chain(&grid.nodes)).map(value).collect()
    }

    /// Takes the next `steps` steps at once. They must be like the step before, and remapping must pay.
    ///
    /// One more step T on the same grid shows T U <= U + k and T L >= L + k' (k, k' before the change).
    /// T moves constants by l = s(1-h), so j steps lead to at most U + k (1 + l + ... + l^(j-1)).
    pub fn rest(&mut self, steps: u64) -> Result<(), Refusal> {
        let stays = self.horizon.stays(steps);
        if !stays || self.model.regret.is_some() {
            return Err(Refusal::Unproved("the steps are not alike".to_owned()));
        }
        let first =
            self.horizon.next.and_then(|n| (n + 1).checked_sub(steps)).ok_or(Refusal::Malformed)?;
        let one = self.stepped(&self.grid, 0)?;
        let (rise, fall) = self.drift(&one)?;
        let quiet = self.horizon.quiet_survival().high;
        let before = amplification(&quiet, steps - 1);
        let spread = BigRational::from(BigInt::from(rise - fall)) * &before.high;
        let apart = ceil(&spread, 0)? + 1;
        let stepped = self.stepped(&self.grid, apart)?;
        let all = amplification(&quiet, steps);
        let times = |k: i128, end: &BigRational| BigRational::from(BigInt::from(k)) * end;
        let low = floor(&times(fall, if fall < 0 { &all.high } else { &all.low }), 0)?;
        let high = ceil(&times(rise, if rise < 0 { &all.low } else { &all.high }), 0)?;
        for line in &mut self.lines {
            line.0 = unsigned(i128::from(line.0) + high - low)?;
        }
        self.base += low;
        self.push(first, stepped.low, stepped.high);
        self.horizon.skip(steps)
    }

    /// By how much one step raises the upper function at most, and the lower one at least, at p = 0.
    fn drift(&self, one: &Stepped) -> Result<(i128, i128), Refusal> {
        let moved = one.base - self.base;
        let (Some(remap), true) = (one.lines.last(), one.lines.len() == self.lines.len()) else {
            return Err(Refusal::Unproved("the upper function changes its shape".to_owned()));
        };
        let mut rise = i128::MIN;
        for (new, old) in one.lines.iter().zip(&self.lines) {
            let mut k = i128::from(new.0) - i128::from(old.0);
            // A line that has become steeper is mixed with remapping until it has not.
            if new.1 > old.1 {
                if new.1 <= remap.1 || old.1 < remap.1 {
                    return Err(Refusal::Unproved(
                        "the upper function changes its slope".to_owned(),
                    ));
                }
                let height = i128::from(remap.0) - i128::from(new.0);
                k += (i128::from(new.1 - old.1) * height.max(0)) / i128::from(new.1 - remap.1) + 1;
            }
            rise = rise.max(k);
        }
        let mut fall = i128::MAX;
        for ((new, old), p) in
            one.values.iter().zip(&self.values).zip(std::iter::once(&0).chain(&self.grid.nodes))
        {
            let change = (i128::from(*new) - i128::from(*old)) << WEIGHT;
            match UNIT - p {
                0 if change < 0 => {
                    return Err(Refusal::Unproved("the lower function falls".to_owned()));
                }
                0 => {}
                left => fall = fall.min(change.div_euclid(i128::from(left))),
            }
        }
        Ok((rise + moved, fall + moved))
    }
}

/// The value of a line at p, in units of 2^-62 of its own.
fn at(line: (u64, u64), p: u64) -> u128 {
    u128::from(line.0) * u128::from(UNIT - p) + u128::from(line.1) * u128::from(p)
}

/// A product of a value of either sign, rounded down, that is known to be at least 0.
fn below(value: i128, weight: u64) -> Result<u64, Refusal> {
    Ok(down(unsigned(value)?, weight))
}

/// The largest p at which some line of retaining is not above remapping.
fn lowest(lines: &[(u64, u64)], (start, end): (i128, u64)) -> u64 {
    // (start - line.0) (1-p) >= (line.1 - end) p, the best odds as a fraction.
    let mut best = (0i128, 1i128);
    for line in lines {
        let (ahead, steep) = (start - i128::from(line.0), i128::from(line.1) - i128::from(end));
        if ahead < 0 {
            continue;
        }
        if steep <= 0 {
            return UNIT;
        }
        if ahead.saturating_mul(best.1) > best.0.saturating_mul(steep) {
            best = (ahead, steep);
        }
    }
    let odds = BigRational::new(BigInt::from(best.0), BigInt::from(best.1));
    let p = &odds / (&odds + BigRational::one());
    floor(&p, WEIGHT).map_or(0, |p| p as u64)
}

/// A p from which on remapping is not above the values of retaining.
fn highest(grid: &Grid, values: &[u64], (start, end): (i128, u64)) -> u64 {
    let gap = |(value, p): (&u64, &u64)| {
        // Remapping less retaining, in units of 2^-62.
        let remap = start * i128::from(UNIT - p) + i128::from(end) * i128::from(*p);
        (*p, remap - (i128::from(*value) << WEIGHT))
    };
    let mut before = (UNIT, 0);
    // From p = 1 down, as long as remapping is the better one.
    for pair in values.iter().rev().zip(grid.nodes.iter().rev().chain([&0])) {
        let (p, gap) = gap(pair);
        if gap > 0 {
            if before.0 == p {
                return UNIT;
            }
            let (width, fall) =
                (BigInt::from(before.0 - p), BigInt::from(gap) - BigInt::from(before.1));
            let share = if before.1 == 0 && gap == 0 { BigInt::zero() } else { width * gap / fall };
            return (p + share.to_u64().unwrap_or(UNIT - p) + 1).min(before.0);
        }
        before = (p, gap);
    }
    0
}
