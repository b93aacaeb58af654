//! The long-run average cost per step if the computation continues after every remap.
//!
//! A remap costs rho, takes no step, and leaves the total load split as evenly as whole units
//! allow. With h the relative cost of a state and b(s) the state that a remap leads to, the Bellman
//! operator is
//!
//! ```text
//! (T h)(s) = min(psi(s) + (P h)(s), rho + psi(b(s)) + (P h)(b(s)))
//! ```
//!
//! For every h the best average lies between the minimum and the maximum of `T h - h` `[Odoni 1969,
//! Oper. Res. 17(5)]`. Relative value iteration narrows that interval; it is damped, so that
//! periodic chains converge too. If it is slow, the current policy is evaluated from time to time
//! (`renewal`), which makes it policy iteration `[Puterman 1994, section 8.6]`. A sweep takes one
//! application of P plus O(states).

use crate::communicator::Standing;
use crate::imbalance::Imbalance;
use crate::stopping::evaluation::remapped::Rule;
use crate::stopping::evaluation::{renewal::Renewal, renewal_of_ranks};
use crate::stopping::state_space::sharing::{self, Others};
use crate::stopping::state_space::targets::Targets;
use crate::stopping::{Method, Problem, Settings, States, operator::vector};
use crate::{Bounds, Observer, Status};
use std::ops::{ControlFlow, Range};

/// The best average, or the average of a given policy.
#[derive(Debug, Clone, PartialEq)]
pub struct LongRun {
    /// Bounds on the average cost per step, from every state.
    pub average: Bounds,
    /// Relative costs, zero at state 0.
    pub value: Vec<f64>,
    /// By state: the cost of continuing minus that of remapping, relative to the average.
    pub advantage: Vec<f64>,
    /// Applications of the transition operator.
    pub iterations: u64,
    /// How the computation ended.
    pub status: Status,
}

/// The state that a remap leads to from each state: the same total in shares proportional to the
/// capacities, rounded by largest remainder. If the levels do not allow that, the split is as even
/// as they allow. Among states that share these loads it is the one that `States::twin` gives.
///
/// # Errors
/// The loads of a state from which a remap leads out of a listed state space.
pub fn rebalanced(states: &States, imbalance: &Imbalance) -> Result<Vec<usize>, Vec<i64>> {
    rebalanced_of(states, imbalance, 0..states.count())
}

/// [`rebalanced`] for a range of states.
///
/// # Errors
/// As [`rebalanced`].
pub fn rebalanced_of(
    states: &States,
    imbalance: &Imbalance,
    some: Range<usize>,
) -> Result<Vec<usize>, Vec<i64>> {
    let mut loads = vec![0; states.processes()];
    let range = states.range();
    let mut known = std::collections::HashMap::new();
    let mut all = Vec::with_capacity(some.len());
    for state in some {
        states.loads_into(state, &mut loads);
        let total: i64 = loads.iter().sum();
        let split = known.entry(total).or_insert_with(|| match &range {
            None => Some(imbalance.split(total)),
            Some((low, high)) => imbalance.split_within(total, low, high),
        });
        let target = split.as_ref().and_then(|split| states.twin(state, split));
        all.push(target.ok_or_else(|| loads.clone())?);
    }
    Ok(all)
}

/// Damping: the fraction of each sweep that is taken.
const DAMPING: f64 = 0.9;

/// Sweeps before the first policy evaluation, and between later ones.
const SWEEPS: u64 = 100;
const FEW_SWEEPS: u64 = 4;

/// Accuracy of an evaluation: relative to the current width of the bounds, and at least relative to
/// the goal.
const INEXACT: f64 = 1e-2;
const EXACT: f64 = 0.05;

/// Evaluations in a row that do not halve the width, after which there are no more. The first
/// policies may be worse than the bounds already proved.
const VAIN: u32 = 12;

/// Accuracy of the relative costs for the decisions, relative to that of the average; and most
/// policy improvements for them.
const SETTLED: f64 = 1e-2;
const MOST_SETTLING: u32 = 4;

/// Bounds on the best long-run average cost per step, or on the average under `policy` (`true` to
/// remap). A remap leads from state s to `rebalanced[s]`. Remap cost and running costs are the
/// problem's.
///
/// # Panics
/// When `rebalanced` or `policy` has not one entry for each state.
pub fn long_run(
    problem: &Problem,
    rebalanced: &[usize],
    policy: Option<&[bool]>,
    settings: &Settings,
    observer: &dyn Observer,
) -> LongRun {
    let costs = vec![problem.remap_cost; problem.states()];
    long_run_at(problem, &costs, rebalanced, policy, settings, observer)
}

/// As [`long_run`], with a remap cost of `costs[s]` in state s. In a shared problem each rank
/// passes the costs, the targets (numbered among all states) and the policy of its own states, and
/// gets the results for those.
///
/// # Panics
/// When `costs`, `rebalanced` or `policy` has not one entry for each state.
pub fn long_run_at(
    problem: &Problem,
    costs: &[f64],
    rebalanced: &[usize],
    policy: Option<&[bool]>,
    settings: &Settings,
    observer: &dyn Observer,
) -> LongRun {
    let n = problem.states();
    assert!(rebalanced.len() == n && policy.is_none_or(|policy| policy.len() == n));
    assert_eq!(costs.len(), n);
    let [rho] = problem.largest([costs.iter().copied().fold(0.0, f64::max)]);
    let targets = Targets::new(&problem.shared, rebalanced);
    let running = &problem.running;
    let rounding = (problem.operator.rounding() + 6.0) * f64::EPSILON;
    let mut h = vec![0.0; n];
    let (mut go, mut next) = (vec![0.0; n], vec![0.0; n]);
    // Writes the cost of continuing to `go` and T h to `next`. Returns the costs at the targets of
    // remaps, and bounds on T h - h.
    let sweep = |h: &[f64], go: &mut Vec<f64>, next: &mut Vec<f64>| {
        problem.operator.apply_into(h, go);
        vector::update(go, |s, image| running[s] + image);
        let at_targets = targets.read(&problem.shared, go);
        vector::update(next, |s, _| {
            let remap = costs[s] + at_targets[targets.of(s)];
            match policy {
                Some(policy) if policy[s] => remap,
                Some(_) => go[s],
                None => go[s].min(remap),
            }
        });
        // Both ends in one maximum: -(T h - h) and T h - h, offset to be nonnegative.
        let sizes = |[next, h, go]: [f64; 3]| [(next - h).abs(), go.abs() + rho];
        let [reach, scale] = problem.largest(vector::maxima_of([next, h, go], sizes));
        let offset = 2.0 * reach;
        let ends = |[next, h]: [f64; 2]| [offset - (next - h), offset + (next - h)];
        let [low, high] = problem.largest(vector::maxima_of([next, h], ends));
        let slack = rounding * (scale + offset);
        (at_targets, offset - low - slack, high - offset + slack)
    };
    // All costs are nonnegative.
    let mut best = (0.0, f64::INFINITY);
    let mut iterations = 0;
    let mut stale = 0;
    let mut renewal = None;
    let mut evaluate = |rule: &Rule, h: &mut [f64], accuracy: f64, left: u64| {
        if problem.shared.is_some() {
            let goal = (accuracy, left);
            return renewal_of_ranks::evaluate(problem, (&targets, rule), h, goal, observer);
        }
        let renewal = renewal.get_or_insert_with(|| Renewal::new(problem, rebalanced, &targets));
        Ok(renewal.evaluate(rule, h, accuracy, left, observer))
    };
    let (mut due, mut reached, mut vain) = (SWEEPS, f64::INFINITY, 0);
    if let Some((counts, costs)) = taken_up(&problem.shared) {
        (iterations, stale, due, vain) = counts;
        (best, reached, h) = costs;
    }
    // State before the current sweep, from which another run can resume.
    let mut begun;
    let mut status = loop {
        begun = (iterations, stale, best);
        let (at_targets, low, high) = sweep(&h, &mut go, &mut next);
        iterations += 1;
        let remap = |s: usize| costs[s] + at_targets[targets.of(s)];
        let width = best.1 - best.0;
        best = (best.0.max(low), best.1.min(high));
        stale = if best.1 - best.0 < width { 0 } else { stale + 1 };
        let goal = settings.tolerance * best.0.abs().min(best.1.abs()).max(1.0);
        let width = best.1 - best.0;
        if width <= goal {
            break Status::Converged;
        }
        if iterations >= settings.iterations || stale > 10_000 {
            break Status::IterationLimit;
        }
        let halt = observer.progress(iterations, settings.iterations);
        let stands = || standing(begun, (due, vain, reached), &h);
        sharing::save(&problem.shared, &stands, halt.is_break());
        if let ControlFlow::Break(halt) = halt {
            break halt.into();
        }
        let damped = |old: f64, new: f64| (1.0 - DAMPING) * old + DAMPING * new;
        let [old, new] = problem.at_first([&h, &next]);
        let origin = damped(old, new);
        if iterations >= due && vain < VAIN && settings.method != Method::Value {
            let before = (problem.shared.is_some().then(|| h.clone()), (due, vain, reached));
            vain = if width <= 0.5 * reached { 0 } else { vain + 1 };
            reached = reached.min(width);
            let remaps = |s: usize| match policy {
                Some(policy) => policy[s],
                None => remap(s) < go[s],
            };
            let remaps: Vec<bool> = (0..n).map(remaps).collect();
            let rule = Rule { remaps: &remaps, costs };
            vector::update_from(&mut h, [&next], move |old, [new]| damped(old, new) - origin);
            let accuracy = (INEXACT * width).max(EXACT * goal);
            let left = settings.iterations - iterations;
            match (evaluate(&rule, &mut h, accuracy, left), before) {
                (Ok(applications), _) => iterations += applications,
                (Err(halt), (old, counts)) => {
                    h = old.unwrap_or(h);
                    sharing::save(&problem.shared, &|| standing(begun, counts, &h), true);
                    break halt.into();
                }
            }
            due = iterations + FEW_SWEEPS;
            continue;
        }
        vector::update_from(&mut h, [&next], move |old, [new]| damped(old, new) - origin);
    };
    // The average converges before the relative costs do, above all in states of small stationary
    // probability. So decisions follow from solved relative costs, as long as that narrows the
    // bounds. Plain value iteration keeps its last iterate.
    if status == Status::Converged && policy.is_none() && settings.method != Method::Value {
        let reached_at = (problem.shared.is_some().then(|| h.clone()), (due, vain, reached));
        let accuracy = SETTLED * settings.tolerance * best.1.max(1.0);
        let (mut at_targets, low, high) = sweep(&h, &mut go, &mut next);
        let mut span = high - low;
        for _ in 0..MOST_SETTLING {
            let remap = |s: usize| costs[s] + at_targets[targets.of(s)] < go[s];
            let remaps: Vec<bool> = (0..n).map(remap).collect();
            let rule = Rule { remaps: &remaps, costs };
            let before = h.clone();
            let left = settings.iterations.saturating_sub(iterations);
            match evaluate(&rule, &mut h, accuracy, left) {
                Ok(applications) => iterations += applications,
                Err(halt) => {
                    let (old, counts) = &reached_at;
                    let old = old.as_ref().unwrap_or(&h);
                    sharing::save(&problem.shared, &|| standing(begun, *counts, old), true);
                    status = halt.into();
                    break;
                }
            }
            let (found, low, high) = sweep(&h, &mut go, &mut next);
            // An evaluation that was halted is not used.
            let worse = (high - low).is_nan() || high - low > span;
            let halt = if worse { None } else { observer.check().break_value() };
            if worse || halt.is_some() {
                h = before;
                sweep(&h, &mut go, &mut next);
                if let (Some(halt), (Some(old), counts)) = (halt, &reached_at) {
                    sharing::save(&problem.shared, &|| standing(begun, *counts, old), true);
                    status = halt.into();
                }
                break;
            }
            (at_targets, span) = (found, high - low);
            best = (best.0.max(low), best.1.min(high));
            let stays = |s: usize| remaps[s] == (costs[s] + at_targets[targets.of(s)] < go[s]);
            if problem.everywhere((0..n).all(stays)) {
                break;
            }
        }
    }
    let at_targets = targets.read(&problem.shared, &go);
    let advantage = (0..n).map(|s| go[s] - costs[s] - at_targets[targets.of(s)]).collect();
    let average = Bounds { lower: best.0, upper: best.1 };
    LongRun { average, value: h, advantage, iterations, status }
}

/// Counts of iterations, of iterations without progress, of the next evaluation and of evaluations
/// in vain; then bounds, the width at the last evaluation and relative costs.
type TakenUp = ((u64, u64, u64, u32), ((f64, f64), f64, Vec<f64>));

/// The saved state of an earlier run of the ranks.
fn taken_up(others: &Others) -> Option<TakenUp> {
    let Standing { words, mut vectors } = sharing::resume(others)?;
    let &[iterations, stale, due, vain, low, high, reached] = &words[..] else { return None };
    let [low, high, reached] = [low, high, reached].map(f64::from_bits);
    let h = vectors.pop()?.into_owned();
    Some(((iterations, stale, due, vain as u32), ((low, high), reached, h)))
}

/// The state of the iteration before a sweep.
fn standing(
    (iterations, stale, (low, high)): (u64, u64, (f64, f64)),
    (due, vain, reached): (u64, u32, f64),
    h: &[f64],
) -> Standing<'_> {
    let bits = [low, high, reached].map(f64::to_bits);
    let words = [iterations, stale, due, vain.into()].into_iter().chain(bits).collect();
    Standing { words, vectors: vec![h.into()] }
}
