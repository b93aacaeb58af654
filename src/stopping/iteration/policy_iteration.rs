//! Policy iteration (Howard 1960): evaluate a stopping set, improve it, repeat.
//!
//! It starts above J, with the cost of stopping everywhere. Before each evaluation some sweeps of
//! value iteration enlarge the continuation set, so that its boundary moves by more than one step
//! at a time. Evaluation solves
//!
//! ```text
//! (I - P) J = psi on the continuation set C,   J = R outside
//! ```
//!
//! by the methods of `krylov.rs`. Cost: one application of P per sweep and per Krylov step;
//! O(states) memory.

use super::value_iteration;
use crate::communicator::Standing;
use crate::stopping::evaluation::krylov::{InnerProducts, System};
use crate::stopping::operator::sweep::Sweep;
use crate::stopping::{
    AfterRemap, Approximation, Enclosure, Problem, Settings, operator::vector, operator::weight,
    state_space::sharing,
};
use crate::{Halt, Observer, Status};
use std::ops::ControlFlow;

/// Sweeps before each evaluation.
const SWEEPS: usize = 12;

/// The same if a coarser grid has given an initial guess.
const FEW_SWEEPS: usize = 4;

/// Accuracy of an evaluation, relative to the gap of the policy.
const INEXACT: f64 = 3e-2;

/// Evaluations less accurate than this many tolerances are not used for bounds.
const ENOUGH: f64 = 100.0;

/// The tolerance on coarser grids.
const ROUGHLY: f64 = 1e-2;

/// Most steps of one Krylov solve; the next evaluation continues from there.
const STEPS: u64 = 2000;

/// For `Uniform`: number of short evaluations, steps of the first, and the growth (one in
/// `MORE_STEPS`) from one to the next. Policies far from the best need no accurate evaluation. None
/// are short once the bounds are close.
const SHORT: u32 = 16;
const FIRST_STEPS: u64 = 8;
const MORE_STEPS: u64 = 8;

/// A remap is expensive if it costs this many times as much as continuing.
const DEAR: f64 = 1e4;

/// Relative accuracy of a number after an evaluation to full precision.
const DIGITS: f64 = 1e-12;

/// Evaluations without a better bound after which rounding limits the bound.
const FLOOR: u32 = 12;

/// Solves from a guess of the savings, if there is one.
pub(in crate::stopping) fn solve(
    problem: &Problem,
    guess: Option<Vec<f64>>,
    settings: &Settings,
    observer: &dyn Observer,
) -> Approximation {
    let guess = match guess {
        Some(saving) => Some((problem.remap_cost, saving)),
        None => problem.coarser.as_ref().map(|coarser| {
            let roughly = Settings { tolerance: settings.tolerance.max(ROUGHLY), ..*settings };
            let guess = solve(&coarser.problem, None, &roughly, observer);
            (guess.base, coarser.interpolate(&guess.saving))
        }),
    };
    let mut guessed = None;
    if let Some((base, saving)) = guess {
        let (gap, found) = iterate(problem, settings, observer, base, saving, FEW_SWEEPS);
        // If the bounds are this close, a better start does not help.
        if found.status != Status::IterationLimit
            || found.iterations >= settings.iterations
            || gap <= ROUGHLY
        {
            return found;
        }
        guessed = Some((gap, found));
    }
    let base = value_iteration::start_above(problem);
    let saving = value_iteration::start(problem, base);
    let started = iterate(problem, settings, observer, base, saving, SWEEPS);
    guessed.filter(|(gap, _)| *gap < started.0).unwrap_or(started).1
}

/// Policy iteration from these savings, with `sweeps` sweeps before each evaluation. Also returns
/// the distance of the bounds.
fn iterate(
    problem: &Problem,
    settings: &Settings,
    observer: &dyn Observer,
    mut base: f64,
    mut saving: Vec<f64>,
    sweeps: usize,
) -> (f64, Approximation) {
    let n = problem.states();
    let uniform = problem.after == AfterRemap::Uniform && problem.shared.is_none();
    let (mut short, sweeps) = if uniform { (SHORT, FEW_SWEEPS) } else { (0, sweeps) };
    let mut steps = FIRST_STEPS;
    vector::update(&mut saving, |s, d| if problem.running[s] == 0.0 { base } else { d });
    let mut sweep = Sweep::new(problem);
    let mut best = (f64::INFINITY, base, saving.clone());
    let mut iterations = 0;
    let mut worse = 0;
    let mut evaluation = Evaluation::new(problem);
    let mut continues = vec![false; n];
    let mut settled = false;
    let mut accuracy = f64::INFINITY;
    // Ranks save their state before an evaluation, which is the longest part.
    let mut taken_up = false;
    if let Some(Standing { words, vectors }) = sharing::resume(&problem.shared)
        && let [done, vain, left, next, same, low, gap, from] = words[..]
        && let [old, nearest, goes_on, balance @ ..] = &vectors[..]
    {
        (iterations, worse, short, steps) = (done, vain as u32, left as u32, next);
        settled = same == 1;
        [base, best.0, best.1] = [low, gap, from].map(f64::from_bits);
        saving.copy_from_slice(old);
        best.2.copy_from_slice(nearest);
        continues = goes_on.iter().map(|goes_on| *goes_on == 1.0).collect();
        balance.iter().for_each(|balance| evaluation.balance.copy_from_slice(balance));
        taken_up = true;
    }
    let status = 'outer: loop {
        let mut halted = None;
        for k in 0..if taken_up { 0 } else { sweeps } {
            sweep.run(problem, base, &saving);
            iterations += 1;
            // The gain of an evaluation shows in the first sweep, if it is accurate enough; that of
            // the sweeps in the last one.
            if k + 1 == sweeps || (k == 0 && accuracy <= ENOUGH * settings.tolerance) {
                let enclosure = Enclosure::new(problem, &saving, &sweep);
                if enclosure.gap < 0.9 * best.0 {
                    worse = 0;
                }
                keep(&mut best, &enclosure, base, &saving);
                if best.0 <= settings.tolerance {
                    break 'outer Status::Converged;
                }
                // For `Uniform` R is known better than the bounds show only once the policy no
                // longer changes.
                let at_floor = enclosure.at_floor() && problem.after == AfterRemap::Stop;
                if worse >= FLOOR || (worse >= 2 && (settled || at_floor)) {
                    if settled && enclosure.gap <= 2.0 * best.0 {
                        (best.1, best.2) = (base, saving);
                    }
                    break 'outer Status::IterationLimit;
                }
            }
            if iterations >= settings.iterations {
                break 'outer Status::IterationLimit;
            }
            let progress = observer.progress(iterations, settings.iterations);
            if let (ControlFlow::Break(halt), true) = (progress, problem.shared.is_some()) {
                // Ranks halt at a point from which they can resume.
                halted = Some(halt);
            } else if let ControlFlow::Break(halt) = progress {
                keep(&mut best, &Enclosure::new(problem, &saving, &sweep), base, &saving);
                let sharper = weight::by_savings(problem, &saving, &sweep);
                sharper.iter().for_each(|(found, _)| keep(&mut best, found, base, &saving));
                break 'outer halted_at(&mut best, problem, halt);
            }
            sweep.take(problem, &mut saving);
        }
        // A short evaluation says little about the value of its policy.
        let is_short = short > 0 && best.0 > ROUGHLY;
        if !taken_up {
            worse += if is_short { 0 } else { 1 };
            settled = true;
            for (s, continues) in continues.iter_mut().enumerate() {
                let now = problem.running[s] > 0.0 && sweep.continues(s);
                settled &= now == *continues;
                *continues = now;
            }
            settled = problem.everywhere(settled);
            let may = problem.after == AfterRemap::Stop && problem.whole;
            if may && rebase(problem, &continues, &mut base, &mut saving) {
                worse = 0;
            }
        }
        taken_up = false;
        // No more accurate than the policy deserves.
        let worth = if settled { 0.0 } else { INEXACT * best.0.min(1.0) };
        accuracy = worth.max(0.1 * settings.tolerance);
        let goal = (accuracy, if is_short { steps } else { STEPS });
        let counts = [iterations, worse.into(), short.into(), steps, settled.into()];
        let before = problem.shared.is_some();
        let before = before.then(|| (base, saving.clone(), evaluation.balance.clone()));
        let standing = || {
            let (base, saving, balance) = before.as_ref().expect("ranks keep it");
            let bits = [*base, best.0, best.1].map(f64::to_bits);
            let continues = continues.iter().map(|continues| f64::from(u8::from(*continues)));
            let mut vectors = vec![saving[..].into(), best.2[..].into()];
            vectors.push(continues.collect::<Vec<f64>>().into());
            vectors.extend((!balance.is_empty()).then(|| balance[..].into()));
            Standing { words: counts.into_iter().chain(bits).collect(), vectors }
        };
        sharing::save(&problem.shared, &standing, halted.is_some());
        if halted.is_none() {
            let (base, saving) = (&mut base, &mut saving);
            iterations += evaluation.evaluate(problem, &continues, base, saving, goal, observer);
            halted = evaluation.halted;
            if halted.is_some() {
                sharing::save(&problem.shared, &standing, true);
            }
        }
        if let Some(halt) = halted {
            break halted_at(&mut best, problem, halt);
        }
        steps += steps / MORE_STEPS;
        short = short.saturating_sub(1);
    };
    (best.0, Approximation { base: best.1, saving: best.2, iterations, status })
}

/// The best approximation at a halt: stopping everywhere is better than a guess from which nothing
/// is proved.
fn halted_at(best: &mut Best, problem: &Problem, halt: Halt) -> Status {
    if best.0 == f64::INFINITY {
        let base = value_iteration::start_above(problem);
        (best.1, best.2) = (base, value_iteration::start(problem, base));
    }
    halt.into()
}

/// If a remap is far more expensive than continuing from every state, savings relative to a remap
/// lose significant digits. They are then kept relative to a multiple of the cost of continuing,
/// and otherwise relative to a remap. Returns whether that has changed.
fn rebase(problem: &Problem, continues: &[bool], base: &mut f64, saving: &mut [f64]) -> bool {
    let all = continues.iter().zip(&problem.running).all(|(goes_on, psi)| *goes_on || *psi == 0.0);
    let old = *base;
    let [most] = problem.largest([vector::maximum_of([saving], |[d]| old - d)]);
    *base = match problem.everywhere(all) && DEAR * most < problem.remap_cost {
        true if old <= 4.0 * most => old,
        // Differences of such large numbers are rounding errors.
        true => (2.0 * most).max(DIGITS * old),
        false => problem.remap_cost,
    };
    let moved = *base - old;
    if moved != 0.0 {
        vector::update(saving, |_, d| d + moved);
    }
    moved != 0.0
}

/// The closest bounds so far, and the approximation that proves them.
type Best = (f64, f64, Vec<f64>);

fn keep(best: &mut Best, enclosure: &Enclosure, base: f64, saving: &[f64]) {
    if enclosure.gap < best.0 {
        (best.0, best.1) = (enclosure.gap, base);
        best.2.copy_from_slice(saving);
    }
}

/// Policy evaluation, and what the next evaluation starts from.
///
/// If a remap costs R in total, continuing on C saves d, with `(I - P) d = R P(balanced) - psi` on
/// C and 0 where the policy stops. `Uniform` requires the R at which the mean of d is rho. That
/// mean grows with R at the rate mean(b). Here b is the probability to balance before stopping: on
/// C `(I - P) b = P(balanced)`. So one step of Newton's method corrects R and d.
struct Evaluation {
    inner: InnerProducts,
    /// The probability to be balanced after one step.
    absorb: Vec<f64>,
    /// b, with 1 where balanced; empty for `Stop`.
    balance: Vec<f64>,
    /// Why ranks were halted; their evaluation is not to be used.
    halted: Option<Halt>,
}

/// Residuals relative to the right-hand side that rounding causes anyway.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Accuracy of b: the factor on an error of R that remains after a correction.
const NEWTON: f64 = 1e-6;

impl Evaluation {
    fn new(problem: &Problem) -> Self {
        let n = problem.states();
        let balanced = value_iteration::start(problem, 1.0);
        let mut absorb = vec![0.0; n];
        problem.operator.apply_into(&balanced, &mut absorb);
        let balance = match problem.after {
            AfterRemap::Stop => Vec::new(),
            AfterRemap::Uniform => vec![0.0; n],
        };
        Self { inner: InnerProducts::new(problem), absorb, balance, halted: None }
    }

    /// Sets `saving` to that of continuing exactly where `continues`, and `base` to the cost of a
    /// remap under that policy. Residuals are at most `accuracy` times the running cost, unless
    /// `limit` steps do not suffice. Returns the number of applications of the operator.
    fn evaluate(
        &mut self,
        problem: &Problem,
        continues: &[bool],
        base: &mut f64,
        saving: &mut [f64],
        (accuracy, limit): (f64, u64),
        observer: &dyn Observer,
    ) -> u64 {
        let Self { inner, absorb, balance, halted } = self;
        let (running, total) = (&problem.running, *base);
        let side = |right: &(dyn Fn(usize) -> f64 + Sync)| {
            let mut side = vec![0.0; continues.len()];
            vector::update(&mut side, |s, _| if continues[s] { right(s) } else { 0.0 });
            side
        };
        let uniform = problem.after == AfterRemap::Uniform;
        let mut system = System::new(problem, continues, inner, limit, observer);
        // Bounds follow from residuals relative to psi (see `enclosure`).
        let least = system.chain.states().map(|s| running[s]).fold(f64::INFINITY, f64::min);
        let [above] = problem.largest([-least]);
        let least = -above;
        let goal = accuracy.max(f64::EPSILON) * least;
        let right = side(&|s| total * absorb[s] - running[s]);
        let mut applications = system.solve(&right, saving, goal, ROUNDING);
        if uniform && system.halted.is_none() {
            let right = side(&|s| absorb[s]);
            applications += system.solve(&right, balance, NEWTON * least / total, ROUNDING);
        }
        *halted = system.halted;
        if halted.is_some() {
            return applications;
        }
        vector::update(saving, |s, d| if running[s] == 0.0 { total } else { d });
        if uniform {
            vector::update(balance, |s, b| if running[s] == 0.0 { 1.0 } else { b });
            let excess = problem.mean(saving) - problem.remap_cost;
            let corrected = (total - excess / problem.mean(balance)).max(problem.remap_cost);
            *base = corrected;
            vector::update(saving, |s, d| d + balance[s] * (corrected - total));
        }
        let most = *base;
        vector::update(saving, |s, d| if running[s] == 0.0 { most } else { d.clamp(0.0, most) });
        applications
    }
}
