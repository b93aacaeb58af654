//! `remap report`.

use super::{Exit, report};
use crate::cli::{Cli, Command, Report};
use crate::output::{check_free, print, write_file};
use clap::Parser;

pub(super) fn run(arguments: &Report) -> Exit {
    let free = arguments.out.as_ref().map_or(Ok(()), |path| check_free(path, arguments.force));
    if let Err(complaint) = free {
        return report(&[complaint]);
    }
    // The settings `solve` has when none is given.
    let Ok(Cli { command: Command::Solve(solve) }) =
        Cli::try_parse_from(["remap", "solve", "model"])
    else {
        return Exit::Bug;
    };
    let page = match crate::report::write(&arguments.inputs, &solve.settings) {
        Ok(page) => page,
        Err(complaints) => return report(&complaints),
    };
    match &arguments.out {
        None => print(&page),
        Some(path) => match write_file(path, page.as_bytes(), arguments.force) {
            Ok(()) => {
                let size = page.len().div_ceil(1024);
                print(&format!("{}: {size} KiB, open it in a browser\n", path.display()));
            }
            Err(complaint) => return report(&[complaint]),
        },
    }
    Exit::Done
}
