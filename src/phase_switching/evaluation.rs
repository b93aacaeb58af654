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
use crate::lifetime::Lifetime;
pub use crate::phase_change::evaluation::Fineness;
use crate::phase_change::pieces::{BeliefMap, Costs, Joined, Pieces, odds, widened};
use crate::rounding::{SLACK, nearest};
use crate::{Bounds, Rational};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

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
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The problem is out of range.
    #[error(transparent)]
    Problem(#[from] SwitchingError),
    /// There must be a pair of thresholds per step, or one.
    #[error("{found} pairs of thresholds are given for {expected} steps")]
    WrongLength {
        /// M + 1.
        expected: u64,
        /// Number of pairs given.
        found: usize,
    },
    /// The policy makes a switch that the problem does not have.
    #[error("the policy switches where the problem has no switch")]
    NoSwitch,
    /// The evaluation needs more pieces in total than allowed.
    #[error("more than {0} pieces are needed")]
    TooLong(u64),
    /// The caller stopped it.
    #[error("stopped by the caller")]
    Stopped(Halt),
}

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
    let game = Game::new(problem, policy)?;
    let last = lifetime.last();
    let found = policy.thresholds.len();
    if found != 1 && found as u64 != last + 1 {
        return Err(EvaluationError::WrongLength { expected: last + 1, found });
    }
    let nothing = Pieces::constant([(0.0, 0.0); 2]);
    let mut next = [nothing.clone(), nothing];
    let mut left = fineness.pieces;
    for n in (0..=last).rev() {
        if let ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
            return Err(EvaluationError::Stopped(halt));
        }
        let thresholds = policy.thresholds[if found == 1 { 0 } else { n as usize }];
        next = game.back(&next, lifetime.continuation(n), thresholds, fineness.merge);
        let pieces = next.iter().map(|side| side.costs.len() as u64).sum();
        left = left.checked_sub(pieces).ok_or(EvaluationError::TooLong(fineness.pieces))?;
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
    let game = Game::new(problem, policy)?;
    let [thresholds] = *policy.thresholds else {
        let found = policy.thresholds.len();
        return Err(EvaluationError::WrongLength { expected: 1, found });
    };
    let nothing = Pieces::constant([(0.0, 0.0); 2]);
    let mut now = [nothing.clone(), nothing];
    let mut best = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut looked, mut idle, mut left) = (f64::INFINITY, 0, fineness.pieces);
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
        let pieces = next.iter().map(|side| side.costs.len() as u64).sum();
        let enough = best.1 - best.0 <= width;
        if high - low < looked * (1.0 - PROGRESS) {
            (looked, idle) = (high - low, 0);
        } else {
            idle += 1;
        }
        if high - low <= SETTLED * merge || idle > MOST_STEPS_IN_VAIN {
            (merge, looked, idle) = (FINER * merge, f64::INFINITY, 0);
        }
        match left.checked_sub(pieces) {
            Some(rest) if !enough && merge > FINEST * fineness.merge => left = rest,
            _ => return Ok(best.into()),
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

/// The true process under one mapping, and the policy's belief map. Phase 0 is the one that suits
/// the mapping.
struct Side {
    costs: [f64; 2],
    switch: Option<f64>,
    /// `moves[z][y]`: probability that phase y follows phase z.
    moves: [[f64; 2]; 2],
    /// The probabilities of each observation in either phase.
    reports: Vec<[f64; 2]>,
    maps: Vec<Map>,
}

/// The policy's odds after one observation: o -> (o (1 - back) + away) / (o back + 1 - away) yes /
/// no.
struct Map {
    away: f64,
    back: f64,
    no: f64,
    yes: f64,
}

impl BeliefMap for Map {
    fn image(&self, odds: f64) -> f64 {
        let moved = match odds {
            f64::INFINITY => (1.0 - self.back) / self.back,
            _ => (odds * (1.0 - self.back) + self.away) / (odds * self.back + (1.0 - self.away)),
        };
        match (self.no, self.yes) {
            // An observation that the policy considers impossible leaves its belief unchanged.
            (no, _) if no == 0.0 && moved > 0.0 => f64::INFINITY,
            (_, yes) if yes == 0.0 && moved < f64::INFINITY => 0.0,
            (no, yes) if no == 0.0 || yes == 0.0 => moved,
            (no, yes) => moved * yes / no,
        }
    }

    fn preimage(&self, odds: f64) -> f64 {
        if self.yes == 0.0 {
            return f64::INFINITY;
        }
        let moved = odds * self.no / self.yes;
        let (over, under) =
            (moved * (1.0 - self.away) - self.away, 1.0 - self.back - moved * self.back);
        match () {
            () if over <= 0.0 => 0.0,
            () if under <= 0.0 => f64::INFINITY,
            () => over / under,
        }
    }
}

/// A problem and a policy for it.
struct Game {
    sides: [Side; 2],
    rebases: bool,
    /// The true probabilities of the phases at step 0, and the policy's odds of the second phase.
    initial: [f64; 2],
    believed: f64,
}

impl Game {
    fn new(problem: &PhaseSwitching, policy: TwoThresholds<'_>) -> Result<Game, EvaluationError> {
        problem.validate()?;
        let goes = policy.thresholds.iter().any(|pair| pair[0] < 1.0);
        let returns = goes && policy.thresholds.iter().any(|pair| pair[1] > 0.0);
        let missing = problem.switch.clone().map(|cost| cost.is_none());
        if (goes && missing[0]) || (returns && missing[1]) {
            return Err(EvaluationError::NoSwitch);
        }
        let levels = problem.detector.likelihoods();
        let side = |m: usize| {
            let [away, back] = [m, 1 - m].map(|z| nearest(&problem.rates[z]));
            let [stays, stays_back] =
                [m, 1 - m].map(|z| nearest(&(Rational::ONE - &problem.rates[z])));
            let reports: Vec<[f64; 2]> = levels
                .iter()
                .map(|level| [level.before, level.after])
                .map(|[first, second]| if m == 0 { [first, second] } else { [second, first] })
                .collect();
            let (held_away, held_back) = match policy.beliefs {
                Beliefs::Bayes => (away, back),
                Beliefs::Rebased => (away, 0.0),
                Beliefs::LastReport => (0.5, 0.5),
            };
            let map = |chances: &[f64; 2]| {
                let [no, yes] = *chances;
                Map { away: held_away, back: held_back, no, yes }
            };
            Side {
                costs: [m, 1 - m].map(|z| nearest(&problem.cycle[z][m])),
                switch: problem.switch[m].as_ref().map(nearest),
                moves: [[stays, away], [back, stays_back]],
                maps: reports.iter().map(map).collect(),
                reports,
            }
        };
        let initial = [Rational::ONE - &problem.initial, problem.initial.clone()];
        let initial = initial.map(|share| nearest(&share));
        // Before the first observation the policy uses the initial belief of the problem.
        let believed = initial[1] / initial[0];
        let rebases = policy.beliefs == Beliefs::Rebased;
        Ok(Game { sides: [side(0), side(1)], rebases, initial, believed })
    }

    /// The cost from step 0 under the first mapping.
    fn start(&self, first: &Pieces) -> (f64, f64) {
        let [calm, changed] = first.costs[first.find(self.believed)];
        let mean = |own: f64, other: f64| self.initial[0] * own + self.initial[1] * other;
        widened(mean(calm.0, changed.0), mean(calm.1, changed.1))
    }

    /// One step back under both mappings.
    fn back(&self, next: &[Pieces; 2], survival: f64, pair: [f64; 2], merge: f64) -> [Pieces; 2] {
        let keep = [0, 1].map(|m: usize| self.sides[m].keep(&next[m], survival, 0.5 * merge));
        let thresholds = [odds(pair[0]), odds(1.0 - pair[1])];
        [0, 1].map(|m: usize| {
            let other = match self.rebases {
                true => {
                    let [own, other] = keep[1 - m].costs[keep[1 - m].find(0.0)];
                    Pieces::constant([other, own])
                }
                false => mirrored(&keep[1 - m]),
            };
            chosen(&keep[m], &other, self.sides[m].switch, thresholds[m], 0.5 * merge)
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
        let paid = |costs: Costs| costs.map(|(low, high)| widened(low + switch, high + switch));
        result.beyond(threshold, other, paid);
    }
    result.finish()
}

impl Side {
    /// The cost of a cycle under this mapping and of all later cycles.
    fn keep(&self, next: &Pieces, survival: f64, merge: f64) -> Pieces {
        let cost = |to: &[usize]| self.cost(next, to, survival);
        Joined::back(next, &self.maps, f64::INFINITY, merge, cost).finish()
    }

    /// The same, where observation k leads to piece `to[k]`.
    fn cost(&self, next: &Pieces, to: &[usize], survival: f64) -> Costs {
        // Mean cost to go given the phase at the next step, before its observation.
        let ahead = next.mean(&self.reports, to);
        let times = 1.0 + self.reports.len() as f64 / 8.0;
        [0, 1].map(|z: usize| {
            let [own, other] = self.moves[z];
            let [calm, changed] = ahead;
            let size = |(low, high): (f64, f64)| low.abs().max(high.abs());
            let size = self.costs[z].abs() + own * size(calm) + other * size(changed);
            let blur = times * SLACK * size;
            let cost =
                |calm: f64, changed: f64| self.costs[z] + survival * (own * calm + other * changed);
            (cost(calm.0, changed.0) - blur, cost(calm.1, changed.1) + blur)
        })
    }
}
