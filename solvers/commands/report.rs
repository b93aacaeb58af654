//! `remap report`.

use super::{Exit, report};
use crate::cli::Report;
use crate::output::{check_free, print, write_file};
use crate::problems::Settings;

pub(super) fn run(arguments: &Report) -> Exit {
    let free = arguments.out.as_ref().map_or(Ok(()), |path| check_free(path, arguments.force));
    if let Err(complaint) = free {
        return report(&[complaint]);
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
