//! The value of going on, less that of a remap at once, as a regression for each step and number of steps since
//! the last remap: backward in time over the same sample paths [Tsitsiklis and Van Roy 2001].

use super::super::curve::{Curve, Seen};
use super::ContinuousDrift;
use super::movement::{Movement, State};
use super::summary::{crowd, imbalance};
use crate::observer::{Halt, Observer};
use crate::random::stream;
use nalgebra::{SMatrix, SVector};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Functions of the features.
const TERMS: usize = 8;
type Row = SVector<f64, TERMS>;

/// Width of the crowd at the top, in deviations of a step.
const WIDTH: f64 = 2.25;

/// Paths to fit on, at least and most, and how many loads they may have in all.
const PATHS: [usize; 2] = [800, 4000];
const STATES: usize = 200_000;
const LOADS: usize = 200_000_000;

/// The regressions.
pub struct Fitted {
    /// Most steps since a remap that are looked at.
    pub longest: usize,
    /// Mean and deviation of both features, by the steps since a remap.
    scales: Vec<[f64; 4]>,
    /// By step, then by the steps since a remap, from 1.
    terms: Vec<Vec<Row>>,
}

/// What a state is to the regressions.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    /// max - mean of the loads that were seen: the cost of the step.
    pub cost: f64,
    /// max - mean of the predicted loads, and how many are near the top.
    of: [f64; 2],
}

impl Features {
    /// Of a state so many steps after a remap.
    pub fn of(movement: &Movement, since: usize, state: &State) -> Features {
        let (predicted, largest) = imbalance(&state.next);
        let crowd = crowd(&state.next, largest, WIDTH * movement.deviation(since));
        let seen = state.seen();
        let same = std::ptr::eq(seen.as_ptr(), state.next.as_ptr());
        let cost = if same { predicted } else { imbalance(seen).0 };
        Features { cost, of: [predicted, crowd] }
    }
}

impl Fitted {
    /// By paths of their own.
    ///
    /// # Errors
    /// The halt the observer asks for.
    pub fn new(
        problem: &ContinuousDrift,
        movement: &Movement,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Fitted, Halt> {
        let longest = longest(problem, movement, seed);
        let most = (STATES / longest).min(LOADS / (longest * problem.ranks));
        let paths = most.clamp(PATHS[0], PATHS[1]) as u64;
        let one = |run: u64| -> Result<Vec<Features>, Halt> {
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            Ok(unremapped(problem, movement, seed ^ 0xf17, run, longest))
        };
        let paths: Result<Vec<Vec<Features>>, Halt> = (0..paths).into_par_iter().map(one).collect();
        let paths = paths?;
        let scales: Vec<[f64; 4]> = (0..longest).map(|at| scale(&paths, at)).collect();
        let mut fitted = Fitted { longest, scales, terms: Vec::new() };
        let rows: Vec<Vec<Row>> = (0..longest)
            .map(|at| paths.iter().map(|path| fitted.row(at + 1, &path[at])).collect())
            .collect();
        let inverse = |rows: &Vec<Row>| {
            let mut squares: SMatrix<f64, TERMS, TERMS> =
                rows.iter().map(|row| row * row.transpose()).sum();
            squares += SMatrix::identity() * (1e-6 * rows.len() as f64);
            squares.try_inverse().unwrap_or_else(SMatrix::zeros)
        };
        let inverses: Vec<SMatrix<f64, TERMS, TERMS>> = rows.par_iter().map(inverse).collect();
        let steps = problem.steps as usize;
        fitted.terms = vec![Vec::new(); steps];
        // What is saved by going on, by the steps since a remap; there is nothing to pay after the last step.
        let mut saved = vec![vec![-problem.remap_cost; paths.len()]; longest];
        for step in (1..steps).rev() {
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            let first = paths.iter().zip(&saved[0]).map(|(path, saved)| path[0].cost + saved);
            let rate = problem.remap_cost + first.sum::<f64>() / paths.len() as f64;
            let fit = |at: usize| {
                let mut sum = Row::zeros();
                for (i, row) in rows[at].iter().enumerate() {
                    // Beyond the longest stretch one more step costs as much, and then there is a remap.
                    let ahead = match saved.get(at + 1) {
                        Some(saved) => paths[i][at + 1].cost + saved[i],
                        None => paths[i][at].cost,
                    };
                    sum += row * (ahead - rate);
                }
                let terms = inverses[at] * sum;
                let save = |row: &Row| terms.dot(row).min(0.0);
                (terms, rows[at].iter().map(save).collect::<Vec<f64>>())
            };
            let known = longest.min(step);
            let found: Vec<(Row, Vec<f64>)> = (0..known).into_par_iter().map(fit).collect();
            for (at, (terms, save)) in found.into_iter().enumerate() {
                fitted.terms[step].push(terms);
                saved[at] = save;
            }
        }
        Ok(fitted)
    }

    fn row(&self, since: usize, features: &Features) -> Row {
        let [mean, deviation, mean_crowd, deviation_crowd] = self.scales[since - 1];
        let q = ((features.of[0] - mean) / deviation).clamp(-4.0, 4.0);
        let v = ((features.of[1] - mean_crowd) / deviation_crowd).clamp(-4.0, 4.0);
        Row::from([1.0, q, q * q, q * q * q, v, v * v, q * v, q.max(0.0)])
    }

    /// How much worse it is to go on than to remap after this step, before the last.
    pub fn excess(&self, step: usize, since: usize, features: &Features) -> f64 {
        self.terms[step][since - 1].dot(&self.row(since, features))
    }

    /// The rule of few numbers.
    ///
    /// # Errors
    /// The halt the observer asks for.
    pub fn curve(
        &self,
        problem: &ContinuousDrift,
        movement: &Movement,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Curve, Halt> {
        let steps = problem.steps as usize;
        let whole = (100_000 / steps).clamp(8, 256) as u64;
        let last = (2 * self.longest).min(steps);
        let one = |run: u64| -> Result<Vec<Seen>, Halt> {
            let first = if run < whole { 0 } else { steps - last };
            let mut draws = stream(seed ^ 0xc0de, run);
            let mut moves = vec![0.0; problem.ranks];
            let (mut x, mut y) = (movement.start(problem.ranks), movement.start(problem.ranks));
            let (mut since, mut seen) = (0, Vec::new());
            for step in first + 1..steps {
                if let ControlFlow::Break(halt) = observer.check() {
                    return Err(halt);
                }
                movement.draw(&mut draws, &mut moves);
                since += 1;
                movement.step(since, &x, &moves, &mut y);
                std::mem::swap(&mut x, &mut y);
                let features = Features::of(movement, since, &x);
                let gain = self.excess(step, since, &features);
                // A little past the point, to see what lies there.
                let remapped = gain > 0.1 * problem.remap_cost || since == self.longest;
                let (at, imbalance) = (since as u64, features.cost);
                seen.push(Seen { step: step as u64, since: at, imbalance, gain, remapped });
                if remapped {
                    x = movement.start(problem.ranks);
                    since = 0;
                }
            }
            Ok(seen)
        };
        let runs: Result<Vec<Vec<Seen>>, Halt> =
            (0..whole + 256).into_par_iter().map(one).collect();
        Ok(Curve::fit(&runs?.concat(), problem.steps))
    }
}

/// A path without a remap.
fn unremapped(
    problem: &ContinuousDrift,
    movement: &Movement,
    seed: u64,
    run: u64,
    steps: usize,
) -> Vec<Features> {
    let mut draws = stream(seed, run);
    let mut moves = vec![0.0; problem.ranks];
    let (mut x, mut y) = (movement.start(problem.ranks), movement.start(problem.ranks));
    let one = |since| {
        movement.draw(&mut draws, &mut moves);
        movement.step(since, &x, &moves, &mut y);
        std::mem::swap(&mut x, &mut y);
        Features::of(movement, since, &x)
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

/// Three times the interval of least cost per step on a few paths, and a little more.
fn longest(problem: &ContinuousDrift, movement: &Movement, seed: u64) -> usize {
    const PILOTS: u64 = 16;
    let steps = problem.steps as usize;
    let mut tried = steps.min(64);
    loop {
        let pilots: Vec<Vec<Features>> = (0..PILOTS)
            .into_par_iter()
            .map(|run| unremapped(problem, movement, seed ^ 0x9110, run, tried))
            .collect();
        let (mut sum, mut best) = (problem.remap_cost, (f64::INFINITY, 1));
        for at in 0..tried {
            sum += pilots.iter().map(|path| path[at].cost).sum::<f64>() / PILOTS as f64;
            let average = sum / (at + 1) as f64;
            if average < best.0 {
                best = (average, at + 1);
            }
        }
        let wanted = (3 * best.1 + 10).min(steps);
        if wanted <= tried {
            return wanted;
        }
        tried = (2 * tried).min(steps);
    }
}
