//! The approximate value function V^ = g + min(0, y + c).
//!
//! Here g = C + G(S) is the cost of a remap and y = Y - g the excess cost of the best simple policy
//! Y over a remap. The correction c estimates the saving of better policies. It is linear in a few
//! features of the state; its coefficients are piecewise linear in y. Method: approximate value
//! iteration with linear function approximation, by least squares on simulated states.

use super::lookahead::{Known, Outlook};
use super::plan::{ALL, Plan};
use crate::load_drift::many::counts::Counts;
use crate::load_drift::many::lower_bound::latin_hypercube::Evenly;
use crate::load_drift::many::lower_bound::moves::Moves;
use crate::load_drift::many::setting::Setting;
use crate::parallel;
use crate::random::{Stream, stream};
use nalgebra::{DMatrix, DVector};

/// Number of features in which c is linear.
const FEATURES: usize = 8;
/// Values of y, relative to the cost of a remap, between which coefficients are interpolated
/// linearly. From `NOTHING_FROM` on c is 0.
const POINTS: [f64; 8] = [-1.1, -0.75, -0.5, -0.3, -0.15, -0.07, 0.0, 0.07];
const NOTHING_FROM: f64 = 0.25;

/// The correction c.
#[derive(Debug, Clone)]
pub struct Correction {
    remap_cost: f64,
    coefficients: Vec<[f64; FEATURES]>,
}

/// Within this many steps of the end the features shrink linearly, because nothing can be saved
/// after the last step.
const ENDING: f64 = 12.0;

/// The features of a state.
pub type Features = [f64; FEATURES];

/// Features of a state with its best plan, `left` steps before the end.
pub fn features(x: &Counts, plan: &Plan, setting: &Setting, left: u64) -> Features {
    let imbalance = x.top as f64 - x.total() as f64 / setting.ranks as f64;
    let share = (left as f64 / ENDING).min(1.0);
    let below = if x.top > 0 { x.on[x.top - 1] } else { 0.0 };
    let worse = |i: usize| match plan.bests[i] - plan.value {
        by if by.is_finite() => (by / (0.125 * setting.typical).max(1e-9)).min(2.0),
        _ => 0.0,
    };
    let near = 0.2 * imbalance;
    [
        1.0,
        near,
        near * near,
        0.2 * x.on[x.top].ln(),
        0.2 * below.ln_1p(),
        worse(0),
        worse(1),
        worse(2),
    ]
    .map(|number: f64| share * number)
}

impl Correction {
    /// The zero correction.
    pub fn none(remap_cost: f64) -> Correction {
        Correction { remap_cost, coefficients: vec![[0.0; FEATURES]; POINTS.len()] }
    }

    /// The points next to y with their interpolation weights.
    fn place(&self, y: f64) -> [(usize, f64); 2] {
        let y = y / self.remap_cost.max(1e-9);
        let last = POINTS.len() - 1;
        if y >= POINTS[last] {
            let weight = (NOTHING_FROM - y) / (NOTHING_FROM - POINTS[last]);
            return [(last, weight.max(0.0)), (0, 0.0)];
        }
        let above = POINTS.partition_point(|point| *point < y);
        if above == 0 {
            return [(0, 1.0), (1, 0.0)];
        }
        let share = (y - POINTS[above - 1]) / (POINTS[above] - POINTS[above - 1]);
        [(above - 1, 1.0 - share), (above, share)]
    }

    /// The weighted mean of two corrections; `share` is the weight of this one.
    pub fn mixed(mut self, share: f64, other: &Correction) -> Correction {
        let own = self.coefficients.iter_mut().flatten();
        own.zip(other.coefficients.iter().flatten())
            .for_each(|(to, from)| *to = share * *to + (1.0 - share) * from);
        self
    }

    /// The correction c at y.
    pub fn at(&self, y: f64, features: &Features) -> f64 {
        let dot = |c: &Features| c.iter().zip(features).map(|(a, b)| a * b).sum::<f64>();
        let one = |(point, weight): (usize, f64)| match weight > 0.0 {
            true => weight * dot(&self.coefficients[point]),
            false => 0.0,
        };
        self.place(y).into_iter().map(one).sum()
    }

    /// Saving of better policies from one remap to the next.
    pub fn saved(&self, features: &Features) -> f64 {
        let mut saved = 0.0;
        for _ in 0..4 {
            saved = -self.at(-self.remap_cost + saved, features);
        }
        saved
    }
}

/// Approximate value and decision of a state.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// The approximate value; 0 at the end.
    pub value: f64,
    /// Cost of continuing minus cost of a remap now; a remap is better where it is positive.
    pub excess: f64,
}

/// The approximate value function V^.
pub struct Approximate<'a> {
    /// Look-ahead values of simple policies.
    pub outlook: Outlook<'a>,
    /// The correction c.
    pub correction: &'a Correction,
}

impl Approximate<'_> {
    /// Cost of a remap of x after step k, including all that follows.
    fn remap(&self, x: &Counts, total: u64, k: u64) -> f64 {
        let Outlook { setting, remapped, .. } = &self.outlook;
        setting.price(x, total)
            + self.outlook.beside(x)
            + setting.after(total, |to| remapped.at(k, to as f64))
    }

    /// The view of a state after step k. `plan` becomes the best simple plan that remaps after at
    /// least `span[0]` steps and looks ahead at most `span[1]` steps.
    pub fn view(&self, x: &Counts, total: u64, k: u64, span: [usize; 2], plan: &mut Plan) -> View {
        let setting = self.outlook.setting;
        self.outlook.plan(x, k, span, plan);
        if !setting.may_remap(k) {
            return View { value: plan.value, excess: f64::NEG_INFINITY };
        }
        let remap = self.remap(x, total, k);
        let y = plan.value - remap;
        let features = features(x, plan, setting, setting.steps - k);
        let excess = y + self.correction.at(y, &features);
        View { value: remap + excess.min(0.0), excess }
    }
}

/// A visited state and sampled successors.
struct Sample {
    y: f64,
    features: Features,
    /// For each successor: cost of the step and of a remap after it, minus the cost of a remap
    /// before; and y and features there, if the program continues.
    next: Vec<(f64, Option<(f64, Features)>)>,
}

/// Number of simulated runs that states are taken from, number of successors sampled at each state,
/// and number of fixed-point iterations.
const RUNS: u64 = 128;
const FOLLOWED: usize = 8;
const ROUNDS: usize = 30;
/// Ridge penalty of the least squares: keeps coefficients small where there are few samples.
const RIDGE: f64 = 1.0;

/// Fits c by fixed-point iteration, each iteration a least-squares fit. The states come from
/// simulated runs that differ from round to round.
pub fn fit(approximate: &Approximate<'_>, moves: &Moves, seed: u64, round: u64) -> Correction {
    let setting = approximate.outlook.setting;
    let steps = setting.steps.saturating_sub(setting.overlap.steps);
    let one = |run: usize| {
        let run = run as u64;
        let draws = stream(seed ^ 0x5eed, round * RUNS + run);
        // Starting steps cover the whole horizon.
        samples(approximate, moves, draws, run * steps / RUNS)
    };
    let samples: Vec<Sample> = parallel::map(RUNS as usize, &one).into_iter().flatten().collect();
    let mut correction = approximate.correction.clone();
    let size = POINTS.len() * FEATURES;
    let mut matrix = DMatrix::from_diagonal_element(size, size, RIDGE);
    let mut rows: Vec<Vec<(usize, f64)>> = Vec::with_capacity(samples.len());
    for sample in &samples {
        let mut row = Vec::new();
        for (point, weight) in correction.place(sample.y).into_iter().filter(|at| at.1 > 0.0) {
            let features = sample.features.iter().enumerate();
            row.extend(features.map(|(i, value)| (point * FEATURES + i, weight * value)));
        }
        for &(i, a) in &row {
            row.iter().for_each(|&(j, b)| matrix[(i, j)] += a * b);
        }
        rows.push(row);
    }
    let factor = matrix.cholesky().expect("the ridge makes it positive definite");
    for _ in 0..ROUNDS {
        let mut right = DVector::zeros(size);
        for (sample, row) in samples.iter().zip(&rows) {
            let one = |(cost, ahead): &(f64, Option<(f64, Features)>)| {
                let more =
                    |(y, features): &(f64, Features)| (y + correction.at(*y, features)).min(0.0);
                cost + ahead.as_ref().map_or(0.0, more)
            };
            let mean = sample.next.iter().map(one).sum::<f64>() / sample.next.len() as f64;
            row.iter().for_each(|&(i, value)| right[i] += value * (mean - sample.y));
        }
        let found = factor.solve(&right);
        let (coefficients, _) = found.as_slice().as_chunks();
        correction.coefficients.copy_from_slice(coefficients);
    }
    correction
}

fn samples(
    approximate: &Approximate<'_>,
    moves: &Moves,
    mut draws: Stream,
    first: u64,
) -> Vec<Sample> {
    let setting: &Setting = approximate.outlook.setting;
    let levels = approximate.outlook.laws.levels();
    let (mut x, mut y) = (Counts::none(levels), Counts::none(levels));
    let mut plan = Plan::default();
    let mut found = Vec::new();
    let mut known = Known::new();
    x.split(setting.ranks, setting.first_total);
    let mut last_excess = f64::NEG_INFINITY;
    for k in first..setting.steps.saturating_sub(setting.overlap.steps).min(first + 60) {
        if last_excess > 0.1 * setting.typical {
            let total = x.total();
            x.split(setting.ranks, setting.remaps_to(total, 0.5));
        }
        let total = x.total();
        last_excess = approximate.view(&x, total, k, [1, ALL], &mut plan).excess;
        let remap = approximate.remap(&x, total, k);
        let here = plan.value - remap;
        approximate.outlook.prepare(&x, total, k, &mut known, &mut plan);
        let mut next = Vec::with_capacity(FOLLOWED);
        let numbers = Evenly::new(FOLLOWED, &mut draws);
        for sample in 0..FOLLOWED {
            numbers.step(moves, &x, sample, &mut draws, &mut y);
            let to = y.total();
            // A control variate of expectation zero is subtracted.
            let cost =
                setting.cost(&y, to) - approximate.outlook.follow(&plan, &y, to, k) + plan.value;
            let mut ahead = Plan::default();
            approximate.outlook.plan(&y, k + 1, [1, ALL], &mut ahead);
            if !setting.may_remap(k + 1) {
                next.push((cost + ahead.value - remap, None));
                continue;
            }
            let remap_then = approximate.remap(&y, to, k + 1);
            let seen = features(&y, &ahead, setting, setting.steps - k - 1);
            next.push((cost + remap_then - remap, Some((ahead.value - remap_then, seen))));
        }
        let features = features(&x, &plan, setting, setting.steps - k);
        found.push(Sample { y: here, features, next });
        std::mem::swap(&mut x, &mut y);
    }
    found
}
