//! Regression of the gain of a remap, by backward induction on sample paths [Tsitsiklis and Van Roy
//! 2001].
//!
//! The gain is the value of continuing minus that of a remap now. It is fitted for each step and
//! each number of steps since the last remap, by least squares on the same sample paths.

use super::ContinuousDrift;
use super::movement::{Movement, State};
use super::summary::{above, imbalance, units_moved};
use crate::load_drift::curve::{Curve, Seen};
use crate::observer::{Halt, Observer};
use crate::parallel;
use crate::random::stream;
use nalgebra::{SMatrix, SVector};
use std::ops::ControlFlow;

/// Number of basis functions.
const TERMS: usize = 8;
/// Vector of basis functions.
pub type Row = SVector<f64, TERMS>;

/// Width of the group of largest loads, in standard deviations of a step.
const WIDTH: f64 = 2.25;

/// A remap cost above this multiple of the cost without remaps is reduced to it in the regressions.
/// Numbers of its size would drown the cost of the steps.
const DEAR: f64 = 2.0;

/// Least and largest number of paths for the fit; `STATES` and `LOADS` bound the total numbers of
/// states and loads.
const PATHS: [usize; 2] = [800, 4000];
const STATES: usize = 200_000;
const LOADS: usize = 200_000_000;

/// The fitted regressions.
pub struct Fitted {
    /// Largest number of steps since a remap that is considered.
    pub longest: usize,
    /// Mean and standard deviation of both features, by the steps since a remap.
    scales: Vec<[f64; 4]>,
    /// Coefficients by step, then by the steps since a remap, from 1.
    terms: Vec<Vec<Row>>,
    /// Coefficients for the cost of the next 0, 1, ... steps without a remap, up to the remap
    /// delay; by the steps since a remap.
    ahead: Vec<Vec<Row>>,
    /// Approximate cost of a remap where it pays, including the slowdown of the steps during it.
    pub typical: f64,
    late: usize,
    slowdown: f64,
    /// Share of the cost of a remap and of the units moved that the regressions use; and that cost.
    share: f64,
    remap_cost: f64,
}

/// Features of a state.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    /// max - mean of the observed loads: the cost of the step.
    pub cost: f64,
    /// Cost of the units that a remap moves.
    pub moved: f64,
    /// max - mean of the predicted loads; and the logarithm of the sum of squared excesses over a
    /// level below the largest load. That level lies `WIDTH` standard deviations of the class below
    /// it.
    of: [f64; 2],
}

impl Features {
    /// Features of a state `since` steps after a remap.
    pub fn of(
        problem: &ContinuousDrift,
        movement: &Movement,
        since: usize,
        state: &State,
    ) -> Features {
        let (predicted, largest) = imbalance(&state.next);
        let seen = state.seen();
        let same = std::ptr::eq(seen.as_ptr(), state.next.as_ptr());
        let cost = if same { predicted } else { imbalance(seen).0 };
        let moved = Features::moved(problem, seen);
        let near = movement
            .deviations(since)
            .map(|(ranks, deviation)| above(&state.next[ranks], largest - WIDTH * deviation));
        let crowd = near.sum::<f64>().max(f64::MIN_POSITIVE).ln();
        Features { cost, moved, of: [predicted, crowd] }
    }

    /// Cost of the last step and of the units a remap moves, without the other features.
    pub fn costs(problem: &ContinuousDrift, state: &State) -> Features {
        let seen = state.seen();
        let moved = Features::moved(problem, seen);
        Features { cost: imbalance(seen).0, moved, of: [0.0; 2] }
    }

    fn moved(problem: &ContinuousDrift, seen: &[f64]) -> f64 {
        match problem.per_unit_moved {
            0.0 => 0.0,
            each => each * units_moved(seen),
        }
    }
}

impl Fitted {
    /// Fits the regressions on separate paths.
    ///
    /// # Errors
    /// The halt that the observer requested.
    pub fn new(
        problem: &ContinuousDrift,
        movement: &Movement,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Fitted, Halt> {
        let (longest, price) = longest(problem, movement, seed);
        let (share, remap_cost) =
            ((DEAR * problem.never_at_most() / price).min(1.0), problem.remap_cost);
        let typical = share * price;
        let problem = &ContinuousDrift {
            remap_cost: share * remap_cost,
            per_unit_moved: share * problem.per_unit_moved,
            ..problem.clone()
        };
        let (late, slowdown) = (problem.overlap.steps as usize, problem.overlap.slowdown);
        let long = longest + late;
        let most = (STATES / long).min(LOADS / (long * problem.ranks()));
        let paths = most.clamp(PATHS[0], PATHS[1]) as u64;
        let one = |run: u64| -> Result<Vec<Features>, Halt> {
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            Ok(unremapped(problem, movement, seed ^ 0xf17, run, long))
        };
        let paths = parallel::runs(0..paths, &one)?;
        let scales: Vec<[f64; 4]> = (0..longest).map(|at| scale(&paths, at)).collect();
        let (terms, ahead) = (Vec::new(), Vec::new());
        let mut fitted =
            Fitted { longest, scales, terms, ahead, typical, late, slowdown, share, remap_cost };
        let rows: Vec<Vec<Row>> = (0..longest)
            .map(|at| paths.iter().map(|path| fitted.row(at + 1, &path[at])).collect())
            .collect();
        let inverse = |rows: &Vec<Row>| {
            let mut squares: SMatrix<f64, TERMS, TERMS> =
                rows.iter().map(|row| row * row.transpose()).sum();
            squares += SMatrix::identity() * (1e-6 * rows.len() as f64);
            squares.try_inverse().unwrap_or_else(SMatrix::zeros)
        };
        let inverses: Vec<SMatrix<f64, TERMS, TERMS>> = parallel::map_all(&rows, &inverse);
        // Cost of the steps after this one until a remap that is decided now takes effect.
        let beside = |path: &[Features], at: usize| -> f64 {
            path[at + 1..=at + late].iter().map(|features| features.cost).sum()
        };
        fitted.ahead = parallel::map(longest, &|at| {
            let mut sums = vec![Row::zeros(); late + 1];
            for (path, row) in paths.iter().zip(&rows[at]) {
                let mut cost = 0.0;
                for (sum, features) in sums[1..].iter_mut().zip(&path[at + 1..]) {
                    cost += features.cost;
                    *sum += row * cost;
                }
            }
            sums.into_iter().map(|sum| inverses[at] * sum).collect()
        });
        let steps = problem.steps as usize;
        // The last decision is made after the step before this one.
        let end = steps.saturating_sub(late);
        fitted.terms = vec![Vec::new(); end];
        // Saving of continuing, by the steps since a remap, at the end: a remap would no longer
        // take effect.
        let slower = |beside: f64| slowdown * (beside + late as f64 * problem.mean_load);
        let in_vain = |path: &Vec<Features>, at: usize| {
            -(problem.remap_cost + path[at].moved + slower(beside(path, at)))
        };
        let mut saved: Vec<Vec<f64>> =
            (0..longest).map(|at| paths.iter().map(|path| in_vain(path, at)).collect()).collect();
        // Expected cost after a remap from the first step under the new mapping on, by the step
        // before that.
        let mut after = vec![0.0; steps + 1];
        let n = paths.len() as f64;
        for (step, after) in after.iter_mut().enumerate().take(steps).skip(end) {
            let cost = |path: &Vec<Features>| -> f64 {
                path.iter().skip(late).take(steps - step).map(|features| features.cost).sum()
            };
            *after = paths.iter().map(cost).sum::<f64>() / n;
        }
        for step in (1..end).rev() {
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            let own = paths.iter().zip(&saved[late]).map(|(path, saved)| {
                let Features { cost, moved, .. } = path[late];
                let beside = beside(path, late);
                cost + problem.remap_cost + moved + beside + slower(beside) + saved
            });
            after[step] = own.sum::<f64>() / n + after[step + 1 + late];
            let rate = after[step + late] - after[step + late + 1];
            let fit = |at: usize| {
                let mut sum = Row::zeros();
                // Beyond the longest interval one more step is assumed to cost the same, followed
                // by a remap.
                let next = (at + 1).min(longest - 1);
                for (i, row) in rows[at].iter().enumerate() {
                    let path = &paths[i];
                    let (now, then) = (path[at], path[next]);
                    let beside = path[next + late].cost - then.cost;
                    let saved = saved.get(at + 1).map_or(0.0, |saved| saved[i]);
                    let ahead = then.cost + (1.0 + slowdown) * beside + then.moved - now.moved;
                    sum += row * (ahead + saved - rate);
                }
                let terms = inverses[at] * sum;
                let save = |row: &Row| terms.dot(row).min(0.0);
                (terms, rows[at].iter().map(save).collect::<Vec<f64>>())
            };
            let known = longest.min(step);
            let found = parallel::map(known, &fit);
            for (at, (terms, save)) in found.into_iter().enumerate() {
                fitted.terms[step].push(terms);
                saved[at] = save;
            }
        }
        Ok(fitted)
    }

    /// Basis functions of the standardized features.
    pub fn row(&self, since: usize, features: &Features) -> Row {
        let [mean, deviation, mean_crowd, deviation_crowd] = self.scales[since - 1];
        let q = ((features.of[0] - mean) / deviation).clamp(-4.0, 4.0);
        let v = ((features.of[1] - mean_crowd) / deviation_crowd).clamp(-4.0, 4.0);
        Row::from([1.0, q, q * q, q * q * q, v, v * v, q * v, q.max(0.0)])
    }

    /// Value of continuing minus that of a remap after this step, at the remap cost that the
    /// regressions use. For steps before the last decision.
    fn excess(&self, step: usize, row: &Row, since: usize) -> f64 {
        self.terms[step][since - 1].dot(row)
    }

    /// The same at the full cost of a remap; `moved` is the cost of the units moved.
    pub fn gain(&self, step: usize, row: &Row, since: usize, moved: f64) -> f64 {
        self.excess(step, row, since) - (1.0 - self.share) * (self.remap_cost + moved)
    }

    /// Whether a remap may be decided after this step, `since` steps after the last remap or, with
    /// `first`, the start.
    pub fn may_remap(&self, step: usize, since: usize, first: bool) -> bool {
        step < self.terms.len() && (first || since > self.late)
    }

    /// Expected cost of the next steps without a remap; `row` belongs to a state `since` steps
    /// after the last remap.
    pub fn ahead(&self, steps: usize, row: &Row, since: usize) -> f64 {
        if steps == 0 { 0.0 } else { self.ahead[since - 1][steps].dot(row) }
    }

    /// The approximate value up to a constant: the cost of a remap now plus the saving of
    /// continuing, or the cost of the last steps.
    pub fn value(
        &self,
        step: usize,
        left: usize,
        features: &Features,
        row: &Row,
        since: usize,
    ) -> f64 {
        if step >= self.terms.len() {
            return self.ahead(left, row, since);
        }
        let beside = self.ahead(self.late, row, since) * (1.0 + self.slowdown);
        self.share * features.moved + beside + self.excess(step, row, since).min(0.0)
    }

    /// The curve policy.
    ///
    /// # Errors
    /// The halt that the observer requested.
    pub fn curve(
        &self,
        problem: &ContinuousDrift,
        movement: &Movement,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Curve, Halt> {
        let steps = problem.steps as usize;
        let whole = (100_000 / steps).clamp(8, 256) as u64;
        let last = (2 * self.longest + self.late).min(steps);
        let one = |run: u64| -> Result<Vec<Seen>, Halt> {
            let first = if run < whole { 0 } else { steps - last };
            let mut draws = stream(seed ^ 0xc0de, run);
            let mut moves = vec![0.0; problem.ranks()];
            let (mut x, mut y) = (movement.start(), movement.start());
            let (mut since, mut started, mut seen) = (0, true, Vec::new());
            for step in first + 1..self.terms.len() {
                if let ControlFlow::Break(halt) = observer.check() {
                    return Err(halt);
                }
                movement.draw(&mut draws, &mut moves);
                since += 1;
                movement.step(since, &x, &moves, &mut y);
                std::mem::swap(&mut x, &mut y);
                if !self.may_remap(step, since, started) {
                    continue;
                }
                let features = Features::of(problem, movement, since, &x);
                let row = self.row(since, &features);
                let gain = self.gain(step, &row, since, features.moved);
                // The remap is slightly late, to visit states past the threshold.
                let remapped = gain > 0.1 * self.typical || since == self.longest;
                let (at, imbalance) = (since as u64, features.cost);
                seen.push(Seen { step: step as u64, since: at, imbalance, gain, remapped });
                if remapped {
                    x = movement.start();
                    (since, started) = (0, false);
                }
            }
            Ok(seen)
        };
        let runs = parallel::runs(0..whole + 256, &one)?;
        Ok(Curve::fit(&runs.concat(), problem.steps.saturating_sub(problem.overlap.steps).max(1)))
    }
}

/// Features along a path without remaps.
fn unremapped(
    problem: &ContinuousDrift,
    movement: &Movement,
    seed: u64,
    run: u64,
    steps: usize,
) -> Vec<Features> {
    let mut draws = stream(seed, run);
    let mut moves = vec![0.0; problem.ranks()];
    let (mut x, mut y) = (movement.start(), movement.start());
    let one = |since| {
        movement.draw(&mut draws, &mut moves);
        movement.step(since, &x, &moves, &mut y);
        std::mem::swap(&mut x, &mut y);
        Features::of(problem, movement, since, &x)
    };
    (1..=steps).map(one).collect()
}

fn scale(paths: &[Vec<Features>], at: usize) -> [f64; 4] {
    let moments = |k: usize| {
        let n = paths.len() as f64;
        let mean = paths.iter().map(|path| path[at].of[k]).sum::<f64>() / n;
        let squares: f64 = paths.iter().map(|path| (path[at].of[k] - mean).powi(2)).sum();
        [mean, (squares / n).sqrt().max(1e-9)]
    };
    let ([mean, deviation], [crowd, deviation_crowd]) = (moments(0), moments(1));
    [mean, deviation, crowd, deviation_crowd]
}

/// Approximate cost of a remap where it pays, including units moved and the slowdown of the steps
/// during it.
pub fn usual_price(problem: &ContinuousDrift) -> f64 {
    longest(problem, &Movement::new(problem), 1).1
}

/// Three times the interval of least average cost on a few paths, plus a margin; and the cost of a
/// remap then, including the slowdown of the steps during it.
fn longest(problem: &ContinuousDrift, movement: &Movement, seed: u64) -> (usize, f64) {
    const PILOTS: u64 = 16;
    let (steps, late) = (problem.steps as usize, problem.overlap.steps as usize);
    let mut tried = (steps + late).min(64 + 2 * late);
    loop {
        let pilots = parallel::map(PILOTS as usize, &|run| {
            unremapped(problem, movement, seed ^ 0x9110, run as u64, tried)
        });
        let mean = |at: usize, of: fn(&Features) -> f64| {
            pilots.iter().map(|path| of(&path[at])).sum::<f64>() / PILOTS as f64
        };
        // Steps from a remap taking effect to the next one, decided that many steps later.
        let (mut sum, mut best) = (0.0, (f64::INFINITY, 1, problem.remap_cost));
        for at in 0..tried - late {
            sum += mean(at + late, |features| features.cost);
            let beside: f64 = (at + 1..=at + late)
                .map(|beside| mean(beside, |features| features.cost) + problem.mean_load)
                .sum();
            let price = problem.remap_cost
                + mean(at, |features| features.moved)
                + problem.overlap.slowdown * beside;
            let average = (sum + price) / (at + 1) as f64;
            if average < best.0 {
                best = (average, at + 1, price);
            }
        }
        let wanted = (3 * best.1 + 10 + late).min(steps);
        if wanted + late <= tried {
            return (wanted, best.2);
        }
        tried = (2 * tried).min(steps + late);
    }
}
