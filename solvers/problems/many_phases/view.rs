//! Any number of phases: the summary of the decisions under certainty, and a picture over the
//! beliefs.

use super::answer::Answer;
use crate::complaint::Complaint;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{self, COLOURS, Format};
use crate::problems::claims::Claim;
use crate::problems::kind::{self};
use crate::problems::settings::Choice;
use crate::text::numbers::Numbers;
use crate::text::{Row, within};
use std::fmt::Write;

impl kind::Answer for Answer {
    fn fault(&self) -> Option<String> {
        let laws = self.beliefs.iter().all(|belief| {
            let sum: f64 = belief.iter().sum();
            belief.len() == self.phases && (sum - 1.0).abs() < 1e-9
        });
        if !laws {
            return Some("`beliefs` are no laws on the phases".to_owned());
        }
        let fits = |row: &Vec<usize>| {
            row.len() == self.beliefs.len() && row.iter().all(|to| *to <= self.phases)
        };
        let none = self.decision.is_empty() && self.beliefs.is_empty();
        let all = self.decision.len() == self.phases && self.decision.iter().all(fits);
        (!none && !all).then(|| "`decision` has not a mapping for each belief".to_owned())
    }

    fn claims(&self) -> Vec<Claim> {
        let exact = self.exact.as_ref().and_then(|value| value.parse().ok());
        let value = self.value.map(|value| Claim::relative("V", value.lower, value.upper));
        value.map(|claim| claim.with(exact)).into_iter().collect()
    }

    fn ignores(&self, option: Choice) -> Option<&'static str> {
        match option {
            Choice::Exact => Some("a short life has its fraction without it"),
            other => Some(other.is_for()),
        }
    }

    fn numbers(&self, numbers: &mut Numbers) {
        if let Some(value) = self.value {
            numbers.bounds("expected time", value);
        }
        numbers.put("beliefs looked at", self.beliefs.len());
    }

    fn summary(&self, text: &mut String) {
        summary(text, self);
    }

    fn cells(&self) -> Row {
        let value = self.value.map_or(String::new(), |value| format!("{:.6}", value.middle()));
        let width =
            self.value.map_or(String::new(), |value| format!("{:.1e}", value.upper - value.lower));
        vec![("expected time".to_owned(), value), ("bounds apart".to_owned(), width)]
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        plot::picture(format, &picture(title, self))
    }
}

/// The readable summary.
fn summary(text: &mut String, answer: &Answer) {
    let what = match answer.discount {
        Some(rate) => format!("expected time, each cycle counting {rate} of the one before,"),
        None => "expected completion time".to_owned(),
    };
    let _ = match answer.value {
        Some(value) => writeln!(text, "{what} = {}", within(value)),
        None => writeln!(text, "{what} not computed"),
    };
    if let Some(exact) = &answer.exact {
        let _ = writeln!(text, "exactly: V = {}", crate::text::shorten(exact));
    }
    let beliefs = answer.beliefs.len();
    for (m, row) in answer.decision.iter().enumerate() {
        let mut counts = vec![0; answer.phases + 1];
        row.iter().for_each(|to| counts[*to] += 1);
        let all = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let all: Vec<String> =
            all.map(|(to, count)| format!("{} at {count}", act(to, m))).collect();
        let _ = writeln!(text, "  under mapping {}: {}", m + 1, all.join(", "));
    }
    if beliefs > 0 {
        let vectors = answer.vectors;
        let _ = writeln!(text, "of {beliefs} beliefs, at step 0; {vectors} vectors at most");
    }
}

/// The name of a decision under mapping m, counted from 0.
fn act(to: usize, m: usize) -> String {
    match to {
        0 => "remap".to_owned(),
        to if to == m + 1 => "stay".to_owned(),
        to => format!("go to mapping {to}"),
    }
}

/// The beliefs under the first mapping, colored by decision. With two phases the axis is the
/// probability of the second; with more, the plane is that of the second and the third.
fn picture<'a>(title: &'a str, answer: &Answer) -> Chart<'a> {
    let at = |belief: &[f64], z: usize| belief.get(z).copied().unwrap_or(0.0);
    let mut series = Vec::new();
    let row = answer.decision.first().map_or(&[][..], Vec::as_slice);
    for to in 0..=answer.phases {
        let all = answer.beliefs.iter().zip(row).filter(|(_, other)| **other == to);
        let points: Vec<(f64, f64)> =
            all.map(|(belief, _)| (at(belief, 1), at(belief, 2))).collect();
        if !points.is_empty() {
            let colour = COLOURS[to % COLOURS.len()];
            series.push(Series::dots(colour, points).named(act(to, 0)));
        }
    }
    let x = Axis::new("probability of the second phase, under the first mapping", 0.0..1.0, 1);
    let y = Axis::new("probability of the third phase", 0.0..1.0, 1);
    Chart { title, x, y, series }
}
