//! Certificates: what an answer leaves behind so that others can check it.
//!
//! Made of the engine's answer and handed to the checker before they are written: what a certificate
//! claims is what the checker has found to follow from it, and the answer must agree with that.

mod phase_change;
mod stopping;

use crate::model::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::solution::{Body, Solution};
use remap_checker::{Evidence, Model, Proof, Refusal, certificate};
use remapping::Status;

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
            phase_change::of(model, &problem.problem(), solution.tolerance)
        }
        (Model::Stopping(_), _) => stopping::of(&model, &solution.body),
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
