//! Cost-aware interval: the interval of least cost per step, for a known remap cost.

use std::ops::ControlFlow;

use super::settling::Settling;
use super::{ExpectedImbalance, Processors};
use crate::distribution::extremes::Marginal;
use crate::distribution::{Class, LatticeLaw, extremes};
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
struct Later {
    /// Lower bound of their imbalance.
    least: f64,
    /// Their limits, if the imbalance has converged up to rounding to two alternating numbers, the
    /// next one first.
    settled: Option<[f64; 2]>,
}

fn minimise(
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

/// A birth–death chain of one processor's load level.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadChain {
    /// Probability of one level more, per level.
    pub up: Vec<f64>,
    /// Probability of one level less, per level.
    pub down: Vec<f64>,
}

impl LoadChain {
    /// The distribution of the level one step later.
    pub(super) fn step(&self, law: &[f64]) -> Vec<f64> {
        // Separate loops vectorize.
        let mut next = vec![0.0];
        next.extend(law.iter().zip(&self.up).take(law.len() - 1).map(|(p, up)| p * up));
        for (((next, p), up), down) in next.iter_mut().zip(law).zip(&self.up).zip(&self.down) {
            *next += p * (1.0 - up - down);
        }
        for ((next, p), down) in next.iter_mut().zip(&law[1..]).zip(&self.down[1..]) {
            *next += p * down;
        }
        next
    }
}

/// The same for `count` processors whose loads follow a birth–death chain from level `start`
/// independently, exactly up to rounding.
///
/// `Settling` bounds how far the distribution of the level can still change, and the imbalance
/// changes by at most `count + 1` times that. Once this is below rounding, all later imbalances are
/// one number, or two alternating ones. Then either some interval has beaten their mean or none
/// will: remapping never pays.
pub fn cost_aware_chain(
    count: usize,
    chain: &LoadChain,
    start: usize,
    remap_cost: f64,
    observer: &dyn Observer,
) -> CostAware {
    let levels = chain.up.len();
    assert!(start < levels && chain.down.len() == levels, "start outside the chain");
    let mut law = vec![0.0; levels];
    law[start] = 1.0;
    let at = |_: u64| {
        law = chain.step(&law);
        imbalance_of(count, &law)
    };
    let mut settling = Settling::new(chain, start);
    // The imbalance one step ago, and a bound of its later change.
    let mut before = (0.0, f64::INFINITY);
    let later = |_: u64, last: f64| {
        let slack = (count + 1) as f64 * settling.step();
        let two = settling.period == 2;
        let (next, slack_before) = if two { before } else { (last, slack) };
        before = (last, slack);
        let rounding = 1e-12 * last.max(1.0);
        Later {
            least: if two { (last - slack).min(next - slack_before) } else { last - slack },
            settled: (slack.max(slack_before) < rounding).then_some([next, last]),
        }
    };
    minimise(remap_cost, observer, None, at, later)
}

/// Expected maximum minus the mean of `count` independent levels.
fn imbalance_of(count: usize, law: &[f64]) -> f64 {
    let law = LatticeLaw::new(0, law.to_vec());
    extremes(&[(count, Marginal::lattice(0.0, 1.0, law))], &()).above
}
