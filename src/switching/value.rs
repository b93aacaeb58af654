//! The least expected time under the first mapping, as a function of the belief, between bounds.
//!
//! V = min(Q_1, c + Q_2) = Q_1 - (D - c)^+, so that it takes the difference D and one more function.

use super::operator::Line;
use super::polyline::Polyline;
use super::problem::PhaseSwitching;
use super::recursion::{Pair, Recursion};
use crate::lifetime::Lifetime;
use crate::rounding::{DoubleDouble, SLACK, nearest, outward};
use crate::threshold::amplification;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// A function and the constant taken out of it.
#[derive(Debug, Clone)]
struct Shifted {
    shape: Polyline,
    offset: DoubleDouble,
}

/// The chances that another cycle follows, and that none does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chances {
    pub(super) survival: f64,
    pub(super) failure: f64,
}

impl Chances {
    /// After cycle `n`.
    pub(super) fn at(lifetime: &Lifetime, n: u64) -> Chances {
        Chances { survival: lifetime.continuation(n), failure: lifetime.failure_rate(n) }
    }
}

/// Bounds on V as a function of the belief.
pub(super) struct Value {
    upper: Shifted,
    lower: Shifted,
    /// Mean time of a cycle under the first mapping.
    running: Line,
    initial: f64,
    /// The relative width aimed at.
    aim: f64,
    /// Mean number of cycles of the whole program, and of those from the current step on.
    cycles: f64,
    left: f64,
    /// How far the two functions are apart at most.
    gap: f64,
}

/// What a step may add to the distance of the two functions, as a fraction of the mean time of a cycle
/// times the width aimed at: by reducing either, and by what is not known of the gains.
const MERGE: f64 = 0.1;
const GAINS: f64 = 0.4;

/// Steps without progress after which a value is taken as it is.
const PATIENCE: u64 = 64;
const PROGRESS: f64 = 0.01;

impl Value {
    /// `cycles` is the mean number of cycles.
    pub(super) fn new(problem: &PhaseSwitching, aim: f64, cycles: f64) -> Value {
        let nothing = Shifted { shape: Polyline::constant(0.0), offset: DoubleDouble::default() };
        Value {
            upper: nothing.clone(),
            lower: nothing,
            running: [nearest(&problem.cycle[0][0]), nearest(&problem.cycle[1][0])],
            initial: nearest(&problem.initial),
            aim,
            cycles,
            left: 0.0,
            gap: 0.0,
        }
    }

    /// By how much a step may move the functions apart: its share of the width aimed at.
    pub(super) fn allowance(&self) -> f64 {
        let size = |side: &Shifted| {
            let offset = side.offset.value();
            side.shape.value.iter().fold(0.0f64, |most, value| most.max((value + offset).abs()))
        };
        let mean = if self.left > 0.0 { size(&self.upper) / self.left } else { 0.0 };
        self.aim * mean.max(1.0 / self.cycles)
    }

    /// One step back. Returns by how much what is not known of the `gains` has moved the functions apart,
    /// as a multiple of what it may.
    pub(super) fn step(&mut self, recursion: &Recursion, gains: &Pair, chances: Chances) -> f64 {
        // Nothing is known of the size before the last step, whose functions are lines less the gains.
        let merge = if self.left > 0.0 { MERGE * self.allowance() } else { 0.0 };
        let before = chances.survival * self.gap;
        self.advance(recursion, gains, chances, merge);
        self.left = 1.0 + chances.survival * self.left;
        self.gap = self.apart();
        (self.gap - before - 2.0 * merge) / (GAINS * self.allowance())
    }

    fn advance(&mut self, recursion: &Recursion, gains: &Pair, chances: Chances, merge: f64) {
        let survival = chances.survival;
        let (line, filter, most) = (self.running, &recursion.filter, recursion.most_nodes);
        let (old_upper, old_lower) = (&self.upper.shape, &self.lower.shape);
        let new = Pair::of(
            old_upper.nodes() + gains.nodes(),
            || {
                let back = filter.back::<true>(old_upper, survival, line, &gains.lower.at);
                less(back, &gains.lower).reduced_to::<true>(merge, most)
            },
            || {
                let back = filter.back::<false>(old_lower, survival, line, &gains.upper.at);
                less(back, &gains.upper).reduced_to::<false>(merge, most)
            },
        );
        self.upper.settle::<true>(new.upper, chances.failure);
        self.lower.settle::<false>(new.lower, chances.failure);
    }

    /// `steps` further steps with the same gains. Once a step changes the functions by nearly a linear
    /// function of the belief, all steps left are settled at once: the operator is monotone, it adds
    /// `survival` times P l where l was added, and P takes l to l of the mean belief.
    pub(super) fn repeat(
        &mut self,
        recursion: &Recursion,
        gains: &Pair,
        chances: Chances,
        steps: u64,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt> {
        let mut looked = f64::INFINITY;
        for done in 0..steps {
            observer.progress(done, steps)?;
            let (upper, lower) = (self.upper.clone(), self.lower.clone());
            self.step(recursion, gains, chances);
            let ahead = Ahead::new(recursion, chances, steps - done - 1);
            let rise = ahead.sum::<true>(self.upper.change::<true>(&upper));
            let fall = ahead.sum::<false>(self.lower.change::<false>(&lower));
            let (least, most) = self.bounds();
            let at = |line: Line| line[0] + self.initial * (line[1] - line[0]);
            let wide = (most - least) + (at(rise) - at(fall));
            let size = (least + at(fall)).abs().max(1.0);
            let due = done % PATIENCE == PATIENCE - 1;
            let idle = due && wide > looked * (1.0 - PROGRESS);
            if due {
                looked = wide;
            }
            if wide <= 0.5 * self.aim * size || idle {
                self.upper.raise(rise);
                self.lower.raise(fall);
                self.left += ahead.all;
                self.gap = self.apart();
                break;
            }
        }
        ControlFlow::Continue(())
    }

    pub(super) fn nodes(&self) -> usize {
        self.upper.shape.nodes().max(self.lower.shape.nodes())
    }

    fn apart(&self) -> f64 {
        self.upper.shape.above(&self.lower.shape) + self.upper.offset.minus(self.lower.offset)
    }

    /// Bounds on the value at the initial belief.
    pub(super) fn bounds(&self) -> (f64, f64) {
        let at = |side: &Shifted| (side.shape.at(self.initial), side.offset.value());
        let ((lower, low), (upper, high)) = (at(&self.lower), at(&self.upper));
        let margin = |shape: f64, offset: f64| 8.0 * SLACK * (shape.abs() + offset.abs());
        (low + lower - margin(lower, low), high + upper + margin(upper, high))
    }
}

/// `from` less `gain`, whose nodes it has.
fn less(mut from: Polyline, gain: &Polyline) -> Polyline {
    let mut piece = 0;
    for (at, value) in from.at.iter().zip(&mut from.value) {
        *value -= gain.at_from(&mut piece, *at);
    }
    from
}

/// What a linear function adds up to over a number of steps, less and less of the program being left.
struct Ahead {
    /// Sum of s^i, i = 1..=steps, and of (s (1-a-b))^i: what is left of a distance from the share.
    all: f64,
    fading: f64,
    share: f64,
}

impl Ahead {
    fn new(recursion: &Recursion, chances: Chances, steps: u64) -> Ahead {
        let Chances { survival, failure } = chances;
        let changes = recursion.filter.changes();
        let memory = (1.0 - changes).max(0.0);
        let fading = survival * memory * amplification(failure + survival * changes, steps);
        let all = survival * amplification(failure, steps);
        Ahead { all, fading, share: recursion.filter.share() }
    }

    /// The sum for the linear function `line`, rounded up or down.
    fn sum<const UPPER: bool>(&self, line: Line) -> Line {
        let tilt = line[1] - line[0];
        let middle = line[0] + tilt * self.share;
        let loss = 16.0 * SLACK * self.all * (line[0].abs() + line[1].abs());
        let loss = if UPPER { loss } else { -loss };
        let at = |p: f64| middle * self.all + tilt * (p - self.share) * self.fading + loss;
        [at(0.0), at(1.0)]
    }
}

impl Shifted {
    /// Takes in a new shape, made of the old one without its constant.
    fn settle<const UPPER: bool>(&mut self, mut shape: Polyline, failure: f64) {
        let start = shape.value[0];
        shape.value.iter_mut().for_each(|value| *value -= start);
        let offset = self.offset.value();
        let lost = outward::<UPPER>(-failure * offset, failure * offset);
        self.offset = self.offset.plus(start).plus(lost);
        self.shape = shape;
    }

    /// Adds a linear function.
    fn raise(&mut self, line: Line) {
        let tilt = line[1] - line[0];
        self.shape.at.iter().zip(&mut self.shape.value).for_each(|(at, value)| *value += at * tilt);
        self.offset = self.offset.plus(line[0]);
    }

    /// A linear function by which this function lies above the other at most (`UPPER`), or at least.
    fn change<const UPPER: bool>(&self, other: &Shifted) -> Line {
        let (ends, others) = (self.shape.ends(), other.shape.ends());
        let chord = [ends[0] - others[0], ends[1] - others[1]];
        let mut beyond = 0.0f64;
        for nodes in [&self.shape.at, &other.shape.at] {
            let (mut own, mut old) = (0, 0);
            for at in nodes {
                let value = self.shape.at_from(&mut own, *at);
                let reference = other.shape.at_from(&mut old, *at);
                let straight = chord[0] + at * (chord[1] - chord[0]);
                let over = value - reference - straight;
                let blur = 4.0 * SLACK * (value.abs() + reference.abs() + straight.abs());
                beyond = beyond.max(if UPPER { over } else { -over } + blur);
            }
        }
        let offset = self.offset.minus(other.offset);
        let offset = offset + if UPPER { beyond } else { -beyond };
        chord.map(|end| end + offset)
    }
}
