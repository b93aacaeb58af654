//! The parts of a sweep or a regret that several jobs shared.

use super::axes::some_of;
use crate::commands::Exit;
use crate::complaint::Complaint;
use crate::output::say;
use crate::problems::registry::sweep::Part;
use std::collections::BTreeMap;
use std::path::Path;

/// The parts that have been read, in order: each with its file, its header and its content.
pub(super) struct Parts<T> {
    /// The command that made them.
    command: &'static str,
    pub(super) read: BTreeMap<usize, (String, Part, T)>,
}

impl<T> Parts<T> {
    pub(super) fn of(command: &'static str) -> Parts<T> {
        Parts { command, read: BTreeMap::new() }
    }

    /// A fault of the part in this file.
    pub(super) fn wrong(&self, path: &Path, what: &str) -> Complaint {
        let command = self.command;
        let help =
            format!("give what `remap {command} --part I/N --json` printed, once for each part");
        Complaint::elsewhere(format!("{}: {what}", path.display()), help)
    }

    /// Adds a part whose content is of the same whole as that of any other by `alike`.
    pub(super) fn add(
        &mut self,
        path: &Path,
        part: Part,
        content: T,
        alike: fn(&T, &T) -> bool,
    ) -> Result<(), Complaint> {
        let wrong = |what: String| Err(self.wrong(path, &what));
        if let Some((other, first, known)) = self.read.values().next() {
            let whole = |part: &Part| (part.of, part.models, part.set.clone());
            if whole(first) != whole(&part) || !alike(known, &content) {
                return wrong(format!("a part of another {} than {other}", self.command));
            }
            if let Some(why) = first.unlike(&part) {
                return wrong(format!("{why} than {other}"));
            }
        }
        if let Some((other, ..)) = self.read.get(&part.number) {
            return wrong(format!("part {} of {}, as is {other}", part.number, part.of));
        }
        self.read.insert(part.number, (path.display().to_string(), part, content));
        Ok(())
    }

    /// Reports the parts that are missing, and the places of the others that are not `done`: how
    /// many they are and their names are put into words by `lacking`.
    pub(super) fn missing(
        &self,
        whole: &Part,
        done: impl Fn(&usize) -> bool,
        name: impl Fn(&usize) -> String,
        lacking: fn(usize, &str) -> String,
    ) -> Exit {
        let numbers = (1..=whole.of).filter(|number| !self.read.contains_key(number));
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        if !numbers.is_empty() {
            let numbers = numbers.join(", ");
            say(&format!("warning: of {} parts these are missing: {numbers}", whole.of));
        }
        let there = |place: &usize| self.read.contains_key(&(place % whole.of + 1));
        let places = (0..whole.models).filter(there).filter(|place| !done(place));
        let places: Vec<usize> = places.collect();
        if !places.is_empty() {
            let names = some_of(places.iter().map(name));
            say(&format!("warning: {}", lacking(places.len(), &names)));
        }
        match numbers.is_empty() && places.is_empty() {
            true => Exit::Done,
            false => Exit::Limit,
        }
    }
}
