//! `remap export`.

use super::{Exit, report};
use crate::cli::Export;
use crate::export::{self, Exported};
use crate::model::complaint::Complaint;
use crate::output::{check_free, print_bytes, say, write_file};

pub(super) fn run(arguments: &Export) -> Exit {
    match export(arguments) {
        Ok(()) => Exit::Done,
        Err(complaint) => report(&[complaint]),
    }
}

fn export(arguments: &Export) -> Result<(), Complaint> {
    if let Some(path) = &arguments.out {
        check_free(path, arguments.force)?;
    }
    let solution = export::read(&arguments.solution)?;
    let Exported { bytes, notes } = export::write(&solution, arguments.to)?;
    for note in notes {
        say(&format!("note: {note}"));
    }
    match &arguments.out {
        Some(path) => write_file(path, &bytes, arguments.force),
        None => {
            print_bytes(&bytes);
            Ok(())
        }
    }
}
