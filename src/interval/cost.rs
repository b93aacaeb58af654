//! The interval to take when the cost of a remap is known.

use std::ops::ControlFlow;

use super::{Imbalance, Processors};
use crate::law::extremes::Marginal;
use crate::law::{LatticeLaw, extremes};
use crate::observer::{Observer, Status};

/// Steps after which the search for the best interval is given up.
const LIMIT: u64 = 1_000_000;

/// The interval of least cost per step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostAware {
    /// Remap after this many steps; `None` if it never pays, or was not found.
    pub steps: Option<u64>,
    /// Cost per step of that interval: the remap cost and the expected imbalances of its steps
    /// over its length. If it never pays, the limit of the imbalance.
    pub cost_per_step: f64,
    /// Expected imbalance after the last step of the interval.
    pub imbalance: f64,
    /// Converged, or why the search ended before.
    pub status: Status,
}

/// Minimises `W(n) = (remap_cost + sum_{t=1..n} I(t)) / n` over all `n >= 1`, with the expected
/// imbalance `I(t) = E max_i w_i(t) - E wbar(t)`: the time lost per step, remaps included, by a
/// program that remaps every `n` steps.
///
/// The search ends where no later step can cost less than the least `W` so far: then no longer
/// interval does. With equal means `I` does not decrease (a convex function of a martingale); with
/// unequal ones `I(t)` is at least `t` times the largest mean less the average. `None` if a law is
/// not known. `remap_cost >= 0`, in units of load.
pub fn cost_aware(
    processors: &Processors,
    remap_cost: f64,
    observer: &dyn Observer,
) -> Option<CostAware> {
    let mut imbalance = Imbalance::new(processors)?.watched(observer);
    let lead = |mean: f64| mean - processors.mean();
    let means = processors.classes().iter().map(|class| lead(class.law.mean()));
    let lead = means.fold(0.0, f64::max);
    let equal = processors.drift() == 0.0;
    if equal && processors.variance() == 0.0 {
        let status = Status::Converged;
        return Some(CostAware { steps: None, cost_per_step: 0.0, imbalance: 0.0, status });
    }
    let floor = |n: u64, last: f64| Later {
        least: if equal { last } else { lead * (n + 1) as f64 },
        limit: None,
    };
    let at = |n: u64| imbalance.extremes(n as f64).above;
    Some(minimise(remap_cost, observer, at, floor))
}

/// What is known of all steps after the current one.
struct Later {
    /// Lower bound of their imbalance.
    least: f64,
    /// Their imbalance, when it is constant up to rounding.
    limit: Option<f64>,
}

fn minimise(
    remap_cost: f64,
    observer: &dyn Observer,
    mut imbalance: impl FnMut(u64) -> f64,
    mut later: impl FnMut(u64, f64) -> Later,
) -> CostAware {
    let mut best = CostAware {
        steps: None,
        cost_per_step: f64::INFINITY,
        imbalance: 0.0,
        status: Status::IterationLimit,
    };
    let mut sum = remap_cost;
    for n in 1..=LIMIT {
        let found = imbalance(n);
        if let ControlFlow::Break(halt) = observer.progress(n, n + 1) {
            best.status = halt.into();
            return best;
        }
        sum += found;
        let cost = sum / n as f64;
        if cost < best.cost_per_step {
            (best.steps, best.cost_per_step, best.imbalance) = (Some(n), cost, found);
        }
        let later = later(n, found);
        if later.least >= best.cost_per_step {
            best.status = Status::Converged;
            return best;
        }
        if let Some(limit) = later.limit
            && limit < best.cost_per_step
        {
            let status = Status::Converged;
            return CostAware { steps: None, cost_per_step: limit, imbalance: limit, status };
        }
    }
    best
}

/// A birth–death chain of one processor's load level.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadChain {
    /// Probability of one level more, per level.
    pub up: Vec<f64>,
    /// Probability of one level less, per level.
    pub down: Vec<f64>,
}

impl LoadChain {
    /// The law of the level one step later.
    pub(super) fn step(&self, law: &[f64]) -> Vec<f64> {
        let mut next = vec![0.0; law.len()];
        for (level, &p) in law.iter().enumerate() {
            let (up, down) = (self.up[level], self.down[level]);
            if up > 0.0 {
                next[level + 1] += p * up;
            }
            if down > 0.0 {
                next[level - 1] += p * down;
            }
            next[level] += p * (1.0 - up - down);
        }
        next
    }
}

/// The same for `count` processors whose loads follow a birth–death chain from level `start`
/// independently, exactly up to rounding.
///
/// The law of the level at any later time is a mixture of the laws after `n` steps from all levels.
/// So it differs from that of the start after `n` steps in total variation by no more than the
/// farthest of those does, and the imbalance by no more than `count * levels` times that. Once this
/// is rounding, all later imbalances are equal, and either some interval has beaten that limit or
/// none will: remapping never pays. A periodic chain does not settle, and may not be decided.
///
/// # Panics
/// If `start` is not a level, or the chain's two lists differ in length.
pub fn cost_aware_chain(
    count: usize,
    chain: &LoadChain,
    start: usize,
    remap_cost: f64,
    observer: &dyn Observer,
) -> CostAware {
    let levels = chain.up.len();
    assert!(start < levels && chain.down.len() == levels, "start outside the chain");
    let point = |level: usize| {
        let mut law = vec![0.0; levels];
        law[level] = 1.0;
        law
    };
    let mut law = point(start);
    let at = |_: u64| {
        law = chain.step(&law);
        imbalance_of(count, &law)
    };
    let mut laws: Vec<Vec<f64>> = (0..levels).map(point).collect();
    let later = |_: u64, last: f64| {
        laws.iter_mut().for_each(|law| *law = chain.step(law));
        let distance = |law: &Vec<f64>| -> f64 {
            law.iter().zip(&laws[start]).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
        };
        let farthest = laws.iter().map(distance).fold(0.0, f64::max);
        let slack = (count * levels) as f64 * farthest;
        Later { least: last - slack, limit: (slack < 1e-12 * last.max(1.0)).then_some(last) }
    };
    minimise(remap_cost, observer, at, later)
}

/// Expected maximum less the mean of `count` independent levels.
fn imbalance_of(count: usize, law: &[f64]) -> f64 {
    let law = LatticeLaw::new(0, law.to_vec());
    extremes(&[(count, Marginal::lattice(0.0, 1.0, law))], &()).above
}
