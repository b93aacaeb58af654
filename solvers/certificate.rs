//! Certificates: what an answer leaves behind so that others can check it.
//!
//! Made of the engine's answer and handed to the checker before they are written: what a certificate
//! claims is what the checker has found to follow from it, and the answer must agree with that.

use crate::model::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::solution::{Body, Solution};
use remap_checker::phase_change::{Grid, PhaseChange, Recursion};
use remap_checker::{Model, Proof, Refusal, seal};
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
    let (payload, proof) = prove(loaded, solution).map_err(|refusal| {
        let message = format!("no certificate: {refusal}");
        Complaint::elsewhere(message, "solve without --certificate")
    })?;
    match contradiction(&proof, solution) {
        Some(message) => Err(Complaint::elsewhere(message, "please report this as a bug")),
        None => Ok(seal(loaded.text(), &payload.bytes)),
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

/// What the checker finds to follow from an answer, and the bytes from which it does.
fn prove(loaded: &Loaded, solution: &Solution) -> Result<(Payload, Proof), Refusal> {
    let model = Model::read(loaded.text(), loaded.folder())?;
    let mut payload = Payload::default();
    let proof = match (&model, &loaded.model.problem) {
        (Model::Stopping(model), _) => of_stopping(&mut payload, model, &solution.body),
        (Model::PhaseChange(model), Problem::PhaseChange(problem)) => {
            of_phase_change(&mut payload, model, &problem.problem(), solution.tolerance)
        }
        (Model::LoadDrift(model), _) => model.value(|_| true).map(|bounds| {
            payload.signed(bounds.0);
            payload.signed(bounds.1);
            remap_checker::load_drift::LoadDrift::proof(bounds)
        }),
        _ => Err(Refusal::Model("its problem has no certificates".to_owned())),
    };
    Ok((payload, proof?))
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
    proof.intervals.iter().find_map(|(name, low, high)| {
        let (lower, upper) = claims(name)?;
        (lower > *high || upper < *low).then(|| {
            format!(
                "{name}: the solver says [{lower}, {upper}], the checker proves [{low}, {high}]"
            )
        })
    })
}

/// The bytes of a certificate, as [`remap_checker`] reads them.
#[derive(Default)]
struct Payload {
    bytes: Vec<u8>,
}

impl Payload {
    fn number(&mut self, mut value: u128) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn signed(&mut self, value: i128) {
        self.number(((value << 1) ^ (value >> 127)) as u128);
    }

    fn ascending(&mut self, list: &[u64]) {
        self.number(list.len() as u128);
        let mut last = 0;
        for &entry in list {
            self.number(u128::from(entry - last));
            last = entry;
        }
    }
}

/// Bits of a value kept below the rounding of doubles.
const SPARE_BITS: i32 = 9;

fn of_stopping(
    payload: &mut Payload,
    model: &remap_checker::stopping::Stopping,
    body: &Body,
) -> Result<Proof, Refusal> {
    let found = match body {
        Body::Stopping(answer) => answer.table.as_ref().map(|table| (answer, table)),
        _ => None,
    };
    let (answer, table) = found.ok_or_else(|| unproved("there are no values"))?;
    let largest = table.value.iter().fold(1.0f64, |largest, v| largest.max(v.abs()));
    let bits =
        (f64::MANTISSA_DIGITS as i32 + SPARE_BITS - largest.log2().ceil() as i32).clamp(0, 60);
    let scale = 2f64.powi(bits);
    let fixed = |loads: &Vec<i64>| {
        let value = match table.states.find(loads) {
            Some(class) => table.value[class],
            // Outside an active region one remaps.
            None if table.states.is_active() => answer.remap_value,
            None => return Err(unproved("a state is missing")),
        };
        Ok((value * scale) as i128)
    };
    let value: Vec<i128> = model.states().iter().map(fixed).collect::<Result<_, Refusal>>()?;
    let found = model.evidence(bits as u32, value)?;
    payload.number(bits as u128);
    payload.signed(found.below);
    payload.signed(found.above);
    let mut last = 0;
    for value in &found.value {
        payload.signed(value - last);
        last = *value;
    }
    for run in found.letters.chunk_by(|a, b| a == b) {
        payload.number(u128::from(run[0]));
        payload.number(run.len() as u128);
    }
    Ok(found.proof())
}

fn unproved(what: &str) -> Refusal {
    Refusal::Unproved(what.to_owned())
}

/// What the steps of a phase-change certificate are called in its bytes.
const GRID: u128 = 0;
const REPEAT: u128 = 1;
const REST: u128 = 2;
const END: u128 = 3;

/// Steps computed one by one between two attempts to take all that are alike at once.
const PATIENCE: u64 = 4;

/// Steps after which all that are alike are taken at once, however wide the thresholds come out.
const MOST_REPEATED: u64 = 200;

/// Functions so much coarser than the solver's suffice, since a proof follows the steps themselves and
/// need not bound what later steps make of an error; the boldest first.
const COARSENING: [f64; 7] = [64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0];

fn of_phase_change(
    payload: &mut Payload,
    model: &PhaseChange,
    problem: &threshold::PhaseChange,
    tolerance: f64,
) -> Result<Proof, Refusal> {
    let mut proof = Err(unproved("there are no bounds"));
    for coarser in COARSENING {
        let accuracy = Accuracy { tolerance: coarser * tolerance, segments: None };
        let recorded = threshold::solve_recorded(problem, accuracy, &());
        let (_, spans) = recorded.map_err(|error| Refusal::Model(error.to_string()))?;
        *payload = Payload::default();
        proof = walk(payload, model, &spans, tolerance);
        let tight = |(name, low, high): &(String, f64, f64)| {
            let unit = if name == "value" { low.abs().max(1.0) } else { 1.0 };
            high - low <= tolerance * unit
        };
        if proof.as_ref().is_ok_and(|proof| proof.intervals.iter().all(tight)) {
            break;
        }
    }
    proof
}

/// Steps back through the horizon, noting how.
fn walk(
    payload: &mut Payload,
    model: &PhaseChange,
    spans: &[Spans],
    tolerance: f64,
) -> Result<Proof, Refusal> {
    let mut recursion = Recursion::new(model)?;
    let mut spans = spans.iter().peekable();
    let mut repeated = 0;
    while let Some(n) = recursion.next() {
        if let Some(spans) = spans.next_if(|spans| spans.step == n) {
            flush(payload, &mut repeated);
            let grid = grid(spans);
            payload.number(GRID);
            payload.ascending(&grid.tangents);
            payload.ascending(&grid.nodes);
            recursion.step(Some(grid))?;
            continue;
        }
        let alike = n - spans.peek().map_or(0, |spans| spans.step + 1) + 1;
        let alike = if spans.peek().is_some() { alike } else { n + 1 };
        if repeated % PATIENCE == 0 && alike > 1 {
            let mut tried = recursion.clone();
            let rested = tried.rest(alike).is_ok();
            // Not for ever: functions too coarse come to rest no closer.
            if rested && (tried.width() <= tolerance || repeated >= MOST_REPEATED) {
                flush(payload, &mut repeated);
                payload.number(REST);
                payload.number(u128::from(alike));
                recursion = tried;
                continue;
            }
        }
        recursion.step(None)?;
        repeated += 1;
    }
    flush(payload, &mut repeated);
    payload.number(END);
    for found in recursion.thresholds() {
        for number in [found.first, found.low, found.high] {
            payload.number(u128::from(number));
        }
    }
    recursion.proof()
}

fn flush(payload: &mut Payload, repeated: &mut u64) {
    if *repeated > 0 {
        payload.number(REPEAT);
        payload.number(u128::from(std::mem::take(repeated)));
    }
}

/// The points where the engine's functions touch the value function, as beliefs.
fn grid(spans: &Spans) -> Grid {
    let one = (1u64 << Grid::BITS) as f64;
    let place = |p: f64| (p * one).round() as u64;
    let inside = |p: &u64| (1..1 << Grid::BITS).contains(p);
    let belief = |odds: &f64| if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
    let Bounds { lower, upper } = spans.threshold;
    let mut tangents: Vec<u64> = spans.upper.iter().map(|odds| place(belief(odds))).collect();
    let mut nodes: Vec<u64> = spans.lower.iter().map(|odds| place(belief(odds))).collect();
    tangents.push((lower * one).floor() as u64);
    nodes.extend([(lower * one).floor() as u64, (upper * one).ceil() as u64]);
    for list in [&mut tangents, &mut nodes] {
        list.retain(inside);
        list.sort_unstable();
        list.dedup();
    }
    nodes.push(1 << Grid::BITS);
    Grid { tangents, nodes }
}
