//! `remap solve`.

use super::{Exit, check_names, check_one_drawn, idle, print_documents, report, warn};
use crate::checkpoint;
use crate::cli::Solve;
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::output::{
    check_folder, check_free, is_closed, make_folder, print, say, write_file, write_files,
    write_with,
};
use crate::plot::Format;
use crate::problems::registry::{Body, Certified, Loaded, Solution};
use crate::problems::{self, Files, Solved, UNSAMPLED, certificate, stopping::table};
use crate::render;
use crate::run::{is_interrupted, within};
use remap_checker::Budget;
use std::path::{Path, PathBuf};

/// Solves one model; the last argument says whether the answer needs a certificate.
pub type Solver<'s> =
    dyn Fn(&Loaded, &problems::Settings, Files<'_>, bool) -> problems::Outcome<Solved> + 's;

/// `remap solve`, with this function for solving a model.
pub fn run(arguments: &Solve, solve: &Solver<'_>) -> Exit {
    let mut exit = Exit::Done;
    // This is determined before solving: a checkpoint is removed when its computation is finished.
    let resumed: Vec<PathBuf> =
        arguments.models.iter().filter(|model| was_stopped(arguments, model)).cloned().collect();
    let (mut documents, mut to_certify) = (Vec::new(), None);
    let request = check_request(arguments).map_err(Complaint::usage);
    if let Err(complaint) = request.and_then(|()| check_outputs(arguments, &resumed)) {
        return report(&[complaint]);
    }
    let writes_files =
        arguments.out.is_some() || arguments.plot.is_some() || arguments.certificate.is_some();
    let unsaved = resumed.iter().filter(|path| {
        let folder = arguments.out.as_deref().filter(|_| !arguments.force);
        folder.is_some_and(|folder| !checkpoint::beside(folder, path).exists())
    });
    unsaved.for_each(|path| {
        say(&format!(
            "{}: the run that was stopped has saved nothing: from the start",
            path.display()
        ));
    });
    for path in &arguments.models {
        if is_closed() && !writes_files {
            break;
        }
        if is_interrupted() {
            exit = exit.worst(Exit::Interrupted);
            break;
        }
        let settings: problems::Settings = (&arguments.settings).into();
        let solved = Loaded::read(path).and_then(|loaded| {
            problems::check_method(&loaded, settings.method).map_err(Complaint::usage)?;
            check_named(arguments, &loaded)?;
            let files = Files { folder: arguments.out.as_deref(), force: arguments.force };
            let solved = solve(&loaded, &settings, files, arguments.certificate.is_some())?;
            Ok((loaded, solved))
        });
        let (loaded, mut solved) = match solved {
            Ok(solved) => solved,
            Err(complaints) => {
                exit = exit.worst(report(&complaints));
                continue;
            }
        };
        let seed = [("--seed", arguments.settings.seed.is_some())];
        if !solved.solution.body.answer().is_sampled() {
            solved.solution.warnings.extend(idle::told(&seed, UNSAMPLED));
        }
        let possible = certificate::is_possible(&loaded, &solved.solution);
        if let (Some(file), Ok(())) = (&arguments.certificate, &possible) {
            let (file, model) = (file.clone(), path.clone());
            solved.solution.certificate = Some(Certified { file, model });
        }
        let consistent = solved.solution.contradiction.is_none();
        let checked = consistent.then(|| certificate::self_check(&loaded, &solved)).flatten();
        if let Some(contradiction) = checked {
            solved.solution.refute(contradiction);
        }
        let solution = &solved.solution;
        if let Some(contradiction) = &solution.contradiction {
            say(&format!("error: {}: {contradiction}", path.display()));
            exit = exit.worst(Exit::Bug);
        }
        exit = exit.worst(solution.status.into());
        warn(path, &solution.warnings);
        // The result is shown first, so that a file error does not lose it.
        if arguments.settings.json {
            documents.push(solution.clone());
        } else {
            print(&render::summary(solution));
        }
        let force = arguments.force || resumed.contains(path);
        let written = write_outputs(arguments, force, &loaded, &solved);
        // A document that could not be written is not overwritten.
        let folder = arguments.out.as_deref().filter(|_| written.is_ok());
        if let Err(complaint) = written {
            exit = exit.worst(report(&[complaint]));
        }
        if let Some(file) = &arguments.certificate {
            to_certify = Some((file, folder, loaded, solved));
        }
    }
    if arguments.settings.json {
        print_documents(arguments.models.len(), &documents);
    }
    // After the answer, so that it is not lost if this does not finish.
    if let Some((file, folder, loaded, solved)) = to_certify {
        exit = exit.worst(certify(arguments, (file, folder), &loaded, &solved));
    }
    exit
}

/// Makes the certificate of an answer and writes it to a file, within the remaining time. The
/// document in the folder names it from then on.
fn certify(
    arguments: &Solve,
    (file, folder): (&Path, Option<&Path>),
    loaded: &Loaded,
    solved: &Solved,
) -> Exit {
    let limit = arguments.settings.time_limit;
    // A stopped answer has no certificate, which is reported at once.
    let halted = solved.solution.status.is_halted();
    let left = limit.filter(|_| !halted).map(|seconds| seconds - solved.solution.seconds);
    let reason = "no certificate: the time limit came first";
    let budget = limit.map_or_else(Budget::default, |_| Budget::new(u64::MAX));
    let made = within(left, reason, || certificate::of(loaded, solved, &budget));
    let made = made.and_then(|made| {
        let document = folder.map(|folder| Files::document(folder, &loaded.path));
        let named = to_json(&solved.solution);
        let mut files = vec![(file, made.bytes.as_slice(), arguments.force)];
        files.extend(document.as_deref().map(|path| (path, named.as_bytes(), true)));
        write_files(&files)?;
        Ok(made.warning)
    });
    match made {
        Ok(None) => Exit::Done,
        Ok(Some(warning)) => {
            warn(&loaded.path, [&warning]);
            Exit::Limit
        }
        Err(complaint) => report(&[complaint]),
    }
}

/// Refuses combinations of arguments that are not possible.
fn check_request(arguments: &Solve) -> Result<(), Complaint> {
    if let (Some(set), Some(model)) = (arguments.set.first(), arguments.models.first()) {
        let message = "solve takes models as they are: it has no --set";
        let help = format!("remap sweep {} --set '{set}'", model.display());
        return Err(Complaint::elsewhere(message, help));
    }
    if let Some(plot) = &arguments.plot {
        check_one_drawn(arguments.models.len(), "solve them one by one")?;
        Format::of(plot)?;
    }
    if arguments.certificate.is_some() && arguments.models.len() > 1 {
        let message = "--certificate proves the answer to one model, several are given";
        return Err(Complaint::elsewhere(message, "solve them one by one"));
    }
    let mut named = arguments.certificate.iter().chain(&arguments.models);
    if let Some(path) = named.find(|path| path.to_str().is_none())
        && arguments.certificate.is_some()
    {
        let message = format!("{} is not UTF-8: a solution cannot name it", path.display());
        return Err(Complaint::elsewhere(message, "rename it"));
    }
    match &arguments.out {
        Some(folder) => {
            check_names(folder, &arguments.models, ("models", "solve them into different folders"))
        }
        None => Ok(()),
    }
}

/// The absolute path of a file, which may not exist yet.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (path.canonicalize(), folder, path.file_name()) {
        (Ok(place), ..) => place,
        (_, Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// All files that may be written.
fn outputs(arguments: &Solve) -> Vec<PathBuf> {
    let mut outputs: Vec<PathBuf> =
        arguments.plot.iter().chain(&arguments.certificate).cloned().collect();
    if let Some(folder) = &arguments.out {
        let names = arguments.models.iter().map(|model| Files::document(folder, model));
        outputs.extend(names.flat_map(|name| [name.with_extension("npz"), name]));
    }
    outputs
}

/// Refuses outputs that would replace a file that a model names.
fn check_named(arguments: &Solve, loaded: &Loaded) -> Result<(), Complaint> {
    let Some(named) = loaded.named_file().map(|file| place(&file)) else { return Ok(()) };
    match outputs(arguments).iter().find(|output| place(output) == named) {
        None => Ok(()),
        Some(output) => {
            let (output, model) = (output.display(), loaded.path.display());
            let message = format!("{output} is a file that {model} names");
            Err(Complaint::elsewhere(message, "give each output a path of its own"))
        }
    }
}

/// Refuses outputs that would replace a model, or another output.
fn check_apart(arguments: &Solve) -> Result<(), Complaint> {
    let models = || arguments.models.iter();
    let mut taken: Vec<PathBuf> = models().map(|model| place(model)).collect();
    for output in outputs(arguments) {
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

/// Checks in advance whether all files can be written.
fn check_outputs(arguments: &Solve, resumed: &[PathBuf]) -> Result<(), Complaint> {
    check_apart(arguments)?;
    let begun = |model: &PathBuf| resumed.contains(model);
    if let Some(path) = &arguments.certificate {
        check_free(path, arguments.force)?;
    }
    if let Some(path) = &arguments.plot {
        // The picture of a single model may also replace that of its stopped run.
        check_free(path, arguments.force || arguments.models.iter().all(begun))?;
    }
    let Some(folder) = &arguments.out else { return Ok(()) };
    check_folder(folder)?;
    for model in arguments.models.iter().filter(|model| !begun(model)) {
        let name = Files::document(folder, model);
        if name.symlink_metadata().is_ok() {
            check_free(&name, arguments.force)?;
        }
    }
    Ok(())
}

/// Whether a run of this model was stopped, and its answer may be replaced.
fn was_stopped(arguments: &Solve, model: &Path) -> bool {
    let Some(folder) = &arguments.out else { return false };
    let is_there = Files::document(folder, model).symlink_metadata().is_ok();
    is_there
        && Loaded::read(model)
            .is_ok_and(|loaded| Files::is_begun(folder, &loaded, loaded.problem.kind().name()))
}

fn write_outputs(
    arguments: &Solve,
    force: bool,
    loaded: &Loaded,
    solved: &Solved,
) -> Result<(), Complaint> {
    let (model, solution) = (&loaded.path, &solved.solution);
    if let Some(folder) = &arguments.out {
        make_folder(folder)?;
        let path = Files::document(folder, model);
        let archived = match &solution.body {
            Body::Stopping(answer) if answer.decision.is_none() => solved.table.as_ref(),
            _ => None,
        };
        if let Some(table) = archived {
            let file = path.with_extension("npz");
            write_with(&file, force, |file| table::write(table, file))?;
        }
        // The certificate does not exist yet, and may never exist.
        let unproved = Solution { certificate: None, ..solution.clone() };
        write_file(&path, to_json(&unproved).as_bytes(), force)?;
    }
    if let Some(plot) = &arguments.plot {
        let bytes = render::draw(solution, Format::of(plot)?)?;
        write_file(plot, &bytes, force)?;
    }
    Ok(())
}
