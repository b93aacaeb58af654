//! Bounds on J with state-dependent remap costs, by policy iteration.
//!
//! Value iteration from both sides takes as many sweeps as the loads need steps to balance; policy
//! iteration takes few. The cost v of continuing exactly in C solves `(I - P) v = psi + P (costs
//! outside C)` there, and one sweep bounds the distance of v from J. With `B = psi + P v`
//!
//! ```text
//! L = (1-t) v             <= T(L)   if  t psi >= (1-t) (v - B)
//! U = min(costs, (1+t) v) >= T(U)   if  t psi >= (1+t) (B - v)  or  (1+t) v >= costs
//! ```
//!
//! in every unbalanced state, for every v up to the costs (see `enclosure`). Value iteration
//! continues from L and U.

use super::state_dependent_costs::{Limits, Varying};
use crate::Observer;
use crate::stopping::evaluation::krylov::{InnerProducts, System};
use crate::stopping::operator::enclosure::{share_above, share_below};
use crate::stopping::operator::vector;

/// Sweeps before each evaluation.
const SWEEPS: usize = 12;

/// Most evaluations, and most of them in a row without closer bounds.
const EVALUATIONS: usize = 200;
const VAIN: usize = 12;

/// Most steps of one evaluation.
const STEPS: u64 = 2000;

/// Residuals relative to the running cost: while the policy changes, and relative to the tolerance
/// once it does not.
const ROUGHLY: f64 = 1e-3;
const CLOSELY: f64 = 0.1;

/// Residuals relative to the right-hand side that rounding causes anyway.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Bounds on J.
pub(in crate::stopping) struct Start {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// Number of applications of the operator.
    pub applications: u64,
}

/// Bounds from policy iteration; trivial ones for shared problems, which use sweeps only.
pub(in crate::stopping) fn bounds(
    posed: &Varying,
    limits: &Limits,
    observer: &dyn Observer,
) -> Start {
    let (problem, costs) = (&posed.problem, &posed.costs[..]);
    let n = costs.len();
    let mut start = Start { lower: vec![0.0; n], upper: costs.to_vec(), applications: 0 };
    if problem.shared.is_some() {
        return start;
    }
    let running = &problem.running[..];
    let inner = InnerProducts::new(problem);
    let mut v: Vec<f64> = (0..n).map(|s| if running[s] > 0.0 { costs[s] } else { 0.0 }).collect();
    let mut go = vec![0.0; n];
    let (mut continues, mut best, mut vain) = (vec![false; n], f64::INFINITY, 0);
    for _ in 0..EVALUATIONS {
        let mut settled = true;
        for sweep in 0..SWEEPS {
            problem.operator.apply_into(&v, &mut go);
            start.applications += 1;
            vector::update_from(&mut go, [running], |image, [psi]| psi + image);
            if sweep == 0 && best > limits.tolerance {
                let gap = prove(posed, (&v, &go), &mut start, best);
                vain = if gap < 0.9 * best { 0 } else { vain + 1 };
                best = best.min(gap);
            }
            vector::update_from(&mut v, [&go, costs, running], |_, [go, cost, psi]| {
                if psi == 0.0 { 0.0 } else { go.min(cost) }
            });
        }
        for (s, continues) in continues.iter_mut().enumerate() {
            let now = running[s] > 0.0 && go[s] < costs[s];
            settled &= now == *continues;
            *continues = now;
        }
        if best <= limits.tolerance || vain >= VAIN || observer.check().is_break() {
            return start;
        }
        let accuracy = if settled { CLOSELY * limits.tolerance } else { ROUGHLY };
        start.applications += evaluate(posed, (&continues, &inner), &mut v, accuracy, observer);
    }
    start
}

/// Sets `v` to the approximate cost of continuing exactly where `continues`. Returns the number of
/// applications of the operator.
fn evaluate(
    posed: &Varying,
    (continues, inner): (&[bool], &InnerProducts),
    v: &mut [f64],
    accuracy: f64,
    observer: &dyn Observer,
) -> u64 {
    let (problem, costs) = (&posed.problem, &posed.costs[..]);
    let running = &problem.running[..];
    let stops = |s: usize| running[s] > 0.0 && !continues[s];
    let paid: Vec<f64> = (0..v.len()).map(|s| if stops(s) { costs[s] } else { 0.0 }).collect();
    let mut right = vec![0.0; v.len()];
    problem.operator.apply_into(&paid, &mut right);
    vector::update_from(&mut right, [running], |image, [psi]| psi + image);
    let mut system = System::new(problem, continues, inner, STEPS, observer);
    let least = system.chain.states().map(|s| running[s]).fold(f64::INFINITY, f64::min);
    let applications = system.solve(&right, v, accuracy.max(f64::EPSILON) * least, ROUNDING);
    vector::update_from(v, [&paid, costs], |v, [paid, cost]| paid + v.clamp(0.0, cost));
    1 + applications
}

/// The distance of the bounds that v and `go = psi + P v` prove, relative to max(1, the highest
/// remap cost). `start` takes them if that is less than `best`.
fn prove(posed: &Varying, (v, go): (&[f64], &[f64]), start: &mut Start, best: f64) -> f64 {
    let (problem, costs) = (&posed.problem, &posed.costs[..]);
    // Rounding of the operator, of the sum, and of the subtraction here.
    let slack = (problem.operator.rounding() + 6.0) * f64::EPSILON;
    let shares = |[v, go, cost, psi]: [f64; 4]| {
        let down = share_below(v - go * (1.0 - slack), psi, 0.0);
        let goes_on = share_above(go * (1.0 + slack) - v, psi, 0.0);
        let stops = if v > 0.0 { cost / v - 1.0 } else { f64::INFINITY };
        let known = v.is_finite() && go.is_finite() && v <= cost;
        let shares = if known { [down, goes_on.min(stops), v, cost] } else { [f64::INFINITY; 4] };
        if psi == 0.0 { [0.0; 4] } else { shares }
    };
    let [down, up, highest, dearest] =
        vector::maxima_of([v, go, costs, &problem.running[..]], shares);
    let lower = (1.0 - down * (1.0 + 8.0 * f64::EPSILON) - 4.0 * f64::EPSILON).max(0.0);
    let upper = 1.0 + up * (1.0 + 8.0 * f64::EPSILON) + 4.0 * f64::EPSILON;
    let gap = (upper - lower) * highest / dearest.max(1.0);
    if gap < best {
        vector::update_from(&mut start.lower, [v], |_, [v]| lower * v);
        vector::update_from(&mut start.upper, [v, costs], |_, [v, cost]| cost.min(upper * v));
    }
    gap
}
