//! The approximate value V^ = g + min(0, y + c(y)), with g = C + G(S) the cost of a remap, y = Y - g how much worse the
//! best simple policy is, and c a function of one number, what better policies save.

use super::counts::Counts;
use super::moves::Moves;
use super::outlook::{Known, Outlook, Plan};
use super::setting::Setting;
use crate::random::stream;
use rayon::prelude::*;

/// c, linear between points at equal distances and constant beyond.
#[derive(Debug, Clone)]
pub struct Correction {
    first: f64,
    width: f64,
    values: Vec<f64>,
}

const POINTS: usize = 25;

impl Correction {
    /// No correction yet.
    pub fn none(remap_cost: f64) -> Correction {
        let first = -1.2 * remap_cost - 1.0;
        Correction { first, width: (-first + 2.0) / (POINTS - 1) as f64, values: vec![0.0; POINTS] }
    }

    fn place(&self, y: f64) -> (usize, f64) {
        let at = ((y - self.first) / self.width).clamp(0.0, (POINTS - 1) as f64 - 1e-9);
        (at as usize, at.fract())
    }

    /// c(y).
    pub fn at(&self, y: f64) -> f64 {
        let (i, share) = self.place(y);
        self.values[i] * (1.0 - share) + self.values[i + 1] * share
    }
}

/// What is known of a state.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// The approximate value, 0 at the end.
    pub value: f64,
    /// How much better it is to go on than to remap at once, or worse if positive.
    pub excess: f64,
}

/// V^.
pub struct Approximate<'a> {
    /// Simple policies.
    pub outlook: Outlook<'a>,
    /// c.
    pub correction: &'a Correction,
}

impl Approximate<'_> {
    /// The view of a state after step k, and the best simple plan from it.
    pub fn view(&self, x: &Counts, total: u64, k: u64, plan: &mut Plan) -> View {
        let setting = self.outlook.setting;
        if k == setting.steps {
            return View { value: 0.0, excess: 0.0 };
        }
        self.outlook.plan(x, k, plan);
        let remap =
            setting.remap_cost + setting.after(total, |to| self.outlook.remapped.at(k, to as f64));
        let y = plan.value - remap;
        let excess = y + self.correction.at(y);
        View { value: remap + excess.min(0.0), excess }
    }
}

/// A state that was come by, and states that followed.
struct Sample {
    y: f64,
    /// Cost of the step and of a remap after it, less the cost of a remap before; y there, if it goes on.
    next: Vec<(f64, Option<f64>)>,
}

/// Runs that states are taken from, and how many moves from each.
const RUNS: u64 = 64;
const FOLLOWED: usize = 8;
const ROUNDS: usize = 60;

/// c by fixed-point iteration on states of simulated runs.
pub fn fit(approximate: &Approximate<'_>, moves: &Moves, seed: u64) -> Correction {
    let runs = (0..RUNS).into_par_iter().map(|run| samples(approximate, moves, seed, run));
    let samples: Vec<Sample> = runs.flatten_iter().collect();
    let mut correction = approximate.correction.clone();
    for _ in 0..ROUNDS {
        let mut sums = vec![[0.0; 2]; POINTS];
        for sample in &samples {
            let one = |&(cost, y): &(f64, Option<f64>)| {
                cost + y.map_or(0.0, |y| (y + correction.at(y)).min(0.0))
            };
            let mean = sample.next.iter().map(one).sum::<f64>() / sample.next.len() as f64;
            let (i, share) = correction.place(sample.y);
            for (point, weight) in [(i, 1.0 - share), (i + 1, share)] {
                sums[point][0] += weight * (mean - sample.y);
                sums[point][1] += weight;
            }
        }
        for (value, [sum, weight]) in correction.values.iter_mut().zip(&sums) {
            if *weight > 1.0 {
                *value = sum / weight;
            }
        }
        // Points that no state came near take their neighbour's value.
        let known = |i: usize| sums[i][1] > 1.0;
        for i in (0..POINTS - 1).rev().filter(|&i| !known(i)).collect::<Vec<_>>() {
            correction.values[i] = correction.values[i + 1];
        }
        for i in (1..POINTS).filter(|&i| !known(i)).collect::<Vec<_>>() {
            if sums[i..].iter().all(|[_, w]| *w <= 1.0) {
                correction.values[i] = correction.values[i - 1];
            }
        }
    }
    correction
}

fn samples(approximate: &Approximate<'_>, moves: &Moves, seed: u64, run: u64) -> Vec<Sample> {
    let setting: &Setting = approximate.outlook.setting;
    let remapped = approximate.outlook.remapped;
    let mut draws = stream(seed ^ 0x5eed, run);
    let levels = approximate.outlook.laws.levels();
    let (mut x, mut y) = (Counts::none(levels), Counts::none(levels));
    let mut plan = Plan::default();
    let mut found = Vec::new();
    let mut known = Known::new();
    // Runs start in the middle of the horizon: most steps are far from its end.
    let first = run * setting.steps / RUNS / 2;
    x.split(setting.ranks, setting.first_total);
    let mut last_excess = f64::NEG_INFINITY;
    for k in first..setting.steps.min(first + 60) {
        let total = x.total();
        let (here, view);
        if last_excess > 0.1 * setting.remap_cost {
            x.split(setting.ranks, setting.remaps_to(total, 0.5));
        }
        let total = x.total();
        view = approximate.view(&x, total, k, &mut plan);
        last_excess = view.excess;
        let remap = setting.remap_cost + setting.after(total, |to| remapped.at(k, to as f64));
        here = plan.value - remap;
        approximate.outlook.prepare(&x, total, k, &mut known, &mut plan);
        let mut next = Vec::with_capacity(FOLLOWED);
        for _ in 0..FOLLOWED {
            moves.step_apart(&x, &mut draws, &mut y);
            let to = y.total();
            // Less a number of expectation zero that goes with it.
            let cost =
                setting.cost(&y, to) - approximate.outlook.follow(&plan, &y, to) + plan.value;
            if k + 1 == setting.steps {
                next.push((cost - remap, None));
                continue;
            }
            let mut ahead = Plan::default();
            approximate.outlook.plan(&y, k + 1, &mut ahead);
            let remap_then =
                setting.remap_cost + setting.after(to, |to| remapped.at(k + 1, to as f64));
            next.push((cost + remap_then - remap, Some(ahead.value - remap_then)));
        }
        found.push(Sample { y: here, next });
        x.copy(&y);
    }
    found
}
