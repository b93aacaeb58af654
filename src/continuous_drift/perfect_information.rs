//! One sample path of the information-relaxation lower bound: one branch from each step, all with
//! the same increments, and the shortest path through them.

use super::ContinuousDrift;
use super::fit::{Features, Fitted, Row};
use super::movement::{Movement, State};
use crate::load_drift::Curve;
use crate::load_drift::many::candidates::{NOWHERE, Node, Path, through};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use crate::random::stream;
use std::ops::ControlFlow;

/// How sample paths are simulated.
pub struct Hindsight<'a> {
    /// The problem.
    pub problem: &'a ContinuousDrift,
    /// The transition of the ranks.
    pub movement: &'a Movement,
    /// Value function from which penalties are computed.
    pub fitted: &'a Fitted,
    /// The curve policy.
    pub curve: &'a Curve,
    /// Number of independent samples of a penalty.
    pub inner: usize,
}

/// A branch: it continues from a remap without another.
#[derive(Default)]
struct Branch {
    state: State,
    /// Charge so far, without the steps before its remap takes effect.
    charge: f64,
    /// Cost of each step, in order.
    costs: Vec<f64>,
    /// Loss by not remapping.
    lost: f64,
    /// Whether penalties are still charged.
    charged: bool,
    /// Sums over the independent samples.
    sums: Sums,
    /// By number of steps: charge so far, including the units that a remap then moves; infinite
    /// where no remap is allowed.
    ends: Vec<f64>,
    /// By number of steps: charge of the step during a remap that takes effect 1, 2, ... steps
    /// later.
    beside: Vec<Vec<f64>>,
    /// Where the policy remaps: number of steps, and its cost without penalties, including the
    /// units moved.
    policy: Option<(usize, f64)>,
    ruled: Option<usize>,
}

/// Sums over samples.
#[derive(Default)]
struct Sums {
    cost: f64,
    value: f64,
    row: Row,
}

impl Hindsight<'_> {
    /// Simulates path number `run`.
    ///
    /// # Errors
    /// The halt that the observer requested.
    pub fn path(&self, seed: u64, run: u64, observer: &dyn Observer) -> Result<Path, Halt> {
        let Hindsight { problem, movement, fitted, inner, .. } = self;
        let steps = problem.steps as usize;
        let mut draws = stream(seed, 2 * run);
        let mut apart = stream(seed, 2 * run + 1);
        let mut moves = vec![0.0; problem.ranks()];
        let mut to = movement.start();
        let mut branches: Vec<Branch> = Vec::with_capacity(steps);
        for step in 1..=steps {
            if step == 1 || fitted.may_remap(step - 1, 1, true) {
                let state = movement.start();
                branches.push(Branch { state, charged: true, ..Branch::default() });
            }
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            for _ in 0..*inner {
                movement.draw(&mut apart, &mut moves);
                for (first, branch) in branches.iter_mut().enumerate().filter(|(_, b)| b.charged) {
                    let since = step - first;
                    movement.step(since, &branch.state, &moves, &mut to);
                    let features = Features::of(problem, movement, since, &to);
                    let row = fitted.row(since, &features);
                    branch.sums.cost += features.cost;
                    branch.sums.value += fitted.value(step, steps - step, &features, &row, since);
                    branch.sums.row += row;
                }
            }
            movement.draw(&mut draws, &mut moves);
            for (first, branch) in branches.iter_mut().enumerate() {
                movement.step(step - first, &branch.state, &moves, &mut to);
                std::mem::swap(&mut branch.state, &mut to);
                self.charge(step, first, branch);
            }
        }
        Ok(self.through(branches))
    }

    /// Charges a branch that began after step `first` for this step.
    fn charge(&self, step: usize, first: usize, branch: &mut Branch) {
        let Hindsight { problem, movement, fitted, curve, inner } = self;
        let (steps, since) = (problem.steps as usize, step - first);
        let late = problem.overlap.steps as usize;
        let may_remap = fitted.may_remap(step, since, first == 0);
        // A branch is charged for a step only once its remap is in effect.
        let in_force = first == 0 || since > late;
        let mut due = false;
        let mut beside = Vec::new();
        let Features { cost, moved, .. } = if branch.charged {
            let features = Features::of(problem, movement, since, &branch.state);
            let row = fitted.row(since, &features);
            let n = *inner as f64;
            let Sums { cost, value, row: sum } = std::mem::take(&mut branch.sums);
            // Sampled expectation of the cost of this step and `more` further ones, minus the
            // expected cost of the further ones given this step.
            let expected = |more: usize| {
                cost / n + fitted.ahead(more, &(sum / n), since) - fitted.ahead(more, &row, since)
            };
            beside.extend((0..late).map(expected));
            let value = value / n - fitted.value(step, steps - step, &features, &row, since);
            branch.charge += cost / n + value;
            if !in_force {
                branch.charge -= expected(late - since);
            }
            let gain = if may_remap { fitted.gain(step, &row, since, features.moved) } else { 0.0 };
            due = gain >= 0.0 || since == fitted.longest;
            branch.lost += gain.max(0.0);
            branch.charged = branch.lost <= 3.0 * fitted.typical && since < fitted.longest;
            features
        } else {
            let features = Features::costs(problem, &branch.state);
            beside.resize(late, features.cost);
            branch.charge += if in_force { features.cost } else { 0.0 };
            features
        };
        branch.costs.push(cost);
        branch.beside.push(beside);
        branch.ends.push(if may_remap { branch.charge + moved } else { f64::INFINITY });
        if may_remap && due && branch.policy.is_none() {
            let begun = if first == 0 { 0 } else { late };
            branch.policy = Some((since, branch.costs[begun..].iter().sum::<f64>() + moved));
        }
        let (now, at) = (step as u64, since as u64);
        if may_remap && branch.ruled.is_none() && curve.remaps(now, at, cost) {
            branch.ruled = Some(since);
        }
    }

    /// Additional cost of a remap: its own cost, and that of the steps until it takes effect.
    fn added(&self, costs: impl Iterator<Item = f64>) -> f64 {
        let Overlap { steps: late, slowdown } = self.problem.overlap;
        let slower = slowdown * self.problem.mean_load * late as f64;
        self.problem.remap_cost + slower + (1.0 + slowdown) * costs.sum::<f64>()
    }

    /// The shortest path, and the paths of both policies.
    fn through(&self, branches: Vec<Branch>) -> Path {
        let late = self.problem.overlap.steps as usize;
        let node = |(first, branch): (usize, Branch)| {
            // Charge up to a remap after so many steps, until it takes effect.
            let end = |since: usize| match branch.ends[since - 1] {
                charge if charge.is_finite() => {
                    let beside = |j: usize| branch.beside[since - 1 + j][late - j];
                    (charge + self.added((1..=late).map(beside)), (first + since) as u32)
                }
                _ => (f64::INFINITY, NOWHERE),
            };
            let mut ends: Vec<(f64, u32)> = (1..branch.ends.len()).map(end).collect();
            // No remap follows the last step.
            ends.push((branch.charge, NOWHERE));
            let begun = if first == 0 { 0 } else { late };
            let paid = match branch.policy {
                Some((since, paid)) => {
                    paid + self.added(branch.costs[since..since + late].iter().copied())
                }
                None => branch.costs[begun..].iter().sum(),
            };
            let policy = branch.policy.map(|(since, _)| since);
            Node { ends, policy, ruled: branch.ruled, paid, step: first as u64, ..Node::default() }
        };
        let nodes: Vec<Node> = branches.into_iter().enumerate().map(node).collect();
        // The charges contain the cost of remaps.
        through(&nodes, 0.0, self.problem.steps as usize)
    }
}
