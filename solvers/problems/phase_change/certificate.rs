//! The certificate of thresholds: the beliefs at which the solver's functions touch the value
//! function.

use super::super::certificate::{stored, widest};
use remap_checker::phase_change::{BELIEF_BITS, Recursion, Steps};
use remap_checker::{Budget, Evidence, PhaseChange, Proof, Refusal};
use remapping::phase_change::{self, Accuracy, Bounds, Spans};

/// The number of single steps between two attempts to take all equal steps at once.
const STEPS_BETWEEN: u64 = 4;

/// The number of repeated steps after which equal steps are taken at once even if thresholds are
/// wide: first where finer functions may do better, then where none remain. In the latter case also
/// at least `MOST_WALKED` beliefs must remain.
const MOST_REPEATED: [u64; 2] = [64, 200];
const MOST_WALKED: u64 = 1 << 28;

/// Functions finer than the solver's are tried down to `FINEST`. That ends when `PATIENT` of them
/// have not made the proof narrower by the factor `NARROWER`.
const FINEST: f64 = 1.0 / 4096.0;
const NARROWER: f64 = 0.7;
const PATIENT: u32 = 4;

/// The most beliefs of a certificate: each takes a few bytes, and some more in memory.
const MOST_POINTS: usize = 7_000_000;

type Found = (Evidence, Proof);

/// Belief 1 in the units of bounds on thresholds.
const BELIEF_ONE: f64 = (1u64 << 62) as f64;

/// Of every `CHOSEN_EVERY` repeated steps, `CHOSEN_ANEW` choose lines and points anew.
const CHOSEN_EVERY: u64 = 64;
const CHOSEN_ANEW: u64 = 4;

/// Fraction bits of the values of a certificate; fewer if they do not fit.
const MOST_BITS: u32 = 60;

/// The first functions are coarser than the solver's by this factor. They may suffice: a proof
/// follows the steps themselves and need not bound how errors accumulate.
const COARSEST: f64 = 128.0;

/// The number of engine steps before convergence that need finer functions. The limit affects every
/// later step; the effect of earlier steps decays.
const FINE_STEPS: usize = 14;

pub(in crate::problems) fn of(
    model: &PhaseChange,
    problem: &phase_change::PhaseChange,
    tolerance: f64,
    budget: &Budget,
) -> Result<Found, Refusal> {
    let (mut coarser, mut coarsest, mut bits) = (COARSEST, Vec::new(), MOST_BITS);
    // The narrowest proof so far, and how often finer functions did not make it narrower.
    let (mut best, mut in_vain): (Option<(f64, Found)>, u32) = (None, 0);
    loop {
        let accuracy = Accuracy { tolerance: coarser * tolerance, segments: None };
        let recorded = phase_change::solve_recorded(problem, accuracy, &());
        let mut spans = recorded.map_err(|error| Refusal::Model(error.to_string()))?.spans;
        let fine = coarser <= 1.0;
        if coarsest.is_empty() {
            coarsest = spans.clone();
        } else if !fine {
            spans = fine_before_rest(&spans, &coarsest);
        }
        let points = spans.iter().map(|own| own.upper.len() + own.lower.len()).sum::<usize>();
        let found = loop {
            if points > MOST_POINTS {
                break Err(Refusal::TooLarge);
            }
            match walk(model, bits, &spans, tolerance, fine, budget) {
                // Delays are long, or lines that touch the value function at small beliefs are
                // steep.
                Err(Refusal::TooLarge) if bits > 0 => bits -= 1,
                found => break found,
            }
        };
        let width = found.as_ref().map_or(f64::INFINITY, |found| widest(&found.1, tolerance).0);
        let better = best.as_ref().is_none_or(|(least, _)| width < NARROWER * least);
        in_vain = if better || !fine { 0 } else { in_vain + 1 };
        let spent = matches!(found, Err(Refusal::OverBudget | Refusal::TooLarge));
        match (found, &best) {
            (Ok(found), Some((least, _))) if width >= *least => drop(found),
            (Ok(found), _) => best = Some((width, found)),
            (Err(refusal), None) if fine || spent => return Err(refusal),
            (Err(_), _) => {}
        }
        if width <= 1.0 || spent || in_vain >= PATIENT || coarser <= FINEST {
            return best
                .map(|(_, found)| found)
                .ok_or(Refusal::Unproved("the steps are not alike"));
        }
        // Widths are roughly proportional to the coarseness.
        let next = coarser / width.log2().ceil().exp2();
        coarser = if fine { (coarser / 4.0).max(FINEST) } else { next.max(1.0) };
    }
}

/// Fine functions for the steps just before convergence, and coarse ones for those long before.
fn fine_before_rest(fine: &[Spans], coarse: &[Spans]) -> Vec<Spans> {
    // Steps that are not recorded equal the one before.
    let rests = |i: usize| fine[i].step > fine.get(i + 1).map_or(0, |next| next.step + 1);
    let mut before_rest = None;
    let mut chosen: Vec<Spans> = Vec::with_capacity(fine.len());
    for (i, own) in fine.iter().enumerate().rev() {
        before_rest = if rests(i) { Some(0) } else { before_rest.map(|steps| steps + 1) };
        let early = before_rest.is_some_and(|steps| steps >= FINE_STEPS);
        // Steps descend.
        let other = coarse.binary_search_by(|other| own.step.cmp(&other.step));
        chosen.push(other.ok().filter(|_| early).map_or(own, |i| &coarse[i]).clone());
    }
    chosen.reverse();
    chosen
}

/// Walks back through the horizon and records the parts of the certificate.
fn walk(
    model: &PhaseChange,
    bits: u32,
    spans: &[Spans],
    tolerance: f64,
    fine: bool,
    budget: &Budget,
) -> Result<Found, Refusal> {
    let mut recursion = Recursion::new(model, bits, budget)?;
    let mut spans = spans.iter().peekable();
    // The number of steps since the last of another kind, and how many of them are not recorded
    // yet.
    let (mut all, mut repeated, mut held) = (Vec::new(), 0, 0);
    let mut points = 0;
    while let Some(n) = recursion.next {
        if let Some(spans) = spans.next_if(|spans| spans.step == n) {
            let beliefs = beliefs(spans);
            points = beliefs.len() as u64 + 2;
            note(&mut all, &mut held, Steps::On(beliefs));
            repeated = 0;
            recursion.go(&all[all.len() - 1])?;
            continue;
        }
        let alike = n - spans.peek().map_or(0, |spans| spans.step + 1) + 1;
        let alike = if spans.peek().is_some() { alike } else { n + 1 };
        if repeated % STEPS_BETWEEN == 0 && alike > 1 {
            let mut tried = recursion.clone();
            let rested = tried.go(&Steps::Rest(alike)).is_ok();
            let last = tried.thresholds.last().map_or(0, |(_, [low, high])| high - low);
            let wide = last as f64 > tolerance * BELIEF_ONE;
            // There must be a limit: functions that are too coarse do not become narrower.
            let long = alike.saturating_mul(points) > MOST_WALKED || !fine;
            if rested && (!wide || long && repeated >= MOST_REPEATED[usize::from(fine)]) {
                note(&mut all, &mut held, Steps::Rest(alike));
                repeated = 0;
                recursion = tried;
                continue;
            }
        }
        // Lines and points chosen anew fit the functions better, but prevent convergence.
        if repeated % CHOSEN_EVERY < CHOSEN_ANEW {
            note(&mut all, &mut held, Steps::On(Vec::new()));
            recursion.go(&Steps::On(Vec::new()))?;
        } else {
            recursion.go(&Steps::Held(1))?;
            held += 1;
        }
        repeated += 1;
    }
    note(&mut all, &mut held, Steps::Held(0));
    let proof = recursion.proof()?;
    Ok((Evidence::PhaseChange(bits, all), proof))
}

/// Records the repeated steps, then the next part.
fn note(all: &mut Vec<Steps>, held: &mut u64, next: Steps) {
    if *held > 0 {
        all.push(Steps::Held(std::mem::take(held)));
    }
    all.push(next);
}

/// The beliefs where the engine's functions touch the value function, as differences.
fn beliefs(spans: &Spans) -> Vec<u64> {
    let one = (1u64 << BELIEF_BITS) as f64;
    let belief = |odds: &f64| if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
    let Bounds { lower, upper } = spans.threshold;
    let odds = spans.upper.iter().chain(&spans.lower);
    let mut list: Vec<u64> = odds.map(|odds| (belief(odds) * one).round() as u64).collect();
    list.extend([(lower * one).floor() as u64, (upper * one).ceil() as u64]);
    stored(list)
}
