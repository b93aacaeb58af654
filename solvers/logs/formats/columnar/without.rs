//! A `remap` that was built without Parquet.

use super::super::Raw;
use crate::complaint::Complaint;
use std::io::BufRead;
use std::path::Path;

pub(in crate::logs) fn read_path(
    _: &Path,
    input: &mut dyn BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    read(input, name, raw)
}

pub(in crate::logs) fn read(
    _: &mut dyn BufRead,
    name: &str,
    _: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let message = format!("{name} is Parquet, and this remap was built without it");
    let help =
        "build it with `cargo install --path solvers --features parquet`, or save the log as CSV";
    Err(Complaint::elsewhere(message, help))
}
