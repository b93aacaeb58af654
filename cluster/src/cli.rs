//! The arguments, which are those of `remap`.

use crate::ranks::Ranks;
use crate::{fitting, solving};
use clap::{Parser, Subcommand};
use remap::cli;
use remap::commands::{self, Exit};
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
    Solve(cli::Solve),
    /// Validate models and print what can be said without solving.
    Check(cli::Check),
    /// Estimate a model from a log, as `remap fit` does. Each rank reads a part of a long one: plain tables that name
    /// their columns, the step among them, with no time missing. Other logs are read by one.
    Fit(cli::Fit),
}

impl Arguments {
    /// What is asked of `solve`.
    pub fn asked(&self) -> Option<&cli::Solve> {
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
            Command::Solve(arguments) => arguments.settings.threads.unwrap_or(1).into(),
            Command::Check(_) | Command::Fit(_) => 1,
        }
    }
}

/// Reads the arguments, which are the same on all ranks; the first says what is wrong with them.
pub fn parse(is_first: bool) -> Result<Arguments, u8> {
    Arguments::try_parse().map_err(|error| {
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
            let exit = commands::solve::run(arguments, &|loaded, settings, files, proof| {
                let solved = solving::lead(ranks, loaded, settings, files, proof)?;
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
