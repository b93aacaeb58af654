//! The account of how a log was read: it is shown before the advice and is part of its document.

use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// How a log was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Account {
    /// The format.
    pub format: &'static str,
    /// Why it was recognized.
    pub recognized_by: String,
    /// The meaning of a row: a step, the sum of several, or one of several.
    pub row: String,
    /// The columns by their meaning: step, rank, seconds, wait, remapped, cost.
    pub columns: BTreeMap<&'static str, Vec<String>>,
    /// The unit of the times, and the source of that.
    pub unit: String,
    /// The parts that were left out, and why.
    pub left_out: Vec<String>,
}

impl Account {
    /// Records the meaning of a column.
    pub fn column(&mut self, holds: &'static str, name: &str) {
        self.columns.entry(holds).or_default().push(name.to_owned());
    }

    /// Each column once: every file and kind of object has recorded its own.
    pub fn settle(&mut self) {
        for names in self.columns.values_mut() {
            let mut seen = HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
        }
    }

    /// The account in three lines.
    pub fn lines(&self) -> [String; 3] {
        let named = |(holds, names): (&&str, &Vec<String>)| match &names[..] {
            [first, _, .., last] => format!("{holds} `{first}` to `{last}`"),
            _ => format!("{holds} `{}`", names.join("`, `")),
        };
        let columns: Vec<String> = self.columns.iter().map(named).collect();
        let columns =
            if columns.is_empty() { String::new() } else { format!("; {}", columns.join(", ")) };
        let left =
            if self.left_out.is_empty() { "nothing".to_owned() } else { self.left_out.join("; ") };
        [
            format!("read as {}, recognized by {}", self.format, self.recognized_by),
            format!("a row is {}{columns}; times in {}", self.row, self.unit),
            format!("left out: {left}"),
        ]
    }
}
