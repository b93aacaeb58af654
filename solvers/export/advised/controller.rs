//! The adaptive rule with what it learnt from the log: a C header that stands alone, Fortran that
//! calls it, and Python and Rust that load the stored rule.

use crate::document::advised::Advised;
use crate::export::languages::{Language, Values, fill};
use crate::export::{controller as stored, literal};
use remapping::policy::advised::{Course, Memory, Stored};
use remapping::replay::Player;
use std::fmt::Write;

/// Rules, and the courses each has on paper.
const RULES: usize = 8;
const EACH: usize = 2;

/// The courses, two of every rule; the second ones may not have started yet.
fn in_pairs(memory: &Memory) -> Vec<Course> {
    let mut courses = memory.courses.clone();
    if courses.len() < EACH * RULES + 1 {
        let empty = Course::new(&vec![0.0; memory.ranks]);
        for rule in (1..=RULES).rev() {
            courses.insert(rule, empty.clone());
        }
    }
    courses
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
fn lists_of(courses: &[Course]) -> [(&'static str, Vec<f64>); 6] {
    let all = |of: fn(&Course) -> &[f64]| -> Vec<f64> {
        courses.iter().flat_map(|course| of(course).iter().copied()).collect()
    };
    let one = |of: fn(&Course) -> f64| -> Vec<f64> { courses.iter().map(of).collect() };
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
fn counts_of(courses: &[Course]) -> [(&'static str, Vec<u64>); 4] {
    let all = |of: fn(&Course) -> u64| courses.iter().map(of).collect();
    [
        ("steps", all(|course| course.steps)),
        ("remaps", all(|course| course.remaps)),
        ("lag", all(|course| course.lag)),
        // One more than the steps since then, 0 if none is under way.
        ("begun", all(|course| course.begun.map_or(0, |steps| steps + 1))),
    ]
}

/// The memory for C. The lists stand for themselves: compilers take minutes over one initialiser of
/// them all.
fn of_c(memory: &Memory) -> String {
    const LIST: &str = "static const @type@ remap_log_@name@[@list.count@] = {
@for list 4:    @row@,
};";
    let mut text = format!("#define REMAP_LOG_STEPS INT64_C({})\n", memory.steps);
    let (usual, scale) = (literal(memory.usual), literal(memory.scale));
    let _ = writeln!(text, "#define REMAP_LOG_USUAL {usual}\n#define REMAP_LOG_SCALE {scale}");
    let mut write = |name: &str, kind: &str, list: Vec<String>| {
        let mut values = Values::default();
        values.one("name", name);
        values.one("type", kind);
        values.list("list", list);
        text += &fill(LIST, &values);
    };
    let courses = in_pairs(memory);
    for (name, list) in lists(memory).into_iter().chain(lists_of(&courses)) {
        write(name, "double", list.into_iter().map(literal).collect());
    }
    for (name, list) in counts_of(&courses) {
        write(name, "int64_t", list.iter().map(|count| format!("INT64_C({count})")).collect());
    }
    text
}

/// The rule in a language.
pub fn write(advised: &Advised, language: &Language, heading: &[String]) -> String {
    let Advised { overlap, ranks, remap_cost, stride, rule, .. } = advised;
    let mut values = Values::default();
    values.one("heading", (language.comment)(heading));
    values.flag("overlapped", !overlap.is_none());
    values.one("delay", overlap.steps);
    values.one("slowdown", literal(overlap.slowdown));
    values.one("ranks", ranks);
    values.one("cost", literal(*remap_cost));
    values.one("stride", stride);
    let memory = Stored::from(rule.clone()).memory.expect("a document's rule has been trained");
    values.one("memory", of_c(&memory).trim_end());
    // One line of JSON, without quotes but those around names.
    let stored = stored::document(Player::Advised(Box::new(rule.clone())));
    values.one("stored", stored.trim_end());
    fill(language.advised, &values)
}
