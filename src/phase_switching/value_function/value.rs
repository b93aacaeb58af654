//! Bounds on the least expected time under the first mapping, as a function of the belief.
//!
//! V_1 = min(Q_1, c + Q_2) = Q_1 - (D - c)^+, so the recursion needs only the gains G = (D - c)^+:
//!
//! ```text
//! V = e_1 - G + s P V(next)
//! ```
//!
//! The width aimed at is divided among the steps as a budget for reductions and for the uncertainty
//! of G. O(pieces x levels) a step.

use super::relative::{Relative, spent};
use crate::phase_change::amplification;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::operator::Line;
use crate::phase_switching::difference::recursion::{Chances, Recursion};
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::shifted::{Change, Shifted};
use crate::phase_switching::problem::PhaseSwitching;
use crate::rounding::{DoubleDouble, SLACK, nearest, outward};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// Bounds on V as a function of the belief.
pub(crate) struct Value {
    bounds: Change,
    /// Mean time of a cycle under the first mapping.
    pub(crate) running: Line,
    pub(crate) initial: f64,
    /// The relative width aimed at.
    aim: f64,
    /// Mean number of cycles of the whole program, and from the current step on.
    cycles: f64,
    left: f64,
    /// Approximate mean time of a cycle, once it is known.
    mean: Option<f64>,
    shares: Shares,
    /// Bound on the distance of the two functions, assuming full use of the budgets since the last
    /// measurement; and the part of it due to the gains.
    apart: f64,
    free: f64,
    /// Measured widening due to the gains, as a multiple of its budget.
    blurred: f64,
    steps: u64,
    /// Bounds on the value at the initial belief that are closer than those of the functions.
    closer: Option<(f64, f64)>,
}

/// Budget of a step for the uncertainty of the gains, as a fraction of its share of the width aimed
/// at.
pub(crate) const GAINS: f64 = 0.28;

/// How the width aimed at is divided among steps that are computed one by one.
struct Shares {
    /// Reduction of either function, as a fraction of the share of a step.
    merge: f64,
    /// Additional budget of the first backward steps, as a fraction of the whole width; the gains
    /// get the same once more.
    head: f64,
    /// Number of steps that use half of the additional budget.
    steps: f64,
}

/// Most that the first steps may use, as a fraction of a mean cycle, whose length is not yet known.
const SMALL: f64 = 1e-2;

/// The division if most steps are distinct; and if the steps converge, since stationary steps cost
/// little.
const ONE_BY_ONE: Shares = Shares { merge: 0.25, head: 0.1, steps: 400.0 };
const COMING_TO_REST: Shares = Shares { merge: 0.05, head: 0.35, steps: 200.0 };

/// Budget for reducing the change of a stationary step: a fraction of the unused width, and its
/// least value as a fraction of a step's share.
const DRIFT: f64 = 0.35;
const LEAST: f64 = 0.05;

/// Budget for reducing the contribution of later steps, as a fraction of the whole width.
const LEGACY: f64 = 0.02;

/// Steps between two measurements of the distance.
const LOOK: u64 = 4;

/// Steps within which the width must decrease by `PROGRESS`; otherwise the value is accepted.
const MOST_STEPS_IN_VAIN: u64 = 64;
const PROGRESS: f64 = 0.01;

/// Fraction of the width aimed at at which the remaining steps are summed at once.
pub(crate) const CLOSE: f64 = 0.98;

impl Value {
    /// `cycles` is the mean number of cycles; `rests` says whether most steps are alike.
    pub(crate) fn new(problem: &PhaseSwitching, aim: f64, cycles: f64, rests: bool) -> Value {
        let nothing = Polyline::constant(0.0);
        Value {
            bounds: Change::of(nothing.clone(), nothing),
            running: [nearest(&problem.cycle[0][0]), nearest(&problem.cycle[1][0])],
            initial: nearest(&problem.initial),
            aim,
            cycles,
            left: 0.0,
            mean: None,
            shares: if rests { COMING_TO_REST } else { ONE_BY_ONE },
            apart: 0.0,
            free: 0.0,
            blurred: 0.0,
            steps: 0,
            closer: None,
        }
    }

    /// The share of a step: by how much it may move the functions apart.
    pub(crate) fn allowance(&self) -> f64 {
        let size = |side: &Shifted| {
            let offset = side.offset.value();
            side.shape.value.iter().fold(0.0f64, |most, value| most.max((value + offset).abs()))
        };
        let mean = if self.left > 0.0 { size(&self.bounds.upper) / self.left } else { 0.0 };
        let mean = self.mean.unwrap_or(mean);
        self.aim * mean.max(1.0 / self.cycles)
    }

    /// One step back. Returns the recent widening due to the `gains`, as a multiple of its budget.
    pub(crate) fn step(&mut self, recursion: &Recursion, gains: &Pair, chances: Chances) -> f64 {
        let Shares { merge, head, steps } = self.shares;
        let head = head * (self.cycles + steps) * steps / (steps + self.left).powi(2);
        let head = head.min(SMALL / self.aim);
        let allowance = self.allowance();
        // Before the last step the size of the value is unknown; its functions are lines minus the
        // gains.
        let merge = if self.left > 0.0 { (merge + 0.5 * head) * allowance } else { 0.0 };
        self.bounds.step(recursion, chances, merge, self.running, Some(gains));
        self.left = 1.0 + chances.survival * self.left;
        self.closer = None;
        self.steps += 1;
        self.apart *= chances.survival;
        self.apart += 2.0 * merge + (GAINS + head) * allowance;
        self.free += (GAINS + head) * allowance;
        if self.steps.is_multiple_of(LOOK) || self.steps < LOOK {
            let gap = self.apart();
            self.blurred = 1.0 + (gap - self.apart) / self.free;
            (self.apart, self.free) = (gap, 0.0);
        }
        self.blurred
    }

    /// Takes `steps` further steps with the same gains.
    ///
    /// Let T be the step and h any function. T is monotone and affine:
    ///
    /// ```text
    /// T^k V = h + sum over j < k of (s P)^j (T h - h) + (s P)^k (V - h)
    /// ```
    ///
    /// With h an approximate relative value the sum is small, and the last term is needed only
    /// once. P maps a linear function to its value at the mean belief. As soon as both terms are
    /// nearly linear the remaining steps are summed in closed form.
    pub(crate) fn repeat(
        &mut self,
        recursion: &Recursion,
        gains: &Pair,
        chances: Chances,
        steps: u64,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt> {
        let allowance = self.allowance();
        let rest = Relative::of(recursion, self.running, gains, chances, allowance, observer);
        let (base, mut change) = (rest.value, rest.change);
        let mut legacy = Change {
            upper: self.bounds.upper.less::<true>(&base),
            lower: self.bounds.lower.less::<false>(&base),
        };
        let ahead = Ahead::new(recursion, chances, steps);
        let free = (allowance * self.cycles - ahead.last[0] * self.apart) / ahead.all;
        let drift = (DRIFT * (free - GAINS * allowance)).max(LEAST * allowance);
        let budgets = [drift, LEGACY * allowance * self.cycles];
        let (mut rise, mut fall) = (Total::default(), Total::default());
        let initial = self.initial;
        let start = [base.at(initial), base.size()];
        let at = |line: Line| line[0] + initial * (line[1] - line[0]);
        let mut looked = f64::INFINITY;
        let mut settled = None;
        for done in 0..steps {
            observer.progress(done, steps)?;
            let ahead = Ahead::new(recursion, chances, steps - done);
            let ([up, down], [above, below]) = (change.lines(), legacy.lines());
            let (all_up, all_down) = (ahead.sum::<true>(up), ahead.sum::<false>(down));
            let (above, below) = (ahead.last::<true>(above), ahead.last::<false>(below));
            let low = all::<false>(start, [at(below), fall.initial.value(), at(all_down)]);
            let high = all::<true>(start, [at(above), rise.initial.value(), at(all_up)]);
            let due = done % MOST_STEPS_IN_VAIN == MOST_STEPS_IN_VAIN - 1;
            let idle = due && high - low > looked * (1.0 - PROGRESS);
            if due {
                looked = high - low;
            }
            if high - low <= CLOSE * self.aim * low.abs().max(1.0) || idle {
                rise.add(all_up, 0.0);
                fall.add(all_down, 0.0);
                legacy = Change::of(Polyline::line(above), Polyline::line(below));
                self.left += ahead.all;
                settled = Some((low, high));
                break;
            }
            rise.add(up, change.upper.value::<true>(initial));
            fall.add(down, change.lower.value::<false>(initial));
            let merges = budgets.map(|budget| budget * spent(done));
            change.step(recursion, chances, merges[0], [0.0; 2], None);
            legacy.step(recursion, chances, merges[1], [0.0; 2], None);
            self.left = 1.0 + chances.survival * self.left;
        }
        self.closer = Some(settled.unwrap_or_else(|| {
            let below = legacy.lower.value::<false>(initial);
            let above = legacy.upper.value::<true>(initial);
            let low = all::<false>(start, [below, fall.initial.value(), 0.0]);
            (low, all::<true>(start, [above, rise.initial.value(), 0.0]))
        }));
        self.bounds.upper = legacy.upper.over::<true>(&base);
        self.bounds.lower = legacy.lower.over::<false>(&base);
        self.bounds.upper.raise::<true>(rise.line);
        self.bounds.lower.raise::<false>(fall.line);
        self.apart = self.apart();
        ControlFlow::Continue(())
    }

    /// Sets the approximate cost of the whole program.
    pub(crate) fn costs(&mut self, roughly: f64) {
        self.mean = Some(roughly.abs() / self.cycles);
    }

    pub(crate) fn nodes(&self) -> usize {
        self.bounds.upper.shape.nodes().max(self.bounds.lower.shape.nodes())
    }

    /// Bound on the distance of the functions.
    pub(crate) fn apart(&self) -> f64 {
        self.bounds.upper.shape.less::<true>(&self.bounds.lower.shape).most()
            + self.bounds.upper.offset.minus(self.bounds.lower.offset)
    }

    /// Bounds on the value at the initial belief.
    pub(crate) fn bounds(&self) -> (f64, f64) {
        let initial = self.initial;
        let whole = || {
            (self.bounds.lower.value::<false>(initial), self.bounds.upper.value::<true>(initial))
        };
        self.closer.unwrap_or_else(whole)
    }
}

/// Sum over stationary steps: of linear bounds, and of the number at the initial belief.
#[derive(Default)]
struct Total {
    line: [DoubleDouble; 2],
    initial: DoubleDouble,
}

impl Total {
    fn add(&mut self, line: Line, initial: f64) {
        self.line = [self.line[0].plus(line[0]), self.line[1].plus(line[1])];
        self.initial = self.initial.plus(initial);
    }
}

/// The sum of a function's value, given with its size, and of three terms, rounded up (`UPPER`) or
/// down.
fn all<const UPPER: bool>([start, size]: [f64; 2], parts: [f64; 3]) -> f64 {
    let sum = start + parts.iter().sum::<f64>();
    outward::<UPPER>(sum, 8.0 * (size + parts.map(f64::abs).iter().sum::<f64>()))
}

/// The sum of (s P)^j over a number of steps, applied to linear functions.
pub(crate) struct Ahead {
    /// Sums of s^i and of (s (1-a-b))^i, i < steps; the latter multiplies the distance from the
    /// share.
    all: f64,
    fading: f64,
    /// s^steps and (s (1-a-b))^steps.
    last: [f64; 2],
    share: f64,
}

/// Bound on the relative rounding error of a power.
const POWER: f64 = 1e-12;

impl Ahead {
    pub(crate) fn new(recursion: &Recursion, chances: Chances, steps: u64) -> Ahead {
        let Chances { survival, failure } = chances;
        let memory = 1.0 - recursion.filter.changes();
        let lost = (failure + survival * recursion.filter.changes()).min(1.0);
        let power = |lost: f64| (steps as f64 * (-lost).ln_1p()).exp();
        Ahead {
            all: amplification(failure, steps),
            fading: if memory > 0.0 { amplification(lost, steps) } else { 1.0 },
            last: [power(failure), if memory > 0.0 { power(lost) } else { 0.0 }],
            share: recursion.filter.share(),
        }
    }

    /// The sum of (s P)^i `line`, i < steps, rounded up or down.
    pub(crate) fn sum<const UPPER: bool>(&self, line: Line) -> Line {
        self.combined::<UPPER>(line, [self.all, self.fading], 16.0 * SLACK)
    }

    /// (s P)^steps `line`, rounded up or down.
    fn last<const UPPER: bool>(&self, line: Line) -> Line {
        let blur = if self.last[0] == 1.0 { 16.0 * SLACK } else { POWER };
        self.combined::<UPPER>(line, self.last, blur)
    }

    fn combined<const UPPER: bool>(&self, line: Line, [all, fading]: [f64; 2], blur: f64) -> Line {
        let tilt = line[1] - line[0];
        let middle = line[0] + tilt * self.share;
        let loss = blur * all * (line[0].abs() + line[1].abs()) + POWER * fading * tilt.abs();
        let loss = if UPPER { loss } else { -loss };
        let at = |p: f64| middle * all + tilt * (p - self.share) * fading + loss;
        [at(0.0), at(1.0)]
    }
}
