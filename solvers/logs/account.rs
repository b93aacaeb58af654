//! What was understood of a log: said before the advice, and part of its document.

use serde::Serialize;
use std::collections::BTreeMap;

/// What was understood of a log.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Account {
    /// The format.
    pub format: &'static str,
    /// How it was recognized.
    pub recognized_by: String,
    /// What a row is: a step, the sum of several, or one of several.
    pub row: String,
    /// The columns by what they hold: step, rank, seconds, wait, remapped, cost.
    pub columns: BTreeMap<&'static str, Vec<String>>,
    /// The unit of the times, and where it is known from.
    pub unit: String,
    /// What was left out, and why.
    pub left_out: Vec<String>,
}

impl Account {
    /// Notes what a column holds.
    pub fn column(&mut self, holds: &'static str, name: &str) {
        let names = self.columns.entry(holds).or_default();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    /// Three lines for a reader.
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
