//! `remap report`.

use super::{Exit, report};
use crate::cli::Report;
use crate::complaint::Complaint;
use crate::output::{check_free, print, write_file};
use crate::problems::Settings;
use std::path::PathBuf;

pub(super) fn run(arguments: &Report) -> Exit {
    let free = arguments.out.as_ref().map_or(Ok(()), |path| check_free(path, arguments.force));
    if let Err(complaint) = free {
        return report(&[complaint]);
    }
    let is_log = |path: &&PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        ["csv", "tsv", "jsonl", "gz", "log", "lammps"].contains(&ending)
    };
    if let Some(log) = arguments.inputs.iter().find(is_log) {
        let log = log.display();
        let message = format!("{log} is a log, and a report is of models and solutions");
        let help = format!("remap advise {log} -o DIR writes a report of it");
        return report(&[Complaint::elsewhere(message, help)]);
    }
    let page = match crate::report::write(&arguments.inputs, &Settings::default()) {
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
