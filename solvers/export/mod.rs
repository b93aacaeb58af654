//! Solutions for other programs: source code that decides, tables, and knobs of known codes.
//!
//! A solution states one of a few rules ([`crate::document::rule::Rule`]); each target has a file
//! that writes rules in its own syntax. Settings of production codes are under [`codes`].

pub mod advised;
pub mod codes;
mod controller;
mod csv;
mod json;
mod knobs;
mod languages;
mod npz;

use crate::complaint::Complaint;
use crate::document::rule::{Rule, StatedRule};
use crate::problems::shared::map::{Index, Map};
use codes::Sheet;
pub use languages::{C, FORTRAN, Language, PYTHON, RUST};
use remapping::policy::codes::Code;

/// What a solution can be exported to.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// Source code in a language.
    Source(&'static Language),
    /// A table, comma-separated.
    Csv,
    /// The rule as JSON.
    Json,
    /// NumPy arrays.
    Npz,
    /// The rule as a controller of the C library and the Python package.
    Controller,
    /// The setting of a code.
    Setting(Code),
}

impl Target {
    /// Those that are no code's, each with its name and what it is.
    const FORMS: [(Target, &'static str, &'static str); 8] = [
        (Target::Source(&C), "c", "A C99 header"),
        (Target::Source(&FORTRAN), "fortran", "A Fortran 2003 module"),
        (Target::Source(&PYTHON), "python", "A Python module"),
        (Target::Source(&RUST), "rust", "A Rust module"),
        (Target::Csv, "csv", "A table, comma-separated"),
        (Target::Json, "json", "The rule as JSON"),
        (Target::Npz, "npz", "NumPy arrays"),
        (Target::Controller, "controller", "A controller for the C library and Python"),
    ];

    /// All of them, each with its name and what it is.
    pub fn all() -> impl Iterator<Item = (Target, &'static str, String)> {
        let forms =
            Target::FORMS.into_iter().map(|(target, name, what)| (target, name, what.to_owned()));
        let codes = Code::ALL.into_iter().map(|(code, name)| {
            let sheet = Sheet::of(code);
            (Target::Setting(code), name, format!("{}: {}", sheet.name, sheet.what))
        });
        forms.chain(codes)
    }
}

/// Writes `export` for `target`.
pub fn write(export: &StatedRule, target: Target) -> Result<Vec<u8>, Complaint> {
    let text = match target {
        Target::Source(language) => languages::write(export, language),
        Target::Csv => csv::write(export),
        Target::Json => json::write(export),
        Target::Npz => return npz::write(export),
        Target::Controller => controller::write(export)?,
        Target::Setting(code) => codes::write(export, code)?,
    };
    Ok(text.into_bytes())
}

/// What a file that holds the rule says of itself at its top, a line each.
fn heading(export: &StatedRule) -> Vec<String> {
    let mut lines = title_and_version(&export.title, export.optimal);
    lines.extend(export.about.iter().chain(&export.notes).cloned());
    lines
}

/// The same of settings, which may differ from the rule.
fn heading_of_settings(export: &StatedRule) -> Vec<String> {
    let is_the_rule = matches!(export.rule, Rule::Interval(_));
    let mut lines = title_and_version(&export.title, export.optimal && is_the_rule);
    lines.extend(export.notes.iter().cloned());
    lines
}

fn title_and_version(title: &str, optimal: bool) -> Vec<String> {
    let what = if optimal { "Optimal remapping" } else { "A rule for when to remap" };
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
