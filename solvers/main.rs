//! The `remap` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(remap::commands::run(std::env::args_os()))
}
