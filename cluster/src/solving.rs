//! A model from the text that rank 0 has read to the answer that it shows.

use crate::checkpoint::Checkpoint;
use crate::cli::{Arguments, Solve};
use crate::course;
use crate::ranks::Ranks;
use crate::{files, fitting};
use remap::checkpoint::{self, Identity, Iteration};
use remap::commands::{Exit, report};
use remap::complaint::Complaint;
use remap::output::{check_free, make_folder, say};
use remap::problems::load_drift::course::Course;
use remap::problems::registry::{Loaded, Problem};
use remap::problems::stopping::model::Stopping;
use remap::problems::stopping::shared::{self, Part};
use remap::problems::{self, Files, Found, Method, Outcome, Settings, Solved};
use remap::problems::{continuous_drift, load_drift};
use remap::run::Watch;
use remapping::Communicator;
use remapping::stopping::States;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What rank 0 asks of all.
struct Job {
    settings: Settings,
    /// The folder of the results.
    folder: Option<PathBuf>,
    proof: bool,
    /// Where iterations are saved, of which computation, and whether they may go on from there.
    checkpoint: (PathBuf, Identity, bool),
}

/// Solves a model, on rank 0; with the exit code of what was not written.
pub fn lead(
    ranks: &Arc<Ranks>,
    loaded: &Loaded,
    settings: &Settings,
    files: Files<'_>,
    (proof, arguments): (bool, &Solve),
) -> Outcome<(Solved, Exit)> {
    course::fits(loaded, settings, arguments, ranks.ranks())?;
    let alone = || {
        if ranks.ranks() > 1 {
            let (most, reason) = problems::limit_of_ranks(loaded, settings);
            let most =
                if most > 1 { format!("; at most {most} can share it") } else { String::new() };
            let path = loaded.path.display();
            say(&format!("{path}: this model is solved on one rank: {reason}{most}"));
        }
        Ok((problems::solve(loaded, settings, files)?, Exit::Done))
    };
    let possible = match &loaded.problem {
        Problem::Stopping(_) => true,
        Problem::LoadDrift(model) => {
            load_drift::shared::is_possible(model, settings, ranks.ranks())
        }
        Problem::ContinuousDrift(_) => true,
        _ => false,
    };
    if !possible {
        return alone();
    }
    // What is known of a run that was stopped is replaced.
    let begun = files
        .folder
        .is_some_and(|folder| Files::is_begun(folder, loaded, loaded.problem.kind().name()));
    if let (Some(folder), false) = (files.folder, begun) {
        for path in arrays(folder, &loaded.path) {
            if path.symlink_metadata().is_ok() {
                check_free(&path, files.force)?;
            }
        }
    }
    let mut course = course::lead(ranks, arguments)?;
    let tolerance = settings.tolerance;
    let iteration = match settings.method {
        Method::Value => Iteration::Values { tolerance },
        _ => Iteration::Policies { tolerance },
    };
    let identity = Identity::new(loaded.stated(), loaded.named_file().as_deref(), iteration);
    let path = checkpoint::Checkpoint::new(files.folder, &loaded.path, identity.clone());
    let path = path.path().to_owned();
    if let (Some(folder), Problem::Stopping(_)) = (path.parent(), &loaded.problem) {
        make_folder(folder)?;
    }
    let job = json!({
        "path": loaded.path.to_string_lossy(),
        "text": loaded.text(),
        "checkpoint": path.to_string_lossy(),
        "identity": identity.to_json(),
    });
    ranks.tell(&job.to_string());
    if let Some((rank, reason)) = ranks.hear(None).into_iter().next() {
        let message = format!("rank {rank} cannot take up {}: {reason}", loaded.path.display());
        let help = "files that models name must be right, and there on all nodes";
        return Err(vec![Complaint::elsewhere(message, help)]);
    }
    let job = Job {
        settings: settings.clone(),
        folder: files.folder.map(Path::to_owned),
        proof,
        checkpoint: (path, identity, !files.force),
    };
    let watch = Watch::start(&loaded.title, settings.time_limit);
    let solved = together(ranks, loaded, &job, &watch, &mut course)?;
    let Some((found, exit)) = solved else { return alone() };
    let exit = exit.worst(course::write(&course, arguments));
    Ok((problems::document(loaded, settings, found, watch.seconds()), exit))
}

/// Has a share in what rank 0 solves, until it says that this was all; returns its exit code.
pub fn serve(ranks: &Arc<Ranks>, arguments: &Arguments) -> u8 {
    loop {
        let told: Value = serde_json::from_str(&ranks.tell("")).unwrap_or_default();
        if let (Some(true), Some(log)) = (told["fit"].as_bool(), arguments.log()) {
            fitting::share(ranks, log);
            continue;
        }
        let text = |name: &str| told[name].as_str().map(str::to_owned);
        let identity = text("identity").and_then(|json| Identity::from_json(json.as_bytes()));
        let (Some(path), Some(text), Some(checkpoint), Some(identity)) =
            (text("path"), text("text"), text("checkpoint"), identity)
        else {
            return told["exit"].as_u64().unwrap_or(Exit::Bug as u64) as u8;
        };
        let Some(asked) = arguments.asked() else { return Exit::Bug as u8 };
        let loaded = Loaded::from_text(Path::new(&path), text);
        let reason = loaded.as_ref().err().and_then(|complaints| complaints.first());
        let reason = reason.map(|complaint| format!("{complaint:#}"));
        if !ranks.hear(reason.as_deref()).is_empty() {
            continue;
        }
        let Ok(loaded) = loaded else { continue };
        let job = Job {
            settings: (&asked.usual.settings).into(),
            folder: asked.usual.out.clone(),
            proof: asked.usual.certificate.is_some(),
            checkpoint: (checkpoint.into(), identity, !asked.usual.force),
        };
        let mut course = Course::new(ranks.clone(), course::wanted(asked), None);
        let watch = Watch::start(&loaded.title, job.settings.time_limit);
        // What is wrong is the same everywhere, and rank 0 says it.
        let _ = together(ranks, &loaded, &job, &watch, &mut course);
    }
}

/// Tells the others that there is nothing more to do.
pub fn dismiss(ranks: &Ranks, exit: Exit) {
    ranks.tell(&json!({ "exit": exit as u8 }).to_string());
}

/// What each rank does; rank 0 has something to show, unless it is to solve the model alone.
fn together(
    ranks: &Arc<Ranks>,
    loaded: &Loaded,
    job: &Job,
    watch: &Watch,
    course: &mut Course,
) -> Outcome<Option<(Found, Exit)>> {
    match &loaded.problem {
        Problem::Stopping(model) => stopping(ranks, loaded, model, job, watch),
        Problem::LoadDrift(model) => {
            let communicator: Arc<dyn Communicator> = ranks.clone();
            let files = Files { folder: job.folder.as_deref(), force: !job.checkpoint.2 };
            let with = (watch, &communicator);
            let (settings, course) = (&job.settings, Some(course));
            let found = load_drift::shared::solve(loaded, model, settings, files, with, course)?;
            Ok(found.map(|found| (found, Exit::Done)))
        }
        Problem::ContinuousDrift(model) => {
            let others: Option<&dyn Communicator> = Some(&**ranks);
            let found = continuous_drift::solve::solve(model, &job.settings, watch, others);
            Ok(Some((found, Exit::Done)))
        }
        _ => Ok(None),
    }
}

fn stopping(
    ranks: &Arc<Ranks>,
    loaded: &Loaded,
    model: &Stopping,
    job: &Job,
    watch: &Watch,
) -> Outcome<Option<(Found, Exit)>> {
    let (path, identity, resumes) = job.checkpoint.clone();
    let checkpoint = Checkpoint::new(path, identity, resumes);
    checkpoint.check(ranks)?;
    ranks.set_checkpoint(Some(checkpoint));
    let communicator: Arc<dyn Communicator> = ranks.clone();
    let part = shared::solve(loaded, model, &job.settings, (watch, &communicator), job.proof);
    let checkpoint = ranks.set_checkpoint(None);
    let Some(mut part) = part? else { return Ok(None) };
    if let (Some(found), Some(checkpoint)) = (&part.found, checkpoint) {
        match (found.status.is_halted(), checkpoint.written()) {
            (true, Some(path)) => {
                say(&format!("saved; run again to resume: {}", path.display()));
            }
            (true, None) => {}
            (false, _) => checkpoint.remove(),
        }
    }
    let written = match &job.folder {
        Some(folder) if part.is_long => write(ranks, folder, &loaded.path, &part),
        _ => Ok(()),
    };
    let exit = match written {
        Ok(()) => Exit::Done,
        Err(Some(complaint)) => report(&[complaint]),
        Err(None) => Exit::Input,
    };
    Ok(part.found.take().map(|found| (found, exit)))
}

/// The files of long maps.
fn arrays(folder: &Path, model: &Path) -> [PathBuf; 3] {
    let document = Files::document(folder, model);
    ["decision.npy", "value.npy", "loads.npy"].map(|kind| document.with_extension(kind))
}

/// Writes decisions and values, by level of each process; where states are multisets, by state, and
/// what loads they have.
fn write(ranks: &Ranks, folder: &Path, model: &Path, part: &Part) -> Result<(), Option<Complaint>> {
    let made = if ranks.rank() == 0 { make_folder(folder) } else { Ok(()) };
    if !ranks.all(made.is_ok()) {
        return Err(made.err());
    }
    let states = &part.states;
    let own = part.shares.own(ranks.rank());
    let shape: Vec<u64> = match states.is_lumped() {
        true => vec![states.count() as u64],
        false => states.shape().iter().map(|levels| *levels as u64).collect(),
    };
    let [decision, value, loads] = arrays(folder, model);
    let layout = Layout::new(states, &own);
    let put = |path: &Path, kind: &str, shape: &[u64], size: usize, bytes: &[u8]| {
        let head = files::npy_head(kind, shape);
        files::write(ranks, path, &head, layout.parts(size, bytes)).map_err(|reason| {
            reason.map(|reason| {
                let message = format!("cannot write {}: {reason}", path.display());
                Complaint::elsewhere(message, "choose a folder that all ranks can write to")
            })
        })
    };
    put(&decision, "|S1", &shape, 1, &part.decision)?;
    put(&value, "<f8", &shape, 8, crate::ffi::bytes(&part.value))?;
    if states.is_lumped() {
        let all = own.clone().flat_map(|state| states.loads(state));
        let bytes: Vec<u8> = all.flat_map(i64::to_le_bytes).collect();
        let processes = states.processes();
        let shape = [states.count() as u64, processes as u64];
        put(&loads, "<i8", &shape, 8 * processes, &bytes)?;
    }
    Ok(())
}

/// Where the own states lie in a file with one axis for each process: the levels of the process
/// that ranks divide come first in the order of the states, and those of the processes before it in
/// the file.
struct Layout {
    /// The first of the own states, or of the own levels of that process.
    first: usize,
    /// How many there are.
    own: usize,
    /// Levels of the process, of all processes before it and of all after it.
    levels: usize,
    before: usize,
    after: usize,
}

impl Layout {
    fn new(states: &States, own: &Range<usize>) -> Layout {
        let (shape, process) = (states.shape(), states.leading());
        if states.is_lumped() || process == 0 {
            let all = states.count();
            return Layout { first: own.start, own: own.len(), levels: all, before: 1, after: 1 };
        }
        let before: usize = shape[..process].iter().product();
        let after: usize = shape[process + 1..].iter().product();
        let width = before * after;
        let (first, own) = (own.start / width, own.len() / width);
        Layout { first, own, levels: shape[process], before, after }
    }

    /// The parts of the file that the bytes of the own states are, so many of each state.
    fn parts<'b>(
        &self,
        size: usize,
        bytes: &'b [u8],
    ) -> impl Iterator<Item = (u64, Cow<'b, [u8]>)> {
        let &Layout { first, own, levels, before, after } = self;
        let row = after * size;
        (0..before).map(move |outer| {
            let place = ((outer * levels + first) * row) as u64;
            if before == 1 {
                return (place, Cow::from(bytes));
            }
            let rows = (0..own).map(|level| (level * before + outer) * row);
            let rows: Vec<&[u8]> = rows.map(|start| &bytes[start..start + row]).collect();
            (place, rows.concat().into())
        })
    }
}
