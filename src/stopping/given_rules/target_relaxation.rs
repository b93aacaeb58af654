//! Target relaxation: a lower bound on the cost if remaps could lead to any state. It needs the
//! joint states of only a few processes at a time.
//!
//! With scaled loads `x_i = w_i / c_i` and C the sum of the capacities,
//!
//! ```text
//! max x - mean x = sum of c_i / C (max x - x_i)
//!               >= sum over groups G of C_G / C (max_G x - mean_G x)
//! ```
//!
//! since the maximum of a group is at most that of all. Other running costs are no less than this
//! one. If each group is charged the same share of each remap and led to its cheapest state, it
//! costs at least its own optimum.
//!
//! Cost: value iteration on at most [`MOST_STATES`] states per group.

use crate::chain::{Operator, ProcessChain, ROW_SUM_TOLERANCE};
use crate::imbalance::{Imbalance, RunningCost};
use crate::stopping::{Process, States};
use crate::{Observer, Rational};

/// Most states of a group.
const MOST_STATES: usize = 50_000;

/// Limit on states times processes times sweeps, for each group.
const WORK: usize = 200_000_000;

/// Most sweeps.
const MOST_SWEEPS: usize = 10_000;

/// Damping of the sweeps that compute an average.
const DAMPING: f64 = 0.9;

/// When steps are paid, relative to the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// With the loads at the decision, after it.
    Before,
    /// With the loads after the following transition.
    After,
}

/// Groups of processes, each with its own stopping problem.
pub struct Anywhere(Vec<Group>);

struct Group {
    processes: Vec<Process>,
    capacities: Vec<Rational>,
    /// C_G / C, summed over all groups equal to this one.
    share: f64,
    states: States,
    operator: Box<dyn Operator>,
    running: Vec<f64>,
    /// Bound on how far the row sums of the processes differ from 1.
    rows: f64,
}

impl Anywhere {
    /// Independent processes on processors of these capacities. A group holds as many processes as
    /// have few joint states; processes with too many states of their own are left out.
    ///
    /// # Panics
    /// Unless there is one capacity for each process.
    pub fn new(processes: &[Process], capacities: &[Rational]) -> Anywhere {
        assert_eq!(processes.len(), capacities.len());
        let all: f64 = capacities.iter().map(|c| c.to_f64().value()).sum();
        let n = processes.len();
        for parts in 1..=n {
            let mut groups: Vec<Group> = Vec::new();
            let bounds = |part: usize| part * n / parts;
            let fits = (0..parts).all(|part| {
                let own = bounds(part)..bounds(part + 1);
                let (processes, capacities) = (&processes[own.clone()], &capacities[own]);
                let share = capacities.iter().map(|c| c.to_f64().value()).sum::<f64>() / all;
                let same = |group: &&mut Group| {
                    group.processes == processes && group.capacities == capacities
                };
                match groups.iter_mut().find(same) {
                    Some(group) => group.share += share,
                    None => match Group::new(processes, capacities, share) {
                        Some(group) => groups.push(group),
                        None => return 2 * parts >= n,
                    },
                }
                true
            });
            if fits {
                return Anywhere(groups);
            }
        }
        Anywhere(Vec::new())
    }

    /// A lower bound on the average cost per step, if a remap costs at least `remap_cost`.
    pub fn average(&self, remap_cost: f64, observer: &dyn Observer) -> f64 {
        self.sum(|group| group.average(remap_cost, observer))
    }

    /// A lower bound on the cost of `steps` steps that begin with load `initial` on each process.
    pub fn total(
        &self,
        remap_cost: f64,
        (initial, steps): (i64, u64),
        paid: Paid,
        observer: &dyn Observer,
    ) -> f64 {
        self.sum(|group| group.total(remap_cost, (initial, steps), paid, observer))
    }

    fn sum(&self, bound: impl Fn(&Group) -> f64) -> f64 {
        let own = self.0.iter().map(|group| group.share * bound(group));
        own.fold(0.0, |sum, own| sum + own) * (1.0 - 64.0 * f64::EPSILON)
    }
}

impl Group {
    fn new(processes: &[Process], capacities: &[Rational], share: f64) -> Option<Group> {
        let levels = |process: &Process| process.chain.levels() as i64 - 1;
        let highest = processes.iter().map(|p| p.lowest.unsigned_abs() + levels(p) as u64).max()?;
        let imbalance = Imbalance::new(RunningCost::MaxMinusMean, capacities, highest).ok()?;
        let same = |i, j| imbalance.same_capacity(i, j);
        let (states, operator) = States::independent(processes, same).ok()?;
        if states.count() > MOST_STATES {
            return None;
        }
        let running = states.tabulate(|loads| imbalance.cost(loads));
        let dense = processes.iter().any(|p| matches!(p.chain, ProcessChain::Dense(_)));
        let rows = if dense { 2.0 * ROW_SUM_TOLERANCE * processes.len() as f64 } else { 0.0 };
        let (processes, capacities) = (processes.to_vec(), capacities.to_vec());
        Some(Group { processes, capacities, share, states, operator, running, rows })
    }

    fn sweeps(&self) -> usize {
        (WORK / (self.states.count() * self.processes.len())).clamp(100, MOST_SWEEPS)
    }

    /// For every h the best average is at least the minimum of `T h - h` (Odoni 1969).
    fn average(&self, remap_cost: f64, observer: &dyn Observer) -> f64 {
        let (mut h, mut go) = (vec![0.0; self.running.len()], vec![0.0; self.running.len()]);
        let rounding = (self.operator.rounding() + 8.0) * f64::EPSILON + self.rows;
        let (mut best, mut last) = (0.0f64, 0.0f64);
        for sweep in 1..=self.sweeps() {
            self.operator.apply_into(&h, &mut go);
            go.iter_mut().zip(&self.running).for_each(|(go, psi)| *go += psi);
            let remap = remap_cost + least(&go);
            let (mut low, mut largest) = (f64::INFINITY, remap_cost);
            for (h, go) in h.iter_mut().zip(&go) {
                let next = go.min(remap);
                low = low.min(next - *h);
                largest = largest.max(go.abs()).max(h.abs());
                *h += DAMPING * (next - *h);
            }
            best = best.max(low - rounding * largest);
            let origin = least(&h);
            h.iter_mut().for_each(|h| *h -= origin);
            // Ends when sixteen sweeps add almost nothing.
            let settled =
                sweep % 16 == 0 && best - std::mem::replace(&mut last, best) <= 1e-4 * best;
            if settled && best > 0.0 || observer.check().is_break() {
                break;
            }
        }
        best
    }

    /// The cost of n steps continues to grow by at least the minimum of its last increments.
    fn total(
        &self,
        remap_cost: f64,
        (initial, steps): (i64, u64),
        paid: Paid,
        observer: &dyn Observer,
    ) -> f64 {
        let n = self.running.len();
        let initial = vec![initial; self.processes.len()];
        let Some(initial) = self.states.find(&initial) else { return 0.0 };
        let (mut v, mut go) = (vec![0.0; n], vec![0.0; n]);
        let (mut done, mut growth) = (0, 0.0);
        let most = steps.min(self.sweeps() as u64);
        while done < most {
            let remap = remap_cost + least(&v);
            let after =
                |v: f64, psi: f64| v.min(remap) + if paid == Paid::After { psi } else { 0.0 };
            let next: Vec<f64> =
                v.iter().zip(&self.running).map(|(v, psi)| after(*v, *psi)).collect();
            self.operator.apply_into(&next, &mut go);
            if paid == Paid::Before {
                go.iter_mut().zip(&self.running).for_each(|(go, psi)| *go += psi);
            }
            growth = go.iter().zip(&v).map(|(go, v)| go - v).fold(f64::INFINITY, f64::min);
            std::mem::swap(&mut v, &mut go);
            done += 1;
            if observer.check().is_break() {
                break;
            }
        }
        let largest = v.iter().copied().fold(remap_cost, f64::max);
        let each = (self.operator.rounding() + 8.0) * f64::EPSILON + self.rows;
        let growth = (growth - 2.0 * done as f64 * each * largest).max(0.0);
        let known = v[initial] + growth * (steps - done) as f64;
        (known * (1.0 - each * steps as f64)).max(0.0)
    }
}

fn least(v: &[f64]) -> f64 {
    v.iter().copied().fold(f64::INFINITY, f64::min)
}
