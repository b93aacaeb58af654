//! Following the policy that would have cost least so far.
//!
//! What a remap does is known (it restores balance), so that every step tells of every policy what it
//! would have cost: each is played in the shadow, with remaps of its own, and the one that has cost
//! least lately decides.

use super::{Policy, Step};
use crate::record::mean;

/// A policy in the shadow, and ready to decide.
struct Candidate {
    shadow: Box<dyn Policy>,
    /// Y where the shadow was balanced last.
    base: Vec<f64>,
    /// Its cost lately.
    cost: f64,
    actual: Box<dyn Policy>,
}

/// Follows the best of several policies.
pub struct Leader {
    candidates: Vec<Candidate>,
    remap_cost: f64,
    /// Deviations of the ranks as they would be without any remap, and where they are balanced.
    path: Vec<f64>,
    base: Vec<f64>,
    leader: usize,
    step: Step,
}

/// Steps after which a cost counts 1/e as much.
const MEMORY: f64 = 100.0;

/// By which share another policy must be cheaper than the one that decides.
const ADVANTAGE: f64 = 1.0 / 3.0;

impl Leader {
    /// Starts with the first of `candidates`, each given twice: for the shadow, which also sees the
    /// steps of [`train`](Self::train), and to decide.
    pub fn new(
        candidates: Vec<(Box<dyn Policy>, Box<dyn Policy>)>,
        remap_cost: f64,
        balanced: &[f64],
    ) -> Leader {
        let average = mean(balanced);
        let base: Vec<f64> = balanced.iter().map(|time| time - average).collect();
        let candidate =
            |(shadow, actual)| Candidate { shadow, base: base.clone(), cost: 0.0, actual };
        let candidates = candidates.into_iter().map(candidate).collect();
        let (path, step) = (base.clone(), Step::default());
        Leader { candidates, remap_cost, path, base, leader: 0, step }
    }

    /// Takes in a step before the run, of rank times as if nothing had been remapped.
    pub fn train(&mut self, number: u64, times: &[f64]) {
        let average = mean(times);
        self.path = times.iter().map(|time| time - average).collect();
        self.shadows(number, average);
        self.choose();
        self.base.clone_from(&self.path);
    }

    /// Which policy decides.
    pub fn leader(&self) -> usize {
        self.leader
    }

    fn shadows(&mut self, number: u64, average: f64) {
        let step = &mut self.step;
        for candidate in &mut self.candidates {
            let times =
                self.path.iter().zip(&candidate.base).map(|(now, then)| average + now - then);
            step.refill(number, |row| {
                row.clear();
                row.extend(times);
            });
            candidate.shadow.observe(step);
            candidate.cost = candidate.cost * (1.0 - 1.0 / MEMORY) + step.imbalance();
            if candidate.shadow.wants_remap() {
                candidate.shadow.remapped();
                candidate.base.clone_from(&self.path);
                candidate.cost += self.remap_cost;
            }
        }
    }

    fn choose(&mut self) {
        let cost = |place: usize| self.candidates[place].cost;
        let best = (0..self.candidates.len()).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
        if let Some(best) = best.filter(|best| cost(*best) < (1.0 - ADVANTAGE) * cost(self.leader))
        {
            self.leader = best;
        }
    }
}

impl Policy for Leader {
    fn observe(&mut self, step: &Step) {
        let average = step.mean();
        let now = step.times().iter().zip(&self.base).map(|(time, base)| base + time - average);
        self.path = now.collect();
        self.shadows(step.number(), average);
        self.choose();
        for candidate in &mut self.candidates {
            candidate.actual.observe(step);
        }
    }

    fn wants_remap(&self) -> bool {
        self.candidates[self.leader].actual.wants_remap()
    }

    fn remapped(&mut self) {
        self.base.clone_from(&self.path);
        for candidate in &mut self.candidates {
            candidate.actual.remapped();
        }
    }
}
