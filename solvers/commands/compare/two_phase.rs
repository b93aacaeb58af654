//! `remap compare` for the model problems of \[NR90\].

use super::super::solve::to_json;
use super::{Asked, Exit, report};
use crate::memory::{available, show};
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::output::{check_free, make_folder, say, write_file};
use crate::render::plot::{Format, picture};
use crate::render::two_phase_plot::Policies;
use crate::run::Watch;
use crate::workload::compare::{Comparison, Workload, compare, memory, write_traces};
use crate::workload::figure::Policy;
use remapping::Status;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Accuracy of the optimal thresholds played.
const TOLERANCE: f64 = 1e-9;

/// What is printed and written.
#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    problem: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
    status: Status,
    tolerance: f64,
    version: &'static str,
    seconds: f64,
    warnings: &'a [String],
}

pub(super) fn run(
    arguments: &Asked<'_>,
    loaded: &Loaded,
    problem: &'static str,
    workload: &impl Workload,
) -> Exit {
    match attempt(arguments, loaded, problem, workload) {
        Ok(exit) => exit,
        Err(complaint) => report(&[complaint]),
    }
}

fn attempt(
    arguments: &Asked<'_>,
    loaded: &Loaded,
    problem: &'static str,
    workload: &impl Workload,
) -> Result<Exit, Complaint> {
    let policies = policies(&arguments.policies)?;
    let files = planned_files(arguments, workload)?;
    let title = &loaded.model.title;
    for warning in &loaded.warnings {
        say(&format!("warning: {}: {warning}", arguments.model.display()));
    }
    let needed = memory(workload, arguments.runs);
    if let Some(there) = available().filter(|there| needed > *there) {
        let (needed, there) = (show(needed), show(there));
        let message =
            format!("--runs {}: they need {needed} of memory, {there} are free", arguments.runs);
        return Err(Complaint::elsewhere(message, "take fewer runs"));
    }
    let watch = Watch::start(title, arguments.time_limit);
    let (mut comparison, status) = compare(workload, arguments.runs, arguments.seed, &watch)
        .map_err(|error| {
            let message = "this model cannot be solved";
            loaded.complain("problem", message, &error.to_string(), "correct the parameter")
        })?;
    let document = |comparison: &Comparison| {
        to_json(&Document {
            title,
            problem,
            comparison,
            status,
            tolerance: TOLERANCE,
            version: env!("CARGO_PKG_VERSION"),
            seconds: watch.seconds(),
            warnings: &loaded.warnings,
        })
    };
    let drawn = (arguments.plot.as_ref())
        .map(|plot| picture(Format::of(plot)?, &Policies { title, comparison: &comparison }))
        .transpose()?;
    comparison.retain(&policies);
    let text = document(&comparison);
    // Shown first: a file that cannot be written must not lose the result.
    let seconds = watch.seconds();
    arguments.show(&text, || format!("{title}\n{comparison}\n{}\n", ending(status, seconds)));
    if let (Some(plot), Some(bytes)) = (&arguments.plot, drawn) {
        write_file(plot, &bytes, arguments.force)?;
    }
    if let Some((folder, json)) = files {
        write_file(&json, text.as_bytes(), arguments.force)?;
        write_traces(workload, arguments.seed, |name, bytes| {
            write_file(&trace_path(&folder, arguments.model, name), bytes, arguments.force)
        })?;
    }
    Ok(status.into())
}

fn policies(names: &[String]) -> Result<Vec<Policy>, Complaint> {
    if names.is_empty() {
        return Ok(Policy::ALL.to_vec());
    }
    let named = |name: &String| {
        Policy::named(name.trim()).ok_or_else(|| {
            let known = Policy::ALL.map(Policy::name).join(", ");
            let help = format!("the policies of this problem are {known}");
            Complaint::elsewhere(
                format!("--policies: `{name}` is not a policy of this problem"),
                help,
            )
        })
    };
    names.iter().map(named).collect()
}

/// The folder of the written files and the document in it, made sure of before any work is done.
fn planned_files(
    arguments: &Asked<'_>,
    workload: &impl Workload,
) -> Result<Option<(PathBuf, PathBuf)>, Complaint> {
    let Some(folder) = &arguments.out else { return Ok(None) };
    make_folder(folder)?;
    let stem = arguments.model.file_stem().unwrap_or_default();
    let json = folder.join(stem).with_extension("json");
    check_free(&json, arguments.force)?;
    for name in workload.trace_names() {
        check_free(&trace_path(folder, arguments.model, &name), arguments.force)?;
    }
    Ok(Some((folder.clone(), json)))
}

fn trace_path(folder: &Path, model: &Path, name: &str) -> PathBuf {
    let stem = model.file_stem().unwrap_or_default().to_string_lossy();
    folder.join(format!("{stem}-{name}.csv"))
}

fn ending(status: Status, seconds: f64) -> String {
    let how = match status {
        Status::Converged => "done",
        Status::IterationLimit => "a limit was reached",
        Status::TimeLimit => "stopped by the time limit: unfinished positions are left out",
        Status::Interrupted => "interrupted: unfinished positions are left out",
    };
    format!("{how}, {seconds:.3} s")
}
