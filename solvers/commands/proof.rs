//! `remap verify` with a certificate: what the certificate proves.

use super::{Exit, idle};
use crate::cli::Verify;
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::output::{print, say};
use crate::problems::certificate::MOST_BYTES;
use crate::problems::proved::{Fields, above, compare};
use crate::problems::recomputed::Second;
use crate::problems::registry::{Certified, Loaded, of_text};
use crate::run::{is_interrupted, within};
use remap_checker::{Budget, Checked, Interval, Proof, Refusal};
use remapping::Status;
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

/// The printed document.
#[derive(Serialize)]
struct Verdict<'a> {
    model: Cow<'a, str>,
    certificate: Cow<'a, str>,
    status: &'static str,
    /// The proof in sentences.
    proved: Vec<String>,
    /// The proof, by steps or decisions.
    proof: &'a Proof,
    /// Each number by name.
    intervals: Vec<Named>,
    /// For a solution: which of its fields agree with the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Fields>,
    version: &'static str,
    seconds: f64,
    warnings: [&'static str; 0],
}

#[derive(Serialize)]
struct Named {
    name: String,
    lower: f64,
    upper: f64,
}

/// Checks a certificate of a model file.
pub(super) fn run(arguments: &Verify, certificate: &Path) -> Result<Exit, Vec<Complaint>> {
    let (started, model) = (Instant::now(), &arguments.model);
    no_lemmas(arguments);
    let Checked { proof, .. } = timed(arguments, || check(model, certificate, &budget(arguments)))?;
    show([model, certificate], &proof, (Vec::new(), None), started, arguments.json);
    Ok(Exit::Done)
}

/// Warns that options of the lemmas do not apply to a certificate.
fn no_lemmas(arguments: &Verify) {
    let options = [("--cases", arguments.cases.is_some()), ("--seed", arguments.seed.is_some())];
    idle::tell(&options, "it is for the lemmas, and a certificate is checked instead");
}

/// The usual work, or as much as the time limit allows.
fn budget(arguments: &Verify) -> Budget {
    arguments.time_limit.map_or_else(Budget::default, |_| Budget::new(u64::MAX))
}

fn timed<T>(arguments: &Verify, work: impl FnOnce() -> T) -> T {
    within(arguments.time_limit, "the time limit came first: nothing has been proved", work)
}

/// Checks the certificate that a solution names, and compares each field of the solution with the
/// proof.
pub(super) fn run_solution(arguments: &Verify) -> Result<Exit, Vec<Complaint>> {
    let (started, path) = (Instant::now(), &arguments.model);
    no_lemmas(arguments);
    let checked = timed(arguments, || -> Result<_, Complaint> {
        let bytes = read(path, MOST_TEXT)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let fields = serde_json::from_str(&text);
        let solution = of_text(path.display().to_string(), text)?;
        let fields = fields.map_err(|error| {
            Complaint::elsewhere(format!("{}: {error}", path.display()), "solve the model again")
        })?;
        let Some(Certified { model, file: certificate }) = solution.certificate.clone() else {
            let message = format!("{}: this solution names no certificate", path.display());
            return Err(Complaint::elsewhere(message, "solve with --certificate FILE"));
        };
        let checked = check(&model, &certificate, &budget(arguments))?;
        Ok(((solution, fields), [model, certificate], checked))
    });
    let ((solution, fields), [model, certificate], checked) = checked?;
    let loaded = Loaded::read(&model)?;
    let left = arguments.time_limit.unwrap_or(LONGEST_SECOND) - started.elapsed().as_secs_f64();
    let second = Second::of(loaded, Some(left.max(0.0)));
    let (fields, sentences) = compare(&solution, &fields, &checked, &second).map_err(|fault| {
        let message = format!("{}: {fault}", path.display());
        let help = "the solution was changed, or belongs to another certificate";
        Complaint::elsewhere(message, help)
    })?;
    let compared = (sentences, Some(fields));
    show([&model, &certificate], &checked.proof, compared, started, arguments.json);
    Ok(if is_interrupted() { Exit::Interrupted } else { Exit::Done })
}

/// The default time limit of a second solution, in seconds.
const LONGEST_SECOND: f64 = 60.0;

/// The most bytes of a model file or a solution.
const MOST_TEXT: u64 = 256 << 20;

/// The content of a regular file of at most `most` bytes.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, Complaint> {
    let failed = |error: std::io::Error| {
        let message = format!("cannot read {}: {error}", path.display());
        Complaint::elsewhere(message, "check the path")
    };
    // Other files may never end, or block when opened.
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

fn check(model: &Path, certificate: &Path, budget: &Budget) -> Result<Checked, Complaint> {
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
        complaint.limit = (refusal == Refusal::OverBudget).then_some(Status::IterationLimit);
        complaint
    })
}

/// Further remarks about a solution, and which of its fields are proved.
type Compared = (Vec<String>, Option<Fields>);

fn show(
    [model, certificate]: [&Path; 2],
    proof: &Proof,
    (sentences, fields): Compared,
    started: Instant,
    json: bool,
) {
    let seconds = started.elapsed().as_secs_f64();
    let proved = [words(proof), sentences].concat();
    if !json {
        say(&format!("checked in {seconds:.3} s"));
        let mut text: String = proved.iter().map(|line| format!("proved: {line}\n")).collect();
        if let Some(Fields { proved, not_proved, recomputed, reasons }) = fields {
            let list = |names: Vec<String>| names.join(", ");
            text += &format!("fields proved: {}\n", list(proved));
            text += &format!("fields not proved: {}\n", list(not_proved));
            text += &format!("of these, computed again: {}\n", list(recomputed));
            text.extend(
                reasons.into_iter().map(|(name, why)| format!("not proved: {name}: {why}\n")),
            );
        }
        return print(&text);
    }
    print(&to_json(&Verdict {
        model: model.to_string_lossy(),
        certificate: certificate.to_string_lossy(),
        status: "proved",
        proved,
        proof,
        intervals: proof
            .intervals()
            .into_iter()
            .map(|(name, lower, upper)| Named { name, lower, upper })
            .collect(),
        fields,
        version: env!("CARGO_PKG_VERSION"),
        seconds,
        warnings: [],
    }));
}

/// The proof in sentences.
fn words(proof: &Proof) -> Vec<String> {
    let ends = |own: &Interval| format!("[{}, {}]", own.lower, own.upper);
    match proof {
        Proof::Average(own) => vec![format!("long-run average cost per step in {}", ends(own))],
        Proof::Value(own) => vec![format!("the least expected objective is in {}", ends(own))],
        Proof::Recurring { value, average, steps } => {
            let widths = steps.iter().flat_map(|own| [own.to_second, own.to_first]);
            let widest = above(widths.map(|own| own.upper - own.lower).fold(0.0, f64::max));
            let first = steps.first().map_or(String::new(), |own| {
                format!(
                    ": at first {} to the second mapping, {} back",
                    ends(&own.to_second),
                    ends(&own.to_first)
                )
            });
            let value = value.map(|own| format!("the least expected time is in {}", ends(&own)));
            let average = average
                .map(|own| format!("the least average time of a cycle is in {}", ends(&own)));
            let widest = format!("every threshold to within {widest}{first}");
            [Some(widest), value, average].into_iter().flatten().collect()
        }
        Proof::Longest { kept, broken } => {
            let after = broken.map(|step| format!("after {step} steps the bound is not kept"));
            let kept = match kept {
                Some(steps) => format!("the bound is kept for {steps} steps"),
                None => "the bound is kept for ever".to_owned(),
            };
            [Some(kept), after].into_iter().flatten().collect()
        }
        Proof::Periods(all) => {
            let each = all.iter().enumerate().flat_map(|(i, own)| {
                words(own).into_iter().map(move |said| format!("period {}: {said}", i + 1))
            });
            each.collect()
        }
        Proof::Cheapest { least, most, cost } => {
            let of = |steps: &Option<u64>| {
                steps.map_or("that never ends".to_owned(), |steps| format!("of {steps} steps"))
            };
            let which = match least == most {
                true => format!("the interval {} costs least", of(least)),
                false => {
                    format!("an interval from one {} to one {} costs least", of(least), of(most))
                }
            };
            vec![which, format!("the least cost per step is in {}", ends(cost))]
        }
        Proof::Map { remap_value, value_gap, value_width, classes, .. } => {
            let letters = [classes.remap, classes.continued, classes.balanced, classes.either];
            let all = count(letters.iter().map(|count| count.lower).sum());
            let [remaps, goes_on, balanced, either] = letters.map(|own| count(own.lower));
            let (apart, gap, whole) = (above(*value_width), above(*value_gap), ends(remap_value));
            vec![
                format!("J(s) to within {apart} for all {all} classes of states s"),
                format!("that is {gap} of max(1, R); remapping costs R in {whole} in all"),
                format!(
                    "decisions proved: {remaps} remap, {goes_on} continue, {balanced} balanced; \
                     {either} may be either within these bounds"
                ),
                format!("the map is optimal within {apart}"),
            ]
        }
        Proof::Thresholds { value, steps } => {
            let widths = steps.iter().map(|own| own.threshold.upper - own.threshold.lower);
            let widest = above(widths.fold(0.0, f64::max));
            let never = steps.last().map_or(0, |own| match own.threshold.lower >= 1.0 {
                true => own.first,
                false => own.last + 1,
            });
            let first = steps.first().map_or(String::new(), |own| ends(&own.threshold));
            vec![
                format!("every threshold to within {widest}: pi_0 in {first}"),
                format!("remapping never pays from step {never} on"),
                format!("the least expected completion time is in {}", ends(value)),
            ]
        }
    }
}

fn count(number: f64) -> String {
    let exact = number < 2f64.powi(53);
    if exact { number.to_string() } else { format!("about {number:.3e}") }
}
