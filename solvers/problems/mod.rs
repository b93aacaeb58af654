//! The problem kinds: from a model to its answer. Each kind has one folder and a line of
//! `registry/kinds.rs`.
//!
//! In a folder, `mod.rs` implements the operations on models of its kind, `model.rs` defines the
//! models, `solve.rs` solves them, `answer.rs` defines the document, and `view.rs` states its
//! claims and shows it. `compare.rs` evaluates policies, `certificate.rs` makes the proof of an
//! answer, `proved.rs` compares the fields with that proof, and `lemmas.rs` checks the papers'
//! claims.

pub mod activity_mesh;
pub mod certificate;
pub mod claims;
pub mod comparison;
pub mod continuous_drift;
pub mod fluids;
pub mod kind;
pub mod land_battle;
pub mod load_drift;
pub mod many_phases;
pub mod periodic;
pub mod phase_change;
pub mod phase_switching;
pub mod proved;
pub mod recomputed;
pub mod registry;
pub mod regret;
pub mod sampling;
pub mod settings;
pub mod shared;
pub mod stopping;
pub mod together;

pub use comparison::{Comparison, Contest, Policies};
pub use kind::{Asked, Facts, Found, Kind, Outcome, Write};
pub use settings::{Files, Method, Settings, UNSAMPLED};

use self::registry::{Body, Loaded, Solution};
use crate::complaint::Complaint;
use crate::document::log::Log;
use crate::run::Watch;
use remapping::Status;
use remapping::continuous_drift::Drifting;
use remapping::load_drift::many::Goal;
use std::sync::Arc;
use stopping::table::Table;

/// The facts about `remap-mpi` on this many ranks.
pub fn facts_of_ranks(loaded: &Loaded, ranks: usize) -> Facts {
    let (most, reason) = limit_of_ranks(loaded, &Settings::default());
    let sharing = ranks.min(most);
    let mut facts: Facts = vec![("ranks that share the work", sharing.into())];
    if most < ranks {
        facts.push(("why no more", reason.into()));
    }
    facts.extend(match &loaded.problem {
        registry::Problem::Stopping(problem) => stopping::ranks::facts(loaded, problem, sharing),
        registry::Problem::LoadDrift(problem) => load_drift::shared::facts(problem, sharing),
        // Each rank prepares all data that paths need.
        _ => Vec::new(),
    });
    facts
}

/// The most ranks that can share a model, the reason for the limit, and what would help.
pub fn limit_of_ranks(loaded: &Loaded, settings: &Settings) -> (usize, &'static str) {
    match &loaded.problem {
        registry::Problem::Stopping(_) if settings.critical_costs => {
            (1, "critical costs are found on one rank: drop --critical-costs")
        }
        registry::Problem::Stopping(problem) => stopping::ranks::limit_of_ranks(problem),
        registry::Problem::LoadDrift(problem) => {
            load_drift::shared::limit_of_ranks(problem, settings)
        }
        registry::Problem::ContinuousDrift(_) => (usize::MAX, "each rank needs paths"),
        _ => (1, "problems of this kind are solved on one rank, as `remap solve` does"),
    }
}

/// A solved model.
pub struct Solved {
    /// The document.
    pub solution: Solution,
    /// Every class of states of a decision map, for archives and certificates.
    pub table: Option<Arc<Table>>,
}

/// Refuses a method that the problem does not have.
///
/// # Errors
/// The methods it has.
pub fn check_method(loaded: &Loaded, method: Method) -> Result<(), Complaint> {
    let problem = loaded.problem.kind();
    let methods = problem.methods();
    if method == Method::Auto || methods.contains(&method) {
        return Ok(());
    }
    let (place, method, name) = (loaded.path.display(), method.name(), problem.name());
    let message = match problem.has_no_methods() {
        Some(reason) => {
            format!("{place}: --method {method} is not for this {name} model: {reason}")
        }
        None => format!("{place}: --method {method} is not for {name} models"),
    };
    let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
    let help = match names.as_slice() {
        [] => "leave it out".to_owned(),
        names => format!("take auto, {}", names.join(" or ")),
    };
    Err(Complaint::elsewhere(message, &help))
}

/// The true model of regrets; a status in its place where solving it was stopped.
///
/// # Errors
/// The problem has no regrets.
pub fn truth<'a>(
    loaded: &'a Loaded,
    watch: &Watch,
) -> Outcome<Result<Box<dyn regret::Truth + 'a>, Status>> {
    match &loaded.problem {
        registry::Problem::PhaseChange(_) => phase_change::regret::of(loaded, watch),
        registry::Problem::LoadDrift(_) => load_drift::regret::of(loaded, watch),
        _ => {
            let message = "regrets are computed for changes of phase and drifting loads";
            let help = "give a model with problem: PhaseChange(...) or LoadDrift(...)";
            Err(vec![loaded.complain("problem", message, "", help)])
        }
    }
}

/// Solves one model.
pub fn solve(loaded: &Loaded, settings: &Settings, files: Files<'_>) -> Outcome<Solved> {
    let watch = Watch::start(&loaded.title, settings.time_limit);
    let asked = Asked { loaded, settings, files, watch: &watch };
    let found = loaded.problem.kind().solve(&asked)?;
    Ok(document(loaded, settings, found, watch.seconds()))
}

/// Makes the document of a result that took `seconds`.
pub fn document(loaded: &Loaded, settings: &Settings, found: Found, seconds: f64) -> Solved {
    let tolerance = match &found.body {
        Body::LoadDrift(answer) if answer.statistical => settings.gap.unwrap_or(Goal::GAP),
        Body::ContinuousDrift(answer) => {
            settings.gap.unwrap_or(Drifting::usual_gap(answer.kept_slopes))
        }
        Body::ManyPhases(_) => settings.gap.unwrap_or(many_phases::GAP),
        _ => settings.tolerance,
    };
    let verdict = found.body.examine(found.status, tolerance);
    let mut warnings = loaded.warnings.clone();
    let log = loaded.log.clone();
    warnings.extend(log.as_ref().and_then(Log::misfit));
    warnings.extend(found.warnings);
    warnings.extend(settings.ignored(found.body.answer()));
    match found.missed.is_empty() {
        true => warnings.extend(verdict.warning),
        false => warnings.extend(found.missed),
    }
    let solution = Solution {
        title: loaded.title.clone(),
        log,
        recommended: found.body.answer().recommended(),
        body: found.body,
        status: verdict.status,
        tolerance,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seconds,
        certificate: None,
        warnings,
        contradiction: verdict.contradiction,
    };
    Solved { solution, table: found.table }
}
