//! The `remap` command.

use remap::{cli::Cli, commands};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::read();
    match std::panic::catch_unwind(|| commands::execute(cli)) {
        Ok(code) => ExitCode::from(code as u8),
        // The panic message has gone to standard error; a bug has its own exit code.
        Err(_) => ExitCode::from(commands::Exit::Bug as u8),
    }
}
