//! Evaluates threshold policies with certified bounds, also for policies whose beliefs are wrong.
//!
//! Policy evaluation by backward induction. Given the true phase, the cost to go is a piecewise
//! *constant* function of the belief that the policy holds: the future depends on that belief only
//! through later comparisons. So a backward step maps breakpoints through the Bayes maps of the
//! policy's own model, one per observation, and weighs the pieces with the true probabilities.
//! Adjacent pieces are joined into intervals that enclose both. Every value is an interval, rounded
//! outward.
//!
//! Cost O(M x pieces x levels). Heuristics: Nicol and Reynolds 1986, section VIII.

use super::problem::{Cycle, InDoubles, PhaseChange, Premature, ProblemError};
use crate::belief::policy::{self, Costs, Map, Pieces, Spent, odds, widened};
use crate::belief::{Belief, Level, Levels};
use crate::rounding::{SLACK, TINY, nearest};
use crate::{Bounds, Observer, Rational};

pub use crate::belief::Fineness;

/// A policy that remaps as soon as its belief exceeds the threshold of the step.
#[derive(Debug, Clone, Copy)]
pub struct ThresholdPolicy<'a> {
    /// The model behind its beliefs: the hazard and the detector's errors that it assumes.
    pub assumed: &'a PhaseChange,
    /// Thresholds as probabilities, for n = 0..=M; 1 means never.
    pub thresholds: &'a [f64],
}

/// Why a policy cannot be evaluated.
pub type EvaluationError = crate::belief::EvaluationError<ProblemError>;

/// Bounds on the expected cost of `policy` from step 0, given that no change has occurred.
///
/// A belief within rounding of a threshold is decided as a program in doubles would decide it. O(M
/// x pieces).
///
/// # Errors
/// If a problem is out of range, thresholds are missing, more pieces are needed than allowed, or
/// the observer stops the evaluation.
pub fn evaluate(
    problem: &PhaseChange,
    policy: ThresholdPolicy<'_>,
    Fineness { merge, pieces }: Fineness,
    observer: &dyn Observer,
) -> Result<Bounds, EvaluationError> {
    let last = problem.last_step();
    if policy.thresholds.len() as u64 != last + 1 {
        let found = policy.thresholds.len();
        return Err(EvaluationError::WrongLength { expected: last + 1, found });
    }
    let setting = Setting::new(problem, policy.assumed)?;
    let mut next = Pieces::constant([(0.0, 0.0); 2]);
    let (mut left, mut spent) = (CyclesLeft::default(), Spent::new(pieces, observer));
    for n in (0..=last).rev() {
        spent.watch(n, last)?;
        let step = setting.step(n);
        left.advance(&step.truth);
        let remap = Pieces::constant(setting.remap(&step.fresh(&next), &left));
        next = step.back(&next, odds(policy.thresholds[n as usize]), &remap, merge);
        spent.count(std::slice::from_ref(&next))?;
    }
    Ok(next.costs[0][0].into())
}

/// The heuristic of [NR86, sec. VIII]. Once a change is likely it estimates the gain of a remap,
/// which costs D_d. It remaps, which costs D_r more, once a change is nearly certain.
///
/// It estimates when the belief exceeds a level: the belief after two change observations that
/// follow the limit of no-change observations. With several levels, these are the strongest and the
/// weakest sign of a change. From that step n_e on the threshold rises linearly from `certainty` at
/// n_e to 1 at `pays_until`; later the mapping is retained. A premature remap is detected and
/// reverted, and the search for the next estimate begins.
#[derive(Debug, Clone, Copy)]
pub struct Estimating<'a> {
    /// The model behind its beliefs; the hazard must be constant.
    pub assumed: &'a PhaseChange,
    /// rho in \[0, 1\]; 0.8 in the report.
    pub certainty: f64,
    /// The policy's estimate of n0: from this step on it does not remap.
    pub pays_until: u64,
}

/// Relative margin above the odds of p_e: 64 units in the last place. The filter's odds carry a few
/// roundings, of the latest steps only.
const ABOVE: f64 = 64.0 * f64::EPSILON;

impl Estimating<'_> {
    /// The odds of p_e, exceeded after three change observations in a row from the no-change limit,
    /// not after two. The beliefs after two accumulate at this level, and the comparison is strict:
    /// those that approach it from above exceed it, those from below do not. So the margin covers
    /// rounding only.
    pub fn estimate_above(&self) -> Option<f64> {
        let reports = self.assumed.detector.likelihoods();
        let (change, none) = (*reports.first()?, *reports.last()?);
        let hazard = nearest(&self.assumed.hazard_exact(1));
        let hover = none.fixed_point(hazard).unwrap_or(Belief::UNCHANGED);
        let once = hover.prior(hazard).given(change)?;
        let twice = once.prior(hazard).given(change)?;
        Some(twice.odds() * (1.0 + ABOVE))
    }

    /// rho_n, given the step of the estimate.
    pub(crate) fn threshold(&self, n: u64, estimated: u64) -> f64 {
        let passed = (n - estimated) as f64 / (self.pays_until - estimated) as f64;
        self.certainty + (1.0 - self.certainty) * passed
    }
}

/// Bounds on the expected cost of the heuristic from step 0. O(M^2 x pieces), since the threshold
/// depends on the step of the estimate.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_estimating(
    problem: &PhaseChange,
    policy: Estimating<'_>,
    Fineness { merge, pieces }: Fineness,
    observer: &dyn Observer,
) -> Result<Bounds, EvaluationError> {
    let last = problem.last_step();
    let setting = Setting::new(problem, policy.assumed)?;
    let estimate_above = policy.estimate_above().unwrap_or(f64::INFINITY);
    let until = policy.pays_until.min(last + 1);
    // By step: the cost of retaining for good, and of remapping after an estimate.
    let nothing = Pieces::constant([(0.0, 0.0); 2]);
    let mut retained = vec![nothing.clone(); last as usize + 2];
    let mut remapped = vec![nothing.clone(); last as usize + 1];
    let mut searching = nothing;
    let paid = setting.truth.test;
    let (mut left, mut spent) = (CyclesLeft::default(), Spent::new(pieces, observer));
    for n in (0..=last).rev() {
        spent.watch(n, last)?;
        let step = setting.step(n);
        left.advance(&step.truth);
        let at = n as usize;
        retained[at] = step.back(&retained[at + 1], f64::INFINITY, &Pieces::default(), merge);
        let costs = setting.remap(&step.fresh(&searching), &left);
        remapped[at] = Pieces::constant(costs.map(|(low, high)| (low - paid, high - paid)));
        let mut estimated = retained[until.max(n) as usize].clone();
        for k in (n..until).rev() {
            let threshold = odds(policy.threshold(k, n));
            estimated = setting.step(k).back(&estimated, threshold, &remapped[k as usize], merge);
            spent.count(std::slice::from_ref(&estimated))?;
        }
        for cost in estimated.costs.iter_mut().flatten() {
            *cost = widened((cost.0 + paid, cost.1 + paid));
        }
        searching = step.back(&searching, estimate_above, &estimated, merge);
    }
    Ok(searching.costs[0][0].into())
}

/// Mean numbers of remaining cycles from a state before the change: those before it, and those
/// after it. Sums of positive terms, so their relative error is that of the steps.
#[derive(Debug, Clone, Copy, Default)]
struct CyclesLeft {
    quiet: f64,
    changed: f64,
    steps: f64,
}

impl CyclesLeft {
    /// One step back.
    fn advance(&mut self, cycle: &Cycle) {
        self.changed = cycle.survival * (self.changed + cycle.hazard * self.quiet);
        self.quiet = 1.0 + cycle.discount() * self.quiet;
        self.steps += 1.0;
    }

    /// An interval for a cost that is a sum of positive multiples of these numbers.
    fn enclose(&self, cost: f64) -> (f64, f64) {
        let blur = SLACK * (1.0 + self.steps) * cost.abs();
        (cost - blur, cost + blur)
    }
}

/// The true model and the model that the policy assumes.
struct Setting<'a> {
    problem: &'a PhaseChange,
    truth: InDoubles,
    assumed: InDoubles,
    /// For every distinct update of the policy's belief: the true probabilities before and after
    /// the change, and the assumed ones.
    reports: Vec<[f64; 2]>,
    believed: Vec<[f64; 2]>,
}

/// One backward step.
struct Step<'a> {
    truth: Cycle,
    cycle: policy::Cycle<'a>,
}

impl<'a> Setting<'a> {
    fn new(problem: &'a PhaseChange, assumed: &PhaseChange) -> Result<Self, EvaluationError> {
        problem.validate()?;
        assumed.validate()?;
        let (reports, believed) = ways(&problem.detector, &assumed.detector)?;
        let (truth, assumed) = (InDoubles::new(problem), InDoubles::new(assumed));
        Ok(Setting { problem, truth, assumed, reports, believed })
    }

    /// The backward step into `n`.
    fn step(&self, n: u64) -> Step<'_> {
        let moves = |cycle: &Cycle| [[cycle.quiet, cycle.hazard], [0.0, 1.0]];
        let lifetime = &self.problem.lifetime;
        let truth = self.truth.cycle(lifetime, n);
        let believed = moves(&self.assumed.cycle(lifetime, n));
        let cycle = policy::Cycle {
            costs: [self.truth.before, nearest(&self.problem.after)],
            moves: moves(&truth),
            reports: &self.reports,
            maps: self.believed.iter().map(|report| Map::new(believed, *report)).collect(),
            impossible: 0.0,
            // Probabilities that underflow lose up to that part of the largest cost.
            lost: [TINY, if self.truth.underflow > 0.0 { 4.0 * TINY } else { 0.0 }],
        };
        Step { truth, cycle }
    }

    /// The cost of remapping; `fresh` is that of retaining with belief 0.
    fn remap(&self, fresh: &Costs, left: &CyclesLeft) -> Costs {
        let InDoubles { delay, test, remapped, .. } = self.truth;
        let done = left.enclose(delay + (left.quiet + left.changed) * remapped);
        let early = match &self.problem.premature {
            Premature::Revert => widened((test + fresh[0].0, test + fresh[0].1)),
            Premature::Keep { before_remapped } => {
                let premature = nearest(before_remapped);
                left.enclose(delay + left.changed * remapped + left.quiet * premature)
            }
        };
        [early, done]
    }
}

impl Step<'_> {
    /// The cost of retaining with belief 0.
    fn fresh(&self, next: &Pieces) -> Costs {
        self.cycle.fresh(next, self.truth.survival)
    }

    /// The costs at this step: of retaining up to the threshold (in odds), and `beyond` above it.
    fn back(&self, next: &Pieces, threshold: f64, beyond: &Pieces, merge: f64) -> Pieces {
        let kept = self.cycle.back(next, self.truth.survival, threshold, merge);
        kept.beyond(threshold, beyond, |costs| costs).finish()
    }
}

/// True and assumed probabilities of the observations, before and after the change. Observations
/// that are the same evidence to the policy are one.
type Ways = (Vec<[f64; 2]>, Vec<[f64; 2]>);

fn ways(truth: &Levels, assumed: &Levels) -> Result<Ways, EvaluationError> {
    let (truth, assumed) = (truth.levels(), assumed.levels());
    if truth.len() != assumed.len() {
        return Err(EvaluationError::Levels { truth: truth.len(), assumed: assumed.len() });
    }
    let impossible =
        |level: &Level| level.before == Rational::ZERO && level.after == Rational::ZERO;
    let same = |a: &Level, b: &Level| {
        impossible(a) == impossible(b) && &a.before * &b.after == &a.after * &b.before
    };
    let mut merged: Vec<(Level, Level)> = Vec::new();
    for (real, believed) in truth.iter().zip(assumed) {
        match merged.iter_mut().find(|(_, known)| same(known, believed)) {
            Some((all, known)) => {
                for (sum, level) in [(all, real), (known, believed)] {
                    sum.before += &level.before;
                    sum.after += &level.after;
                }
            }
            None => merged.push((real.clone(), believed.clone())),
        }
    }
    let double = |level: &Level| [nearest(&level.before), nearest(&level.after)];
    Ok(merged.iter().map(|(real, believed)| (double(real), double(believed))).unzip())
}
