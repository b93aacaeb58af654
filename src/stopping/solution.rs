//! The solution of a stopping problem: an approximation of J, certified bounds, and the decisions
//! they imply.

use super::operator::sweep::{Rounding, Sweep};
use super::{AfterRemap, Approximation, Enclosure, Problem, Settings, operator::weight};
use crate::Bounds;
use crate::{Communicator, Observer, Status};
use std::ops::ControlFlow;

/// The action in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The loads are balanced; no decision is needed.
    Balanced,
    /// Remap now.
    Remap,
    /// Continue.
    Continue,
}

/// An approximation v of J, with the data that prove its accuracy.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// `R(v)`: the total cost of remapping.
    pub remap_value: f64,
    /// Greatest distance between the bounds on J, relative to `max(1, remap_value)`.
    pub gap: f64,
    /// Number of applications of the transition operator.
    pub iterations: u64,
    /// How the computation ended.
    pub status: Status,
    /// B: `v = B - saving`.
    base: f64,
    saving: Vec<f64>,
    /// `B - psi - P v`.
    gain: Vec<f64>,
    /// `B - R(v)`.
    stop: f64,
    /// `lower v - w <= J <= upper v + w`.
    lower: f64,
    upper: f64,
    /// w and P w, if the proof uses them.
    weight: Option<[Vec<f64>; 2]>,
    /// Proved bounds on `R - R(v)`.
    remap_error: (f64, f64),
    /// Bounds on the errors of `gain`; `None` if remapping is free.
    rounding: Option<Rounding>,
}

impl Solution {
    /// The solution if remapping is free: J = 0.
    pub(super) fn free(problem: &Problem) -> Self {
        Self {
            remap_value: 0.0,
            gap: 0.0,
            iterations: 0,
            status: Status::Converged,
            base: 0.0,
            saving: vec![0.0; problem.states()],
            gain: problem.running().iter().map(|psi| -psi).collect(),
            stop: 0.0,
            lower: 1.0,
            upper: 1.0,
            weight: None,
            remap_error: (0.0, 0.0),
            rounding: None,
        }
    }

    pub(super) fn certify(
        problem: &Problem,
        found: Approximation,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Self {
        let Approximation { base, saving, mut iterations, mut status } = found;
        let mut sweep = Sweep::new(problem);
        sweep.run(problem, base, &saving);
        iterations += 1;
        let mut enclosure = Enclosure::new(problem, &saving, &sweep);
        let mut weight = None;
        let limited = matches!(status, Status::IterationLimit) && iterations < settings.iterations;
        if enclosure.gap > settings.tolerance && limited {
            let left = settings.iterations - iterations;
            let (found, applications) =
                weight::find(problem, &saving, &sweep, settings.tolerance, left, observer);
            iterations += applications;
            if let ControlFlow::Break(halt) = observer.check() {
                status = halt.into();
            }
            let sharper = Enclosure::prove(problem, &saving, &sweep, Some(&found));
            if sharper.gap < enclosure.gap {
                enclosure = sharper;
                weight = Some(found);
            }
        }
        if enclosure.gap > settings.tolerance
            && status.is_halted()
            && let Some((sharper, found)) = weight::by_savings(problem, &saving, &sweep)
            && sharper.gap < enclosure.gap
        {
            iterations += 1;
            (enclosure, weight) = (sharper, Some(found));
        }
        let Enclosure { lower, upper, gap, .. } = enclosure;
        let remap = sweep.remap;
        let remap_error = match problem.after {
            AfterRemap::Stop => (0.0, 0.0),
            AfterRemap::Uniform => {
                let mean = weight.as_ref().map_or(0.0, |weight| weight.mean);
                let slack = sweep.rounding.stop + mean + f64::EPSILON * remap;
                let value = remap - problem.remap_cost;
                let own = (value * (lower - 1.0) - slack, value * (upper - 1.0) + slack);
                match own.0.is_finite() && own.1.is_finite() {
                    true => own,
                    false => {
                        let Bounds { lower, upper } = problem.remap_range();
                        let slack = f64::EPSILON * remap;
                        (lower - remap - slack, upper - remap + slack)
                    }
                }
            }
        };
        // All costs lie between 0 and the cost of a remap.
        let gap = gap.min((remap + remap_error.1) / remap.max(1.0));
        let status = match status {
            _ if gap <= settings.tolerance => Status::Converged,
            Status::Converged => Status::IterationLimit,
            status => status,
        };
        // The defect is at most w - P w, and w is 0 where the policy stops.
        let weight = weight.map(|found| {
            let image = found.w.iter().zip(&found.defect).map(|(w, defect)| w - defect);
            let image = image.collect();
            [found.w, image]
        });
        Self {
            remap_value: remap,
            gap,
            iterations,
            status,
            base,
            saving,
            stop: sweep.stop,
            lower,
            upper,
            weight,
            remap_error,
            rounding: Some(sweep.rounding),
            gain: sweep.gain,
        }
    }

    /// The solution of all ranks, on rank 0; `None` on others.
    pub fn collected(&self, communicator: &dyn Communicator) -> Option<Self> {
        let all = self.with_vectors(|own| communicator.collect(own));
        (communicator.rank() == 0).then_some(all)
    }

    /// The same with state `order[s]` at position s.
    #[must_use]
    pub fn reordered(&self, order: &[usize]) -> Self {
        self.with_vectors(|own| order.iter().map(|s| own[*s]).collect())
    }

    fn with_vectors(&self, of: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let (saving, gain) = (of(&self.saving), of(&self.gain));
        let weight = self.weight.as_ref().map(|[w, image]| [of(w), of(image)]);
        Self { saving, gain, weight, ..*self }
    }

    /// The saving relative to the base, by state.
    pub(super) fn savings(&self) -> &[f64] {
        &self.saving
    }

    /// The same with a lower bound scaled by `lower`, for proofs that must hold outside the region
    /// too.
    pub(super) fn with_lower(mut self, lower: f64) -> Self {
        let lower = if self.weight.is_some() { 0.0 } else { lower };
        if lower < self.lower {
            let share = self.remap_value / self.remap_value.max(1.0);
            let wider = self.gap + (self.lower - lower) * share;
            self.gap = wider.max((1.0 - lower) * share).next_up().min(share);
            self.lower = lower;
        }
        self
    }

    /// J in a state, within the bounds.
    pub fn value(&self, state: usize) -> f64 {
        self.base - self.saving[state]
    }

    /// J in a state as a difference: the base, and the saving.
    pub fn parts(&self, state: usize) -> (f64, f64) {
        (self.base, self.saving[state])
    }

    /// Distances of the lower and the upper bound on J from its value, before rounding.
    pub fn distances(&self, state: usize) -> (f64, f64) {
        let w = self.weight.as_ref().map_or(0.0, |[w, _]| w[state]);
        let value = self.value(state);
        (value * (1.0 - self.lower) + w, value * (self.upper - 1.0) + w)
    }

    /// The cost of continuing from a state.
    pub fn continuing(&self, state: usize) -> f64 {
        self.base - self.gain[state]
    }

    /// Certified bounds on J in a state.
    pub fn bounds(&self, state: usize) -> Bounds {
        let v = self.value(state);
        let w = self.weight.as_ref().map_or(0.0, |[w, _]| w[state]);
        let slack = 2.0 * f64::EPSILON * v;
        let most = self.remap_value + self.remap_error.1;
        let lower = (v * self.lower - w - slack).max(0.0);
        Bounds { lower, upper: (v * self.upper + w + slack).min(most) }
    }

    /// Certified bounds on R, the total cost of remapping.
    pub fn remap_bounds(&self) -> Bounds {
        let (below, above) = self.remap_error;
        Bounds { lower: self.remap_value + below, upper: self.remap_value + above }
    }

    /// The decision in a state of this problem; ties remap.
    pub fn decision(&self, problem: &Problem, state: usize) -> Decision {
        if problem.running[state] == 0.0 {
            Decision::Balanced
        } else if self.gain[state] > self.stop {
            Decision::Continue
        } else {
            Decision::Remap
        }
    }

    /// The states of this problem in which the policy does not remap, in order.
    pub(super) fn going_on(&self, problem: &Problem) -> impl Iterator<Item = usize> {
        (0..problem.states()).filter(|s| self.decision(problem, *s) != Decision::Remap)
    }

    /// Whether the bounds leave the better action of an unbalanced state open.
    pub fn is_tie(&self, problem: &Problem, state: usize) -> bool {
        let psi = problem.running[state];
        if psi == 0.0 {
            return false;
        }
        let gain = self.gain[state];
        let image = (self.base - gain - psi).max(0.0);
        let added = self.weight.as_ref().map_or(0.0, |[_, image]| image[state]);
        let slack = self.rounding.map_or(0.0, |rounding| rounding.slack(psi, gain)) + added;
        // Continuing minus remapping, at v.
        let apart = self.stop - gain;
        let low = apart - image * (1.0 - self.lower) - slack;
        let high = apart + image * (self.upper - 1.0) + slack;
        // NaN leaves it open too.
        let apart = low > self.remap_error.1 || self.remap_error.0 > high;
        !apart
    }
}
