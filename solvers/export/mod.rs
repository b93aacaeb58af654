//! Solutions for other programs: source code that decides, tables, and knobs of known codes.
//!
//! A solution states one of a few rules ([`crate::document::rule::Rule`]); each target has a file that
//! writes rules in its own syntax.

pub mod advised;
mod amrex;
mod c;
mod charm;
mod controller;
mod csv;
mod eplb;
mod fitted;
mod fortran;
mod fourc;
mod json;
mod knobs;
mod lammps;
mod npz;
mod openfoam;
mod python;
mod rust;
mod sglang;
mod smilei;
mod swift;
mod switching;
mod vt;
mod warpx;

use crate::complaint::Complaint;
use crate::document::rule::{Rule, StatedRule};
use crate::problems::shared::map::{Index, Map};
use knobs::Knobs;

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
    /// The rule as a controller of the C library and the Python package.
    Controller,
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
    /// vLLM: its expert parallel load balancer.
    Eplb,
    /// SGLang: its expert parallel load balancer.
    Sglang,
    /// DARMA/vt: `--vt_lb_interval`.
    Vt,
    /// OpenFOAM: a `distributor` of `dynamicMeshDict`.
    Openfoam,
    /// 4C: redistribution of contact interfaces.
    Fourc,
    /// AMReX: load balancing of a single level.
    Amrex,
}

impl Target {
    /// All of them, each with its name and what it is.
    pub const ALL: [(Target, &'static str, &'static str); 19] = [
        (Target::C, "c", "A C99 header"),
        (Target::Fortran, "fortran", "A Fortran 2003 module"),
        (Target::Python, "python", "A Python module"),
        (Target::Rust, "rust", "A Rust module"),
        (Target::Csv, "csv", "A table, comma-separated"),
        (Target::Json, "json", "The rule as JSON"),
        (Target::Npz, "npz", "NumPy arrays"),
        (Target::Controller, "controller", "A controller for the C library and Python"),
        (Target::Lammps, "lammps", "LAMMPS: a `fix balance` line"),
        (Target::Warpx, "warpx", "WarpX: `algo.load_balance_*`"),
        (Target::Smilei, "smilei", "Smilei: a `LoadBalancing` block"),
        (Target::Charm, "charm", "Charm++: `+LBPeriod`"),
        (Target::Swift, "swift", "SWIFT: the `DomainDecomposition` parameters"),
        (Target::Eplb, "eplb", "vLLM: its expert parallel load balancer"),
        (Target::Sglang, "sglang", "SGLang: its expert parallel load balancer"),
        (Target::Vt, "vt", "DARMA/vt: `--vt_lb_interval`"),
        (Target::Openfoam, "openfoam", "OpenFOAM: a `distributor` of `dynamicMeshDict`"),
        (Target::Fourc, "fourc", "4C: redistribution of contact interfaces"),
        (Target::Amrex, "amrex", "AMReX: load balancing of a single level"),
    ];
}

impl std::str::FromStr for Target {
    type Err = String;
    fn from_str(name: &str) -> Result<Target, String> {
        let found = Target::ALL.into_iter().find(|(_, known, _)| *known == name);
        found.map(|(target, ..)| target).ok_or_else(|| format!("{name:?} is not a target"))
    }
}

/// Writes `export` for `target`.
pub fn write(export: &StatedRule, target: Target) -> Result<Vec<u8>, Complaint> {
    let text = match target {
        Target::C => c::write(export),
        Target::Fortran => fortran::write(export),
        Target::Python => python::write(export),
        Target::Rust => rust::write(export),
        Target::Csv => csv::write(export),
        Target::Json => json::write(export),
        Target::Npz => return npz::write(export),
        Target::Controller => controller::write(export)?,
        Target::Lammps => lammps::write(Knobs::of(export)?)?,
        Target::Warpx => warpx::write(Knobs::of(export)?)?,
        Target::Smilei => smilei::write(Knobs::of(export)?)?,
        Target::Charm => charm::write(Knobs::of(export)?)?,
        Target::Swift => swift::write(Knobs::of(export)?)?,
        Target::Eplb => eplb::write(Knobs::of(export)?)?,
        Target::Sglang => sglang::write(Knobs::of(export)?)?,
        Target::Vt => vt::write(Knobs::of(export)?)?,
        Target::Openfoam => openfoam::write(Knobs::of(export)?)?,
        Target::Fourc => fourc::write(Knobs::of(export)?)?,
        Target::Amrex => amrex::write(Knobs::of(export)?)?,
    };
    Ok(text.into_bytes())
}

/// What a file that holds the rule says of itself at its top, a line each.
fn heading(export: &StatedRule) -> Vec<String> {
    let what = if export.optimal { "Optimal remapping" } else { "A rule for when to remap" };
    let mut lines = title_and_version(&export.title, what);
    lines.extend(export.about.iter().chain(&export.notes).cloned());
    lines
}

/// The same of settings, which may differ from the rule.
fn heading_of_settings(export: &StatedRule) -> Vec<String> {
    let is_the_rule = matches!(export.rule, Rule::Interval(_));
    let what = match export.optimal && is_the_rule {
        true => "Optimal remapping",
        false => "A rule for when to remap",
    };
    let mut lines = title_and_version(&export.title, what);
    lines.extend(export.notes.iter().cloned());
    lines
}

fn title_and_version(title: &str, what: &str) -> Vec<String> {
    // Compilers refuse marks that change the direction of what is shown.
    let turns = |c| matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = |c: char| if c.is_control() || turns(c) { ' ' } else { c };
    vec![
        title.chars().map(plain).collect(),
        format!("{what}, written by remap {}.", env!("CARGO_PKG_VERSION")),
    ]
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
