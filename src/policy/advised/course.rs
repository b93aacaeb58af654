//! A trajectory under some remaps: its last remap, and the cost since.

use super::plan::AVERAGED;
use super::window::{ROWS, Window, extremes};
use serde::{Deserialize, Serialize};

/// A run under some remaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// Y at the last remap.
    pub base: Vec<f64>,
    /// Steps since the last remap.
    pub steps: u64,
    /// Sum of the imbalance since.
    pub spent: f64,
    /// The sum after each of the last 64 steps, by the place of its row.
    pub spent_at: Vec<f64>,
    /// Imbalance of the last step.
    pub latest: f64,
    /// Excess of the imbalance over its usual growth in the last six steps, newest first.
    pub excesses: [f64; AVERAGED],
    /// Remaps made.
    pub remaps: u64,
    /// Imbalance of all steps.
    pub total: f64,
    /// Steps from the decision of the last remap until it took effect.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lag: u64,
    /// Steps since the next remap was begun, while it is in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Course {
    /// A run balanced at these deviations.
    pub fn new(base: &[f64]) -> Course {
        Course {
            base: base.to_vec(),
            steps: 0,
            spent: 0.0,
            spent_at: vec![0.0; ROWS],
            latest: 0.0,
            excesses: [0.0; AVERAGED],
            remaps: 0,
            total: 0.0,
            lag: 0,
            begun: None,
        }
    }

    /// Adds the cost of the step that the window has just processed; returns its imbalance here.
    pub(super) fn pay(&mut self, row: &[f64], window: &Window) -> f64 {
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
    pub(super) fn remap(&mut self, row: &[f64]) {
        self.base.copy_from_slice(row);
        self.steps = 0;
        self.spent = 0.0;
        self.lag = 0;
        self.remaps += 1;
    }

    /// Completes the remap in progress.
    pub(super) fn arrive(&mut self, window: &Window) {
        let back = (self.begun.take().unwrap_or(0) as usize).min(window.oldest()).min(ROWS - 1);
        let row = window.row(back).to_vec();
        self.remap(&row);
        self.lag = back as u64;
    }

    /// Steps since the decision of the last remap.
    pub(super) fn age(&self) -> u64 {
        self.steps + self.lag
    }

    /// The latest excess over the usual imbalance, and the mean of the last six.
    pub(super) fn excess(&self) -> (f64, f64) {
        let averaged = self.steps.clamp(1, AVERAGED as u64) as usize;
        let sum: f64 = self.excesses[..averaged].iter().sum();
        (self.excesses[0], sum / averaged as f64)
    }

    /// Regret: the largest saving so far of one remap since the last, at a step of the window,
    /// excluding its cost; 0 if there is none.
    pub(super) fn regret(&self, window: &Window) -> f64 {
        let mut most: f64 = 0.0;
        let younger = (ROWS as u64).min(self.steps) as usize;
        let delay = window.delay;
        for age in delay + 1..younger.min(window.oldest() + 1) {
            let here = self.spent - self.spent_at[window.place(age - delay)];
            most = most.max(here - window.since(age));
        }
        most
    }

    /// n u_n - (u_1 + ... + u_n), with n the steps since the last remap.
    pub(super) fn rise(&self) -> f64 {
        self.steps as f64 * self.latest - self.spent
    }

    /// Whether the remaps so far cost more than the imbalance.
    pub(super) fn remaps_dominate(&self, remap_cost: f64) -> bool {
        self.remaps as f64 * remap_cost > self.total
    }
}
