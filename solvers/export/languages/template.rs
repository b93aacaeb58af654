//! Fills the templates of languages. `@NAME@` stands for a value; these begin a line:
//!
//! | line | meaning |
//! |---|---|
//! | `@if NAME`, `@else`, `@end` | lines for where NAME has a value, and for where it has none |
//! | `@for NAME N`, `@end` | lines for every N entries of each row of NAME; 0 is all of a row |
//! | `@if NAME:LINE`, `@for NAME N:LINE` | the same with one line |
//!
//! A value is rows of entries; `@NAME@` shows those of the first row. `@NAME.2@` is its entry 2,
//! `@NAME.count@` the number of its entries and `@NAME.last@` one less. `@NAME PATTERN@` shows each
//! entry in place of the star of PATTERN. In a loop `@row@` is what it is at, `@place@` and
//! `@number@` are the row's number from 0 and from 1, `@from@` and `@to@` the first and last place
//! in the row from 0, `@from1@` and `@to1@` from 1.

use std::collections::BTreeMap;
use std::str::Lines;

/// What a template is filled with.
#[derive(Default)]
pub struct Values<'a> {
    own: BTreeMap<String, Vec<Vec<String>>>,
    outer: Option<&'a Values<'a>>,
}

impl Values<'_> {
    /// Names rows of entries.
    pub fn rows<T: ToString>(&mut self, name: &str, rows: impl IntoIterator<Item = Vec<T>>) {
        let row = |row: Vec<T>| row.iter().map(T::to_string).collect();
        self.own.insert(name.to_owned(), rows.into_iter().map(row).collect());
    }

    /// Names entries.
    pub fn list<T: ToString>(&mut self, name: &str, list: impl IntoIterator<Item = T>) {
        self.rows(name, [list.into_iter().collect()]);
    }

    /// Names one value.
    pub fn one(&mut self, name: &str, value: impl ToString) {
        self.list(name, [value]);
    }

    /// Says that something is so.
    pub fn flag(&mut self, name: &str, is_so: bool) {
        self.list(name, is_so.then_some(""));
    }

    fn get(&self, name: &str) -> Option<&Vec<Vec<String>>> {
        self.own.get(name).or_else(|| self.outer?.get(name))
    }

    fn row(&self, name: &str) -> Option<&Vec<String>> {
        self.get(name)?.first()
    }

    /// What stands for a place between two `@`.
    fn shown(&self, place: &str) -> String {
        let (name, pattern) = place.split_once(' ').unwrap_or((place, "*"));
        let (name, what) = name.split_once('.').unwrap_or((name, ""));
        let row = self.row(name).expect("templates show what is named");
        match what {
            "" => {
                row.iter().map(|entry| pattern.replace('*', entry)).collect::<Vec<_>>().join(", ")
            }
            "count" => row.len().to_string(),
            "last" => (row.len() - 1).to_string(),
            entry => row[entry.parse::<usize>().expect("the number of an entry")].clone(),
        }
    }

    /// What each turn of a loop has, `count` entries of `name` at a time.
    fn turns(&self, name: &str, count: usize) -> Vec<Values<'_>> {
        let of_row = |(place, row): (usize, &Vec<String>)| {
            let count = if count == 0 { row.len().max(1) } else { count };
            let part = move |(turn, part): (usize, &[String])| {
                let mut values = Values { own: BTreeMap::new(), outer: Some(self) };
                let (from, end) = (count * turn, count * turn + part.len());
                values.list("row", part);
                let numbers = [place, place + 1, from, end - 1, from + 1, end];
                let names = ["place", "number", "from", "to", "from1", "to1"];
                names.iter().zip(numbers).for_each(|(name, number)| values.one(name, number));
                values
            };
            row.chunks(count).enumerate().map(part).collect::<Vec<_>>()
        };
        self.get(name).into_iter().flatten().enumerate().flat_map(of_row).collect()
    }
}

/// The template, filled.
pub fn fill(template: &str, values: &Values<'_>) -> String {
    let mut text = String::new();
    block(&mut template.lines(), values, true, &mut text);
    text
}

/// Fills lines up to the end of a block, or leaves them out; whether an `@else` ended it.
fn block(lines: &mut Lines<'_>, values: &Values<'_>, shown: bool, text: &mut String) -> bool {
    while let Some(line) = lines.next() {
        let (rule, body) =
            line.split_once(':').map_or((line, None), |(rule, one)| (rule, Some(one)));
        // The lines of the block that begins here.
        let mut block_of = |values: &Values<'_>, lines: &mut Lines<'_>, shown| match body {
            Some(one) => block(&mut one.lines(), values, shown, text),
            None => block(lines, values, shown, text),
        };
        if let Some(name) = rule.strip_prefix("@if ") {
            let has = values.row(name).is_some_and(|row| !row.is_empty());
            if block_of(values, lines, shown && has) {
                block_of(values, lines, shown && !has);
            }
        } else if let Some(list) = rule.strip_prefix("@for ") {
            let (name, count) = list.split_once(' ').expect("a list and how many at a time");
            let count = count.parse().expect("how many at a time");
            for turn in shown.then(|| values.turns(name, count)).into_iter().flatten() {
                block_of(&turn, &mut lines.clone(), true);
            }
            block_of(values, lines, false);
        } else if line == "@else" || line == "@end" {
            return line == "@else";
        } else if shown {
            for (i, part) in line.split('@').enumerate() {
                *text += &if i % 2 == 0 { part.to_owned() } else { values.shown(part) };
            }
            text.push('\n');
        }
    }
    false
}
