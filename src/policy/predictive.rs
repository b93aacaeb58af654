//! Model-predictive policy: remaps at the best time according to forecasts from the steps so far.
//!
//! Let Y be the deviations of the ranks from the mean, accumulated as if nothing had been remapped.
//! Y in j steps is a forecast by level, trend and mean (`level`) plus an error. Errors are sampled
//! from the past, jointly for all ranks of a step, with more weight on later steps. Let u_j be the
//! expected largest deviation j steps from now, or after a remap, C the cost of a remap, and V_k
//! the cost of k more steps from balance:
//!
//! ```text
//! V_k = min over j <= k of  u_1 + ... + u_j + (C + V_{k-j} if j < k),     V_0 = 0
//! remap iff  C + (the same from what a remap leaves)  <  the same from now
//! ```
//!
//! This is the best plan of remap times on expected loads, recomputed after every step. A remap
//! balances the measured times including noise: the remainder is the distance of the forecast from
//! Y.

use super::{Policy, Step, exceeds};
use crate::fit::level::{Ahead, Family, Followed, Smoothed, State, without_outliers};
use crate::record::deviations;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Range;
use std::sync::Arc;

/// The recent past of the ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Past {
    family: Family,
    ranks: usize,
    /// Y, without transient outliers.
    path: Vec<f64>,
    states: Vec<State>,
    filters: Vec<usize>,
    /// The longest lag used.
    lags: usize,
}

impl Past {
    /// Bounds on past steps sampled for each lag, on lags, on steps, and on stored numbers.
    const MOST_MOMENTS: usize = 128;
    const MOST_LAGS: usize = 128;
    const MOST_STEPS: usize = 512;
    const MOST_NUMBERS: usize = 1 << 20;

    /// The past, and every filter at its end; `None` if it is too short.
    fn of(path: &[f64], ranks: usize, family: Family) -> Option<(Past, Vec<Followed>)> {
        let steps = (path.len() / ranks).min(Self::MOST_STEPS).min(Self::MOST_NUMBERS / ranks);
        if steps < 3 {
            return None;
        }
        let mut path = path[path.len() - steps * ranks..].to_vec();
        without_outliers(&mut path, ranks);
        let column = |rank: usize| (0..steps).map(|step| path[step * ranks + rank]).collect();
        let columns: Vec<Vec<f64>> = (0..ranks).map(column).collect();
        let smoothed = Smoothed::of(&columns, family);
        let all = |step: usize| smoothed.iter().map(move |rank| rank.states[step]);
        let states = (0..steps).flat_map(all).collect();
        let (filters, last) = smoothed.iter().map(|rank| (rank.filter, rank.last)).unzip();
        let lags = (steps / 2).min(Self::MOST_LAGS);
        Some((Past { family, ranks, path, states, filters, lags }, last))
    }

    fn row(&self, step: usize) -> Range<usize> {
        step * self.ranks..(step + 1) * self.ranks
    }

    /// u_1, ..., u_k from these states: now, last balanced at the deviations `base`, or else right
    /// after a remap at any step. Beyond the longest lag, extrapolated by the line through its
    /// second half.
    fn expected(&self, base: Option<&[f64]>, now: &[State], steps: usize) -> Vec<f64> {
        let known = self.lags.min(steps);
        let all = self.path.len() / self.ranks;
        let mut expected: Vec<f64> = Vec::with_capacity(steps);
        let mut forecasts = vec![0.0; self.ranks];
        for lag in 1..=known {
            let factors: Vec<Ahead> =
                self.filters.iter().map(|filter| Ahead::new(*filter, lag)).collect();
            for i in 0..self.ranks {
                forecasts[i] = match base {
                    None => factors[i].steps * now[i].trend,
                    Some(base) => now[i].forecast(factors[i]) - base[i],
                };
            }
            let moments = all - lag;
            let stride = moments.div_ceil(Self::MOST_MOMENTS);
            let (mut sum, mut weights) = (0.0, 0.0);
            for moment in (0..moments).rev().step_by(stride) {
                let weight = (-((moments - 1 - moment) as f64) / self.family.memory()).exp();
                let to = &self.path[self.row(moment + lag)];
                let past = &self.states[self.row(moment)];
                let from = &self.path[self.row(moment)];
                let mut most = f64::NEG_INFINITY;
                for i in 0..self.ranks {
                    let error = match base {
                        None => to[i] - from[i] - factors[i].steps * past[i].trend,
                        Some(_) => to[i] - past[i].forecast(factors[i]),
                    };
                    most = most.max(forecasts[i] + error);
                }
                sum += weight * most;
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

/// The past and the resulting plan from balance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    past: Past,
    /// `costs[k]` = V_k.
    costs: Vec<f64>,
}

/// Longest planning horizon; a more distant end has no effect.
const MOST_STEPS: usize = 2000;

impl Plan {
    fn new(past: Past, remap_cost: f64, steps: usize) -> Plan {
        let steps = steps.min(MOST_STEPS);
        let now = &past.states[past.row(past.states.len() / past.ranks - 1)];
        let growth = past.expected(None, now, steps);
        let mut costs = vec![0.0];
        for k in 1..=steps {
            costs.push(cheapest(&growth, &costs, remap_cost, k));
        }
        Plan { past, costs }
    }
}

/// The cost of k steps that start along `ahead`, with the best step of the next remap.
fn cheapest(ahead: &[f64], costs: &[f64], remap_cost: f64, k: usize) -> f64 {
    let mut spent = 0.0;
    let mut best = f64::INFINITY;
    for j in 1..=k {
        spent += ahead[j - 1];
        best = best.min(if j < k { spent + remap_cost + costs[k - j] } else { spent });
    }
    best
}

/// Plans remaps from its observations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predictive {
    remap_cost: f64,
    steps: u64,
    made: u64,
    adaptive: bool,
    family: Family,
    #[serde(serialize_with = "write_plan", deserialize_with = "read_plan")]
    plan: Option<Arc<Plan>>,
    /// Y so far, including the past.
    path: Vec<f64>,
    /// Y at the last balance.
    base: Vec<f64>,
    followed: Vec<Followed>,
    planned: usize,
    usual: f64,
    seen: f64,
    wants: bool,
}

fn write_plan<S: Serializer>(plan: &Option<Arc<Plan>>, serializer: S) -> Result<S::Ok, S::Error> {
    plan.as_deref().serialize(serializer)
}

fn read_plan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<Plan>>, D::Error> {
    Ok(Option::<Plan>::deserialize(deserializer)?.map(Arc::new))
}

/// Steps between two fits of an adaptive policy.
const REFIT: usize = 2;

impl Predictive {
    /// For a run of `steps` steps with remaps of cost `remap_cost`, after consecutive `rows` of
    /// rank times without a remap (or with the loads as if there had been none). An `adaptive`
    /// policy continues to learn during the run. Forecasts use filters of `family`.
    pub fn new<'a>(
        rows: impl IntoIterator<Item = &'a [f64]>,
        remap_cost: f64,
        steps: u64,
        adaptive: bool,
        family: Family,
    ) -> Predictive {
        let (mut path, mut ranks) = (Vec::new(), 0);
        for row in rows {
            ranks = row.len();
            path.extend(deviations(row));
        }
        let base = path[path.len() - ranks..].to_vec();
        let mut policy = Predictive {
            remap_cost,
            steps,
            made: 0,
            adaptive,
            family,
            plan: None,
            followed: base.iter().map(|value| Followed::new(*value)).collect(),
            path,
            base,
            planned: 0,
            usual: 0.0,
            seen: 0.0,
            wants: false,
        };
        policy.refit();
        policy
    }

    /// With the information that `steps` steps follow; the next fit uses it.
    pub fn for_steps(self, steps: u64) -> Predictive {
        Predictive { steps: self.made.saturating_add(steps), ..self }
    }

    /// Number of ranks, once it is known.
    pub fn ranks(&self) -> Option<usize> {
        (!self.base.is_empty()).then_some(self.base.len())
    }

    /// The inconsistency of a deserialized policy, if any.
    pub fn fault(&self) -> Option<&'static str> {
        let ranks = self.base.len();
        let whole = |length: usize| ranks > 0 && length > 0 && length.is_multiple_of(ranks);
        let planned = self.plan.as_deref().is_none_or(|Plan { past, costs }| {
            let filters = past.family.filters();
            let steps = past.path.len() / ranks.max(1);
            past.ranks == ranks
                && whole(past.path.len())
                && past.states.len() == past.path.len()
                && past.filters.len() == ranks
                && past.filters.iter().all(|filter| filters.contains(filter))
                && past.lags < steps
                && !costs.is_empty()
        });
        let path = self.path.len();
        let path = if ranks == 0 { path == 0 } else { whole(path) };
        let fits = path && self.followed.len() == ranks && planned;
        (!fits).then_some("its lists are not of as many ranks and steps as they should")
    }

    fn left(&self) -> usize {
        self.steps.saturating_sub(self.made) as usize
    }

    fn refit(&mut self) {
        let ranks = self.base.len().max(1);
        if let Some((past, followed)) = Past::of(&self.path, ranks, self.family) {
            self.followed = followed;
            self.plan = Some(Arc::new(Plan::new(past, self.remap_cost, self.left())));
            self.planned = self.path.len() / ranks;
        }
    }

    /// Whether to remap at the latest step.
    fn decide(&mut self) -> bool {
        let Some(Plan { past, costs }) = self.plan.as_deref() else { return false };
        let left = self.left().min(costs.len() - 1);
        if left == 0 {
            return false;
        }
        let here = &self.path[self.path.len() - self.base.len()..];
        let states = self.followed.iter().zip(&past.filters).map(|(all, filter)| all.by(*filter));
        let states: Vec<State> = states.collect();
        let cost = |base: &[f64]| {
            let ahead = past.expected(Some(base), &states, left);
            cheapest(&ahead, costs, self.remap_cost, left)
        };
        // The remainder of a remap now is compared with its usual value.
        let now = cost(&self.base);
        let unusual = cost(here) - costs[left];
        self.seen += 1.0;
        self.usual += (unusual - self.usual) * (1.0 / self.seen).max(0.05);
        exceeds(now, self.remap_cost + costs[left] + unusual - self.usual)
    }
}

impl Policy for Predictive {
    fn observe(&mut self, step: &Step) {
        self.made += 1;
        let ranks = step.times().len();
        if self.base.len() != ranks {
            self.base = vec![0.0; ranks];
            self.followed = vec![Followed::new(0.0); ranks];
            self.path.clear();
        }
        let now = self.path.len();
        self.path.extend(deviations(step.times()).zip(&self.base).map(|(d, base)| base + d));
        for (followed, value) in self.followed.iter_mut().zip(&self.path[now..]) {
            followed.observe(*value);
        }
        if self.adaptive && self.path.len() / ranks >= self.planned + REFIT {
            self.refit();
        }
        self.wants = self.decide();
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
