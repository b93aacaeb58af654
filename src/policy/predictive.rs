//! Remapping at the best moment that the increments seen so far let one foresee.
//!
//! The model is the increments themselves: the deviations d_i of the ranks from the mean gain, in j
//! steps, what they gained in j steps somewhere in the past, every place equally likely, the ranks
//! together. With u_j(d) the expected max_i (d_i + gain_i), C the cost of a remap and V_k the cost of
//! k more steps from balance,
//!
//! ```text
//! V_k = min over j <= k of  u_1(0) + ... + u_j(0) + (C + V_{k-j} if j < k),     V_0 = 0
//! remap, k steps before the end, iff  C + V_k < min over j <= k of  u_1(d) + ... + u_j(d) + (C + V_{k-j} if j < k)
//! ```
//!
//! that is: the best plan of remap times on expected increments, made anew after every step.

use super::{Policy, Step, exceeds};
use std::sync::Arc;

/// Gains of the deviations over 1, 2, ... steps, at several places of the past.
#[derive(Debug, Clone)]
struct Gains {
    ranks: usize,
    lags: usize,
    /// `gains[(w * lags + j - 1) * ranks + i]`.
    gains: Vec<f64>,
}

impl Gains {
    /// Places of the past, lags, and numbers kept at most.
    const MOST_PLACES: usize = 64;
    const MOST_LAGS: usize = 128;
    const MOST_NUMBERS: usize = 4_000_000;

    /// From the deviations of the ranks over consecutive steps, at least three; they need to be right
    /// up to a constant of each rank.
    fn of(path: &[f64], ranks: usize) -> Option<Gains> {
        let steps = path.len() / ranks;
        let lags = (steps / 2).min(Self::MOST_LAGS).min(Self::MOST_NUMBERS / ranks / 8);
        if steps < 3 || lags == 0 {
            return None;
        }
        let starts = steps - lags;
        let most = Self::MOST_PLACES.min(Self::MOST_NUMBERS / (lags * ranks)).max(1);
        let places = starts.min(most);
        let mut gains = Vec::with_capacity(places * lags * ranks);
        for place in 0..places {
            // Evenly, the last place being the latest.
            let start = (place + 1) * starts / places - 1;
            let from = &path[start * ranks..(start + 1) * ranks];
            for lag in 1..=lags {
                let to = &path[(start + lag) * ranks..(start + lag + 1) * ranks];
                gains.extend(to.iter().zip(from).map(|(to, from)| to - from));
            }
        }
        Some(Gains { ranks, lags, gains })
    }

    /// u_1(d), ..., u_k(d): beyond the longest lag along the line through its second half.
    fn expected(&self, deviations: &[f64], steps: usize) -> Vec<f64> {
        let known = self.lags.min(steps);
        let mut expected = vec![0.0; known];
        let places = self.gains.len() / (self.lags * self.ranks);
        for place in self.gains.chunks(self.lags * self.ranks) {
            for (sum, gains) in expected.iter_mut().zip(place.chunks(self.ranks)) {
                let values = gains.iter().zip(deviations).map(|(gain, d)| gain + d);
                *sum += values.fold(f64::NEG_INFINITY, f64::max);
            }
        }
        expected.iter_mut().for_each(|sum| *sum = (*sum / places as f64).max(0.0));
        if let (Some(&last), true) = (expected.last(), steps > known) {
            let half = known / 2;
            let slope = ((last - expected[half]) / (known - 1 - half).max(1) as f64).max(0.0);
            expected.extend((1..=steps - known).map(|beyond| last + slope * beyond as f64));
        }
        expected
    }
}

/// The gains and the plan they lead to from balance.
#[derive(Debug, Clone)]
struct Plan {
    gains: Gains,
    /// `costs[k]` = V_k.
    costs: Vec<f64>,
}

/// Horizons are planned up to here; beyond, the end is as good as out of sight.
const MOST_STEPS: usize = 2000;

impl Plan {
    fn new(gains: Gains, remap_cost: f64, steps: usize) -> Plan {
        let steps = steps.min(MOST_STEPS);
        let growth = gains.expected(&vec![0.0; gains.ranks], steps);
        let mut costs = vec![0.0];
        for k in 1..=steps {
            costs.push(cheapest(&growth, &costs, remap_cost, k));
        }
        Plan { gains, costs }
    }

    fn remaps(&self, deviations: &[f64], remap_cost: f64, left: usize) -> bool {
        let left = left.min(self.costs.len() - 1);
        if left == 0 {
            return false;
        }
        let ahead = self.gains.expected(deviations, left);
        exceeds(cheapest(&ahead, &self.costs, remap_cost, left), remap_cost + self.costs[left])
    }
}

/// The cost of k steps that start along `ahead`, with the best moment of the next remap.
fn cheapest(ahead: &[f64], costs: &[f64], remap_cost: f64, k: usize) -> f64 {
    let mut spent = 0.0;
    let mut best = f64::INFINITY;
    for j in 1..=k {
        spent += ahead[j - 1];
        best = best.min(if j < k { spent + remap_cost + costs[k - j] } else { spent });
    }
    best
}

/// Plans remaps on the increments of the past.
#[derive(Debug, Clone)]
pub struct Predictive {
    remap_cost: f64,
    steps: u64,
    made: u64,
    adaptive: bool,
    plan: Option<Arc<Plan>>,
    /// Deviations of the ranks step by step, as they would be without any remap.
    path: Vec<f64>,
    last: Vec<f64>,
    planned: usize,
    wants: bool,
}

/// Steps between two fits of an adaptive policy.
const REFIT: usize = 4;

impl Predictive {
    /// For a run of `steps` steps whose remaps cost `remap_cost`, after a past of consecutive
    /// `rows` of rank times without a remap (or with the loads as if there had been none). An
    /// `adaptive` policy goes on learning from the run.
    pub fn new<'a>(
        rows: impl IntoIterator<Item = &'a [f64]>,
        remap_cost: f64,
        steps: u64,
        adaptive: bool,
    ) -> Predictive {
        let (mut path, mut ranks) = (Vec::new(), 0);
        for row in rows {
            ranks = row.len();
            path.extend(deviations(row));
        }
        let mut policy = Predictive {
            remap_cost,
            steps,
            made: 0,
            adaptive,
            plan: None,
            path,
            last: vec![0.0; ranks],
            planned: 0,
            wants: false,
        };
        policy.refit();
        policy
    }

    fn refit(&mut self) {
        let ranks = self.last.len().max(1);
        if let Some(gains) = Gains::of(&self.path, ranks) {
            let left = self.steps.saturating_sub(self.made) as usize;
            self.plan = Some(Arc::new(Plan::new(gains, self.remap_cost, left)));
            self.planned = self.path.len() / ranks;
        }
    }
}

fn deviations(times: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let mean = crate::record::mean(times);
    times.iter().map(move |time| time - mean)
}

impl Policy for Predictive {
    fn observe(&mut self, step: &Step) {
        self.made += 1;
        let now: Vec<f64> = deviations(step.times()).collect();
        if self.adaptive {
            let ranks = now.len();
            if self.last.len() != ranks {
                self.last = vec![0.0; ranks];
                self.path.clear();
            }
            let before = self.path.len().checked_sub(ranks);
            for (i, (now, last)) in now.iter().zip(&self.last).enumerate() {
                let from = before.map_or(0.0, |at| self.path[at + i]);
                self.path.push(from + now - last);
            }
            if self.path.len() / ranks >= self.planned + REFIT || self.plan.is_none() {
                self.refit();
            }
        }
        let left = self.steps.saturating_sub(self.made) as usize;
        let plan = self.plan.as_ref();
        self.wants = plan.is_some_and(|plan| plan.remaps(&now, self.remap_cost, left));
        self.last = now;
    }

    fn wants_remap(&self) -> bool {
        self.wants
    }

    fn remapped(&mut self) {
        self.last.fill(0.0);
        self.wants = false;
    }
}
