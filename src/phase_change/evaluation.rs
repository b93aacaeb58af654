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

pub use super::pieces::Fineness;
use super::pieces::{CycleCosts, CyclesLeft, Map, Pieces, Step, odds};
use super::problem::{InDoubles, PhaseChange, ProblemError};
use crate::Bounds;
use crate::Rational;
use crate::belief::{Belief, Level, Levels};
use crate::rounding::nearest;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// A policy that remaps as soon as its belief exceeds the threshold of the step.
#[derive(Debug, Clone, Copy)]
pub struct ThresholdPolicy<'a> {
    /// The model behind its beliefs: the hazard and the detector's errors that it assumes.
    pub assumed: &'a PhaseChange,
    /// Thresholds as probabilities, for n = 0..=M; 1 means never.
    pub thresholds: &'a [f64],
}

/// Why a policy cannot be evaluated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The true problem or the assumed one is out of range.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// There must be one threshold per step.
    #[error("{found} thresholds are given for {expected} steps")]
    WrongLength {
        /// M + 1.
        expected: u64,
        /// Number of thresholds given.
        found: usize,
    },
    /// The policy must know every observation of the detector.
    #[error("the detector has {truth} levels, the policy knows {assumed}")]
    Levels {
        /// Levels of the true detector.
        truth: usize,
        /// Levels of the assumed detector.
        assumed: usize,
    },
    /// The evaluation needs more pieces in total than allowed.
    #[error("more than {0} pieces are needed")]
    TooLong(u64),
    /// The caller stopped it.
    #[error("stopped by the caller")]
    Stopped(Halt),
}

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
    let (mut left, mut spare) = (CyclesLeft::default(), pieces);
    for n in (0..=last).rev() {
        watch(n, last, observer)?;
        let (step, maps) = setting.step(n);
        left.advance(&step.cycle);
        let fresh = step.fresh(&next, &maps);
        let remap = Pieces::constant(step.remap(&fresh, &left));
        let threshold = odds(policy.thresholds[n as usize]);
        next = step.back(&next, &maps, threshold, &remap, merge);
        spend(&mut spare, &next).ok_or(EvaluationError::TooLong(pieces))?;
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
    let (mut left, mut spare) = (CyclesLeft::default(), pieces);
    for n in (0..=last).rev() {
        watch(n, last, observer)?;
        let (step, maps) = setting.step(n);
        left.advance(&step.cycle);
        let at = n as usize;
        retained[at] =
            step.back(&retained[at + 1], &maps, f64::INFINITY, &Pieces::default(), merge);
        let fresh = step.fresh(&searching, &maps);
        let [early, late] = step.remap(&fresh, &left);
        let paid = setting.test();
        let less = |(low, high): (f64, f64)| (low - paid, high - paid);
        remapped[at] = Pieces::constant([less(early), less(late)]);
        let mut estimated = retained[until.max(n) as usize].clone();
        for k in (n..until).rev() {
            let (step, maps) = setting.step(k);
            let threshold = odds(policy.threshold(k, n));
            estimated = step.back(&estimated, &maps, threshold, &remapped[k as usize], merge);
            spend(&mut spare, &estimated).ok_or(EvaluationError::TooLong(pieces))?;
        }
        estimated.add(paid);
        searching = step.back(&searching, &maps, estimate_above, &estimated, merge);
    }
    Ok(searching.costs[0][0].into())
}

/// Takes the number of pieces from those allowed; `None` if there are too many.
fn spend(left: &mut u64, pieces: &Pieces) -> Option<()> {
    *left = left.checked_sub(pieces.costs.len() as u64)?;
    Some(())
}

fn watch(n: u64, last: u64, observer: &dyn Observer) -> Result<(), EvaluationError> {
    match observer.progress(last - n, last + 1) {
        ControlFlow::Break(halt) => Err(EvaluationError::Stopped(halt)),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// The true model and the model that the policy assumes.
struct Setting<'a> {
    problem: &'a PhaseChange,
    truth: InDoubles,
    assumed: InDoubles,
    costs: CycleCosts,
    /// For every distinct update of the policy's belief: the true probabilities before and after
    /// the change, and the assumed ones.
    reports: Vec<[f64; 2]>,
    believed: Vec<[f64; 2]>,
}

impl<'a> Setting<'a> {
    fn new(problem: &'a PhaseChange, assumed: &PhaseChange) -> Result<Self, EvaluationError> {
        problem.validate()?;
        assumed.validate()?;
        let (reports, believed) = ways(&problem.detector, &assumed.detector)?;
        let (truth, assumed) = (InDoubles::new(problem), InDoubles::new(assumed));
        let costs = CycleCosts::new(problem);
        Ok(Setting { problem, truth, assumed, costs, reports, believed })
    }

    /// The backward step into `n`, and the maps of the policy's belief.
    fn step(&self, n: u64) -> (Step<'_>, Vec<Map>) {
        let lifetime = &self.problem.lifetime;
        let (cycle, believed) = (self.truth.cycle(lifetime, n), self.assumed.cycle(lifetime, n));
        let maps = self.believed.iter().map(|[no, yes]| Map::new(&believed, *no, *yes)).collect();
        (Step { truth: &self.truth, reports: &self.reports, cycle, costs: &self.costs }, maps)
    }

    /// D_d.
    fn test(&self) -> f64 {
        self.truth.test
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
