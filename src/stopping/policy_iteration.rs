//! Policy iteration: solve for the cost of a stopping set, improve the set, repeat.
//!
//! It starts above J, at what stopping everywhere costs. The continuation set grows by the reach of
//! a few sweeps before each evaluation, so that its boundary does not creep one step at a time.
//! Evaluation solves `(I - P) J = psi` on the continuation set C, with J = R outside: by an LU
//! factorisation where C is small, by conjugate gradients in the reversing inner product where
//! there is one, otherwise by stabilised biconjugate gradients.

use super::krylov::{InnerProducts, System};
use super::sweep::Sweep;
use super::{
    AfterRemap, Approximation, Enclosure, Problem, Settings, sharing, value_iteration, vector,
    weight,
};
use crate::communicator::Standing;
use crate::{Halt, Observer, Status};
use std::ops::ControlFlow;

/// Sweeps before each evaluation.
const SWEEPS: usize = 12;

/// The same where a coarser grid has shown about where to stop.
const FEW_SWEEPS: usize = 4;

/// Accuracy of an evaluation, relative to that of the policy.
const INEXACT: f64 = 3e-2;

/// Evaluations less accurate than so many tolerances are not looked at for bounds.
const ENOUGH: f64 = 100.0;

/// The tolerance on coarser grids.
const ROUGHLY: f64 = 1e-2;

/// The most steps of one Krylov solve; the next evaluation goes on from there.
const STEPS: u64 = 2000;

/// How many evaluations for `Uniform` are short, the steps of the first, and what share of them
/// more each has than the one before: policies far from the best are not worth more. Once the
/// bounds are near each other none are.
const SHORT: u32 = 16;
const FIRST_STEPS: u64 = 8;
const MORE_STEPS: u64 = 8;

/// A remap is dear where it costs so many times what going on does.
const DEAR: f64 = 1e4;

/// What is left of a number where an evaluation has been solved to as many digits as there are.
const DIGITS: f64 = 1e-12;

/// Evaluations without a better bound after which rounding limits the bound.
const FLOOR: u32 = 12;

/// From a guess of what is saved, if there is one.
pub(super) fn solve(
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
        // So near, what is missing is not a better start.
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

/// Policy iteration from these savings, with so many sweeps before each evaluation; with the
/// distance of the bounds.
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
    // Ranks keep where they stand before an evaluation, which is what takes long.
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
            // What evaluation has solved for shows at once, if that is enough; what sweeps add at
            // the end.
            if k + 1 == sweeps || (k == 0 && accuracy <= ENOUGH * settings.tolerance) {
                let enclosure = Enclosure::new(problem, &saving, &sweep);
                if enclosure.gap < 0.9 * best.0 {
                    worse = 0;
                }
                keep(&mut best, &enclosure, base, &saving);
                if best.0 <= settings.tolerance {
                    break 'outer Status::Converged;
                }
                // R is known better than the bounds show only once the policy stays as it is.
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
                // As far as they can be taken up again.
                halted = Some(halt);
            } else if let ControlFlow::Break(halt) = progress {
                keep(&mut best, &Enclosure::new(problem, &saving, &sweep), base, &saving);
                let sharper = weight::by_savings(problem, &saving, &sweep);
                sharper.iter().for_each(|(found, _)| keep(&mut best, found, base, &saving));
                break 'outer halted_at(&mut best, problem, halt);
            }
            sweep.take(problem, &mut saving);
        }
        // What is short proves little of what its policy is worth.
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
        // No more digits than the policy is worth yet.
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

/// The best that is known where the iteration is halted: to stop everywhere is worth more than a
/// guess that nothing is proved from.
fn halted_at(best: &mut Best, problem: &Problem, halt: Halt) -> Status {
    if best.0 == f64::INFINITY {
        let base = value_iteration::start_above(problem);
        (best.1, best.2) = (base, value_iteration::start(problem, base));
    }
    halt.into()
}

/// Where a remap is far dearer than going on from every state, savings against it have lost the
/// digits that matter: they are kept against a multiple of what going on costs then, and against a
/// remap otherwise. Returns whether that has changed.
fn rebase(problem: &Problem, continues: &[bool], base: &mut f64, saving: &mut [f64]) -> bool {
    let all = continues.iter().zip(&problem.running).all(|(goes_on, psi)| *goes_on || *psi == 0.0);
    let old = *base;
    let [most] = problem.largest([vector::maximum_of([saving], |[d]| old - d)]);
    *base = match problem.everywhere(all) && DEAR * most < problem.remap_cost {
        true if old <= 4.0 * most => old,
        // What is left of so large numbers is rounding.
        true => (2.0 * most).max(DIGITS * old),
        false => problem.remap_cost,
    };
    let moved = *base - old;
    if moved != 0.0 {
        vector::update(saving, |_, d| d + moved);
    }
    moved != 0.0
}

/// The nearest bounds so far, and what they are proved from.
type Best = (f64, f64, Vec<f64>);

fn keep(best: &mut Best, enclosure: &Enclosure, base: f64, saving: &[f64]) {
    if enclosure.gap < best.0 {
        (best.0, best.1) = (enclosure.gap, base);
        best.2.copy_from_slice(saving);
    }
}

/// Solves for the cost of a policy; keeps what the next evaluation starts from.
///
/// When a remap costs R in all, continuing on C saves d, with `(I - P) d = R P(balanced) - psi` on
/// C and 0 where one stops. `Uniform` asks for the R at which the mean of d is rho. It grows with R
/// by b, the probability to be balanced before one stops, `(I - P) b = P(balanced)` on C, so one
/// step of Newton's method corrects R and d.
struct Evaluation {
    inner: InnerProducts,
    /// The probability to be balanced after one step.
    absorb: Vec<f64>,
    /// b, 1 where balanced; none for `Stop`.
    balance: Vec<f64>,
    /// Why ranks were halted: what they evaluated is not to be used.
    halted: Option<Halt>,
}

/// Residuals may be this share of the right side: what rounding makes of them anyway.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Accuracy of b: what is left of an error of R after a correction.
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
    /// remap then, up to residuals of this share of the running cost, or as far as so many steps
    /// lead; returns how many times the operator was applied.
    fn evaluate(
        &mut self,
        problem: &Problem,
        continues: &[bool],
        base: &mut f64,
        saving: &mut [f64],
        (accuracy, limit): (f64, u64),
        observer: &dyn Observer,
    ) -> u64 {
        let (running, absorb, total) = (&problem.running, &self.absorb, *base);
        let side = |right: &(dyn Fn(usize) -> f64 + Sync)| {
            let mut side = vec![0.0; continues.len()];
            vector::update(&mut side, |s, _| if continues[s] { right(s) } else { 0.0 });
            side
        };
        let mut sides = vec![(side(&|s| total * absorb[s] - running[s]), saving)];
        let uniform = problem.after == AfterRemap::Uniform;
        if uniform {
            sides.push((side(&|s| absorb[s]), &mut self.balance[..]));
        }
        let mut system = System::new(problem, continues, &self.inner, limit, observer);
        // Residuals below a share of psi prove as much (see `enclosure`).
        let least = system.chain.states().map(|s| running[s]).fold(f64::INFINITY, f64::min);
        let [above] = problem.largest([-least]);
        let least = -above;
        let goals = [accuracy.max(f64::EPSILON) * least, NEWTON * least / total];
        let mut applications = 0;
        for ((right, x), goal) in sides.iter_mut().zip(goals) {
            applications += system.solve(right, x, goal, ROUNDING);
            self.halted = system.halted;
            if self.halted.is_some() {
                return applications;
            }
        }
        let balance = uniform.then(|| sides.pop()).flatten();
        let Some((_, saving)) = sides.pop() else { unreachable!("one side always") };
        vector::update(saving, |s, d| if running[s] == 0.0 { total } else { d });
        if let Some((_, balance)) = balance {
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
