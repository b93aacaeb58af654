//! Writes rules as source code: a template for each language, filled with the values of the rule.

mod template;

use super::{heading, literal, row_width, rows};
use crate::document::rule::{
    Belief, Level, LoadThresholds, Measure, RemapInterval, Rule, StatedRule, Switching,
};
use crate::problems::shared::map::{Index, Map};
pub use template::{Values, fill};

/// A language.
#[derive(Debug)]
pub struct Language {
    /// Formats lines for the comment at the top of a file, which the template opens and closes.
    pub comment: fn(&[String]) -> String,
    /// A stated rule.
    stated: &'static str,
    /// The adaptive rule, trained on a log.
    pub advised: &'static str,
}

/// A C99 header.
pub static C: Language = Language {
    comment: |lines| {
        marked(" * ", lines.iter().map(|l| l.replace("*/", "* /").replace("/*", "/ *")))
    },
    stated: include_str!("stated.h.in"),
    advised: include_str!("advised.h.in"),
};

/// A Fortran 2003 module.
pub static FORTRAN: Language = Language {
    comment: |lines| marked("! ", lines.iter().flat_map(|line| wrapped(line, 100))),
    stated: include_str!("stated.f90.in"),
    advised: include_str!("advised.f90.in"),
};

/// A Python module.
pub static PYTHON: Language = Language {
    comment: |lines| {
        let text = lines.join("\n").replace('\\', "\\\\").replace("\"\"\"", "'''");
        text.trim_end_matches('"').to_owned()
    },
    stated: include_str!("stated.py.in"),
    advised: include_str!("advised.py.in"),
};

/// A Rust module.
pub static RUST: Language = Language {
    comment: |lines| marked("//! ", lines.iter().cloned()),
    stated: include_str!("stated.rs.in"),
    advised: include_str!("advised.rs.in"),
};

fn marked(mark: &str, lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| format!("{mark}{line}")).collect::<Vec<_>>().join("\n")
}

/// Breaks a line at blanks: Fortran lines have at most 132 columns.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && last.chars().count() + word.chars().count() >= width {
            lines.push(word.chars().take(width).collect());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.extend(word.chars().take(width));
        }
    }
    lines
}

/// The rule in a language.
pub fn write(export: &StatedRule, language: &Language) -> String {
    let mut values = Values::default();
    values.one("heading", (language.comment)(&heading(export)));
    match &export.rule {
        Rule::Belief(belief) => of_belief(belief, &mut values),
        Rule::Switching(switching) => of_switching(switching, &mut values),
        Rule::Map(map) => of_map(map, &mut values),
        Rule::Imbalance(imbalance) => of_imbalance(imbalance, &mut values),
        Rule::Interval(RemapInterval { every, .. }) => {
            values.one("interval", every.unwrap_or(0));
            values.list("every", *every);
        }
        Rule::Level(Level { measure, value, .. }) => {
            values.one("level", literal(*value));
            values.flag("excess", *measure == Measure::Excess);
        }
    }
    fill(language.stated, &values)
}

fn literals(list: &[f64]) -> Vec<String> {
    list.iter().copied().map(literal).collect()
}

fn of_belief(belief: &Belief, values: &mut Values<'_>) {
    let from = belief.tail_from();
    values.one("last_step", belief.last);
    values.list("head", literals(&belief.head));
    values.flag("between", from > belief.head.len() as u64);
    values.one("stationary", literal(belief.stationary));
    values.list("tail", literals(&belief.tail));
    values.list("tail_from", (from > 0).then_some(from));
    values.one("false_alarm", literal(belief.detector.0));
    values.one("missed", literal(belief.detector.1));
    let name = if belief.hazard.len() == 1 { "hazard" } else { "hazards" };
    values.list(name, literals(&belief.hazard));
}

fn of_switching(rule: &Switching, values: &mut Values<'_>) {
    values.flag("switching", true);
    for (name, runs) in [("to_second", &rule.to_second), ("to_first", &rule.to_first)] {
        let (from, thresholds): (Vec<u64>, Vec<f64>) = runs.iter().copied().unzip();
        values.list(&format!("{name}_from"), from);
        values.list(&format!("{name}_value"), literals(&thresholds));
        values.list(name, runs.iter().map(|(from, value)| format!("{from}, {}", literal(*value))));
    }
    let belief = &rule.belief;
    values.list("report_first", literals(&belief.first));
    values.list("report_second", literals(&belief.second));
    values.one("initial", literal(belief.initial));
    values.one("begins", literal(belief.to_second));
    values.one("ends", literal(belief.to_first));
}

fn of_map(map: &Map, values: &mut Values<'_>) {
    let width = row_width(map);
    values.one("processes", map.processes());
    values.one("width", width);
    values.one("row_size", width + 1);
    values.list("map", rows(&map.decisions, width));
    values.list("lowest", &map.lowest);
    values.list("levels", &map.levels);
    let (lowest, levels) = (map.lowest[0], map.levels[0]);
    match &map.index {
        Index::RowMajor => {}
        Index::Multiset => {
            let sets = map.sets();
            let row = |k| (0..levels).map(|x| sets.count(k, x)).collect();
            values.rows("sets", (1..=map.processes()).map(row));
            values.one("top", levels - 1);
            values.one("highest", lowest + levels as i64 - 1);
        }
        Index::Listed(loads) => {
            values.rows("loads", loads.iter().cloned());
            values.one("vectors", loads.len());
            values.one("last_vector", loads.len() - 1);
        }
    }
}

fn of_imbalance(imbalance: &LoadThresholds, values: &mut Values<'_>) {
    values.one("steps", imbalance.steps);
    for (name, list) in [("thresholds", &imbalance.thresholds), ("since", &imbalance.since)] {
        let pairs = list.iter().map(|(from, value)| vec![from.to_string(), literal(*value)]);
        let pairs: Vec<_> = pairs.collect();
        values.list(&format!("{name}_start"), pairs.first().map(|pair| pair[1].clone()));
        values.rows(&format!("{name}_rising"), pairs.iter().skip(1).cloned());
        values.rows(&format!("{name}_falling"), pairs.iter().skip(1).rev().cloned());
        values.rows(name, pairs);
    }
}
