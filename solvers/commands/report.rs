//! `remap report`.

use super::Exit;
use crate::cli::Report;
use crate::complaint::Complaint;
use crate::logs::is_log;
use crate::output::{check_free, print, write_file};
use crate::problems::Settings;
use crate::replaying::Stopped;
use remapping::Halt;

pub(super) fn run(arguments: &Report) -> Result<Exit, Vec<Complaint>> {
    if let Some(path) = &arguments.out {
        check_free(path, arguments.force)?;
    }
    let page = match page(arguments)? {
        Ok(page) => page,
        Err(halt) => return Ok(remapping::Status::from(halt).into()),
    };
    match &arguments.out {
        None => print(&page),
        Some(path) => {
            write_file(path, page.as_bytes(), arguments.force)?;
            let size = page.len().div_ceil(1024);
            print(&format!("{}: {size} KiB, open it in a browser\n", path.display()));
        }
    }
    Ok(Exit::Done)
}

/// The page of a log, or of models and solutions.
fn page(arguments: &Report) -> Result<Result<String, Halt>, Vec<Complaint>> {
    let Report { inputs, reading, .. } = arguments;
    let forced = reading.form().is_some();
    let log = inputs.iter().find(|path| forced || is_log(path).unwrap_or(false));
    match log {
        None if reading.remap_cost.is_some() || reading.log_unit.is_some() || reading.suspected => {
            let message = "--remap-cost, --log-unit and --suspected are of logs, and there is none";
            Err(Complaint::elsewhere(message, "models and solutions have costs of their own")
                .into())
        }
        None => crate::report::write(inputs, &Settings::default()).map(Ok),
        Some(log) if inputs.len() > 1 => {
            let message = format!("{} is a log, and a page is of one log alone", log.display());
            let help = "write a page for each log, and one for the rest";
            Err(Complaint::elsewhere(message, help).into())
        }
        Some(log) => match super::logs::advise::page(log, reading) {
            Ok(page) => Ok(Ok(page)),
            Err(Stopped::Halt(halt)) => Ok(Err(halt)),
            Err(Stopped::Fault(fault)) => Err(fault.into()),
        },
    }
}
