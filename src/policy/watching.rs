//! Policies of a program that watches for a change of phase: thresholds on the belief, and the
//! heuristic of 1986. They observe the levels of the detector.

use super::Policy;
use crate::belief::{Belief, Likelihood};
use crate::phase_change::evaluation::Estimating;
use crate::phase_change::{Hazard, PhaseChange};
use crate::rounding::nearest;

/// The belief during a run: one Bayes update for each observation.
#[derive(Debug, Clone)]
struct Filter {
    hazard: Hazard<f64>,
    reports: Vec<Likelihood>,
    belief: Belief,
    step: u64,
}

impl Filter {
    fn new(assumed: &PhaseChange) -> Filter {
        let levels = assumed.detector.levels().iter();
        let reports = levels
            .map(|level| Likelihood {
                before: nearest(&level.before),
                after: nearest(&level.after),
            })
            .collect();
        Filter { hazard: assumed.hazard.map(nearest), reports, belief: Belief::UNCHANGED, step: 0 }
    }

    /// Processes the observation of the next step.
    fn observe(&mut self, level: usize) {
        self.step += 1;
        let hazard = self.hazard.at(self.step).copied().unwrap_or(0.0);
        // An observation that is impossible under the assumed model leaves the belief unchanged.
        if let Some(belief) = self.belief.prior(hazard).given(self.reports[level]) {
            self.belief = belief;
        }
    }
}

/// Remaps as soon as the belief exceeds the threshold of the step (optimal, fixed, or none).
#[derive(Debug, Clone)]
pub struct BeliefThresholds<'a> {
    filter: Filter,
    thresholds: &'a [f64],
}

impl<'a> BeliefThresholds<'a> {
    /// With beliefs under `assumed` and a threshold for each step; 1 after the last.
    pub fn new(assumed: &PhaseChange, thresholds: &'a [f64]) -> BeliefThresholds<'a> {
        BeliefThresholds { filter: Filter::new(assumed), thresholds }
    }

    /// The belief p_n.
    pub fn belief(&self) -> f64 {
        self.filter.belief.probability()
    }
}

/// Observes levels of the detector, by index; the first observation comes before step 1.
impl Policy<usize> for BeliefThresholds<'_> {
    fn observe(&mut self, level: &usize) {
        self.filter.observe(*level);
    }

    fn wants_remap(&self) -> bool {
        let threshold = self.thresholds.get(self.filter.step as usize).copied().unwrap_or(1.0);
        self.belief() > threshold
    }

    fn remapped(&mut self) {
        self.filter.belief = Belief::UNCHANGED;
    }
}

/// The heuristic of [NR86, sec. VIII]; see [`Estimating`].
#[derive(Debug, Clone)]
pub struct Heuristic1986<'a> {
    filter: Filter,
    rule: Estimating<'a>,
    estimate_above: f64,
    estimated: Option<u64>,
    estimates: u64,
}

impl<'a> Heuristic1986<'a> {
    /// The heuristic at step 0.
    pub fn new(rule: Estimating<'a>) -> Heuristic1986<'a> {
        Heuristic1986 {
            filter: Filter::new(rule.assumed),
            estimate_above: rule.estimate_above().unwrap_or(f64::INFINITY),
            rule,
            estimated: None,
            estimates: 0,
        }
    }

    /// Number of estimates of the gain of a remap; each costs D_d.
    pub fn estimates(&self) -> u64 {
        self.estimates
    }
}

impl Policy<usize> for Heuristic1986<'_> {
    fn observe(&mut self, level: &usize) {
        self.filter.observe(*level);
        if self.estimated.is_none() && self.filter.belief.odds() > self.estimate_above {
            self.estimated = Some(self.filter.step);
            self.estimates += 1;
        }
    }

    fn wants_remap(&self) -> bool {
        let step = self.filter.step;
        let threshold = |estimated: u64| self.rule.threshold(step, estimated);
        self.estimated.is_some_and(|estimated| {
            step < self.rule.pays_until && self.filter.belief.probability() > threshold(estimated)
        })
    }

    fn remapped(&mut self) {
        self.filter.belief = Belief::UNCHANGED;
        self.estimated = None;
    }
}
