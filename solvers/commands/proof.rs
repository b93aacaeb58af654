//! `remap verify` with a certificate: what it proves.

use super::solve::to_json;
use super::{Exit, report};
use crate::model::complaint::Complaint;
use crate::output::{print, say};
use remap_checker::{Proof, Refusal};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is printed.
#[derive(Serialize)]
struct Verdict<'a> {
    model: &'a Path,
    certificate: &'a Path,
    status: &'static str,
    proved: &'a [String],
    intervals: Vec<Named<'a>>,
    version: &'static str,
    seconds: f64,
    warnings: [&'static str; 0],
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    lower: f64,
    upper: f64,
}

/// Checks a certificate of a model file.
pub(super) fn run(model: &Path, certificate: &Path, json: bool) -> Exit {
    let started = Instant::now();
    match check(model, certificate) {
        Ok(proof) => {
            show(model, certificate, &proof, started, json);
            Exit::Done
        }
        Err(complaint) => report(&[complaint]),
    }
}

/// Checks the certificate that a solution names, and the solution against what it proves.
pub(super) fn run_solution(path: &Path, json: bool) -> Exit {
    let started = Instant::now();
    let checked = read(path).and_then(|bytes| {
        let document: Value = serde_json::from_slice(&bytes).map_err(|error| {
            let message = format!("{}: {error}", path.display());
            Complaint::elsewhere(message, "give a model file, or what remap solve --json printed")
        })?;
        let place = |field: &str| document["certificate"][field].as_str().map(PathBuf::from);
        let (Some(model), Some(certificate)) = (place("model"), place("file")) else {
            let message = format!("{}: this solution names no certificate", path.display());
            return Err(Complaint::elsewhere(message, "solve with --certificate FILE"));
        };
        let proof = check(&model, &certificate)?;
        match outside(&document, &proof) {
            Some(what) => {
                let message = format!("{}: {what}", path.display());
                let help = "the solution was changed, or belongs to another certificate";
                Err(Complaint::elsewhere(message, help))
            }
            None => Ok((model, certificate, proof)),
        }
    });
    match checked {
        Ok((model, certificate, proof)) => {
            show(&model, &certificate, &proof, started, json);
            Exit::Done
        }
        Err(complaint) => report(&[complaint]),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Complaint> {
    std::fs::read(path).map_err(|error| {
        let message = format!("cannot read {}: {error}", path.display());
        Complaint::elsewhere(message, "check the path")
    })
}

fn check(model: &Path, certificate: &Path) -> Result<Proof, Complaint> {
    let bytes = read(certificate)?;
    let text = String::from_utf8_lossy(&read(model)?).into_owned();
    let folder = model.parent().unwrap_or(Path::new(""));
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    remap_checker::check(text, folder, &bytes).map_err(|refusal| {
        let message = format!("{}: {refusal}", certificate.display());
        let help = match refusal {
            Refusal::Foreign => "give the model file that was solved, unchanged",
            Refusal::Model(_) => "give a model file that remap solve accepts",
            _ => "write it anew with remap solve --certificate",
        };
        Complaint::elsewhere(message, help)
    })
}

fn show(model: &Path, certificate: &Path, proof: &Proof, started: Instant, json: bool) {
    let seconds = started.elapsed().as_secs_f64();
    if !json {
        say(&format!("checked in {seconds:.3} s"));
        let lines = proof.lines.iter().map(|line| format!("proved: {line}\n"));
        return print(&lines.collect::<String>());
    }
    let intervals = proof.intervals.iter();
    print(&to_json(&Verdict {
        model,
        certificate,
        status: "proved",
        proved: &proof.lines,
        intervals: intervals
            .map(|(name, lower, upper)| Named { name, lower: *lower, upper: *upper })
            .collect(),
        version: env!("CARGO_PKG_VERSION"),
        seconds,
        warnings: [],
    }));
}

/// Where a solution lies outside what has been proved.
fn outside(document: &Value, proof: &Proof) -> Option<String> {
    let number = |value: &Value| value.as_f64();
    let bounds = |name: &str| -> Option<(f64, f64)> {
        if let Some(steps) = name.strip_prefix("pi_") {
            let first = steps.split("..").next()?.parse::<usize>().ok()?;
            let at = |list: &str| number(&document[list][first]);
            return Some((at("threshold_lower")?, at("threshold_upper")?));
        }
        let value = &document[name];
        let both = |low: &Value, high: &Value| Some((number(low)?, number(high)?));
        both(&value["lower"], &value["upper"]).or_else(|| both(value, value))
    };
    proof.intervals.iter().find_map(|(name, low, high)| {
        let (lower, upper) = bounds(name)?;
        let rounding = 1e-11 * lower.abs().max(1.0);
        (name != "value_gap" && (lower - rounding > *high || upper + rounding < *low)).then(|| {
            format!("{name} is given as [{lower}, {upper}], but [{low}, {high}] is proved")
        })
    })
}
