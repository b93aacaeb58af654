//! The adaptive rule with what it learnt from the log: a C header that stands alone, Fortran that
//! calls it, and Python and Rust that load the stored rule.

use crate::document::advised::Advised;
use crate::export::{fortran, literal, python};
use remapping::policy::advised::{Memory, Stored, StoredCourse};
use remapping::replay::Player;
use std::fmt::Write;

/// Rules, and the courses each has on paper.
const RULES: usize = 8;
const EACH: usize = 2;

/// What the rule has learnt.
fn memory(advised: &Advised) -> Memory {
    Stored::from(advised.rule.clone()).memory.expect("a document's rule has been trained")
}

/// The courses, two of every rule; the second ones may not have started yet.
fn in_pairs(memory: &Memory) -> Vec<StoredCourse> {
    let mut courses = memory.courses.clone();
    if courses.len() < EACH * RULES + 1 {
        let empty = StoredCourse {
            base: vec![0.0; memory.ranks],
            steps: 0,
            spent: 0.0,
            spent_at: vec![0.0; memory.since.len()],
            latest: 0.0,
            excesses: Default::default(),
            remaps: 0,
            total: 0.0,
            lag: 0,
            begun: None,
        };
        for rule in (1..=RULES).rev() {
            courses.insert(rule, empty.clone());
        }
    }
    courses
}

/// How the rule is called: where remaps stop the program, and where they overlap its steps.
struct Use {
    between: &'static str,
    beside: &'static str,
}

const C: Use = Use {
    between: " *     after every step, with the time of each rank:
 *         if (remap_advised_step(&rule, times)) {
 *             remap;
 *             remap_advised_remapped(&rule);      after every remap, whoever asked for it
 *         }",
    beside: " *     after every step, with the time of each rank:
 *         if (remap_advised_step(&rule, times)) {
 *             begin to remap;
 *             remap_advised_begun(&rule);         whoever asked for it
 *         }
 *         if (the new mapping is in force from the next step on)
 *             remap_advised_remapped(&rule);",
};

const FORTRAN: Use = Use {
    between: "!     after every step, with the time of each rank:
!         if (remap_advised_step(rule, times) /= 0) then
!             remap
!             call remap_advised_remapped(rule)   ! after every remap, whoever asked for it
!         end if",
    beside: "!     after every step, with the time of each rank:
!         if (remap_advised_step(rule, times) /= 0) then
!             begin to remap
!             call remap_advised_begun(rule)      ! whoever asked for it
!         end if
!         if (the new mapping is in force from the next step on) call remap_advised_remapped(rule)",
};

const PYTHON: Use = Use {
    between: "    after every step, with the time of each rank:
        if rule.step(times):
            remap
            rule.remapped()                 # after every remap, whoever asked for it",
    beside: "    after every step, with the time of each rank:
        if rule.step(times):
            begin to remap
            rule.begun()                    # whoever asked for it
        if the new mapping is in force from the next step on:
            rule.remapped()",
};

const RUST: Use = Use {
    between: "//! after every step, with the time of each rank:
//!     if rule.step(&times)? {
//!         remap;
//!         rule.remapped(None)?;               // after every remap, whoever asked for it
//!     }",
    beside: "//! after every step, with the time of each rank:
//!     if rule.step(&times)? {
//!         begin to remap;
//!         rule.begun();                       // whoever asked for it
//!     }
//!     if the new mapping is in force from the next step on {
//!         rule.remapped(None)?;
//!     }",
};

/// A template with its places filled.
fn filled(
    (template, called): (&str, &Use),
    advised: &Advised,
    trained: &str,
    heading: &str,
) -> String {
    let overlap = advised.overlap;
    template
        .replace("@USE@", if overlap.is_none() { called.between } else { called.beside })
        .replace("@DELAY@", &overlap.steps.to_string())
        .replace("@SLOWDOWN@", &literal(overlap.slowdown))
        .replace("@RANKS@", &advised.ranks.to_string())
        .replace("@COST@", &literal(advised.remap_cost))
        .replace("@STRIDE@", &advised.stride.to_string())
        .replace("@TRAINED@\n", trained)
        .replace("@HEADING@", heading)
}

/// Numbers, four in a row.
fn table(values: &[f64], indent: &str) -> String {
    let mut text = String::new();
    for row in values.chunks(4) {
        let row: Vec<String> = row.iter().map(|value| literal(*value)).collect();
        let _ = writeln!(text, "{indent}{},", row.join(", "));
    }
    text
}

/// The lists of a memory by name, those of the courses apart.
fn lists(memory: &Memory) -> [(&'static str, Vec<f64>); 11] {
    [
        ("row", memory.row.clone()),
        ("rows", memory.rows.clone()),
        ("since", memory.since.clone()),
        ("growth", memory.growth.clone()),
        ("counts", memory.counts.clone()),
        ("excess", memory.excess.clone()),
        ("smooth", memory.smooth.clone()),
        ("sums", memory.sums.concat()),
        ("quality_sums", memory.quality_sums.concat()),
        ("quality", memory.quality.clone()),
        ("scores", memory.scores.clone()),
    ]
}

/// The lists of the courses by name, one course after the other.
fn lists_of(courses: &[StoredCourse]) -> [(&'static str, Vec<f64>); 6] {
    let all = |of: fn(&StoredCourse) -> &[f64]| -> Vec<f64> {
        courses.iter().flat_map(|course| of(course).iter().copied()).collect()
    };
    let one = |of: fn(&StoredCourse) -> f64| -> Vec<f64> { courses.iter().map(of).collect() };
    [
        ("bases", all(|course| &course.base)),
        ("excesses", all(|course| &course.excesses)),
        ("spent_at", all(|course| &course.spent_at)),
        ("spent", one(|course| course.spent)),
        ("latest", one(|course| course.latest)),
        ("total", one(|course| course.total)),
    ]
}

/// Steps since the last remap, remaps, and what is known of the remap before and the one under way,
/// of all courses.
fn counts_of(courses: &[StoredCourse]) -> [(&'static str, Vec<u64>); 4] {
    let all = |of: fn(&StoredCourse) -> u64| courses.iter().map(of).collect();
    [
        ("steps", all(|course| course.steps)),
        ("remaps", all(|course| course.remaps)),
        ("lag", all(|course| course.lag)),
        ("begun", all(begun)),
    ]
}

/// One more than the steps since the remap under way was begun, 0 if none is.
fn begun(course: &StoredCourse) -> u64 {
    course.begun.map_or(0, |steps| steps + 1)
}

/// A C99 header. The lists stand for themselves: compilers take minutes over one initialiser of
/// them all.
pub fn of_c(advised: &Advised, heading: &[String]) -> String {
    let memory = memory(advised);
    let courses = in_pairs(&memory);
    let mut text = format!("#define REMAP_LOG_STEPS INT64_C({})\n", memory.steps);
    let (usual, scale) = (literal(memory.usual), literal(memory.scale));
    let _ = writeln!(text, "#define REMAP_LOG_USUAL {usual}\n#define REMAP_LOG_SCALE {scale}");
    for (name, values) in lists(&memory).into_iter().chain(lists_of(&courses)) {
        let many = values.len();
        let values = table(&values, "    ");
        let _ = writeln!(text, "static const double remap_log_{name}[{many}] = {{\n{values}}};");
    }
    for (name, values) in counts_of(&courses) {
        let many = values.len();
        let values: Vec<String> = values.iter().map(|value| format!("INT64_C({value})")).collect();
        let values = values.join(",\n    ");
        let _ =
            writeln!(text, "static const int64_t remap_log_{name}[{many}] = {{\n    {values}}};");
    }
    let lines = heading.iter().map(|line| format!(" * {}", line.replace("*/", "* /")));
    let lines: Vec<String> = lines.collect();
    filled((include_str!("controller.h.in"), &C), advised, &text, &lines.join("\n"))
}

/// A Fortran 2003 module that calls the C header.
pub fn of_fortran(advised: &Advised, heading: &[String]) -> String {
    let lines = heading.iter().flat_map(|line| fortran::wrapped(line, 100));
    let lines: Vec<String> = lines.map(|line| format!("! {line}")).collect();
    filled((include_str!("controller.f90.in"), &FORTRAN), advised, "", &lines.join("\n"))
}

/// A Python module that loads the rule with the package `remapping`.
pub fn of_python(advised: &Advised, heading: &[String]) -> String {
    let lines = python::docstring(heading);
    filled((include_str!("controller.py.in"), &PYTHON), advised, &stored(advised), &lines)
}

/// A Rust module that loads the rule with the crate `remapping`.
pub fn of_rust(advised: &Advised, heading: &[String]) -> String {
    let lines: Vec<String> = heading.iter().map(|line| format!("//! {line}")).collect();
    let lines = lines.join("\n");
    filled((include_str!("controller.rs.in"), &RUST), advised, &stored(advised), &lines)
}

/// The rule as `remapping` reads it: one line of JSON, without quotes but those around names.
fn stored(advised: &Advised) -> String {
    super::stored::document(Player::Advised(Box::new(advised.rule.clone())))
}
