//! Certificates: files from which others can check an answer.
//!
//! A certificate is made from the engine's answer and handed to the checker before it is written.
//! It claims only what the checker derives from it, and the answer must agree with that.

use super::proved::contradiction;
use super::registry::{Body, Loaded, Problem, Solution};
use super::stopping::answer::Representation;
use super::{Solved, many_phases, periodic, phase_change, phase_switching, stopping};
use crate::complaint::Complaint;
use remap_checker::phase_change::BELIEF_BITS;
use remap_checker::{Budget, Evidence, Interval, Model, Proof, Refusal, certificate};
use remapping::Status;

/// The problems that have certificates, by their names in documents.
pub const CERTIFIED: [&str; 6] =
    ["phase_change", "phase_switching", "many_phases", "stopping", "load_drift", "periodic"];

/// The largest certificate, in bytes.
pub const MOST_BYTES: usize = 50_000_000;

/// A certificate, and a warning if it proves less than was asked for.
pub struct Certificate {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// Why it proves less than the tolerance asks for.
    pub warning: Option<String>,
}

/// Makes the certificate of a solved model, with no more work than `budget` allows.
///
/// # Errors
/// The answer is not finished, its problem has no certificates, or the checker does not confirm it.
pub fn of(loaded: &Loaded, solved: &Solved, budget: &Budget) -> Result<Certificate, Complaint> {
    let solution = &solved.solution;
    is_possible(loaded, solution)?;
    let refused = |refusal: Refusal| {
        let message = format!("no certificate: {refusal}");
        let help = match refusal {
            Refusal::OverBudget => "give --time-limit SECONDS: all that time may be worked",
            _ => "solve without --certificate",
        };
        let mut complaint = Complaint::elsewhere(message, help);
        complaint.limit = (refusal == Refusal::OverBudget).then_some(Status::IterationLimit);
        complaint
    };
    // What is too far apart cannot be written, and the answer has said why.
    let apart = |refusal: Refusal| match refusal {
        Refusal::Malformed if solution.status != Status::Converged => {
            refused(Refusal::Unproved("the bounds of the answer are too far apart"))
        }
        refusal => refused(refusal),
    };
    let (evidence, proof) = prove(loaded, solved, budget).map_err(apart)?;
    if let Some(message) = contradiction(solution, &proof) {
        return Err(Complaint::bug(message));
    }
    let bytes = certificate(loaded.text(), &evidence, &proof);
    if bytes.len() > MOST_BYTES {
        return Err(refused(Refusal::TooLarge));
    }
    let warning = too_wide(&proof, solution.tolerance).or_else(|| too_short(solution, &proof));
    Ok(Certificate { bytes, warning })
}

/// Checks that an answer is of a kind that certificates exist for.
///
/// # Errors
/// Why there is no certificate.
pub fn is_possible(loaded: &Loaded, solution: &Solution) -> Result<(), Complaint> {
    if !is_due(solution) {
        let message = "no certificate: the computation was stopped before its end";
        let mut complaint = Complaint::elsewhere(message, "give it more time");
        // The input is not at fault here.
        complaint.limit = (solution.status != Status::Converged).then_some(solution.status);
        return Err(complaint);
    }
    let refuse =
        |why: &str, help: &str| Err(Complaint::elsewhere(format!("no certificate: {why}"), help));
    let sampled = "the bounds are confidence intervals, which prove nothing";
    let without = "solve without --certificate";
    match (&solution.body, &loaded.problem) {
        (Body::LoadDrift(answer), _) if answer.statistical => {
            refuse(sampled, "solve without --certificate, or with --method exact")
        }
        (Body::LoadDrift(answer), _) if answer.overlap.is_some() => {
            refuse("remaps that come into force later are not checked", without)
        }
        (_, Problem::LoadDrift(model)) if model.mentions_overlap() => refuse(
            "the model has `overlap`, of no steps or no share, which the checker does not read",
            "leave `overlap` out",
        ),
        (_, Problem::ContinuousDrift(_)) => refuse(sampled, without),
        (body, _) if !CERTIFIED.contains(&body.problem()) => {
            let why = format!("there are none for {} models", body.problem());
            refuse(&why, &format!("{without}: there are some for {}", CERTIFIED.join(", ")))
        }
        _ => Ok(()),
    }
}

/// The width of the proof of the number that the tolerance is about, in units of the tolerance; and
/// the name of that number.
pub(super) fn widest(proof: &Proof, tolerance: f64) -> (f64, String) {
    let relative = |own: &Interval| (own.upper - own.lower) / own.upper.abs().max(1.0);
    let (width, name) = match proof {
        Proof::Value(value) => (relative(value), "value".to_owned()),
        Proof::Average(average) => (relative(average), "average".to_owned()),
        Proof::Map { value_gap, .. } => (*value_gap, "value_gap".to_owned()),
        Proof::Recurring { value, average, steps } => {
            let whole = [("value", value), ("average", average)]
                .map(|(name, own)| (own.as_ref().map_or(0.0, relative), name.to_owned()));
            let both = steps.iter().flat_map(|own| {
                let width = |name: &str, own_: &Interval| {
                    (own_.upper - own_.lower, format!("{name}_{}", own.first))
                };
                [width("to_second", &own.to_second), width("to_first", &own.to_first)]
            });
            let all = whole.into_iter().chain(both);
            all.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
        }
        // Other messages say what is not proved of an interval.
        Proof::Longest { .. } | Proof::Periods(_) => (0.0, "interval".to_owned()),
        Proof::Cheapest { cost, .. } => (relative(cost), "cost_per_step".to_owned()),
        Proof::Thresholds { value, steps } => {
            let start = (relative(value), None);
            let widest = steps.iter().rev().fold(start, |widest, own| {
                let width = own.threshold.upper - own.threshold.lower;
                if width > widest.0 { (width, Some(own)) } else { widest }
            });
            let name = widest.1.map_or("value".to_owned(), |own| match own.first < own.last {
                true => format!("pi_{}..{}", own.first, own.last),
                false => format!("pi_{}", own.first),
            });
            (widest.0, name)
        }
    };
    (width / tolerance, name)
}

/// A warning where the proof is wider than the tolerance.
fn too_wide(proof: &Proof, tolerance: f64) -> Option<String> {
    let (width, name) = widest(proof, tolerance);
    (width > 1.0).then(|| {
        let found = width * tolerance;
        format!("the certificate proves {name} to within {found:.2e} only, not {tolerance:e}")
    })
}

/// A warning where the proved interval is shorter than the stated one.
fn too_short(solution: &Solution, proof: &Proof) -> Option<String> {
    let Body::Periodic(answer) = &solution.body else { return None };
    if let Proof::Cheapest { least, most, .. } = proof {
        return (least != most).then(|| {
            let [least, most] = [least, most].map(|end| end.map_or("never".to_owned(), |n| n.to_string()));
            format!("the certificate proves that the interval of least cost is between {least} and {most}")
        });
    }
    if let Proof::Periods(all) = proof
        && all.len() < answer.sequence.len()
    {
        return Some(format!("the certificate proves {} periods only", all.len()));
    }
    let Proof::Longest { kept, broken } = proof.first() else { return None };
    let (kept, kept_for) = (
        kept.unwrap_or(u64::MAX),
        kept.map_or("ever".to_owned(), |steps| format!("{steps} steps")),
    );
    if answer.interval.unwrap_or(u64::MAX) > kept {
        return Some(format!("the certificate proves that the bound is kept for {kept_for} only"));
    }
    let longest =
        matches!(answer.interval_by.as_str(), "exact" | "closed_form") && answer.at_least.is_none();
    (longest
        && answer.interval.is_some()
        && *broken != answer.interval.and_then(|steps| steps.checked_add(1)))
    .then(|| {
        "the certificate proves that the bound is kept, not that no longer interval keeps it"
            .to_owned()
    })
}

/// Checks the answer to a small problem, where that takes no noticeable time. Returns an error
/// message if the checker proves something else.
pub fn self_check(loaded: &Loaded, solved: &Solved) -> Option<String> {
    let solution = &solved.solution;
    let small = match &solution.body {
        Body::Stopping(answer) => {
            answer.classes <= 20_000 && answer.representation != Representation::Active
        }
        Body::PhaseChange(answer) => answer.last_step <= 200 && answer.segments <= 1000,
        Body::ManyPhases(answer) => {
            // A discount close to 1 takes millions of steps.
            answer.beliefs.len() <= 200
                && answer.last_step.is_none_or(|last| last <= 200)
                && answer.discount.is_none_or(|rate| rate <= 0.99)
        }
        Body::LoadDrift(answer) => {
            let Problem::LoadDrift(model) = &loaded.problem else { return None };
            let small = |states: u64| states.saturating_mul(model.problem().steps) <= 100_000;
            !answer.statistical && answer.states.is_some_and(small)
        }
        _ => false,
    };
    let (_, proof) = Some(solved).filter(|_| small && is_due(solution)).and_then(|s| {
        is_possible(loaded, solution).ok()?;
        prove(loaded, s, &Budget::default()).ok()
    })?;
    contradiction(solution, &proof)
}

/// The evidence for an answer, and what the checker derives from it.
fn prove(loaded: &Loaded, solved: &Solved, budget: &Budget) -> Result<(Evidence, Proof), Refusal> {
    let model = Model::read(loaded.text(), loaded.folder())?;
    match (&model, &loaded.problem) {
        (Model::PhaseChange(model), Problem::PhaseChange(problem)) => {
            let (problem, tolerance) = (problem.problem(), solved.solution.tolerance);
            phase_change::certificate::of(model, &problem, tolerance, budget)
        }
        (Model::Stopping(_), Problem::Stopping(posed)) => {
            match (&solved.solution.body, &solved.table) {
                (Body::Stopping(answer), None) if posed.unbounded().is_some() => {
                    let asked = (answer.remap_cost, solved.solution.tolerance);
                    stopping::certificate::of_unbounded(&model, posed, asked, budget)
                }
                (Body::Stopping(answer), None) if posed.is_varied() => {
                    let (posed, tolerance) =
                        ((posed.as_ref(), loaded.folder()), solved.solution.tolerance);
                    stopping::certificate::of_varied(&model, posed, (answer, tolerance), budget)
                }
                (Body::Stopping(answer), Some(table)) => {
                    stopping::certificate::of(&model, answer, table, budget)
                }
                _ => Err(Refusal::Unproved("there are no values")),
            }
        }
        (Model::PhaseSwitching(model), Problem::PhaseSwitching(problem)) => {
            let Body::PhaseSwitching(answer) = &solved.solution.body else {
                return Err(Refusal::Unproved("there are no thresholds"));
            };
            let (lifetime, tolerance) = (problem.lifetime(), solved.solution.tolerance);
            let asked = (&problem.problem(), lifetime.as_ref(), answer.cost());
            phase_switching::certificate::of(model, asked, tolerance, budget)
        }
        (Model::ManyPhases(_), _) => many_phases::certificate::of(&model, &solved.solution, budget),
        (Model::Periodic(_), _) => periodic::certificate::of(&model, &solved.solution, budget),
        (Model::LoadDrift(_), _) => {
            let proof = model.prove_within(&Evidence::LoadDrift, budget)?;
            Ok((Evidence::LoadDrift, proof))
        }
        _ => Err(Refusal::Unproved("the model is of another kind")),
    }
}

/// Whether the computation was finished.
fn is_due(solution: &Solution) -> bool {
    !solution.status.is_halted()
}

/// Beliefs in units of 2^-[`BELIEF_BITS`] as certificates store them: sorted, strictly within
/// (0, 1), as differences of neighbors.
pub(super) fn stored(mut list: Vec<u64>) -> Vec<u64> {
    list.retain(|p| (1..1 << BELIEF_BITS).contains(p));
    list.sort_unstable();
    list.dedup();
    let mut last = 0;
    list.iter_mut().for_each(|p| *p -= std::mem::replace(&mut last, *p));
    list
}
