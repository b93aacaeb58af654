//! `remap report`.

use super::{Exit, report};
use crate::cli::Report;
use crate::complaint::Complaint;
use crate::logs::is_log;
use crate::output::{check_free, print, write_file};
use crate::problems::Settings;
use remapping::Halt;

pub(super) fn run(arguments: &Report) -> Exit {
    let free = arguments.out.as_ref().map_or(Ok(()), |path| check_free(path, arguments.force));
    if let Err(complaint) = free {
        return report(&[complaint]);
    }
    let page = match page(arguments) {
        Ok(Ok(page)) => page,
        Ok(Err(halt)) => return remapping::Status::from(halt).into(),
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

/// The page of a log, or of models and solutions.
fn page(arguments: &Report) -> Result<Result<String, Halt>, Vec<Complaint>> {
    let Report { inputs, reading, .. } = arguments;
    let one = |complaint: Complaint| vec![complaint];
    let forced = reading.form().is_some();
    let log = inputs.iter().find(|path| forced || is_log(path).unwrap_or(false));
    match log {
        None if reading.remap_cost.is_some() || reading.log_unit.is_some() || reading.suspected => {
            let message = "--remap-cost, --log-unit and --suspected are of logs, and there is none";
            Err(one(Complaint::elsewhere(message, "models and solutions have costs of their own")))
        }
        None => crate::report::write(inputs, &Settings::default()).map(Ok),
        Some(log) if inputs.len() > 1 => {
            let message = format!("{} is a log, and a page is of one log alone", log.display());
            Err(one(Complaint::elsewhere(
                message,
                "write a page for each log, and one for the rest",
            )))
        }
        Some(log) => super::advise::page(log, reading).map_err(one),
    }
}
