//! `remap compare`: evaluates policies on a model.

use super::{Exit, check_names, check_one_drawn, ended, idle, warn};
use crate::cli::Compare;
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::output::{check_folder, check_free, make_folder, print, write_file};
use crate::plot::Format;
use crate::problems::comparison::compare;
use crate::problems::registry::Loaded;
use crate::problems::{Contest, Files, Outcome};
use crate::render;
use crate::run::is_interrupted;
use std::path::Path;

pub(super) fn run(arguments: &Compare) -> Outcome<Exit> {
    check_request(arguments).map_err(Complaint::usage)?;
    check_outputs(arguments)?;
    let mut documents = Vec::new();
    let mut exit = Exit::Done;
    for model in &arguments.models {
        if is_interrupted() {
            exit = exit.worst(Exit::Interrupted);
            break;
        }
        let compared = one(arguments, model, &mut documents);
        exit = exit.worst(ended(compared));
    }
    if arguments.json {
        match (arguments.models.len(), documents.as_slice()) {
            (1, []) => {}
            (1, [only]) => print(only),
            _ => print(&format!("[\n{}]\n", documents.join(","))),
        }
    }
    Ok(exit)
}

/// Compares policies on one of the models, then shows and writes the results.
fn one(arguments: &Compare, model: &Path, documents: &mut Vec<String>) -> Outcome<Exit> {
    let loaded = Loaded::read(model)?;
    let problem = loaded.problem.kind();
    let recording = |folder: &Path, name: &str| {
        let stem = model.file_stem().unwrap_or_default().to_string_lossy();
        folder.join(format!("{stem}-{name}.csv"))
    };
    if let Some(folder) = arguments.out.as_ref().filter(|folder| folder.is_dir()) {
        let recordings = problem.recordings().into_iter().map(|name| recording(folder, &name));
        let mut files = recordings.chain([Files::document(folder, model)]);
        files.try_for_each(|file| check_free(&file, arguments.force))?;
    }
    warn(model, &loaded.warnings);
    let seed = arguments.seed.unwrap_or(1);
    let contest = Contest {
        policies: arguments.policies.clone(),
        runs: arguments.runs.unwrap_or(100),
        seed,
        time_limit: arguments.time_limit,
    };
    let mut comparison = compare(&loaded, &contest)?;
    if let Some(why) = comparison.policies.without_samples() {
        let given = [
            ("--runs", arguments.runs.is_some()),
            // The recorded costs also depend on the seed.
            ("--seed", arguments.seed.is_some() && arguments.out.is_none()),
        ];
        comparison.warnings.extend(idle::told(&given, why));
    }
    let text = to_json(&comparison);
    // The result is shown first, so that a file error does not lose it.
    if !arguments.json {
        print(&render::compared(&comparison));
    }
    // The warnings of the model were printed before.
    warn(model, comparison.warnings.iter().skip(loaded.warnings.len()));
    let written = || {
        if let Some(plot) = &arguments.plot {
            let bytes = render::draw_compared(&comparison, Format::of(plot)?)?;
            write_file(plot, &bytes, arguments.force)?;
        }
        let Some(folder) = &arguments.out else { return Ok(()) };
        make_folder(folder)?;
        write_file(&Files::document(folder, model), text.as_bytes(), arguments.force)?;
        problem.record(seed, &mut |name, bytes| {
            write_file(&recording(folder, name), bytes, arguments.force)
        })
    };
    let written = written();
    documents.push(text);
    written?;
    Ok(comparison.status.into())
}

/// Refuses combinations of arguments that are not possible.
fn check_request(arguments: &Compare) -> Result<(), Complaint> {
    let Some(plot) = &arguments.plot else { return Ok(()) };
    check_one_drawn(arguments.models.len(), "compare on them one by one")?;
    Format::of(plot).map(drop)
}

/// Reports in advance the files that could not be written at the end.
fn check_outputs(arguments: &Compare) -> Result<(), Complaint> {
    if let Some(plot) = &arguments.plot {
        check_free(plot, arguments.force)?;
    }
    if let Some(folder) = &arguments.out {
        check_names(folder, &arguments.models, ("comparisons", "compare into different folders"))?;
        check_folder(folder)?;
    }
    Ok(())
}
