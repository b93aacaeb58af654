//! Settings of production codes: one file per code, in one form.
//!
//! A [`Sheet`] says what a code compares, of what, when, and where in its source that was read. The
//! same sentences stand in the written setting and in `docs/integrate.md`. The rule itself is
//! [`Code::trigger`], by which settings are priced and which `replay` simulates.

mod amrex;
mod atom;
mod charm;
mod eplb;
mod fourc;
mod fourc_structure;
mod lammps;
mod openfoam;
mod sglang;
mod smilei;
mod swift;
mod vt;
mod warpx;

use super::knobs::{Knobs, Setting};
use crate::complaint::Complaint;
use crate::document::rule::StatedRule;
use remapping::policy::codes::Code;
use std::fmt::Write;

/// A code: how it decides, and how its setting is written.
#[derive(Debug)]
pub struct Sheet {
    /// Its name for people.
    pub name: &'static str,
    /// What is written, for lists of targets.
    pub what: &'static str,
    /// The comparison by which it remaps; some remap without one.
    pub compares: Option<&'static str>,
    /// The quantity that is compared, with its unit.
    pub of: &'static str,
    /// When it looks.
    pub when: &'static str,
    /// Interval and level where nothing is set.
    pub default: &'static str,
    /// What else has to be known to use the setting, a sentence each.
    pub notes: &'static [&'static str],
    /// Repository, files with their version, and the day on which they were read.
    pub read: [&'static str; 3],
    /// What opens a comment.
    pub mark: &'static str,
    /// The lines of a setting.
    pub write: fn(&mut Knobs<'_>, Setting) -> Result<String, Complaint>,
}

impl Sheet {
    /// That of a code.
    pub fn of(code: Code) -> &'static Sheet {
        match code {
            Code::Lammps => &lammps::SHEET,
            Code::Warpx => &warpx::SHEET,
            Code::Smilei => &smilei::SHEET,
            Code::Charm => &charm::SHEET,
            Code::Swift => &swift::SHEET,
            Code::Eplb => &eplb::SHEET,
            Code::Sglang => &sglang::SHEET,
            Code::Atom => &atom::SHEET,
            Code::Vt => &vt::SHEET,
            Code::Openfoam => &openfoam::SHEET,
            Code::Fourc => &fourc::SHEET,
            Code::FourcStructure => &fourc_structure::SHEET,
            Code::Amrex => &amrex::SHEET,
        }
    }

    /// Where this was read, as a sentence.
    fn source(&self) -> String {
        let [repository, files, day] = self.read;
        format!("Read in {repository}, {files}, on {day}.")
    }
}

/// Writes a rule as the setting of a code.
///
/// # Errors
/// Where the code has no setting for it, or none that costs less than never remapping.
pub fn write(export: &StatedRule, code: Code) -> Result<String, Complaint> {
    let sheet = Sheet::of(code);
    let mut knobs = Knobs::of(export)?;
    let setting = knobs.setting(code, sheet.name)?;
    let lines = (sheet.write)(&mut knobs, setting)?;
    let Sheet { name, compares, of, when, default, notes, mark, .. } = sheet;
    knobs.say(&match compares {
        Some(compares) => format!("{name} compares {compares}, of {of}, {when}."),
        None => format!("{name} compares no imbalance; it remaps {when}. Its loads are {of}."),
    });
    knobs.say(&format!("Default: {default}."));
    notes.iter().for_each(|note| knobs.say(note));
    knobs.say(&sheet.source());
    Ok(knobs.comments(mark) + &lines)
}

/// What `docs/integrate.md` says of what each code compares, a row each.
pub fn table() -> String {
    let mut text =
        String::from("| target | compares | of | when | default |\n|---|---|---|---|---|\n");
    for (code, target) in Code::ALL {
        let Sheet { name, compares, of, when, default, .. } = Sheet::of(code);
        let compares = compares.unwrap_or("nothing");
        let _ = writeln!(text, "| `{target}` ({name}) | {compares} | {of} | {when} | {default} |");
    }
    text
}

/// The same of what each code's setting is, a list item each.
pub fn sections() -> String {
    let mut text = String::new();
    for (code, target) in Code::ALL {
        let sheet = Sheet::of(code);
        let Sheet { name, what, notes, .. } = sheet;
        let (notes, source) = (notes.join(" "), sheet.source());
        let _ = writeln!(text, "* **{name}**: `--to {target}` writes {what}. {notes} {source}");
    }
    text
}
