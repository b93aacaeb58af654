//! Solutions for other programs: source code that decides, tables, and knobs of known codes.
//!
//! A solution states one of a few rules ([`crate::solution::rule::Rule`]); each target has a file that
//! writes rules in its own syntax.

pub mod advised;
mod c;
mod charm;
mod csv;
mod eplb;
mod fortran;
mod json;
mod knobs;
mod lammps;
mod npz;
mod python;
mod rust;
mod smilei;
mod swift;
mod warpx;

use crate::complaint::Complaint;
use crate::solution::map::{Index, Map};
use crate::solution::rule::StatedRule;

/// What a solution can be exported to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A C99 header.
    C,
    /// A Fortran 2003 module.
    Fortran,
    /// A Python module.
    Python,
    /// A Rust module.
    Rust,
    /// A table, comma-separated.
    Csv,
    /// The rule as JSON.
    Json,
    /// NumPy arrays.
    Npz,
    /// LAMMPS: a `fix balance` line.
    Lammps,
    /// WarpX: `algo.load_balance_*`.
    Warpx,
    /// Smilei: a `LoadBalancing` block.
    Smilei,
    /// Charm++: `+LBPeriod`.
    Charm,
    /// SWIFT: the `DomainDecomposition` parameters.
    Swift,
    /// vLLM: the configuration of its expert parallel load balancer.
    Eplb,
}

impl Target {
    /// All of them, each with its name and what it is.
    pub const ALL: [(Target, &'static str, &'static str); 13] = [
        (Target::C, "c", "A C99 header"),
        (Target::Fortran, "fortran", "A Fortran 2003 module"),
        (Target::Python, "python", "A Python module"),
        (Target::Rust, "rust", "A Rust module"),
        (Target::Csv, "csv", "A table, comma-separated"),
        (Target::Json, "json", "The rule as JSON"),
        (Target::Npz, "npz", "NumPy arrays"),
        (Target::Lammps, "lammps", "LAMMPS: a `fix balance` line"),
        (Target::Warpx, "warpx", "WarpX: `algo.load_balance_*`"),
        (Target::Smilei, "smilei", "Smilei: a `LoadBalancing` block"),
        (Target::Charm, "charm", "Charm++: `+LBPeriod`"),
        (Target::Swift, "swift", "SWIFT: the `DomainDecomposition` parameters"),
        (Target::Eplb, "eplb", "vLLM: the configuration of its expert parallel load balancer"),
    ];
}

impl std::str::FromStr for Target {
    type Err = String;
    fn from_str(name: &str) -> Result<Target, String> {
        let found = Target::ALL.into_iter().find(|(_, known, _)| *known == name);
        found.map(|(target, ..)| target).ok_or_else(|| format!("{name:?} is not a target"))
    }
}

/// A solution in another form.
pub struct Exported {
    /// What is written.
    pub bytes: Vec<u8>,
    /// Assumptions that the form has no place for.
    pub notes: Vec<String>,
}

/// Writes `export` for `target`.
pub fn write(export: &StatedRule, target: Target) -> Result<Exported, Complaint> {
    let text = |text: String| Exported { bytes: text.into_bytes(), notes: Vec::new() };
    Ok(match target {
        Target::C => text(c::write(export)),
        Target::Fortran => text(fortran::write(export)),
        Target::Python => text(python::write(export)),
        Target::Rust => text(rust::write(export)),
        Target::Csv => text(csv::write(export)),
        Target::Json => text(json::write(export)),
        Target::Npz => Exported { bytes: npz::write(export)?, notes: Vec::new() },
        Target::Lammps => text(lammps::write(&knobs::of(export)?)),
        Target::Warpx => text(warpx::write(&knobs::of(export)?)),
        Target::Smilei => text(smilei::write(&knobs::of(export)?)?),
        Target::Charm => text(charm::write(&knobs::of(export)?)?),
        Target::Swift => text(swift::write(&knobs::of(export)?)?),
        Target::Eplb => {
            let knobs = knobs::of(export)?;
            Exported { bytes: eplb::write(&knobs)?.into_bytes(), notes: knobs.notes }
        }
    })
}

/// What every file says of itself at its top, a line each.
fn heading(export: &StatedRule) -> Vec<String> {
    let what = if export.optimal { "Optimal remapping" } else { "A rule for when to remap" };
    let mut lines = title_and_version(&export.title, what);
    lines.extend(export.notes.iter().cloned());
    lines
}

fn title_and_version(title: &str, what: &str) -> Vec<String> {
    let title: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    vec![title, format!("{what}, written by remap {}.", env!("CARGO_PKG_VERSION"))]
}

/// A number as a literal: the shortest that reads back as the same double.
fn literal(value: f64) -> String {
    format!("{value:?}")
}

/// The letters of a map in rows of equal length; the last is filled up with `C`.
fn rows(letters: &[u8], width: usize) -> Vec<String> {
    let row = |row: &[u8]| {
        let mut text: String = row.iter().map(|letter| char::from(*letter)).collect();
        text.extend(std::iter::repeat_n('C', width - row.len()));
        text
    };
    letters.chunks(width).map(row).collect()
}

/// How many letters go into a row: those of one level of the first process, if they fit.
fn row_width(map: &Map) -> usize {
    match (&map.index, map.levels.last()) {
        (Index::RowMajor, Some(levels)) if *levels <= 100 => *levels,
        _ => 64,
    }
}
