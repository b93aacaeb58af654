//! The long-run average cost per step when the computation goes on after every remap.
//!
//! A remap costs rho, takes no step, and leaves the total load split as evenly as whole units
//! allow. With h the relative cost of a state and b(s) the state a remap leads to,
//!
//! ```text
//! (T h)(s) = min(psi(s) + (P h)(s), rho + psi(b(s)) + (P h)(b(s)))
//! ```
//!
//! and for any h whatever the best average lies between the smallest and the largest `T h - h`
//! `[Odoni 1969, Oper. Res. 17(5)]`. Relative value iteration narrows that interval; it is damped,
//! so that periodic chains converge too. Where it would take long, the relative costs of the policy
//! it has come to are solved for now and then (`renewal`), which makes it policy iteration
//! `[Puterman 1994, section 8.6]`.

use super::renewal::{Renewal, Rule};
use super::renewal_of_ranks::Renewed;
use super::sharing::{self, Others};
use super::targets::Targets;
use super::{Method, Problem, Settings, States, vector};
use crate::communicator::Standing;
use crate::imbalance::Imbalance;
use crate::{Bounds, Observer, Status};
use std::ops::{ControlFlow, Range};

/// The best average, or that of a given policy.
#[derive(Debug, Clone, PartialEq)]
pub struct LongRun {
    /// The average cost per step lies between these, from every state.
    pub average: Bounds,
    /// Relative costs, zero at state 0.
    pub value: Vec<f64>,
    /// What continuing costs more than remapping, relative to the average, in each state.
    pub advantage: Vec<f64>,
    /// Applications of the transition operator.
    pub iterations: u64,
    /// How the computation ended.
    pub status: Status,
}

/// The state that a remap leads to from each state: the same total in shares proportional to the
/// capacities, rounded by largest remainder, or where the levels do not allow it as evenly as they
/// do. Of states that share these loads, the one that `States::twin` says.
///
/// # Errors
/// The loads of a state from which a remap leads out of a listed state space.
pub fn rebalanced(states: &States, imbalance: &Imbalance) -> Result<Vec<usize>, Vec<i64>> {
    rebalanced_of(states, imbalance, 0..states.count())
}

/// The same from some states.
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

/// How much of each sweep is taken.
const DAMPING: f64 = 0.9;

/// Sweeps before the first policy is evaluated, and between two evaluations.
const SWEEPS: u64 = 100;
const FEW_SWEEPS: u64 = 4;

/// Accuracy of an evaluation, relative to the bounds before it, and to what is asked for at most.
const INEXACT: f64 = 1e-2;
const EXACT: f64 = 0.05;

/// Evaluations in a row that do not halve the distance of the bounds, after which there are no
/// more: the first policies may well be worse than what sweeps have proved.
const VAIN: u32 = 12;

/// Accuracy of the relative costs that decide, relative to that of the average; and how often
/// policies are improved for them.
const SETTLED: f64 = 1e-2;
const MOST_SETTLING: u32 = 4;

/// The best long-run average cost per step, or the average under `policy` (`true` to remap), when a
/// remap leads from state s to `rebalanced[s]`. The remap cost and running costs are the problem's.
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

/// The same where a remap costs `costs[s]` in state s. Of ranks that share a problem each has the
/// costs, the targets (among all states) and the policy of its own states, and finds what there is
/// to say of them.
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
    // What continuing costs goes to `go`, T h to `next`; the costs at the targets of remaps, and
    // the least and largest T h - h.
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
        // The maximum of both ends at once: -(T h - h) and T h - h, offset to be non-negative.
        let sizes = |[next, h, go]: [f64; 3]| [(next - h).abs(), go.abs() + rho];
        let [reach, scale] = problem.largest(vector::maxima_of([next, h, go], sizes));
        let offset = 2.0 * reach;
        let ends = |[next, h]: [f64; 2]| [offset - (next - h), offset + (next - h)];
        let [low, high] = problem.largest(vector::maxima_of([next, h], ends));
        let slack = rounding * (scale + offset);
        (at_targets, offset - low - slack, high - offset + slack)
    };
    // No cost is negative.
    let mut best = (0.0, f64::INFINITY);
    let mut iterations = 0;
    let mut stale = 0;
    let mut renewal = None;
    let mut evaluate = |rule: &Rule, h: &mut [f64], accuracy: f64, left: u64| {
        if problem.shared.is_some() {
            return Renewed::new(problem, &targets, rule).evaluate(h, accuracy, left, observer);
        }
        let renewal = renewal.get_or_insert_with(|| Renewal::new(problem, rebalanced));
        Ok(renewal.evaluate(rule, h, accuracy, left, observer))
    };
    let (mut due, mut reached, mut vain) = (SWEEPS, f64::INFINITY, 0);
    if let Some((counts, costs)) = taken_up(&problem.shared) {
        (iterations, stale, due, vain) = counts;
        (best, reached, h) = costs;
    }
    // What the sweep that is under way began with, for another run to begin with it again.
    let mut begun;
    let status = loop {
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
    // The average is known before the relative costs are, of states above all that are hardly ever
    // met: decisions are those of costs that are solved for, as long as that brings them closer.
    // Sweeps alone stay with what they have.
    let mut status = status;
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
            // Not to be trusted where it was stopped.
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
            let changed = f64::from(u8::from(!(0..n).all(stays)));
            if problem.largest([changed]) == [0.0] {
                break;
            }
        }
    }
    let at_targets = targets.read(&problem.shared, &go);
    let advantage = (0..n).map(|s| go[s] - costs[s] - at_targets[targets.of(s)]).collect();
    let average = Bounds { lower: best.0, upper: best.1 };
    LongRun { average, value: h, advantage, iterations, status }
}

/// Counts of iterations, of stale ones, of the next evaluation and of vain ones; bounds, the width
/// at the last evaluation and relative costs.
type TakenUp = ((u64, u64, u64, u32), ((f64, f64), f64, Vec<f64>));

/// What ranks have kept of an earlier run.
fn taken_up(others: &Others) -> Option<TakenUp> {
    let Standing { words, mut vectors } = sharing::resume(others)?;
    let &[iterations, stale, due, vain, low, high, reached] = &words[..] else { return None };
    let [low, high, reached] = [low, high, reached].map(f64::from_bits);
    let h = vectors.pop()?.into_owned();
    Some(((iterations, stale, due, vain as u32), ((low, high), reached, h)))
}

/// Where an iteration stands before a sweep.
fn standing(
    (iterations, stale, (low, high)): (u64, u64, (f64, f64)),
    (due, vain, reached): (u64, u32, f64),
    h: &[f64],
) -> Standing<'_> {
    let bits = [low, high, reached].map(f64::to_bits);
    let words = [iterations, stale, due, vain.into()].into_iter().chain(bits).collect();
    Standing { words, vectors: vec![h.into()] }
}
