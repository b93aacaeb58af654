//! `remap export`.

use super::Exit;
use crate::cli::Export;
use crate::complaint::Complaint;
use crate::export::{self, Exported};
use crate::output::{check_free, print_bytes, say, write_file};
use crate::solution::rule::{self, Found};

pub(super) fn run(arguments: &Export) -> Result<Exit, Complaint> {
    if let Some(path) = &arguments.out {
        check_free(path, arguments.force)?;
    }
    let Exported { bytes, notes } = match rule::find(&arguments.solution, None)? {
        Found::Rule(stated) => export::write(&stated, arguments.to)?,
        Found::Advised(advised) => export::advised::write(&advised, arguments.to)?,
    };
    for note in notes {
        say(&format!("note: {note}"));
    }
    match &arguments.out {
        Some(path) => write_file(path, &bytes, arguments.force)?,
        None => print_bytes(&bytes),
    }
    Ok(Exit::Done)
}
