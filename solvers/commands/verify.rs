//! `remap verify`: the lemmas of the papers on a model and near it.

use super::{Exit, report};
use crate::cli::Verify;
use crate::model::Loaded;
use crate::output::{print, say};
use crate::problems;
use crate::run::is_interrupted;
use crate::solution::to_json;
use crate::verify::{Counterexample, Effort, Finding, verify};
use remapping::Status;
use serde::Serialize;
use std::fmt::Write;
use std::time::Instant;

/// What is printed.
#[derive(Serialize)]
struct Verification {
    title: String,
    problem: &'static str,
    status: Status,
    /// Whether every theorem holds and every false claim is refuted.
    as_expected: bool,
    cases: u32,
    seed: u64,
    claims: Vec<Finding>,
    version: &'static str,
    seconds: f64,
    warnings: Vec<String>,
}

pub(super) fn run(arguments: &Verify) -> Exit {
    let started = Instant::now();
    let loaded = match Loaded::read(&arguments.model) {
        Ok(loaded) => loaded,
        Err(complaints) => return report(&complaints),
    };
    for warning in &loaded.warnings {
        say(&format!("warning: {}: {warning}", arguments.model.display()));
    }
    let claims = verify(&loaded, Effort { cases: arguments.cases, seed: arguments.seed });
    let status = if is_interrupted() { Status::Interrupted } else { Status::Converged };
    let verification = Verification {
        title: loaded.model.title.clone(),
        problem: problems::of(&loaded.model.problem).name(),
        status,
        as_expected: claims.iter().all(Finding::is_as_expected),
        cases: arguments.cases,
        seed: arguments.seed,
        claims,
        version: env!("CARGO_PKG_VERSION"),
        seconds: started.elapsed().as_secs_f64(),
        warnings: loaded.warnings.clone(),
    };
    let shown = if arguments.json { to_json(&verification) } else { told(&verification) };
    print(&shown);
    match verification.as_expected {
        true => status.into(),
        false => Exit::Bug.worst(status.into()),
    }
}

fn told(verification: &Verification) -> String {
    let mut text = format!("{}\n", verification.title);
    if verification.claims.is_empty() {
        if verification.status == Status::Converged {
            text += "  none of the papers' lemmas is about this kind of model\n";
        }
        return text;
    }
    let (theorems, others): (Vec<_>, Vec<_>) =
        verification.claims.iter().partition(|finding| finding.is_theorem());
    text += "\nTheorems (on the model / on how many models near it)\n";
    theorems.iter().for_each(|finding| tell(&mut text, finding));
    text += "\nClaims that are false\n";
    others.iter().for_each(|finding| tell(&mut text, finding));
    let right = theorems.iter().filter(|finding| finding.is_as_expected()).count();
    let refuted = others.iter().filter(|finding| finding.is_as_expected()).count();
    let (all, false_ones) = (theorems.len(), others.len());
    let _ = writeln!(
        text,
        "\n{right} of {all} theorems hold, {refuted} of {false_ones} false claims are refuted"
    );
    if verification.status == Status::Interrupted {
        text += "interrupted: the claims after these were not examined\n";
    }
    text
}

fn tell(text: &mut String, finding: &Finding) {
    let unexpected = if finding.is_as_expected() { ' ' } else { '!' };
    let told = match finding.found {
        "fails" if finding.on_the_model == "fails" => "FAILS on the model".to_owned(),
        "fails" => "FAILS".to_owned(),
        "untested" => "says nothing here".to_owned(),
        _ => format!("holds ({} / {})", finding.on_the_model, finding.cases),
    };
    let _ = writeln!(text, "{unexpected} {told:<22} {}", finding.statement);
    let _ = writeln!(text, "{:25}{}", "", finding.source);
    let Some(Counterexample { place, reason, model }) = &finding.counterexample else { return };
    let _ = writeln!(text, "      {place}: {reason}");
    for line in model.iter().flat_map(|deck| deck.lines()) {
        let _ = writeln!(text, "      | {line}");
    }
}
