//! `remap verify`: checks the lemmas of the papers on a model and on similar ones.

use super::{Exit, idle, warn};
use crate::cli::Verify;
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::output::print;
use crate::problems::registry::Loaded;
use crate::proving::{Counterexample, Effort, Finding};
use crate::verify::Verification;
use remapping::Status;
use std::fmt::Write;

pub(super) fn run(arguments: &Verify) -> Result<Exit, Vec<Complaint>> {
    let loaded = Loaded::read(&arguments.model)?;
    warn(&arguments.model, &loaded.warnings);
    let limit = [("--time-limit", arguments.time_limit.is_some())];
    idle::tell(&limit, "it is for certificates; --cases says how long lemmas are checked");
    let effort = Effort { cases: arguments.cases.unwrap_or(64), seed: arguments.seed.unwrap_or(1) };
    let verification = Verification::of(&loaded, effort);
    let shown = if arguments.json { to_json(&verification) } else { told(&verification) };
    print(&shown);
    let exit = if verification.as_expected { Exit::Done } else { Exit::Bug };
    Ok(exit.worst(verification.status.into()))
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
