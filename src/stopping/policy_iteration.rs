//! Policy iteration: solve for the cost of a stopping set, improve the set, repeat.
//!
//! It starts above J, at what stopping everywhere costs. The continuation set grows by the reach of
//! a few sweeps before each evaluation, so that its boundary does not creep one step at a time.
//! Evaluation solves `(I - P) J = psi` on the continuation set C, with J = R outside: by an LU
//! factorisation where C is small, by conjugate gradients in the reversing inner product where
//! there is one, otherwise by stabilised biconjugate gradients.

use super::krylov::{self, Masked};
use super::sweep::Sweep;
use super::{AfterRemap, Approximation, Enclosure, Problem, Settings, value_iteration, vector};
use crate::{Observer, Status};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;

/// Sweeps before each evaluation.
const SWEEPS: usize = 12;

/// The largest continuation set that is factorised.
const DIRECT: usize = 200;

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
    let mut sweep = Sweep::new(problem);
    let mut best = (f64::INFINITY, v.clone());
    let mut iterations = 0;
    let mut worse = 0;
    let mut evaluation = Evaluation::new(problem);
    let status = 'outer: loop {
        for _ in 0..SWEEPS {
            sweep.run(problem, &v);
            iterations += 1;
            let enclosure = Enclosure::new(problem, &v, &sweep);
            if enclosure.gap() < best.0 {
                if enclosure.gap() < 0.9 * best.0 {
                    worse = 0;
                }
                best.0 = enclosure.gap();
                best.1.copy_from_slice(&v);
            }
            if best.0 <= settings.tolerance {
                break 'outer Status::Converged;
            }
            let stalls = worse >= FLOOR || (worse >= 2 && enclosure.at_floor());
            if iterations >= settings.iterations || stalls {
                break 'outer Status::IterationLimit;
            }
            if let ControlFlow::Break(halt) = observer.progress(iterations, settings.iterations) {
                break 'outer halt.into();
            }
            sweep.take(problem, &mut v);
        }
        worse += 1;
        let continues: Vec<bool> =
            (0..n).map(|s| problem.running[s] > 0.0 && sweep.go[s] < sweep.remap).collect();
        iterations += evaluation.evaluate(problem, &continues, &mut v, settings, observer);
    };
    Approximation { value: best.1, iterations, status }
}

/// Solves for the cost of a policy; keeps what the next evaluation starts from.
///
/// Continuing on C from s costs c(s) until the first stop, and balances first with probability
/// b(s), so `J = R - (R b - c)` there, with `(I - P) c = psi` and `(I - P) b = P(balanced)` on C.
/// `Stop` knows R and solves for the saving `d = R b - c` at once; `Uniform` solves for both, and
/// `R (share of balanced vectors + mean of b) = rho + mean of c`, a quotient of positive sums.
struct Evaluation {
    weights: Option<Vec<f64>>,
    /// The probability to be balanced after one step.
    absorb: Vec<f64>,
    /// The share of balanced load vectors.
    share: f64,
    /// c, or d where R is known.
    cost: Vec<f64>,
    balance: Vec<f64>,
}

impl Evaluation {
    fn new(problem: &Problem) -> Self {
        let n = problem.states();
        let weights = problem.operator.reversing_weights();
        let balanced = problem.running.iter();
        let balanced: Vec<f64> = balanced.map(|psi| if *psi == 0.0 { 1.0 } else { 0.0 }).collect();
        let mut absorb = vec![0.0; n];
        problem.operator.apply_into(&balanced, &mut absorb);
        let (share, balance) = match problem.after {
            AfterRemap::Stop => (0.0, Vec::new()),
            AfterRemap::Uniform => (problem.mean(&balanced), vec![0.0; n]),
        };
        Self { weights, absorb, share, cost: vec![0.0; n], balance }
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
        let on = |s: usize, value: f64| if continues[s] { value } else { 0.0 };
        let known = (problem.after == AfterRemap::Stop).then_some(problem.remap_cost);
        let (running, absorb) = (&problem.running, &self.absorb);
        let mut sides = Vec::new();
        if let Some(remap) = known {
            // A better start than the last policy's.
            vector::update(&mut self.cost, |s, _| remap - v[s]);
            let side = |s: usize| on(s, remap * absorb[s] - running[s]);
            sides.push(((0..v.len()).map(side).collect::<Vec<f64>>(), &mut self.cost));
        } else {
            let side = |right: &[f64]| (0..v.len()).map(|s| on(s, right[s])).collect();
            sides.push((side(running), &mut self.cost));
            sides.push((side(absorb), &mut self.balance));
        }
        let mut applications = 0;
        if continues.iter().filter(|c| **c).count() <= DIRECT {
            applications += direct(problem, continues, &mut sides);
        } else {
            let weights = self.weights.as_deref();
            let masked =
                Masked { operator: &*problem.operator, continues, weights, observer, limit: STEPS };
            // Residuals below a share of the tolerance and of psi prove it (see `enclosure`).
            let least = running_least(problem, continues);
            let scale = v.iter().copied().fold(0.0, f64::max);
            let goal = (0.1 * settings.tolerance * least).max(f64::EPSILON * least);
            for (k, (right, x)) in sides.iter_mut().enumerate() {
                let goal = if k == 0 { goal } else { goal / scale.max(1.0) };
                applications += krylov::solve(&masked, right, x, goal);
            }
        }
        drop(sides);
        let total = known.unwrap_or_else(|| {
            let balance = self.share + problem.mean(&self.balance);
            (problem.remap_cost + problem.mean(&self.cost)) / balance
        });
        vector::update(v, |s, _| {
            let saving = match (continues[s], known) {
                _ if running[s] == 0.0 => return 0.0,
                (false, _) => 0.0,
                (true, Some(_)) => self.cost[s],
                (true, None) => self.balance[s] * total - self.cost[s],
            };
            (total - saving).clamp(0.0, total)
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
