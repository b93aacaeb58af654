//! The approximate value after a remap, G_k(S), at selected totals S: backward induction over k
//! with the best simple policy.

use super::approximate::{Correction, features};
use super::lookahead::Outlook;
use super::plan::{ALL, Plan};
use super::smoothed::{Ahead, interpolate};
use crate::load_drift::many::counts::Counts;
use crate::load_drift::many::first_passage::Laws;
use crate::load_drift::many::setting::Setting;
use crate::load_drift::many::totals::Totals;
use crate::observer::{Halt, Observer};
use crate::parallel;
use std::ops::ControlFlow;

/// The value G, by step and total.
pub struct Remapped {
    nodes: Vec<f64>,
    /// `values[k][node]`; empty for steps not yet reached.
    values: Vec<Vec<f64>>,
    ahead: Ahead,
}

impl Remapped {
    /// Backward induction from the last step to the first. `correction` estimates the saving of
    /// better policies from one remap to the next.
    ///
    /// # Errors
    /// The halt that the observer requested.
    pub fn new(
        setting: &Setting,
        laws: &Laws,
        totals: &Totals,
        correction: &Correction,
        observer: &dyn Observer,
    ) -> Result<Remapped, Halt> {
        let nodes = setting.totals();
        let steps = setting.steps;
        let one = setting.ranks as f64 * setting.variance;
        let range = [nodes[0], nodes[nodes.len() - 1]];
        let ahead = Ahead::new(range, one, laws.longest(), steps);
        let values = vec![Vec::new(); steps as usize + 1];
        let mut remapped = Remapped { nodes, values, ahead };
        let spared = |total: &f64| match setting.replaces {
            true => setting.even_cost(*total as u64),
            false => 0.0,
        };
        remapped.values[steps as usize] = remapped.nodes.iter().map(spared).collect();
        for k in (0..steps).rev() {
            let outlook = Outlook { setting, laws, remapped: &remapped, totals };
            let (low, high) = setting.reach(k);
            let one = |total: &f64| {
                if *total < low || *total > high {
                    return f64::NAN;
                }
                let (mut x, mut plan) = (Counts::none(laws.levels()), Plan::default());
                x.split(setting.ranks, *total as u64);
                outlook.plan(&x, k, [1 + setting.overlap.steps as usize, ALL], &mut plan);
                let features = features(&x, &plan, setting, steps - k);
                let before: f64 = outlook.before_force(&x).iter().sum();
                plan.value + spared(total) - before - correction.saved(&features)
            };
            let mut values = parallel::map_all(&remapped.nodes, &one);
            extend(&mut values);
            let after: Vec<f64> = match setting.keeps_totals() {
                true => values.clone(),
                false => {
                    remapped.values[k as usize] = values.clone();
                    let after =
                        |node: &f64| setting.after(*node as u64, |to| remapped.at(k, to as f64));
                    remapped.nodes.iter().map(after).collect()
                }
            };
            remapped.ahead.fill(k, &remapped.nodes, &after);
            remapped.values[k as usize] = values;
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
        }
        Ok(remapped)
    }

    /// The value at a total load after step k, by linear interpolation.
    pub fn at(&self, k: u64, total: f64) -> f64 {
        interpolate(&self.nodes, &self.values[k as usize], total)
    }

    /// Approximate expectation over a total with this mean and variance, by the normal
    /// distribution.
    pub fn around(&self, k: u64, mean: f64, variance: f64) -> f64 {
        self.ahead.at(k, mean, variance).unwrap_or_else(|| {
            let share = variance / self.ahead.least();
            let wide = self.ahead.at(k, mean, self.ahead.least()).unwrap_or_default();
            if share > 0.0 {
                self.at(k, mean) * (1.0 - share) + wide * share
            } else {
                self.at(k, mean)
            }
        })
    }
}

/// Extrapolates the values omitted at the ends by constants.
fn extend(values: &mut [f64]) {
    let Some(first) = values.iter().position(|v| !v.is_nan()) else { return };
    let last = values.iter().rposition(|v| !v.is_nan()).unwrap_or(first);
    let (low, high) = (values[first], values[last]);
    values[..first].fill(low);
    values[last + 1..].fill(high);
}
