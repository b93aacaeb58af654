//! Evaluates a policy of two thresholds on recurring phases, with certified bounds, for any belief
//! update the policy uses.
//!
//! Policy evaluation by backward induction. Given the true phase z, the cost to go under mapping m
//! is a piecewise constant function of the odds o that the policy holds, as in
//! [`crate::phase_change::evaluation`]:
//!
//! ```text
//! J_m(z, o) = cycle[z][m] + s sum over y, r of P(y | z) P(r | y) J_m(y, o_r)     (no switch)
//! ```
//!
//! A step back maps breakpoints through the policy's own filter and weighs the pieces with the true
//! probabilities. Both mappings are treated alike: the odds are those of the *other* phase, and the
//! policy switches where they exceed a threshold. O(pieces x levels) a step.

use super::problem::{PhaseSwitching, SwitchingError};
use crate::belief::policy::{Costs, Cycle, Joined, Map, Pieces, Spent, odds, widened};
use crate::lifetime::Lifetime;
use crate::rounding::{SLACK, nearest};
use crate::{Bounds, Observer, Rational};
use std::ops::ControlFlow;

pub use crate::belief::Fineness;

/// How a policy updates its belief. The initial belief is that of the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beliefs {
    /// Bayes' rule with the rates of the problem.
    Bayes,
    /// After a switch the policy assumes that the new phase is on for certain and ends only once
    /// [NR86, sec. X].
    Rebased,
    /// Bayes' rule from the latest observation alone, with equal prior probabilities of both
    /// phases.
    LastReport,
}

/// A policy that switches as soon as its belief passes the threshold of the step.
#[derive(Debug, Clone, Copy)]
pub struct TwoThresholds<'a> {
    /// The belief update.
    pub beliefs: Beliefs,
    /// Beliefs in the second phase: under the first mapping the policy switches above the first
    /// threshold, under the second mapping below the second. One pair for each n = 0..=M, or one
    /// pair for all steps.
    pub thresholds: &'a [[f64; 2]],
}

/// Why a policy cannot be evaluated.
pub type EvaluationError = crate::belief::EvaluationError<SwitchingError>;

/// Bounds on the expected time of `policy` from step 0. A belief within rounding of a threshold may
/// fall on either side of it. O(M x pieces x levels).
///
/// # Errors
/// If the problem is out of range, thresholds are missing, a switch is impossible, or it takes too
/// long.
pub fn evaluate(
    problem: &PhaseSwitching,
    lifetime: &Lifetime,
    policy: TwoThresholds<'_>,
    fineness: Fineness,
    observer: &dyn Observer,
) -> Result<Bounds, EvaluationError> {
    let reports = reports(problem);
    let game = Game::new(problem, policy, &reports)?;
    let last = lifetime.last();
    let found = policy.thresholds.len();
    if found != 1 && found as u64 != last + 1 {
        return Err(EvaluationError::WrongLength { expected: last + 1, found });
    }
    let nothing = Pieces::constant([(0.0, 0.0); 2]);
    let mut next = [nothing.clone(), nothing];
    let mut spent = Spent::new(fineness.pieces, observer);
    for n in (0..=last).rev() {
        spent.watch(n, last)?;
        let thresholds = policy.thresholds[if found == 1 { 0 } else { n as usize }];
        next = game.back(&next, lifetime.continuation(n), thresholds, fineness.merge);
        spent.count(&next)?;
    }
    Ok(game.start(&next[0]).into())
}

/// Control of the widening by joined pieces. A level ends when a step changes the function by at
/// most `SETTLED` times the widening, or after steps without progress. The next level multiplies
/// the widening by `FINER`, down to `FINEST` times the first.
const FINER: f64 = 0.2;
const SETTLED: f64 = 4.0;
const MOST_STEPS_IN_VAIN: u32 = 512;
const PROGRESS: f64 = 0.01;
const FINEST: f64 = 1e-9;

/// Bounds on the average time of a cycle over an infinite horizon, as close as `width` where
/// possible. The thresholds are the same at all steps.
///
/// For every function h of phase, mapping and odds, the average lies between the minimum and the
/// maximum of T h - h, with T the step back (span bounds; Odoni 1969). h is the iterate of value
/// iteration from 0, minus a constant, with ever fewer pieces joined.
///
/// # Errors
/// As [`evaluate`].
pub fn average(
    problem: &PhaseSwitching,
    policy: TwoThresholds<'_>,
    width: f64,
    fineness: Fineness,
    observer: &dyn Observer,
) -> Result<Bounds, EvaluationError> {
    let reports = reports(problem);
    let game = Game::new(problem, policy, &reports)?;
    let [thresholds] = *policy.thresholds else {
        let found = policy.thresholds.len();
        return Err(EvaluationError::WrongLength { expected: 1, found });
    };
    let nothing = Pieces::constant([(0.0, 0.0); 2]);
    let mut now = [nothing.clone(), nothing];
    let mut best = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut looked, mut idle) = (f64::INFINITY, 0);
    let mut spent = Spent::new(fineness.pieces, observer);
    let mut merge = fineness.merge;
    // If the first mapping is never left, values under the second one do not matter.
    let sides = if thresholds[0] < 1.0 { 2 } else { 1 };
    loop {
        if let ControlFlow::Break(halt) = observer.check() {
            return Err(EvaluationError::Stopped(halt));
        }
        let next = game.back(&now, 1.0, thresholds, merge);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (new, old) in next.iter().zip(&now).take(sides) {
            let (least, most) = change(new, old);
            (low, high) = (low.min(least), high.max(most));
        }
        best = (best.0.max(low), best.1.min(high));
        let enough = best.1 - best.0 <= width;
        if high - low < looked * (1.0 - PROGRESS) {
            (looked, idle) = (high - low, 0);
        } else {
            idle += 1;
        }
        if high - low <= SETTLED * merge || idle > MOST_STEPS_IN_VAIN {
            (merge, looked, idle) = (FINER * merge, f64::INFINITY, 0);
        }
        let finest = merge <= FINEST * fineness.merge;
        if enough || finest || spent.count::<SwitchingError>(&next).is_err() {
            return Ok(best.into());
        }
        let middle = |(low, high): (f64, f64)| 0.5 * (low + high);
        let base = middle(next[0].costs[0][0]);
        now = next.map(|side| {
            let at = |cost: (f64, f64)| (middle(cost) - base, middle(cost) - base);
            Pieces { at: side.at, costs: side.costs.into_iter().map(|c| c.map(at)).collect() }
        });
    }
}

/// The minimum and the maximum of `new` - `old`, where `old` consists of exact numbers.
fn change(new: &Pieces, old: &Pieces) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut i, mut j) = (0, 0);
    loop {
        for (cost, base) in new.costs[i].iter().zip(&old.costs[j]) {
            let blur = SLACK * (cost.0.abs() + cost.1.abs() + base.0.abs());
            (low, high) = (low.min(cost.0 - base.0 - blur), high.max(cost.1 - base.0 + blur));
        }
        let end = |side: &Pieces, k: usize| side.at.get(k).copied();
        match (end(new, i), end(old, j)) {
            (None, None) => return (low, high),
            (Some(a), Some(b)) => (i, j) = (i + usize::from(a <= b), j + usize::from(b <= a)),
            (Some(_), None) => i += 1,
            (None, Some(_)) => j += 1,
        }
    }
}

/// A problem and a policy for it.
struct Game<'a> {
    /// By mapping: a cycle under it, and the cost of switching away.
    cycles: [Cycle<'a>; 2],
    switch: [Option<f64>; 2],
    rebases: bool,
    /// The true probabilities of the phases at step 0, and the policy's odds of the second phase.
    initial: [f64; 2],
    believed: f64,
}

/// By mapping: the probabilities of each observation in the phase that suits it and in the other.
fn reports(problem: &PhaseSwitching) -> [Vec<[f64; 2]>; 2] {
    let levels = problem.detector.likelihoods();
    [
        levels.iter().map(|level| [level.before, level.after]).collect(),
        levels.iter().map(|level| [level.after, level.before]).collect(),
    ]
}

impl<'a> Game<'a> {
    fn new(
        problem: &PhaseSwitching,
        policy: TwoThresholds<'_>,
        reports: &'a [Vec<[f64; 2]>; 2],
    ) -> Result<Game<'a>, EvaluationError> {
        problem.validate()?;
        let goes = policy.thresholds.iter().any(|pair| pair[0] < 1.0);
        let returns = goes && policy.thresholds.iter().any(|pair| pair[1] > 0.0);
        let missing = problem.switch.each_ref().map(Option::is_none);
        if (goes && missing[0]) || (returns && missing[1]) {
            return Err(EvaluationError::NoSwitch);
        }
        let cycle = |m: usize| {
            let [away, back] = [m, 1 - m].map(|z| nearest(&problem.rates[z]));
            let [stays, stays_back] =
                [m, 1 - m].map(|z| nearest(&(Rational::ONE - &problem.rates[z])));
            let moves = [[stays, away], [back, stays_back]];
            let believed = match policy.beliefs {
                Beliefs::Bayes => moves,
                Beliefs::Rebased => [moves[0], [0.0, 1.0]],
                Beliefs::LastReport => [[0.5; 2]; 2],
            };
            Cycle {
                costs: [m, 1 - m].map(|z| nearest(&problem.cycle[z][m])),
                moves,
                reports: &reports[m],
                maps: reports[m].iter().map(|report| Map::new(believed, *report)).collect(),
                impossible: believed[0][1] / believed[0][0],
                lost: [0.0; 2],
            }
        };
        let initial = [Rational::ONE - &problem.initial, problem.initial.clone()];
        let initial = initial.map(|share| nearest(&share));
        Ok(Game {
            cycles: [cycle(0), cycle(1)],
            switch: problem.switch.each_ref().map(|cost| cost.as_ref().map(nearest)),
            rebases: policy.beliefs == Beliefs::Rebased,
            initial,
            // Before the first observation the policy uses the initial belief of the problem.
            believed: initial[1] / initial[0],
        })
    }

    /// The cost from step 0 under the first mapping.
    fn start(&self, first: &Pieces) -> (f64, f64) {
        let [calm, changed] = first.costs[first.find(self.believed)];
        let mean = |own: f64, other: f64| self.initial[0] * own + self.initial[1] * other;
        widened((mean(calm.0, changed.0), mean(calm.1, changed.1)))
    }

    /// One step back under both mappings.
    fn back(&self, next: &[Pieces; 2], survival: f64, pair: [f64; 2], merge: f64) -> [Pieces; 2] {
        let keep = [0, 1].map(|m: usize| {
            self.cycles[m].back(&next[m], survival, f64::INFINITY, 0.5 * merge).finish()
        });
        let thresholds = [odds(pair[0]), odds(1.0 - pair[1])];
        [0, 1].map(|m: usize| {
            let other = match self.rebases {
                true => {
                    let [own, other] = keep[1 - m].costs[keep[1 - m].find(0.0)];
                    Pieces::constant([other, own])
                }
                false => mirrored(&keep[1 - m]),
            };
            chosen(&keep[m], &other, self.switch[m], thresholds[m], 0.5 * merge)
        })
    }
}

/// The same function in the odds of the other phase, with the phases exchanged.
fn mirrored(pieces: &Pieces) -> Pieces {
    Pieces {
        at: pieces.at.iter().rev().map(|at| 1.0 / at).collect(),
        costs: pieces.costs.iter().rev().map(|[own, other]| [*other, *own]).collect(),
    }
}

/// `keep` up to the threshold; above it the cost of the switch plus `other`.
fn chosen(
    keep: &Pieces,
    other: &Pieces,
    switch: Option<f64>,
    threshold: f64,
    merge: f64,
) -> Pieces {
    let mut result = Joined::new(merge, keep.costs[0]);
    let within = keep.at.iter().zip(&keep.costs[1..]).take_while(|(end, _)| **end < threshold);
    within.for_each(|(end, costs)| result.next(*end, *costs));
    if let Some(switch) = switch {
        let paid = |costs: Costs| costs.map(|(low, high)| widened((low + switch, high + switch)));
        result = result.beyond(threshold, other, paid);
    }
    result.finish()
}
