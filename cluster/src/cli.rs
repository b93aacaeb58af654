//! The arguments, which are those of `remap`.

use crate::ranks::Ranks;
use crate::{course, fitting, solving};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use remap::cli;
use remap::commands::{self, Exit};
use std::path::PathBuf;
use std::sync::Arc;

/// `remap solve` on the ranks of a cluster: `mpirun -n 4 remap-mpi solve MODEL.ron`.
#[derive(Debug, Parser)]
#[command(name = "remap-mpi", version)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Solve models, as `remap solve` does. Decision maps of more than 10^6 load vectors go to
    /// DIR/MODEL.decision.npy and DIR/MODEL.value.npy.
    Solve(Solve),
    /// Validate models and print what can be said without solving.
    Check(cli::Check),
    /// Estimate a model from a log, as `remap fit` does. Each rank reads a part of a long one:
    /// plain tables that name their columns, the step among them, with no time missing. Other logs
    /// are read by one.
    Fit(cli::Fit),
}

/// Options of `solve`.
#[derive(Debug, Args)]
#[group(skip)]
pub struct Solve {
    #[command(flatten)]
    pub usual: cli::Solve,
    /// LoadDrift over all states or regions: write the seconds of a processor that each rank works
    /// in each step of the recursion, and what moving blocks of states takes, as a log for `remap
    /// fit`, `advise` and `replay`.
    #[arg(long, value_name = "LOG.csv")]
    pub trace: Option<PathBuf>,
    /// LoadDrift over all states: move blocks of states between ranks, so that all have as much to
    /// do, when this rule says so: one by name, as for `remap replay --policies`, or what `remap
    /// advise -o` or `solve --json` has written. The answer does not depend on it.
    #[arg(long, value_name = "RULE|FILE.json")]
    pub remap: Option<String>,
}

impl Arguments {
    /// What is asked of `solve`.
    pub fn asked(&self) -> Option<&Solve> {
        match &self.command {
            Command::Solve(arguments) => Some(arguments),
            Command::Check(_) | Command::Fit(_) => None,
        }
    }

    /// The log that is to be fitted.
    pub fn log(&self) -> Option<&cli::Log> {
        match &self.command {
            Command::Fit(arguments) => Some(&arguments.log),
            Command::Solve(_) | Command::Check(_) => None,
        }
    }

    /// Worker threads of each rank.
    pub fn threads(&self) -> usize {
        match &self.command {
            Command::Solve(arguments) => arguments.usual.settings.threads.unwrap_or(1).into(),
            Command::Check(_) | Command::Fit(_) => 1,
        }
    }
}

/// Reads the arguments, which are the same on all ranks; the first says what is wrong with them.
pub fn parse(is_first: bool) -> Result<Arguments, u8> {
    let threads = "Worker threads of each rank; results do not depend on it [default: 1]";
    let command = Arguments::command().mut_subcommand("solve", |solve| {
        solve.mut_arg("threads", |argument| argument.help(threads))
    });
    let matches = command.try_get_matches();
    matches.and_then(|matches| Arguments::from_arg_matches(&matches)).map_err(|error| {
        if is_first {
            // Nobody may listen.
            let _ = error.print();
        }
        error.exit_code() as u8
    })
}

/// The command line, on rank 0.
pub fn run(arguments: &Arguments, ranks: &Arc<Ranks>) -> Exit {
    match &arguments.command {
        Command::Solve(arguments) => {
            let lost = std::cell::Cell::new(Exit::Done);
            if let Err(complaint) = course::check(arguments) {
                commands::report(&[complaint]);
                return Exit::Usage;
            }
            let usual = &arguments.usual;
            let exit = commands::solve::run(usual, &|loaded, settings, files, proof| {
                let solved = solving::lead(ranks, loaded, settings, files, (proof, arguments))?;
                lost.set(lost.get().worst(solved.1));
                Ok(solved.0)
            });
            exit.worst(lost.get())
        }
        Command::Check(arguments) => commands::check::run(arguments),
        Command::Fit(arguments) => {
            let read = || fitting::lead(ranks, &arguments.log);
            let fitted = commands::fit::run_on(arguments, &read);
            fitted.unwrap_or_else(|complaint| commands::report(&[complaint]))
        }
    }
}
