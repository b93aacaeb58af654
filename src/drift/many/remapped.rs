//! The value after a remap, G_k(S): roughly, by the best simple policy, backward in time, at some totals.

use super::counts::Counts;
use super::laws::Laws;
use super::outlook::{Outlook, Plan};
use super::setting::Setting;
use super::totals::Totals;
use crate::observer::{Halt, Observer};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// G, by step and total.
pub struct Remapped {
    ranks: f64,
    nodes: Vec<f64>,
    /// `values[k][node]`; none for steps not yet reached.
    values: Vec<Vec<f64>>,
}

impl Remapped {
    /// By the recursion from the last step to the first; `less` is what better policies save from one
    /// remap to the next.
    ///
    /// # Errors
    /// The halt the observer asks for.
    pub fn new(
        setting: &Setting,
        laws: &Laws,
        totals: &Totals,
        less: f64,
        observer: &dyn Observer,
    ) -> Result<Remapped, Halt> {
        let nodes = setting.totals();
        let steps = setting.steps;
        let mut remapped = Remapped {
            ranks: setting.ranks as f64,
            nodes,
            values: vec![Vec::new(); steps as usize + 1],
        };
        remapped.values[steps as usize] = vec![0.0; remapped.nodes.len()];
        for k in (0..steps).rev() {
            let saved = less * ((steps - k - 1) as f64 / 10.0).min(1.0);
            let outlook = Outlook { setting, laws, remapped: &remapped, totals };
            let (low, high) = setting.reach(k);
            let one = |total: &f64| {
                if *total < low || *total > high {
                    return f64::NAN;
                }
                let (mut x, mut plan) = (Counts::none(laws.levels()), Plan::default());
                x.split(setting.ranks, *total as u64);
                outlook.plan(&x, k, &mut plan);
                plan.value - saved
            };
            let mut values: Vec<f64> =
                remapped.nodes.par_iter().with_min_len(16).map(one).collect();
            extend(&mut values);
            remapped.values[k as usize] = values;
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
        }
        Ok(remapped)
    }

    /// At a total load after step k.
    pub fn at(&self, k: u64, total: f64) -> f64 {
        let values = &self.values[k as usize];
        let above = self.nodes.partition_point(|node| *node < total);
        if above == 0 {
            return values[0];
        }
        if above == self.nodes.len() {
            return values[above - 1];
        }
        let (a, b) = (self.nodes[above - 1], self.nodes[above]);
        let share = (total - a) / (b - a);
        values[above - 1] * (1.0 - share) + values[above] * share
    }

    /// Its expectation over a total with this mean and variance, nearly: by the normal law at equal
    /// distances, which tell totals apart that leave few or many ranks above the others.
    pub fn around(&self, k: u64, mean: f64, variance: f64) -> f64 {
        let deviation = variance.sqrt();
        if deviation == 0.0 {
            return self.at(k, mean);
        }
        let width = (0.6 * deviation).min(self.ranks / 3.0);
        let (mut sum, mut weights) = (self.at(k, mean), 1.0);
        let count = ((2.2 * deviation / width).ceil() as usize).min(MOST_POINTS);
        for i in 1..=count {
            let away = i as f64 * width;
            let weight = (-0.5 * away * away / variance).exp();
            sum += weight * (self.at(k, mean - away) + self.at(k, mean + away));
            weights += 2.0 * weight;
        }
        sum / weights
    }
}

/// Points on either side of the mean.
const MOST_POINTS: usize = 12;

/// Fills what was left out at the ends.
fn extend(values: &mut [f64]) {
    let Some(first) = values.iter().position(|v| !v.is_nan()) else { return };
    let last = values.iter().rposition(|v| !v.is_nan()).unwrap_or(first);
    let (low, high) = (values[first], values[last]);
    values[..first].fill(low);
    values[last + 1..].fill(high);
}
