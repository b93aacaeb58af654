//! Policy iteration: solve for the cost of a stopping set, improve the set, repeat.
//!
//! It starts above J, at what stopping everywhere costs. The continuation set grows by the reach of
//! a few sweeps before each evaluation, so that its boundary does not creep one step at a time.
//! Evaluation solves `(I - P) J = psi` on the continuation set C, with J = R outside: by an LU
//! factorisation where C is small, by conjugate gradients in the reversing inner product where
//! there is one, otherwise by stabilised biconjugate gradients.

use super::krylov::{self, Masked};
use super::{AfterRemap, Approximation, Enclosure, Problem, Settings, value_iteration, vector};
use crate::{Observer, Status};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;

/// Sweeps before each evaluation.
const SWEEPS: usize = 12;

/// The largest continuation set that is factorised.
const DIRECT: usize = 600;

/// The most steps of one Krylov solve; the next evaluation goes on from there.
const STEPS: u64 = 2000;

/// Evaluations without a better bound after which rounding limits the bound.
const FLOOR: u32 = 12;

pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    observer: &dyn Observer,
) -> Approximation {
    let n = problem.states();
    let mut v = value_iteration::start_above(problem);
    let mut image = vec![0.0; n];
    let mut best = (f64::INFINITY, v.clone());
    let mut iterations = 0;
    let mut worse = 0;
    let mut evaluation = Evaluation::new(problem);
    let status = 'outer: loop {
        let mut remap = 0.0;
        for _ in 0..SWEEPS {
            problem.operator.apply_into(&v, &mut image);
            iterations += 1;
            let enclosure = Enclosure::new(problem, &v, &image);
            remap = enclosure.remap;
            if enclosure.gap() < best.0 {
                best.0 = enclosure.gap();
                best.1.copy_from_slice(&v);
                worse = 0;
            }
            if best.0 <= settings.tolerance {
                break 'outer Status::Converged;
            }
            if iterations >= settings.iterations || worse >= FLOOR || enclosure.at_floor() {
                break 'outer Status::IterationLimit;
            }
            if let ControlFlow::Break(halt) = observer.progress(iterations, settings.iterations) {
                break 'outer halt.into();
            }
            vector::update(&mut v, |s, _| {
                let psi = problem.running[s];
                if psi == 0.0 { 0.0 } else { remap.min(psi + image[s]) }
            });
        }
        worse += 1;
        let continues: Vec<bool> = (0..n)
            .map(|s| problem.running[s] > 0.0 && problem.running[s] + image[s] < remap)
            .collect();
        iterations += evaluation.evaluate(problem, &continues, &mut v, settings, observer);
    };
    Approximation { value: best.1, iterations, status }
}

/// Solves for the cost of a policy; keeps what the next evaluation starts from.
struct Evaluation {
    weights: Option<Vec<f64>>,
    /// Cost and probability of stopping, of the last policy.
    cost: Vec<f64>,
    stop: Vec<f64>,
}

impl Evaluation {
    fn new(problem: &Problem) -> Self {
        let n = problem.states();
        let weights = problem.operator.reversing_weights();
        Self { weights, cost: vec![0.0; n], stop: vec![0.0; n] }
    }

    /// Sets `v` to the cost of continuing exactly where `continues`; returns how many times the
    /// operator was applied.
    fn evaluate(
        &mut self,
        problem: &Problem,
        continues: &[bool],
        v: &mut [f64],
        settings: &Settings,
        observer: &dyn Observer,
    ) -> u64 {
        let n = v.len();
        let operator = &*problem.operator;
        let remaps = |s: usize| problem.running[s] > 0.0 && !continues[s];
        // Where it stops the cost is R: J = cost + stop R, with P(stop next) as the second right
        // side. `Stop` knows R, so one system is enough.
        let indicator: Vec<f64> = (0..n).map(|s| if remaps(s) { 1.0 } else { 0.0 }).collect();
        let mut next = vec![0.0; n];
        operator.apply_into(&indicator, &mut next);
        let mut applications = 1;
        let known = (problem.after == AfterRemap::Stop).then_some(problem.remap_cost);
        let right = |s: usize| problem.running[s] + known.unwrap_or(0.0) * next[s];
        let running: Vec<f64> = (0..n).map(|s| if continues[s] { right(s) } else { 0.0 }).collect();
        let count = continues.iter().filter(|c| **c).count();
        if known.is_some() {
            // A better start than the last policy's cost.
            self.cost.copy_from_slice(v);
        }
        let mut sides = vec![(running, &mut self.cost)];
        if known.is_none() {
            let side = (0..n).map(|s| if continues[s] { next[s] } else { 0.0 }).collect();
            sides.push((side, &mut self.stop));
        }
        if count <= DIRECT {
            applications += direct(problem, continues, &mut sides);
        } else {
            let masked = Masked {
                operator,
                continues,
                weights: self.weights.as_deref(),
                observer,
                limit: STEPS,
            };
            // Residuals below a share of the tolerance and of psi prove it (see `enclosure`).
            let least = running_least(problem, continues);
            let scale = v.iter().copied().fold(0.0, f64::max);
            let goal = (0.1 * settings.tolerance * least).max(f64::EPSILON * scale);
            for (k, (right, x)) in sides.iter_mut().enumerate() {
                let goal = if k == 0 { goal } else { goal / scale.max(1.0) };
                applications += krylov::solve(&masked, right, x, goal);
            }
        }
        let total = known.unwrap_or_else(|| {
            // R = rho + mean(cost) + R mean(stop).
            let all: Vec<f64> =
                (0..n).map(|s| if remaps(s) { 1.0 } else { self.stop[s] }).collect();
            (problem.remap_cost + problem.mean(&self.cost)) / (1.0 - problem.mean(&all))
        });
        vector::update(v, |s, _| {
            let value = match (continues[s], known) {
                (false, _) => total,
                (true, Some(_)) => self.cost[s],
                (true, None) => self.cost[s] + self.stop[s] * total,
            };
            if problem.running[s] == 0.0 { 0.0 } else { value.clamp(0.0, total) }
        });
        applications
    }
}

/// The smallest running cost of a state that continues.
fn running_least(problem: &Problem, continues: &[bool]) -> f64 {
    let all = problem.running.iter().zip(continues).filter(|(_, continues)| **continues);
    all.map(|(psi, _)| *psi).fold(f64::INFINITY, f64::min)
}

/// Solves the systems on the continuation set by one LU factorisation.
fn direct(problem: &Problem, continues: &[bool], sides: &mut [(Vec<f64>, &mut Vec<f64>)]) -> u64 {
    let n = continues.len();
    let members: Vec<usize> = (0..n).filter(|&s| continues[s]).collect();
    let mut unit = vec![0.0; n];
    let mut column = vec![0.0; n];
    let mut matrix = DMatrix::identity(members.len(), members.len());
    for (j, &t) in members.iter().enumerate() {
        unit[t] = 1.0;
        problem.operator.apply_into(&unit, &mut column);
        unit[t] = 0.0;
        for (i, &s) in members.iter().enumerate() {
            matrix[(i, j)] -= column[s];
        }
    }
    let factors = matrix.lu();
    for (right, x) in sides {
        let right = DVector::from_iterator(members.len(), members.iter().map(|&s| right[s]));
        x.fill(0.0);
        if let Some(solution) = factors.solve(&right) {
            members.iter().zip(solution.iter()).for_each(|(&s, value)| x[s] = *value);
        }
    }
    members.len() as u64
}
