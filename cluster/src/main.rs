//! `remap-mpi`: `remap solve` on the ranks of a cluster.
//!
//! Rank 0 is the command line, as `remap` has it. Whenever it is to solve a model it tells the
//! others, which then have their share in it, and listen again.

mod checkpoint;
mod cli;
mod course;
mod ffi;
mod files;
mod fitting;
mod ranks;
mod solving;

use ranks::Ranks;
use remap::commands::Exit;
use remapping::Communicator;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let ranks = Arc::new(Ranks::start());
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let arguments = cli::parse(ranks.rank() == 0)?;
        remap::run::listen_to_interrupts();
        if ranks.ranks() > 1 && arguments.asked().is_some() {
            remap::model::transition::share_rows(ranks.rank(), ranks.ranks());
        }
        remap::run::start_threads(Some(arguments.threads()));
        Ok(if ranks.rank() == 0 {
            let exit = cli::run(&arguments, &ranks);
            solving::dismiss(&ranks, exit);
            exit as u8
        } else {
            solving::serve(&ranks, &arguments)
        })
    }));
    match ended {
        Ok(Ok(code) | Err(code)) => {
            ffi::stop();
            ExitCode::from(code)
        }
        // The panic message has gone to standard error; the others cannot go on without this rank.
        Err(_) => {
            ffi::abort(Exit::Bug as u8);
            ExitCode::from(Exit::Bug as u8)
        }
    }
}
