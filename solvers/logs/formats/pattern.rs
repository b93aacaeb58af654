//! Plain logs, read by a regular expression with named groups.

use super::Raw;
use super::{Cell, RawRemap, fault, seconds, whole};
use crate::complaint::Complaint;
use regex::{Captures, Regex};
use std::io::BufRead;
use std::str::FromStr;

const GROUPS: [&str; 7] = ["step", "rank", "seconds", "loads", "max", "mean", "remap_seconds"];

const HELP: &str = "groups: (?<step>..), (?<rank>..) with (?<seconds>..), or (?<loads>..), a list, or (?<max>..) with \
                    (?<mean>..); and (?<remap_seconds>..)";

/// A regular expression that has the groups of a log.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    step: bool,
    remaps: bool,
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Pattern, String> {
        let regex = Regex::new(text).map_err(|error| error.to_string())?;
        let has = |wanted: &str| regex.capture_names().flatten().any(|name| name == wanted);
        if let Some(other) = regex.capture_names().flatten().find(|name| !GROUPS.contains(name)) {
            return Err(format!("there is no group `{other}`; {HELP}"));
        }
        let (step, remaps) = (has("step"), has("remap_seconds"));
        match (has("loads"), has("seconds"), has("rank")) {
            (false, false, false) if has("max") && has("mean") => {}
            (true, false, false) => {}
            (false, true, true) if step => {}
            (false, true, true) => return Err(format!("`rank` needs `step`; {HELP}")),
            (true, ..) => return Err(format!("`loads` goes without `rank` and `seconds`; {HELP}")),
            _ => return Err(format!("give `loads`, or `rank` and `seconds`; {HELP}")),
        }
        Ok(Pattern { regex, step, remaps })
    }
}

/// The state of reading.
struct Reader<'r, 'a> {
    raw: &'r mut Raw<'a>,
    step: Option<u32>,
    /// The length of a list; 0 before the first.
    length: usize,
    /// The cost of a remap whose step is not read yet.
    pending: Option<f64>,
}

pub(in crate::logs) fn read(
    input: impl BufRead,
    name: &str,
    pattern: &Pattern,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    (raw.account.format, raw.knows_remaps) = ("lines", pattern.remaps);
    let mut reader = Reader { raw, step: None, length: 0, pending: None };
    let mut lines = 0;
    for (number, line) in (1..).zip(input.split(b'\n')) {
        let wrong = |what: String| fault(name, number, &what, HELP);
        let line = line.map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let line = String::from_utf8_lossy(&line);
        for found in pattern.regex.captures_iter(line.trim_end_matches('\r')) {
            reader.take(&found, pattern).map_err(wrong)?;
        }
        lines = number;
    }
    if reader.raw.is_empty() && reader.raw.summary.is_empty() {
        let message = format!("{name}: none of {lines} lines has times by this expression");
        return Err(Complaint::elsewhere(message, HELP));
    }
    Ok(())
}

impl Reader<'_, '_> {
    fn take(&mut self, found: &Captures<'_>, pattern: &Pattern) -> Result<(), String> {
        let text = |group: &str| found.name(group).map(|found| found.as_str().trim());
        let number = |group: &str, text: &str| {
            let read = seconds(text.trim_matches('"'));
            read.map_err(|what| format!("{group}: {what}"))
        };
        let stated =
            text("step").map(|text| whole(text, "step").map_err(|what| format!("step: {what}")));
        let stated = stated.transpose()?;
        self.step = stated.or(self.step);
        let cost = text("remap_seconds").map(|text| number("remap_seconds", text)).transpose()?;
        if let Some(cost) = cost.filter(|cost| *cost > 0.0) {
            self.pending = Some(self.pending.map_or(cost, |before| before.max(cost)));
        }
        if let Some(list) = text("loads") {
            let step = match pattern.step {
                false => self.raw.rows,
                true => self.step.ok_or("loads: no step stands before them")?,
            };
            let split = |c: char| c == ',' || c == ';' || c.is_whitespace();
            let list = list.trim_matches(['[', ']', '(', ')', '{', '}']);
            let items: Vec<&str> = list.split(split).filter(|item| !item.is_empty()).collect();
            if self.length == 0 {
                self.length = items.len();
            }
            if items.len() != self.length {
                let (is, was) = (items.len(), self.length);
                return Err(format!("loads: {is} numbers where the first list has {was}"));
            }
            for (rank, item) in (0..).zip(items) {
                let seconds = number("loads", item)?;
                self.raw.push(Cell { step, rank, seconds })?;
            }
            self.raw.rows = self.raw.rows.saturating_add(1);
            self.remapped(step)?;
        }
        if let (Some(most), Some(mean)) = (text("max"), text("mean")) {
            let step = if pattern.step { self.step.unwrap_or(0) } else { self.raw.rows };
            self.raw.rows = self.raw.rows.saturating_add(1);
            self.raw.summary.push((step, number("max", most)?, number("mean", mean)?));
            self.remapped(step)?;
        }
        if let (Some(rank), Some(time)) = (text("rank"), text("seconds")) {
            let step = self.step.ok_or("seconds: no step stands before them")?;
            let rank = whole(rank, "rank").map_err(|what| format!("rank: {what}"))?;
            self.remapped(step)?;
            self.raw.push(Cell { step, rank, seconds: number("seconds", time)? })?;
        } else if stated.is_some()
            && cost.is_some()
            && text("loads").is_none()
            && text("max").is_none()
        {
            // The remap is on a line that also names its step.
            self.remapped(self.step.unwrap_or(0))?;
        }
        Ok(())
    }

    /// Adds the pending remap before this step.
    fn remapped(&mut self, step: u32) -> Result<(), String> {
        match self.pending.take() {
            Some(seconds) => self.raw.remap(RawRemap { step, seconds: Some(seconds) }),
            None => Ok(()),
        }
    }
}
