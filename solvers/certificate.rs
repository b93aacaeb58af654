//! Certificates: what an answer leaves behind so that others can check it.
//!
//! Made of the engine's answer and handed to the checker before they are written: what a certificate
//! claims is what the checker has found to follow from it, and the answer must agree with that.

use crate::model::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::solution::{Body, Solution};
use remap_checker::recursion::{BELIEF_BITS, Recursion, Steps};
use remap_checker::{Evidence, Model, PhaseChange, Proof, Refusal, Run, Stopping, certificate};
use remapping::Status;
use remapping::threshold::{self, Accuracy, Bounds, Spans};

/// The certificate of a solved model.
///
/// # Errors
/// An answer that was not finished, problems without certificates, and answers that the checker does
/// not confirm.
pub fn of(loaded: &Loaded, solution: &Solution) -> Result<Vec<u8>, Complaint> {
    if !is_due(solution) {
        let message = "no certificate: the computation was stopped before its end";
        return Err(Complaint::elsewhere(message, "give it more time"));
    }
    let (evidence, proof) = prove(loaded, solution).map_err(|refusal| {
        let message = format!("no certificate: {refusal}");
        Complaint::elsewhere(message, "solve without --certificate")
    })?;
    match contradiction(&proof, solution) {
        Some(message) => Err(Complaint::elsewhere(message, "please report this as a bug")),
        None => Ok(certificate(loaded.text(), &evidence, &proof)),
    }
}

/// Checks the answer to a small problem, which takes no time to speak of; what is wrong with it if the
/// checker proves something else.
pub fn self_check(loaded: &Loaded, solution: &Solution) -> Option<String> {
    let small = match &solution.body {
        Body::Stopping(answer) => answer.classes <= 20_000 && answer.representation != "active",
        Body::PhaseChange(answer) => answer.last_step <= 200 && answer.segments <= 1000,
        Body::LoadDrift(answer) => {
            let Problem::LoadDrift(model) = &loaded.model.problem else { return None };
            answer.states.saturating_mul(model.problem().steps) <= 100_000
        }
        _ => false,
    };
    let (_, proof) =
        Some(solution).filter(|s| small && is_due(s)).and_then(|s| prove(loaded, s).ok())?;
    contradiction(&proof, solution)
}

/// What the checker finds to follow from an answer, and from what.
fn prove(loaded: &Loaded, solution: &Solution) -> Result<(Evidence, Proof), Refusal> {
    let problem = &loaded.model.problem;
    match problem {
        Problem::PhaseChange(problem) if !problem.says_yes_or_no() => {
            let message = "there are certificates for detectors that say yes or no only";
            return Err(Refusal::Model(message.to_owned()));
        }
        Problem::PhaseChange(_) | Problem::Stopping(_) | Problem::LoadDrift(_) => {}
        _ => {
            let name = loaded.literal("problem").and_then(|text| text.split('(').next());
            let message = format!("there are no certificates for {}", name.unwrap_or("it").trim());
            return Err(Refusal::Model(message));
        }
    }
    let model = Model::read(loaded.text(), loaded.folder())?;
    match (&model, problem) {
        (Model::PhaseChange(model), Problem::PhaseChange(problem)) => {
            of_phase_change(model, &problem.problem(), solution.tolerance)
        }
        (Model::Stopping(model), _) => of_stopping(model, &solution.body),
        _ => Ok((Evidence::LoadDrift, model.prove(&Evidence::LoadDrift)?)),
    }
}

/// Whether the computation went to its end.
fn is_due(solution: &Solution) -> bool {
    !matches!(solution.status, Status::Interrupted | Status::TimeLimit)
}

/// Where the answer lies outside what the checker has proved: a bug on one of the two sides.
fn contradiction(proof: &Proof, solution: &Solution) -> Option<String> {
    let claims = |name: &str| match (&solution.body, name) {
        (Body::PhaseChange(answer), "value") => answer.value.map(|v| (v.lower, v.upper)),
        (Body::PhaseChange(answer), name) => {
            let first = name.strip_prefix("pi_")?.split("..").next()?.parse().ok()?;
            answer.curve.at(first).map(|bounds| (bounds.lower, bounds.upper))
        }
        (Body::LoadDrift(answer), "value") => answer.value.map(|v| {
            let rounding = 1e-11 * v.abs();
            (v - rounding, v + rounding)
        }),
        (Body::Stopping(answer), "remap_value") => Some(answer.remap_bounds.into()),
        (Body::Stopping(answer), "average") => answer.average.map(|v| (v.lower, v.upper)),
        _ => None,
    };
    proof.iter().find_map(|(name, low, high)| {
        let (lower, upper) = claims(name)?;
        (lower > *high || upper < *low).then(|| {
            format!(
                "{name}: the solver says [{lower}, {upper}], the checker proves [{low}, {high}]"
            )
        })
    })
}

/// Bits of the largest value in a certificate.
const VALUE_BITS: i32 = 59;

/// How many units rounding may take from one expectation, as a rule.
const ROUNDING: f64 = 16.0;

/// By what share of itself a function is moved outward at most, so that rounding does not matter.
const MOST_MOVED: f64 = 1e-3;

fn of_stopping(model: &Stopping, body: &Body) -> Result<(Evidence, Proof), Refusal> {
    let found = match body {
        Body::Stopping(answer) => answer.table.as_ref().map(|table| (answer, table)),
        _ => None,
    };
    let (answer, table) = found.ok_or(Refusal::Unproved("there are no values"))?;
    let relative = answer.average.is_some();
    let least = if relative { table.value.iter().copied().fold(0.0, f64::min) } else { 0.0 };
    let largest = table.value.iter().fold(1.0f64, |largest, v| largest.max(v - least));
    let largest = largest.max(answer.remap_cost);
    let bits = (VALUE_BITS - largest.log2().ceil() as i32).clamp(0, VALUE_BITS);
    // Costs of going on may be larger still.
    let (mut costs, mut processes) = (1, 1);
    model.space.each(|_, loads| {
        costs = loads.iter().fold(costs, |most, load| load.unsigned_abs().max(most));
        processes = loads.len();
        Ok(())
    })?;
    let bits = bits.min(VALUE_BITS - (costs as f64).log2().ceil() as i32);
    let scale = 2f64.powi(bits);
    let fixed = |x: f64| (x * scale) as i64;
    let solution = &table.solution;
    // What a value is made of, and how far the bounds on it are from it.
    let bounds = |loads: &[i64], moved: f64| {
        let (value, (below, above)) = match table.states.find(loads) {
            Some(class) if relative => (fixed(table.value[class] - least), (0.0, 0.0)),
            Some(class) => {
                let (base, saving) = solution.parts(class);
                (fixed(base) - fixed(saving), solution.distances(class))
            }
            // Outside an active region one remaps.
            None if table.states.is_active() => {
                (fixed(answer.remap_value), solution.relative_distances(answer.remap_value))
            }
            None => return Err(Refusal::Unproved("a state is missing")),
        };
        let more = moved * value as f64;
        let away = |distance: f64| (distance * scale + more).ceil() as i64;
        let bound = |value: i64| u64::try_from(value.max(0)).unwrap_or(0);
        Ok([bound(value - away(below)), bound(value + away(above))])
    };
    // The smallest imbalance is about that of one unit of load.
    let mut moved = if relative { 0.0 } else { ROUNDING * processes as f64 / scale };
    loop {
        let (values, mut last) = (model.space.each(|_, loads| bounds(loads, moved))?, 0);
        let runs = values.chunk_by(|a, b| a == b).map(|equal| {
            let [lower, upper] = equal[0];
            let step = lower as i64 - std::mem::replace(&mut last, lower as i64);
            (equal.len() as u64, step, upper - lower)
        });
        let runs: Vec<Run> = runs.collect();
        match model.prove(bits as u32, &runs) {
            Err(Refusal::Unproved(_)) if moved > 0.0 && moved < MOST_MOVED => moved *= 4.0,
            Err(refusal) => return Err(refusal),
            Ok(proof) => return Ok((Evidence::Stopping(bits as u32, runs), proof)),
        }
    }
}

/// Steps computed one by one between two attempts to take all that are alike at once.
const PATIENCE: u64 = 4;

/// Steps after which all that are alike are taken at once, however wide the thresholds come out: where finer
/// functions may do better, and where none are left.
const MOST_REPEATED: [u64; 2] = [64, 200];

/// Certainty in the units of bounds on thresholds.
const BELIEF_ONE: f64 = (1u64 << 62) as f64;

/// Of so many such steps, so many choose lines and points anew.
const CHOSEN_EVERY: u64 = 64;
const CHOSEN_ANEW: u64 = 4;

/// Fraction bits of the values of a certificate, if so many fit.
const MOST_BITS: u32 = 60;

/// Functions so much coarser than the solver's may suffice, since a proof follows the steps themselves and
/// need not bound what later steps make of an error.
const COARSEST: f64 = 128.0;

/// Only so many of the engine's steps before it comes to rest need finer functions, since what they come
/// to rest on is felt in every step from there on, and what goes before wears off.
const FINE_STEPS: usize = 14;

fn of_phase_change(
    model: &PhaseChange,
    problem: &threshold::PhaseChange,
    tolerance: f64,
) -> Result<(Evidence, Proof), Refusal> {
    let (mut coarser, mut coarsest, mut bits) = (COARSEST, Vec::new(), MOST_BITS);
    loop {
        let accuracy = Accuracy { tolerance: coarser * tolerance, segments: None };
        let recorded = threshold::solve_recorded(problem, accuracy, &());
        let (_, mut spans) = recorded.map_err(|error| Refusal::Model(error.to_string()))?;
        let last = coarser <= 1.0;
        if coarsest.is_empty() {
            coarsest = spans.clone();
        } else if !last {
            spans = fine_before_rest(&spans, &coarsest);
        }
        let most = MOST_REPEATED[usize::from(last)];
        let found = loop {
            match walk(model, bits, &spans, tolerance, most) {
                // Delays are long, or lines that touch the value function at small beliefs are steep.
                Err(Refusal::TooLarge) if bits > 0 => bits -= 1,
                found => break found,
            }
        };
        let width = |(name, low, high): &(String, f64, f64)| {
            let unit = if name == "value" { low.abs().max(1.0) } else { 1.0 };
            (high - low) / (tolerance * unit)
        };
        let widest = |(_, proof): &(_, Proof)| proof.iter().map(width).fold(0.0, f64::max);
        let widest = found.as_ref().map_or(f64::INFINITY, widest);
        if last || widest <= 1.0 {
            return found;
        }
        // Widths go about with the coarseness.
        coarser = (coarser / widest.log2().ceil().exp2()).max(1.0);
    }
}

/// Fine functions where the engine is about to come to rest, and coarse ones long before that.
fn fine_before_rest(fine: &[Spans], coarse: &[Spans]) -> Vec<Spans> {
    // Steps that are left out are alike.
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

/// Steps back through the horizon, noting how.
fn walk(
    model: &PhaseChange,
    bits: u32,
    spans: &[Spans],
    tolerance: f64,
    most: u64,
) -> Result<(Evidence, Proof), Refusal> {
    let mut recursion = Recursion::new(model, bits)?;
    let mut spans = spans.iter().peekable();
    // Steps since the last of another kind, and how many of them are still to be noted.
    let (mut all, mut repeated, mut held) = (Vec::new(), 0, 0);
    while let Some(n) = recursion.next {
        if let Some(spans) = spans.next_if(|spans| spans.step == n) {
            note(&mut all, &mut held, Steps::On(beliefs(spans)));
            repeated = 0;
            recursion.go(&all[all.len() - 1])?;
            continue;
        }
        let alike = n - spans.peek().map_or(0, |spans| spans.step + 1) + 1;
        let alike = if spans.peek().is_some() { alike } else { n + 1 };
        if repeated % PATIENCE == 0 && alike > 1 {
            let mut tried = recursion.clone();
            let rested = tried.go(&Steps::Rest(alike)).is_ok();
            let last = tried.thresholds.last().map_or(0, |(_, [low, high])| high - low);
            let wide = last as f64 > tolerance * BELIEF_ONE;
            // Not for ever: functions too coarse come to rest no closer.
            if rested && (!wide || repeated >= most) {
                note(&mut all, &mut held, Steps::Rest(alike));
                repeated = 0;
                recursion = tried;
                continue;
            }
        }
        // Lines and points chosen anew suit the functions better, but keep them from coming to rest.
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

/// Notes what follows some steps like the last one.
fn note(all: &mut Vec<Steps>, held: &mut u64, next: Steps) {
    if *held > 0 {
        all.push(Steps::Held(std::mem::take(held)));
    }
    all.push(next);
}

/// The beliefs where the engine's functions touch the value function, each less the one before.
fn beliefs(spans: &Spans) -> Vec<u64> {
    let one = (1u64 << BELIEF_BITS) as f64;
    let belief = |odds: &f64| if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
    let Bounds { lower, upper } = spans.threshold;
    let odds = spans.upper.iter().chain(&spans.lower);
    let mut list: Vec<u64> = odds.map(|odds| (belief(odds) * one).round() as u64).collect();
    list.extend([(lower * one).floor() as u64, (upper * one).ceil() as u64]);
    list.retain(|p| (1..1 << BELIEF_BITS).contains(p));
    list.sort_unstable();
    list.dedup();
    let mut last = 0;
    list.iter_mut().for_each(|p| *p -= std::mem::replace(&mut last, *p));
    list
}
