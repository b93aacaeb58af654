//! `remap verify` with a certificate: what it proves.

use super::{Exit, report};
use crate::cli::Verify;
use crate::complaint::Complaint;
use crate::output::{print, say};
use crate::problems::certificate::MOST_BYTES;
use crate::run::Deadline;
use crate::solution::{Body, Bounds, Certified, Solution, of_text, to_json};
use remap_checker::{Budget, Proof, Refusal};
use remapping::Halt;
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

/// What is printed.
#[derive(Serialize)]
struct Verdict<'a> {
    model: Cow<'a, str>,
    certificate: Cow<'a, str>,
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
pub(super) fn run(arguments: &Verify, certificate: &Path) -> Exit {
    let (started, model) = (Instant::now(), &arguments.model);
    let _deadline = deadline(arguments);
    match check(model, certificate, &budget(arguments)) {
        Ok(proof) => {
            show(model, certificate, &proof, started, arguments.json);
            Exit::Done
        }
        Err(complaint) => report(&[complaint]),
    }
}

/// The usual work, or as much as fits into the time that is given.
fn budget(arguments: &Verify) -> Budget {
    arguments.time_limit.map_or_else(Budget::default, |_| Budget::new(u64::MAX))
}

fn deadline(arguments: &Verify) -> Option<Deadline> {
    let reason = "the time limit came first: nothing has been proved";
    arguments.time_limit.map(|seconds| Deadline::start(seconds, reason))
}

/// Checks the certificate that a solution names, and the solution against what it proves.
pub(super) fn run_solution(arguments: &Verify) -> Exit {
    let (started, path) = (Instant::now(), &arguments.model);
    let _deadline = deadline(arguments);
    let checked = read(path, MOST_TEXT).and_then(|bytes| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let solution = of_text(path.display().to_string(), text)?;
        let Some(Certified { model, file: certificate }) = solution.certificate.clone() else {
            let message = format!("{}: this solution names no certificate", path.display());
            return Err(Complaint::elsewhere(message, "solve with --certificate FILE"));
        };
        let proof = check(&model, &certificate, &budget(arguments))?;
        match outside(&solution, &proof) {
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
            show(&model, &certificate, &proof, started, arguments.json);
            Exit::Done
        }
        Err(complaint) => report(&[complaint]),
    }
}

/// Bytes of a model file or a solution at most.
const MOST_TEXT: u64 = 256 << 20;

/// What a regular file holds, if that is no more than so many bytes.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, Complaint> {
    let failed = |error: std::io::Error| {
        let message = format!("cannot read {}: {error}", path.display());
        Complaint::elsewhere(message, "check the path")
    };
    // What is no file may never end, or wait for ever to be opened.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        let message = format!("{} is not a regular file", path.display());
        return Err(Complaint::elsewhere(message, "give the path of a file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        let message = format!("{} is too large: it ends after {most} bytes", path.display());
        return Err(Complaint::elsewhere(message, "is this what remap has written?"));
    }
    Ok(bytes)
}

fn check(model: &Path, certificate: &Path, budget: &Budget) -> Result<Proof, Complaint> {
    let bytes = read(certificate, MOST_BYTES as u64)?;
    let text = String::from_utf8_lossy(&read(model, MOST_TEXT)?).into_owned();
    let folder = model.parent().unwrap_or(Path::new(""));
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    remap_checker::check_within(text, folder, &bytes, budget).map_err(|refusal| {
        let message = format!("{}: {refusal}", certificate.display());
        let help = match refusal {
            Refusal::Foreign => "give the model file that was solved, unchanged",
            Refusal::Model(_) => "give a model file that remap solve accepts",
            Refusal::OverBudget => "give --time-limit SECONDS: all that time may be worked",
            _ => "write it anew with remap solve --certificate",
        };
        let mut complaint = Complaint::elsewhere(message, help);
        complaint.halt = (refusal == Refusal::OverBudget).then_some(Halt::TimeLimit);
        complaint
    })
}

fn show(model: &Path, certificate: &Path, proof: &Proof, started: Instant, json: bool) {
    let seconds = started.elapsed().as_secs_f64();
    if !json {
        say(&format!("checked in {seconds:.3} s"));
        let lines = words(proof).into_iter().map(|line| format!("proved: {line}\n"));
        return print(&lines.collect::<String>());
    }
    let intervals = proof.iter();
    print(&to_json(&Verdict {
        model: model.to_string_lossy(),
        certificate: certificate.to_string_lossy(),
        status: "proved",
        proved: &words(proof),
        intervals: intervals
            .map(|(name, lower, upper)| Named { name, lower: *lower, upper: *upper })
            .collect(),
        version: env!("CARGO_PKG_VERSION"),
        seconds,
        warnings: [],
    }));
}

/// What has been proved, in words.
fn words(proof: &Proof) -> Vec<String> {
    let of = |name: &str| {
        let found = proof.iter().find(|(other, ..)| other == name);
        found.map(|(_, low, high)| (*low, *high))
    };
    if let Some((low, high)) = of("average") {
        return vec![format!("long-run average cost per step in [{low}, {high}]")];
    }
    if let (Some((low, high)), Some((_, gap)), Some((_, apart))) =
        (of("remap_value"), of("value_gap"), of("value_width"))
    {
        let letters = ["proved_remap", "proved_continue", "balanced", "either"];
        let letters = letters.map(|name| of(name).map_or(0.0, |(count, _)| count));
        let classes = count(letters.iter().sum::<f64>());
        let [remaps, goes_on, balanced, either] = letters.map(count);
        let (apart, gap) = (above(apart), above(gap));
        return vec![
            format!("J(s) to within {apart} for all {classes} classes of states s"),
            format!("that is {gap} of max(1, R); remapping costs R in [{low}, {high}] in all"),
            format!(
                "decisions proved: {remaps} remap, {goes_on} continue, {balanced} balanced; {either} \
                 may be either within these bounds"
            ),
            format!("the map is optimal within {apart}"),
        ];
    }
    let (low, high) = of("value").unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let thresholds = || proof.iter().filter_map(|(name, ..)| Some((steps(name)?, of(name)?)));
    let (Some(((first, last), (sure, _))), Some((_, (least, most)))) =
        (thresholds().next(), thresholds().next_back())
    else {
        return vec![format!("the least expected objective is in [{low}, {high}]")];
    };
    let widest = above(thresholds().map(|(_, (low, high))| high - low).fold(0.0, f64::max));
    let never = if sure >= 1.0 { first } else { last + 1 };
    vec![
        format!("every threshold to within {widest}: pi_0 in [{least}, {most}]"),
        format!("remapping never pays from step {never} on"),
        format!("the least expected completion time is in [{low}, {high}]"),
    ]
}

/// A number with three digits that is no smaller: a unit of the last one is at most so much of it.
fn above(bound: f64) -> String {
    format!("{:.2e}", 1.005 * bound)
}

fn count(number: f64) -> String {
    let exact = number < 2f64.powi(53);
    if exact { number.to_string() } else { format!("about {number:.3e}") }
}

/// The first and the last step of a threshold's name.
fn steps(name: &str) -> Option<(u64, u64)> {
    let steps = name.strip_prefix("pi_")?;
    let (first, last) = steps.split_once("..").unwrap_or((steps, steps));
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// Where a solution lies outside what has been proved.
fn outside(solution: &Solution, proof: &Proof) -> Option<String> {
    let claims = solution.claims();
    proof.iter().find_map(|(name, low, high)| {
        let Bounds { lower, upper } = match &solution.body {
            Body::Stopping(answer) if name == "remap_value" => {
                (answer.remap_value, answer.remap_value).into()
            }
            _ => claims(name)?,
        };
        let rounding = 1e-11 * lower.abs().max(1.0);
        (lower - rounding > *high || upper + rounding < *low).then(|| {
            format!("{name} is given as [{lower}, {upper}], but [{low}, {high}] is proved")
        })
    })
}
