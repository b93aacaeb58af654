//! `remap export`.

use super::Exit;
use crate::cli::Export;
use crate::complaint::Complaint;
use crate::document::rule::Found;
use crate::export;
use crate::output::{check_free, print_bytes, write_file};

pub(super) fn run(arguments: &Export) -> Result<Exit, Complaint> {
    if let Some(path) = &arguments.out {
        check_free(path, arguments.force)?;
    }
    let bytes = match crate::problems::registry::stated::find(&arguments.solution, None)? {
        Found::Rule(stated) => export::write(&stated, arguments.to)?,
        Found::Advised(advised) => export::advised::write(&advised, arguments.to)?,
    };
    match &arguments.out {
        Some(path) => write_file(path, &bytes, arguments.force)?,
        None => print_bytes(&bytes),
    }
    Ok(Exit::Done)
}
