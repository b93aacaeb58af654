//! One file per verb; those of logs and of many values have a folder each.

mod calibrate;
pub mod check;
mod compare;
mod export;
mod generate;
mod idle;
mod logs;
mod monitor;
mod proof;
mod report;
mod simulate;
pub mod solve;
mod study;
mod sweep;
mod verify;

pub use logs::fit;

use crate::cli::{Cli, Command};
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::output::{check_free, print, say};
use crate::plot::Format;
use crate::problems::{self, Files};
use remapping::Status;
use serde::Serialize;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How the program ends; the worst of several models counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A limit was hit first; the partial result was printed.
    Limit = 3,
    /// The input is wrong.
    Input = 1,
    /// The arguments are wrong.
    Usage = 2,
    /// A bug.
    Bug = 4,
    /// Interrupted; the partial result was printed.
    Interrupted = 130,
}

impl Exit {
    /// The worse of two ends: wrong input counts more than a limit.
    pub fn worst(self, other: Exit) -> Exit {
        use Exit::{Bug, Done, Input, Interrupted, Limit, Usage};
        let order = [Done, Limit, Input, Usage, Bug, Interrupted];
        order.into_iter().rfind(|exit| [self, other].contains(exit)).unwrap_or(self)
    }
}

impl From<Status> for Exit {
    fn from(status: Status) -> Exit {
        match status {
            Status::Converged => Exit::Done,
            Status::IterationLimit | Status::TimeLimit | Status::MemoryLimit => Exit::Limit,
            Status::Interrupted => Exit::Interrupted,
        }
    }
}

/// A file, a line and a column, from 1.
pub type Place = (String, usize, usize);

static FIRST_PLACE: OnceLock<Place> = OnceLock::new();

/// Place of the first error that this process has printed, if the error concerns a text. For
/// programs that run the command.
pub fn first_place() -> Option<&'static Place> {
    FIRST_PLACE.get()
}

/// Runs the command that the arguments ask for, the name of the program first, and returns the exit
/// code of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = Cli::read(arguments);
    // The message of a panic has gone to standard error; a bug has its own exit code.
    std::panic::catch_unwind(|| execute(cli)).unwrap_or(Exit::Bug) as u8
}

/// Runs one command.
fn execute(cli: Cli) -> Exit {
    crate::run::catch_interrupts();
    #[cfg(unix)]
    crate::run::catch_the_end_of_memory();
    let threads = match &cli.command {
        // Threads take memory, which may be what a long log needs: they start when it is read.
        Command::Fit(_) | Command::Replay(_) | Command::Advise(_) | Command::Report(_) => None,
        Command::Solve(arguments) => Some(arguments.settings.threads),
        Command::Sweep(arguments) => Some(arguments.settings.threads),
        Command::Compare(arguments) => Some(arguments.threads),
        _ => Some(None),
    };
    if let Some(number) = threads {
        crate::run::start_threads(number.map(usize::from));
    }
    let exit = ended(match cli.command {
        Command::Solve(arguments) => Ok(solve::run(&arguments, &|loaded, settings, files, _| {
            problems::solve(loaded, settings, files)
        })),
        Command::Check(arguments) => Ok(check::run(&arguments)),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Join(arguments) => sweep::join::run(&arguments).map_err(Vec::from),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Regret(arguments) => sweep::regret::run(&arguments),
        Command::Study(arguments) => study::run(&arguments),
        Command::Monitor(arguments) => monitor::run(&arguments),
        Command::Calibrate(arguments) => calibrate::run(&arguments).map_err(Vec::from),
        Command::Verify(arguments) => match &arguments.certificate {
            Some(certificate) => proof::run(&arguments, certificate),
            None if arguments.model.extension().is_some_and(|kind| kind == "json") => {
                proof::run_solution(&arguments)
            }
            None => verify::run(&arguments),
        },
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments).map_err(Vec::from),
        Command::Replay(arguments) => logs::ended(logs::replay::run(&arguments)),
        Command::Advise(arguments) => logs::ended(logs::advise::run(&arguments)),
        Command::Report(arguments) => {
            let exit = ended(report::run(&arguments));
            Ok(if crate::run::is_interrupted() { exit.worst(Exit::Interrupted) } else { exit })
        }
        Command::Export(arguments) => export::run(&arguments).map_err(Vec::from),
        Command::Completions { shell } => Ok(generate::completions(shell)),
        Command::Man => Ok(generate::man()),
    });
    if crate::output::has_failed() { exit.worst(Exit::Input) } else { exit }
}

/// Prints the document of one model, or a list of those that were right.
fn print_documents<T: Serialize>(models: usize, documents: &[T]) {
    match (models, documents) {
        (1, []) => {}
        (1, [only]) => print(&to_json(only)),
        _ => print(&to_json(&documents)),
    }
}

/// Prints warnings about a file.
fn warn<'a>(path: &Path, warnings: impl IntoIterator<Item = &'a String>) {
    let warnings = warnings.into_iter();
    warnings.for_each(|warning| say(&format!("warning: {}: {warning}", path.display())));
}

/// Checks in advance whether a picture can be written.
fn check_plot(path: &Path, force: bool) -> Result<(), Complaint> {
    Format::of(path).map_err(Complaint::usage)?;
    check_free(path, force)
}

/// Refuses a picture of several models.
fn check_one_drawn(models: usize, help: &str) -> Result<(), Complaint> {
    match models {
        ..=1 => Ok(()),
        _ => Err(Complaint::elsewhere("--plot draws one model, several are given", help)),
    }
}

/// Refuses two documents of the same name: `what` would be written there.
fn check_names(
    folder: &Path,
    models: &[PathBuf],
    (what, help): (&str, &str),
) -> Result<(), Complaint> {
    let mut names = HashSet::new();
    let mut documents = models.iter().map(|model| Files::document(folder, model));
    let Some(twice) = documents.find(|name| !names.insert(name.clone())) else { return Ok(()) };
    let message = format!("two {what} would both be written to {}", twice.display());
    Err(Complaint::elsewhere(message, help))
}

/// How a command ended; diagnostics are printed.
fn ended(outcome: Result<Exit, Vec<Complaint>>) -> Exit {
    outcome.unwrap_or_else(|complaints| report(&complaints))
}

/// Prints diagnostics with their place in the text. The exit code is that of wrong input, unless
/// something else stopped the computation.
pub fn report(complaints: &[Complaint]) -> Exit {
    for complaint in complaints {
        say(&told(complaint));
        if let Some((file, line, column)) = complaint.place() {
            let _ = FIRST_PLACE.set((file.to_owned(), line, column));
        }
    }
    let exit = |complaint: &Complaint| match complaint.limit {
        _ if complaint.is_bug => Exit::Bug,
        _ if complaint.is_usage => Exit::Usage,
        Some(status) => status.into(),
        None => Exit::Input,
    };
    complaints.iter().map(exit).reduce(Exit::worst).unwrap_or(Exit::Input)
}

/// A diagnostic as text for people.
pub fn told(complaint: &Complaint) -> String {
    let handler = miette::GraphicalReportHandler::new_themed(theme()).with_width(100);
    let mut text = String::new();
    match handler.render_report(&mut text, complaint) {
        Ok(()) => text.trim_end().to_owned(),
        Err(_) => complaint.to_string(),
    }
}

fn theme() -> miette::GraphicalTheme {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        miette::GraphicalTheme::unicode()
    } else {
        miette::GraphicalTheme::unicode_nocolor()
    }
}
