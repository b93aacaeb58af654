//! One path of the lower bound: a branch from each step on, all moved by the same increments, and the
//! cheapest way through them in hindsight.

use super::super::Curve;
use super::super::many::Path;
use super::ContinuousDrift;
use super::fit::{Features, Fitted};
use super::movement::{Movement, State};
use super::summary::imbalance;
use crate::observer::{Halt, Observer};
use crate::random::stream;
use std::ops::ControlFlow;

/// How paths are played.
pub struct Hindsight<'a> {
    /// The problem.
    pub problem: &'a ContinuousDrift,
    /// How ranks move.
    pub movement: &'a Movement,
    /// What penalties are made from.
    pub fitted: &'a Fitted,
    /// The rule of few numbers.
    pub curve: &'a Curve,
    /// Samples of a penalty that are drawn apart.
    pub inner: usize,
}

/// What goes on from a remap without another.
struct Branch {
    state: State,
    charge: f64,
    paid: f64,
    /// What was lost by not remapping.
    lost: f64,
    /// Whether penalties are still charged.
    charged: bool,
    /// Sum over the samples drawn apart.
    sum: f64,
    /// By number of steps: the charge so far.
    ends: Vec<f64>,
    /// Where the policy remaps: number of steps, and what it paid without penalties.
    policy: Option<(usize, f64)>,
    ruled: Option<usize>,
}

impl Hindsight<'_> {
    /// Path number `run`.
    ///
    /// # Errors
    /// The halt the observer asks for.
    pub fn path(&self, seed: u64, run: u64, observer: &dyn Observer) -> Result<Path, Halt> {
        let Hindsight { problem, movement, fitted, curve, inner } = self;
        let (steps, cost) = (problem.steps as usize, problem.remap_cost);
        let mut draws = stream(seed, 2 * run);
        let mut apart = stream(seed, 2 * run + 1);
        let mut moves = vec![0.0; problem.ranks];
        let mut to = movement.start(problem.ranks);
        let mut branches: Vec<Branch> = Vec::with_capacity(steps);
        for step in 1..=steps {
            branches.push(Branch::new(movement.start(problem.ranks), steps - step + 1));
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            // The value of a state, less that of a remap in it.
            let value = |since: usize, features: &Features| match step == steps {
                true => -cost,
                false => fitted.excess(step, since, features),
            };
            for _ in 0..*inner {
                movement.draw(&mut apart, &mut moves);
                for (first, branch) in branches.iter_mut().enumerate().filter(|(_, b)| b.charged) {
                    let since = step - first;
                    movement.step(since, &branch.state, &moves, &mut to);
                    let features = Features::of(movement, since, &to);
                    branch.sum += features.cost + value(since, &features).min(0.0);
                }
            }
            movement.draw(&mut draws, &mut moves);
            for (first, branch) in branches.iter_mut().enumerate() {
                let since = step - first;
                movement.step(since, &branch.state, &moves, &mut to);
                std::mem::swap(&mut branch.state, &mut to);
                let paid = if branch.charged {
                    let features = Features::of(movement, since, &branch.state);
                    let excess = value(since, &features);
                    let mean = branch.sum / *inner as f64;
                    branch.charge -= features.cost + excess.min(0.0) - mean;
                    branch.sum = 0.0;
                    branch.lost += excess.max(0.0);
                    let due = excess >= 0.0 || since == fitted.longest;
                    if step < steps && due && branch.policy.is_none() {
                        branch.policy = Some((since, branch.paid + features.cost));
                    }
                    branch.charged = branch.lost <= 3.0 * cost && since < fitted.longest;
                    features.cost
                } else {
                    imbalance(branch.state.seen()).0
                };
                branch.charge += paid;
                branch.paid += paid;
                branch.ends.push(branch.charge);
                let (now, at) = (step as u64, since as u64);
                if step < steps && branch.ruled.is_none() && curve.remaps(now, at, paid) {
                    branch.ruled = Some(since);
                }
            }
        }
        Ok(through(&branches, cost))
    }
}

impl Branch {
    fn new(state: State, steps: usize) -> Branch {
        Branch {
            state,
            charge: 0.0,
            paid: 0.0,
            lost: 0.0,
            charged: true,
            sum: 0.0,
            ends: Vec::with_capacity(steps),
            policy: None,
            ruled: None,
        }
    }
}

/// The cheapest way, and those of the policy and of the rule.
fn through(branches: &[Branch], cost: f64) -> Path {
    let mut best = vec![0.0; branches.len()];
    for (first, branch) in branches.iter().enumerate().rev() {
        // A remap after so many steps leads to the branch that starts there; none follows the last step.
        let way = |(i, charge): (usize, &f64)| match best.get(first + i + 1) {
            Some(on) => charge + cost + on,
            None => *charge,
        };
        best[first] = branch.ends.iter().enumerate().map(way).fold(f64::INFINITY, f64::min);
    }
    let mut path =
        Path { lower: best[0], upper: 0.0, cost: 0.0, work: 0.0, remaps: 0, ruled: (0.0, 0) };
    let mut at = 0;
    loop {
        let branch = &branches[at];
        let Some((since, paid)) = branch.policy else {
            path.upper += branch.ends[branch.ends.len() - 1];
            path.cost += branch.paid;
            break;
        };
        path.upper += branch.ends[since - 1] + cost;
        path.cost += paid + cost;
        path.remaps += 1;
        at += since;
    }
    at = 0;
    loop {
        let branch = &branches[at];
        let Some(since) = branch.ruled else {
            path.ruled.0 += branch.ends[branch.ends.len() - 1];
            return path;
        };
        path.ruled.0 += branch.ends[since - 1] + cost;
        path.ruled.1 += 1;
        at += since;
    }
}
