//! `remap solve`.

use super::{Exit, report};
use crate::cli::{Settings, Solve};
use crate::model::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::output::{
    check_free, is_closed, make_folder, print, say, try_folder, write_file, write_with,
};
use crate::run::{Deadline, Watch, is_interrupted};
use crate::solution::{Body, Certified, Solution};
use crate::{
    archive, certificate, claims, fluids, land_battle, load_drift, periodic, phase_change,
    phase_switching, render, stopping,
};
use remap_checker::Budget;
use std::path::{Path, PathBuf};

/// Solves one model. Long computations are saved now and then, in `folder` if one is given; `force`
/// starts anew whatever is there.
pub fn solve_model(
    loaded: &Loaded,
    settings: &Settings,
    folder: Option<&Path>,
    force: bool,
) -> Result<Solution, Vec<Complaint>> {
    let watch = Watch::start(&loaded.model.title, settings.time_limit);
    let solved = match &loaded.model.problem {
        Problem::PhaseChange(problem) => phase_change::solve(loaded, problem, settings, &watch),
        Problem::PhaseSwitching(problem) => {
            phase_switching::solve(loaded, problem, settings, &watch)
        }
        Problem::LoadDrift(problem) => {
            load_drift::solve(loaded, problem, settings, &watch, folder, force)
        }
        Problem::ActivityMesh(_) => {
            let label = "its states are too many for an exact solution";
            let help = "play policies on it: remap compare MODEL.ron";
            Err(vec![loaded.complain("problem", "a mesh is simulated, not solved", label, help)])
        }
        Problem::Stopping(problem) => {
            if let Some(folder) = folder.filter(|_| stopping::is_archived(loaded, problem)) {
                let archive = out_path(folder, &loaded.path).with_extension("npz");
                if archive.symlink_metadata().is_ok() {
                    check_free(&archive, force).map_err(|complaint| vec![complaint])?;
                }
            }
            stopping::solve(loaded, problem, settings, &watch)
        }
        Problem::Fluids(problem) => fluids::solve(loaded, problem, settings, &watch),
        Problem::LandBattle(problem) => land_battle::solve(loaded, problem, settings, &watch),
        Problem::Periodic(problem) => Ok(periodic::solve(problem, settings, &watch)),
    }?;
    let verdict = claims::examine(&solved.body, solved.status, settings.tolerance);
    let mut warnings = loaded.warnings.clone();
    warnings.extend(solved.warnings);
    if !warnings.iter().any(|warning| warning.contains("tolerance was not reached")) {
        warnings.extend(verdict.warning);
    }
    Ok(Solution {
        title: loaded.model.title.clone(),
        body: solved.body,
        status: verdict.status,
        tolerance: settings.tolerance,
        version: env!("CARGO_PKG_VERSION"),
        seconds: watch.seconds(),
        certificate: None,
        warnings,
        contradiction: verdict.contradiction,
    })
}

pub(super) fn run(arguments: &Solve) -> Exit {
    let mut exit = Exit::Done;
    let (mut documents, mut to_certify) = (Vec::new(), None);
    if let Err(complaint) = check_request(arguments) {
        report(&[complaint]);
        return Exit::Usage;
    }
    if let Err(complaint) = check_outputs(arguments) {
        return report(&[complaint]);
    }
    let writes_files =
        arguments.out.is_some() || arguments.plot.is_some() || arguments.certificate.is_some();
    for path in &arguments.models {
        if is_closed() && !writes_files {
            break;
        }
        if is_interrupted() {
            exit = exit.worst(Exit::Interrupted);
            break;
        }
        let solved = Loaded::read(path).and_then(|loaded| {
            let (folder, force) = (arguments.out.as_deref(), arguments.force);
            let solution = solve_model(&loaded, &arguments.settings, folder, force)?;
            Ok((loaded, solution))
        });
        let (loaded, mut solution) = match solved {
            Ok(solved) => solved,
            Err(complaints) => {
                exit = exit.worst(report(&complaints));
                continue;
            }
        };
        let possible = certificate::is_possible(&loaded, &solution);
        if let (Some(file), Ok(())) = (&arguments.certificate, &possible) {
            let (file, model) = (file.clone(), path.clone());
            solution.certificate = Some(Certified { file, model });
        }
        let consistent = solution.contradiction.is_none();
        let checked = consistent.then(|| certificate::self_check(&loaded, &solution)).flatten();
        if let Some(contradiction) = checked {
            solution.refute(contradiction);
        }
        if let Some(contradiction) = &solution.contradiction {
            say(&format!("error: {}: {contradiction}", path.display()));
            exit = exit.worst(Exit::Bug);
        }
        exit = exit.worst(solution.status.into());
        for warning in &solution.warnings {
            say(&format!("warning: {}: {warning}", path.display()));
        }
        // Shown first: a file that cannot be written must not lose the result.
        if arguments.settings.json {
            documents.push(solution.clone());
        } else {
            print(&render::summary(&loaded, &solution));
        }
        if let Err(complaint) = write_outputs(arguments, &loaded, &solution) {
            exit = exit.worst(report(&[complaint]));
        }
        if let Some(file) = &arguments.certificate {
            to_certify = Some((file, loaded, solution));
        }
    }
    if arguments.settings.json {
        let document = match (arguments.models.len(), documents.as_slice()) {
            (1, []) => return exit,
            (1, [only]) => to_json(only),
            _ => to_json(&documents),
        };
        print(&document);
    }
    // After the answer, so that it is not lost if this does not come to its end.
    if let Some((file, loaded, solution)) = to_certify {
        exit = exit.worst(certify(arguments, file, &loaded, &solution));
    }
    exit
}

/// Makes the certificate of an answer and writes it, within what is left of the time.
fn certify(arguments: &Solve, file: &Path, loaded: &Loaded, solution: &Solution) -> Exit {
    let limit = arguments.settings.time_limit;
    let left = limit.map(|seconds| seconds - solution.seconds);
    let reason = "no certificate: the time limit came first";
    let _deadline = left.map(|seconds| Deadline::start(seconds, reason));
    let budget = limit.map_or_else(Budget::default, |_| Budget::new(u64::MAX));
    let made = certificate::of(loaded, solution, &budget).and_then(|made| {
        write_file(file, &made.bytes, arguments.force)?;
        Ok(made.warning)
    });
    match made {
        Ok(None) => Exit::Done,
        Ok(Some(warning)) => {
            say(&format!("warning: {}: {warning}", loaded.path.display()));
            Exit::Limit
        }
        Err(complaint) => report(&[complaint]),
    }
}

/// One JSON document, ending in a newline.
pub fn to_json<T: serde::Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("solutions have string keys only");
    text.push('\n');
    text
}

fn out_path(folder: &Path, model: &Path) -> PathBuf {
    let mut name = model.file_stem().unwrap_or_default().to_owned();
    name.push(".json");
    folder.join(name)
}

/// What the arguments ask for together must be possible.
fn check_request(arguments: &Solve) -> Result<(), Complaint> {
    if let Some(plot) = &arguments.plot {
        if arguments.models.len() > 1 {
            let message = "--plot draws one model, several are given";
            return Err(Complaint::elsewhere(message, "solve them one by one"));
        }
        render::plot::Format::of(plot)?;
    }
    if arguments.certificate.is_some() && arguments.models.len() > 1 {
        let message = "--certificate proves the answer to one model, several are given";
        return Err(Complaint::elsewhere(message, "solve them one by one"));
    }
    let named = arguments.certificate.iter().chain(&arguments.models);
    if let Some(path) = named.filter(|path| path.to_str().is_none()).next() {
        if arguments.certificate.is_some() {
            let message = format!("{} is not UTF-8: a solution cannot name it", path.display());
            return Err(Complaint::elsewhere(message, "rename it"));
        }
    }
    if let Some(folder) = &arguments.out {
        let mut names: Vec<_> =
            arguments.models.iter().map(|model| out_path(folder, model)).collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("two models would both be written to {}", pair[0].display());
            return Err(Complaint::elsewhere(message, "solve them into different folders"));
        }
    }
    Ok(())
}

/// Where a path leads, whether there is a file yet or not.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (path.canonicalize(), folder, path.file_name()) {
        (Ok(place), ..) => place,
        (_, Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// No output may replace a model that is solved, or another output.
fn check_apart(arguments: &Solve) -> Result<(), Complaint> {
    let models = || arguments.models.iter();
    let mut outputs: Vec<PathBuf> =
        arguments.plot.iter().chain(&arguments.certificate).cloned().collect();
    if let Some(folder) = &arguments.out {
        let names = models().map(|model| out_path(folder, model));
        outputs.extend(names.flat_map(|name| [name.with_extension("npz"), name]));
    }
    let mut taken: Vec<PathBuf> = models().map(|model| place(model)).collect();
    for output in outputs {
        let own = place(&output);
        if let Some(at) = taken.iter().position(|other| *other == own) {
            let is_model = at < arguments.models.len();
            let what = if is_model { "a model to be solved" } else { "another output" };
            let message = format!("{} is {what}", output.display());
            return Err(Complaint::elsewhere(message, "give each output a path of its own"));
        }
        taken.push(own);
    }
    Ok(())
}

/// Whether all files can be written, before any work is done.
fn check_outputs(arguments: &Solve) -> Result<(), Complaint> {
    check_apart(arguments)?;
    for path in arguments.plot.iter().chain(&arguments.certificate) {
        check_free(path, arguments.force)?;
    }
    let Some(folder) = &arguments.out else { return Ok(()) };
    if folder.is_dir() {
        try_folder(folder)?;
        let names = arguments.models.iter().map(|model| out_path(folder, model));
        return names
            .filter(|name| name.symlink_metadata().is_ok())
            .try_for_each(|name| check_free(&name, arguments.force));
    }
    // The folder will be made: its nearest parent that exists must be one.
    match folder.ancestors().find(|parent| parent.symlink_metadata().is_ok()) {
        Some(parent) if !parent.is_dir() => {
            let message = format!("{} is not a folder", parent.display());
            Err(Complaint::elsewhere(message, "give the path of a folder"))
        }
        Some(parent) => try_folder(parent),
        None => try_folder(Path::new(".")),
    }
}

fn write_outputs(arguments: &Solve, loaded: &Loaded, solution: &Solution) -> Result<(), Complaint> {
    let model = &loaded.path;
    if let Some(folder) = &arguments.out {
        make_folder(folder)?;
        let path = out_path(folder, model);
        let archived = match &solution.body {
            Body::Stopping(stopping::Answer { table, decision: None, .. }) => table.as_ref(),
            _ => None,
        };
        if let Some(table) = archived {
            let file = path.with_extension("npz");
            write_with(&file, arguments.force, |file| archive::write(table, file))?;
        }
        write_file(&path, to_json(solution).as_bytes(), arguments.force)?;
    }
    if let Some(plot) = &arguments.plot {
        let bytes = render::plot::draw(solution, render::plot::Format::of(plot)?)?;
        write_file(plot, &bytes, arguments.force)?;
    }
    Ok(())
}
