//! Certificates: what an answer leaves behind so that others can check it.
//!
//! Made of the engine's answer and handed to the checker before they are written: what a certificate
//! claims is what the checker has found to follow from it, and the answer must agree with that.

use super::{Solved, phase_change, stopping};
use crate::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::solution::stopping::Representation;
use crate::solution::{Body, Solution};
use remap_checker::{Evidence, Model, Proof, Refusal, certificate};
use remapping::Status;

/// The certificate of a solved model.
///
/// # Errors
/// An answer that was not finished, problems without certificates, and answers that the checker does
/// not confirm.
pub fn of(loaded: &Loaded, solved: &Solved) -> Result<Vec<u8>, Complaint> {
    if !is_due(&solved.solution) {
        let message = "no certificate: the computation was stopped before its end";
        return Err(Complaint::elsewhere(message, "give it more time"));
    }
    let (evidence, proof) = prove(loaded, solved).map_err(|refusal| {
        let message = format!("no certificate: {refusal}");
        Complaint::elsewhere(message, "solve without --certificate")
    })?;
    match contradiction(&proof, &solved.solution) {
        Some(message) => Err(Complaint::elsewhere(message, "please report this as a bug")),
        None => Ok(certificate(loaded.text(), &evidence, &proof)),
    }
}

/// Checks the answer to a small problem, which takes no time to speak of; what is wrong with it if the
/// checker proves something else.
pub fn self_check(loaded: &Loaded, solved: &Solved) -> Option<String> {
    let solution = &solved.solution;
    let small = match &solution.body {
        Body::Stopping(answer) => {
            answer.classes <= 20_000 && answer.representation != Representation::Active
        }
        Body::PhaseChange(answer) => answer.last_step <= 200 && answer.segments <= 1000,
        Body::LoadDrift(answer) => {
            let Problem::LoadDrift(model) = &loaded.model.problem else { return None };
            answer.states.saturating_mul(model.problem().steps) <= 100_000
        }
        _ => false,
    };
    let (_, proof) =
        Some(solved).filter(|_| small && is_due(solution)).and_then(|s| prove(loaded, s).ok())?;
    contradiction(&proof, solution)
}

/// What the checker finds to follow from an answer, and from what.
fn prove(loaded: &Loaded, solved: &Solved) -> Result<(Evidence, Proof), Refusal> {
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
            phase_change::certificate::of(model, &problem.problem(), solved.solution.tolerance)
        }
        (Model::Stopping(_), _) => match (&solved.solution.body, &solved.table) {
            (Body::Stopping(answer), Some(table)) => {
                stopping::certificate::of(&model, answer, table)
            }
            _ => Err(Refusal::Unproved("there are no values")),
        },
        _ => Ok((Evidence::LoadDrift, model.prove(&Evidence::LoadDrift)?)),
    }
}

/// Whether the computation went to its end.
fn is_due(solution: &Solution) -> bool {
    !matches!(solution.status, Status::Interrupted | Status::TimeLimit)
}

/// Where the answer lies outside what the checker has proved: a bug on one of the two sides.
fn contradiction(proof: &Proof, solution: &Solution) -> Option<String> {
    let claims = solution.claims();
    proof.iter().find_map(|(name, low, high)| {
        let claim = claims(name)?;
        // Sums over steps are not rounded outward.
        let rounding = match solution.body {
            Body::LoadDrift(_) => 1e-11 * claim.upper.abs(),
            _ => 0.0,
        };
        let (lower, upper) = (claim.lower - rounding, claim.upper + rounding);
        (lower > *high || upper < *low).then(|| {
            format!(
                "{name}: the solver says [{lower}, {upper}], the checker proves [{low}, {high}]"
            )
        })
    })
}
