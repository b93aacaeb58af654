//! A trajectory under some remaps: its last remap, and the cost since.

use super::plan::AVERAGED;
use super::stored::StoredCourse;
use super::window::{ROWS, Window, extremes};

/// State of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    /// Y at the last remap.
    base: Vec<f64>,
    /// Steps since, and the sum of their imbalance.
    steps: u64,
    spent: f64,
    /// Steps from the decision of the last remap until it took effect.
    lag: u64,
    /// Steps since the next remap was begun, while it is in progress.
    begun: Option<u64>,
    /// `spent` after each of the last steps, by the index of its row.
    spent_at: Vec<f64>,
    latest: f64,
    /// Excess of the imbalance of the last steps over its usual value, newest first.
    excesses: [f64; AVERAGED],
    remaps: u64,
    /// Total imbalance of all steps.
    total: f64,
}

impl Course {
    /// A run balanced at these deviations.
    pub fn new(base: &[f64]) -> Course {
        Course {
            base: base.to_vec(),
            steps: 0,
            spent: 0.0,
            lag: 0,
            begun: None,
            spent_at: vec![0.0; ROWS],
            latest: 0.0,
            excesses: [0.0; AVERAGED],
            remaps: 0,
            total: 0.0,
        }
    }

    /// Steps since the last remap.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Y at the last remap.
    pub fn base(&self) -> &[f64] {
        &self.base
    }

    /// Adds the cost of the step that the window has just processed; returns its imbalance here.
    pub fn pay(&mut self, row: &[f64], window: &Window) -> f64 {
        let most = extremes(row, &self.base).0.max(0.0);
        self.steps += 1;
        self.begun = self.begun.map(|steps| steps + 1);
        self.spent += most;
        self.total += most;
        self.spent_at[window.place(0)] = self.spent;
        self.latest = most;
        self.excesses.rotate_right(1);
        self.excesses[0] = most - window.growth(self.age() as f64);
        most
    }

    /// Remaps at the latest step.
    pub fn remap(&mut self, row: &[f64]) {
        self.base.copy_from_slice(row);
        self.steps = 0;
        self.spent = 0.0;
        self.lag = 0;
        self.remaps += 1;
    }

    /// Begins a remap to the deviations of the latest step.
    pub fn begin(&mut self) {
        self.begun = Some(0);
    }

    /// Steps since a remap was begun, while it is in progress.
    pub fn begun(&self) -> Option<u64> {
        self.begun
    }

    /// Completes the remap in progress.
    pub fn arrive(&mut self, window: &Window) {
        let back = (self.begun.take().unwrap_or(0) as usize).min(window.oldest()).min(ROWS - 1);
        let row = window.row(back).to_vec();
        self.remap(&row);
        self.lag = back as u64;
    }

    /// Steps since the decision of the last remap.
    pub fn age(&self) -> u64 {
        self.steps + self.lag
    }

    /// Imbalance of the latest step.
    pub fn latest(&self) -> f64 {
        self.latest
    }

    /// The latest excess over the usual imbalance, and the mean of the last six.
    pub fn excess(&self) -> (f64, f64) {
        let averaged = self.steps.clamp(1, AVERAGED as u64) as usize;
        let sum: f64 = self.excesses[..averaged].iter().sum();
        (self.excesses[0], sum / averaged as f64)
    }

    /// Regret: the largest saving so far of one remap since the last, at a step of the window,
    /// excluding its cost; 0 if there is none.
    pub fn regret(&self, window: &Window) -> f64 {
        let mut most: f64 = 0.0;
        let younger = (ROWS as u64).min(self.steps) as usize;
        let delay = window.delay();
        for age in delay + 1..younger.min(window.oldest() + 1) {
            let here = self.spent - self.spent_at[window.place(age - delay)];
            most = most.max(here - window.since(age));
        }
        most
    }

    /// n u_n - (u_1 + ... + u_n), with n the steps since the last remap.
    pub fn rise(&self) -> f64 {
        self.steps as f64 * self.latest() - self.spent
    }

    /// As plain numbers.
    pub fn stored(&self) -> StoredCourse {
        StoredCourse {
            base: self.base.clone(),
            steps: self.steps,
            spent: self.spent,
            spent_at: self.spent_at.clone(),
            latest: self.latest,
            excesses: self.excesses,
            remaps: self.remaps,
            total: self.total,
            lag: self.lag,
            begun: self.begun,
        }
    }

    /// From plain numbers.
    pub fn restored(stored: StoredCourse) -> Course {
        let StoredCourse { base, steps, spent, lag, begun, spent_at, latest, .. } = stored;
        let StoredCourse { excesses, remaps, total, .. } = stored;
        Course { base, steps, spent, lag, begun, spent_at, latest, excesses, remaps, total }
    }

    /// Whether the remaps so far cost more than the imbalance.
    pub fn remaps_dominate(&self, remap_cost: f64) -> bool {
        self.remaps as f64 * remap_cost > self.total
    }
}
