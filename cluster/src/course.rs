//! The log of a recursion's own work on ranks, and the rule by which its blocks move.

use crate::cli::Solve;
use crate::ranks::Ranks;
use remap::commands::{Exit, report};
use remap::complaint::Complaint;
use remap::output::{check_free, say, write_file};
use remap::problems::Settings;
use remap::problems::load_drift::course::{Course, Moving, Wanted};
use remap::problems::load_drift::shared;
use remap::problems::registry::{Loaded, Problem};
use remapping::Communicator;
use std::sync::Arc;

/// What is asked for.
pub fn wanted(arguments: &Solve) -> Wanted {
    Wanted { trace: arguments.trace.is_some(), remap: arguments.remap.is_some() }
}

/// What is asked for together must be possible, before any work is done.
pub fn check(arguments: &Solve) -> Result<(), Complaint> {
    let Some(trace) = &arguments.trace else { return Ok(()) };
    if arguments.usual.models.len() > 1 {
        let message = "--trace writes the log of one model, several are given";
        return Err(Complaint::elsewhere(message, "solve them one by one"));
    }
    check_free(trace, arguments.usual.force)
}

/// Whether ranks share what is asked to be traced, or moved.
pub fn fits(
    loaded: &Loaded,
    settings: &Settings,
    arguments: &Solve,
    ranks: usize,
) -> Result<(), Complaint> {
    let is_recursion = match &loaded.problem {
        Problem::LoadDrift(model) => shared::is_recursion(model, settings, ranks),
        _ => false,
    };
    if is_recursion || wanted(arguments) == Wanted::default() {
        return Ok(());
    }
    let message = format!(
        "{}: --trace and --remap are for drifting loads over all states, of three processors or more that move by a \
         level at most",
        loaded.path.display()
    );
    Err(Complaint::elsewhere(message, "leave them out"))
}

/// The course to be taken, on the first rank.
pub fn lead(ranks: &Arc<Ranks>, arguments: &Solve) -> Result<Course, Complaint> {
    let moving = arguments.remap.as_deref().map(|text| Moving::read(text, ranks.ranks()));
    Ok(Course::new(ranks.clone(), wanted(arguments), moving.transpose()?))
}

/// Writes the log, and says how often blocks were moved.
pub fn write(course: &Course, arguments: &Solve) -> Exit {
    if arguments.remap.is_some() {
        say(&format!("blocks of states were moved {} times", course.moves()));
    }
    let Some(trace) = &arguments.trace else { return Exit::Done };
    match write_file(trace, course.table().as_bytes(), arguments.usual.force) {
        Ok(()) => Exit::Done,
        Err(complaint) => report(&[complaint]),
    }
}
