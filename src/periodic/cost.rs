//! Cost-aware interval: the interval of least cost per step, for a known remap cost.

use std::ops::ControlFlow;

use super::{ExpectedImbalance, Processors};
use crate::distribution::Class;
use crate::observer::{Observer, Status};

/// Steps after which the search for the best interval ends without a result.
const LIMIT: u64 = 1_000_000;

/// The interval of least cost per step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostAware {
    /// Remap after this many steps; `None` if it never pays. If the search was stopped, the best
    /// interval evaluated so far, if any.
    pub steps: Option<u64>,
    /// Cost per step of that interval: the remap cost and the expected imbalances of its steps
    /// over its length. If it never pays, the limit of the imbalance.
    pub cost_per_step: f64,
    /// Expected imbalance after the last step of the interval.
    pub imbalance: f64,
    /// The longest interval evaluated.
    pub looked_through: u64,
    /// Converged, or why the search ended early.
    pub status: Status,
}

/// Minimizes `W(n) = (remap_cost + sum_{t=1..n} I(t)) / n` over all `n >= 1`, with the expected
/// imbalance `I(t) = E max_i w_i(t) - E wbar(t)`. `W(n)` is the time lost per step, remaps
/// included, by a program that remaps every `n` steps.
///
/// The search ends where no later step can cost less than the least `W` so far, because then no
/// longer interval does. With equal means `I` does not decrease (a convex function of a
/// martingale). With unequal means `I(t)` is at least `t` times the lead, the largest mean minus
/// the average. It may decrease in a step by as much as the least mean lags behind the average. The
/// search also ends where the mean load is no longer above zero. `None` if a distribution is not
/// known. `remap_cost >= 0`, in units of load.
pub fn cost_aware(
    processors: &Processors,
    remap_cost: f64,
    observer: &dyn Observer,
) -> Option<CostAware> {
    let mut imbalance = ExpectedImbalance::new(processors)?.watched(observer);
    let ahead = |class: &Class| class.law.mean() - processors.mean();
    let leads = || processors.classes().iter().map(ahead);
    let (lead, lag) = (leads().fold(0.0, f64::max), -leads().fold(0.0, f64::min));
    let last = processors.moments().last_positive();
    let equal = processors.drift() == 0.0;
    if equal && processors.variance() == 0.0 && last != Some(0) {
        // No time is ever lost: a longer interval is better.
        let status = Status::Converged;
        let cost_per_step = last.map_or(0.0, |last| remap_cost / last as f64);
        let (steps, imbalance, looked_through) = (last, 0.0, last.unwrap_or(0));
        return Some(CostAware { steps, cost_per_step, imbalance, looked_through, status });
    }
    let floor = |n: u64, found: f64| {
        let n = n as f64;
        // Where the increasing bound meets the decreasing one.
        let meet = lead * (found + n * lag) / (lead + lag);
        Later { least: if equal { found } else { meet.max(lead * (n + 1.0)) }, settled: None }
    };
    let at = |n: u64| imbalance.extremes(n as f64).above;
    Some(minimise(remap_cost, observer, last, at, floor))
}

/// Information about all steps after the current one.
pub(super) struct Later {
    /// Lower bound of their imbalance.
    pub(super) least: f64,
    /// Their limits, if the imbalance has converged up to rounding to two alternating numbers, the
    /// next one first.
    pub(super) settled: Option<[f64; 2]>,
}

/// The search, given the imbalance after each step and what is known of later ones.
pub(super) fn minimise(
    remap_cost: f64,
    observer: &dyn Observer,
    last: Option<u64>,
    mut imbalance: impl FnMut(u64) -> f64,
    mut later: impl FnMut(u64, f64) -> Later,
) -> CostAware {
    let mut best = CostAware {
        steps: None,
        cost_per_step: f64::INFINITY,
        imbalance: 0.0,
        looked_through: 0,
        status: Status::IterationLimit,
    };
    let mut sum = remap_cost;
    for n in 1..=LIMIT.min(last.unwrap_or(LIMIT)) {
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
        best.looked_through = n;
        let later = later(n, found);
        if later.least >= best.cost_per_step {
            best.status = Status::Converged;
            return best;
        }
        if let Some([next, last]) = later.settled {
            let limit = 0.5 * (next + last);
            // The cost of k > n steps exceeds the limit by this over k, or by more.
            let excess = sum - n as f64 * limit + (next - limit).min(0.0);
            best.status = Status::Converged;
            if excess >= 0.0 && limit < best.cost_per_step {
                let (steps, cost_per_step, imbalance) = (None, limit, limit);
                return CostAware { steps, cost_per_step, imbalance, ..best };
            }
            if limit + excess.min(0.0) / (n + 1) as f64 >= best.cost_per_step {
                return best;
            }
            best.status = Status::IterationLimit;
        }
    }
    if last == Some(best.looked_through) && best.steps.is_some() {
        best.status = Status::Converged;
    }
    best
}
