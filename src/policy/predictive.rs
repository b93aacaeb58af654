//! Remapping at the best moment that the increments seen so far let one foresee.
//!
//! The model is the increments themselves. Let Y be the deviations of the ranks from the mean, added
//! up as if nothing had been remapped, and L their filtered level ([`level`]). The deviations j steps
//! after a remap are what Y gained in j steps somewhere in the past; those j steps from now are the
//! present level and what Y was above the level j steps earlier. Places of the past are weighted by
//! how recent they are; the ranks are taken together. With u_j the expected maximum after j steps, C
//! the cost of a remap and V_k the cost of k more steps from balance,
//!
//! ```text
//! V_k = min over j <= k of  u_1(balance) + ... + u_j(balance) + (C + V_{k-j} if j < k),     V_0 = 0
//! remap, k steps before the end, iff  C + V_k < min over j <= k of  u_1(now) + ... + u_j(now) + (C + V_{k-j} if j < k)
//! ```
//!
//! that is: the best plan of remap times on expected increments, made anew after every step.

use super::{Policy, Step, exceeds};
use crate::fit::level;
use std::sync::Arc;

/// Where the ranks were, as far back as matters.
#[derive(Debug, Clone)]
struct Past {
    ranks: usize,
    /// Y, without outliers that came and went.
    path: Vec<f64>,
    /// L.
    levels: Vec<f64>,
    /// Steps after which a place counts 1/e as much.
    memory: f64,
    /// The longest lag looked at.
    lags: usize,
}

impl Past {
    /// Places of the past looked at for each lag, lags, steps, and numbers kept at most.
    const MOST_PLACES: usize = 48;
    const MOST_LAGS: usize = 128;
    const MOST_STEPS: usize = 1024;
    const MOST_NUMBERS: usize = 1 << 22;

    fn of(path: &[f64], ranks: usize, memory: f64) -> Option<Past> {
        let steps = (path.len() / ranks).min(Self::MOST_STEPS).min(Self::MOST_NUMBERS / ranks);
        if steps < 3 {
            return None;
        }
        let mut path = path[path.len() - steps * ranks..].to_vec();
        level::without_outliers(&mut path, ranks);
        let levels = level::levels(&path, ranks);
        Some(Past { ranks, path, levels, memory, lags: (steps / 2).min(Self::MOST_LAGS) })
    }

    fn row<'a>(&self, values: &'a [f64], step: usize) -> &'a [f64] {
        &values[step * self.ranks..(step + 1) * self.ranks]
    }

    /// u_1, ..., u_k from `deviations` of the level, or from balance. Beyond the longest lag along the
    /// line through its second half.
    fn expected(&self, deviations: Option<&[f64]>, steps: usize) -> Vec<f64> {
        let known = self.lags.min(steps);
        let all = self.path.len() / self.ranks;
        let zeros = vec![0.0; self.ranks];
        let (from, start) = match deviations {
            Some(deviations) => (&self.levels, deviations),
            None => (&self.path, zeros.as_slice()),
        };
        let mut expected: Vec<f64> = Vec::with_capacity(steps);
        for lag in 1..=known {
            let places = all - lag;
            let stride = places.div_ceil(Self::MOST_PLACES);
            let (mut sum, mut weights) = (0.0, 0.0);
            for place in (0..places).rev().step_by(stride) {
                let weight = (-((places - 1 - place) as f64) / self.memory).exp();
                let (to, from) = (self.row(&self.path, place + lag), self.row(from, place));
                let most = to.iter().zip(from).zip(start).map(|((to, from), d)| to - from + d);
                sum += weight * most.fold(f64::NEG_INFINITY, f64::max);
                weights += weight;
            }
            expected.push((sum / weights).max(0.0));
        }
        if let (Some(&last), true) = (expected.last(), steps > known) {
            let half = known / 2;
            let slope = ((last - expected[half]) / (known - 1 - half).max(1) as f64).max(0.0);
            expected.extend((1..=steps - known).map(|beyond| last + slope * beyond as f64));
        }
        expected
    }
}

/// The past and the plan it leads to from balance.
#[derive(Debug, Clone)]
struct Plan {
    past: Past,
    /// `costs[k]` = V_k.
    costs: Vec<f64>,
}

/// Horizons are planned up to here; beyond, the end is as good as out of sight.
const MOST_STEPS: usize = 2000;

impl Plan {
    fn new(past: Past, remap_cost: f64, steps: usize) -> Plan {
        let steps = steps.min(MOST_STEPS);
        let growth = past.expected(None, steps);
        let mut costs = vec![0.0];
        for k in 1..=steps {
            costs.push(cheapest(&growth, &costs, remap_cost, k));
        }
        Plan { past, costs }
    }

    fn remaps(&self, deviations: &[f64], remap_cost: f64, left: usize) -> bool {
        let left = left.min(self.costs.len() - 1);
        if left == 0 {
            return false;
        }
        let ahead = self.past.expected(Some(deviations), left);
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
    memory: f64,
    steps: u64,
    made: u64,
    adaptive: bool,
    plan: Option<Arc<Plan>>,
    /// Y so far, the past included.
    path: Vec<f64>,
    /// Where the ranks were balanced last, and their filtered level.
    base: Vec<f64>,
    filter: level::Filter,
    planned: usize,
    wants: bool,
}

/// Steps between two fits of an adaptive policy.
const REFIT: usize = 4;

impl Predictive {
    /// For a run of `steps` steps whose remaps cost `remap_cost`, after a past of consecutive
    /// `rows` of rank times without a remap (or with the loads as if there had been none). Places of
    /// the past count exp(-age / `memory`). An `adaptive` policy goes on learning from the run.
    pub fn new<'a>(
        rows: impl IntoIterator<Item = &'a [f64]>,
        remap_cost: f64,
        memory: f64,
        steps: u64,
        adaptive: bool,
    ) -> Predictive {
        let (mut path, mut ranks) = (Vec::new(), 0);
        for row in rows {
            ranks = row.len();
            path.extend(deviations(row));
        }
        let base = path[path.len() - ranks..].to_vec();
        let mut policy = Predictive {
            remap_cost,
            memory,
            steps,
            made: 0,
            adaptive,
            plan: None,
            filter: level::Filter::new(&base),
            path,
            base,
            planned: 0,
            wants: false,
        };
        policy.refit();
        policy
    }

    fn refit(&mut self) {
        let ranks = self.base.len().max(1);
        if let Some(past) = Past::of(&self.path, ranks, self.memory) {
            let left = self.steps.saturating_sub(self.made) as usize;
            let last = past.levels.len() - ranks;
            self.filter =
                level::Filter::resume(&past.levels[last..], level::gain(&past.path, ranks));
            self.plan = Some(Arc::new(Plan::new(past, self.remap_cost, left)));
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
        let ranks = step.times().len();
        if self.base.len() != ranks {
            self.base = vec![0.0; ranks];
            self.path.clear();
            self.filter = level::Filter::new(&self.base);
        }
        let now = self.path.len();
        self.path.extend(deviations(step.times()).zip(&self.base).map(|(d, base)| base + d));
        self.filter.observe(&self.path[now..]);
        if self.adaptive && self.path.len() / ranks >= self.planned + REFIT {
            self.refit();
        }
        let left = self.steps.saturating_sub(self.made) as usize;
        let levels = self.filter.level().iter().zip(&self.base);
        let from_balance: Vec<f64> = levels.map(|(level, base)| level - base).collect();
        let plan = self.plan.as_ref();
        self.wants = plan.is_some_and(|plan| plan.remaps(&from_balance, self.remap_cost, left));
    }

    fn wants_remap(&self) -> bool {
        self.wants
    }

    fn remapped(&mut self) {
        let last = self.path.len() - self.base.len();
        self.base.copy_from_slice(&self.path[last..]);
        self.wants = false;
    }
}
