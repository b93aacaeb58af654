//! The detector of a change of phase: one that says yes or no, one with more levels, or several.

use super::number::Decimal;
use super::review::Review;
use super::syntax_tree::explain::Shape;
use remapping::Rational;
use remapping::belief::Levels;
use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// `(false_alarm: .., missed: ..)`, `Levels([(before: .., after: ..), ..])` or `Several([detector,
/// ..])`.
#[derive(Debug, Clone)]
pub(crate) enum Detector {
    Binary { false_alarm: Decimal, missed: Decimal },
    Levels(Vec<Level>),
    Several(Vec<Detector>),
}

/// The probabilities of a level before and after the change.
#[derive(Debug, Clone)]
pub struct Level {
    before: Decimal,
    after: Decimal,
}

/// The forms of a detector, for messages.
pub(crate) const SHAPE: Shape = (
    "problem.detector",
    "(false_alarm: 0.05, missed: 0.05), Levels([(before: 0.7, after: 0.1), (before: 0.2, after: 0.3), \
     (before: 0.1, after: 0.6)]) or Several([detector, detector])",
);

/// The most levels of a detector.
const MAX_LEVELS: usize = 1000;

/// An element of a list in a detector: `ron` does not report its name.
enum Entry {
    Level(Level),
    Detector(Detector),
}

/// The fields of a detector that says yes or no, and those of a level, in the order of [`PAIRS`].
#[derive(Clone, Copy, Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Field {
    FalseAlarm,
    Missed,
    Before,
    After,
}

static PAIRS: [[&str; 2]; 2] = [["false_alarm", "missed"], ["before", "after"]];

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a detector")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        // Which of the two pairs it is, and the values of its fields.
        let (mut pair, mut values) = (None, [None, None]);
        while let Some(field) = map.next_key::<Field>()? {
            let (own, at) = (field as usize / 2, field as usize % 2);
            let name = PAIRS[own][at];
            if *pair.get_or_insert(own) != own {
                return Err(de::Error::unknown_field(name, &PAIRS[1 - own]));
            }
            if values[at].is_some() {
                return Err(de::Error::duplicate_field(name));
            }
            values[at] = Some(map.next_value()?);
        }
        let pair = pair.unwrap_or(0);
        match values {
            [Some(before), Some(after)] if pair == 1 => Ok(Entry::Level(Level { before, after })),
            [Some(false_alarm), Some(missed)] => {
                Ok(Entry::Detector(Detector::Binary { false_alarm, missed }))
            }
            [first, _] => Err(de::Error::missing_field(PAIRS[pair][usize::from(first.is_some())])),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Entry, A::Error> {
        let list = seq.next_element::<Vec<Entry>>()?;
        let list =
            list.ok_or_else(|| de::Error::custom("expected a list of levels or detectors"))?;
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(de::Error::custom("expected one list"));
        }
        let (mut levels, mut detectors) = (Vec::new(), Vec::new());
        for entry in list {
            match entry {
                Entry::Level(level) => levels.push(level),
                Entry::Detector(detector) => detectors.push(detector),
            }
        }
        match (levels.is_empty(), detectors.is_empty()) {
            (false, false) => Err(de::Error::custom("levels and detectors cannot share a list")),
            (_, true) => Ok(Entry::Detector(Detector::Levels(levels))),
            (true, false) => Ok(Entry::Detector(Detector::Several(detectors))),
        }
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

impl<'de> Deserialize<'de> for Detector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Detector, D::Error> {
        match Entry::deserialize(deserializer)? {
            Entry::Detector(detector) => Ok(detector),
            Entry::Level(_) => Err(de::Error::unknown_field("before", &["false_alarm", "missed"])),
        }
    }
}

impl Detector {
    /// Records the faults of the detector at `path`.
    pub(crate) fn review(&self, review: &mut Review<'_>, path: &str) {
        match self {
            Detector::Binary { false_alarm, missed } => {
                named(review, path, &["", "Binary"]);
                review.exact_probability(&format!("{path}.false_alarm"), false_alarm);
                review.exact_probability(&format!("{path}.missed"), missed);
            }
            Detector::Levels(levels) if levels.is_empty() => {
                let help = "list two levels at least, or detectors";
                review.fault(path, "the detector reports nothing", "an empty list", help);
            }
            Detector::Levels(levels) => {
                named(review, path, &["Levels"]);
                for (at, level) in levels.iter().enumerate() {
                    named(review, &format!("{path}[{at}]"), &["", "Level"]);
                    for (name, p) in [("before", &level.before), ("after", &level.after)] {
                        review.exact_probability(&format!("{path}[{at}].{name}"), p);
                    }
                }
                let rows: [(&str, Read); 2] =
                    [("before", |level| &level.before), ("after", |level| &level.after)];
                for (when, row) in rows {
                    let sum = sum(levels, row);
                    let what = format!("the probabilities of the levels {when} the change");
                    review.nearly_sums_to_one(path, &sum, &what);
                    if sum != Rational::ONE {
                        review.warn(format!(
                            "{what} sum to {}: they are divided by their sum",
                            sum.to_f64().value()
                        ));
                    }
                }
            }
            Detector::Several(detectors) => {
                named(review, path, &["Several"]);
                for (at, detector) in detectors.iter().enumerate() {
                    detector.review(review, &format!("{path}[{at}]"));
                }
            }
        }
        let count = self.count();
        if count > MAX_LEVELS {
            let label = format!("{count} levels in all");
            let help = format!("take {MAX_LEVELS} at most");
            review.fault(path, "the detector has too many levels", &label, &help);
        }
    }

    fn count(&self) -> usize {
        match self {
            Detector::Binary { .. } => 2,
            Detector::Levels(levels) => levels.len(),
            Detector::Several(all) => {
                all.iter().fold(1, |count, one| count.saturating_mul(one.count()))
            }
        }
    }

    /// Warns of legal but suspicious parts. Call it for a detector that has passed review.
    pub(crate) fn warn(&self, review: &mut Review<'_>) {
        if let Detector::Binary { false_alarm, missed } = self {
            let sum = &false_alarm.exact + &missed.exact;
            if sum == Rational::ONE {
                review.warn("the detector is uninformative (false_alarm + missed = 1): its reports change nothing");
            } else if sum > Rational::ONE {
                review.warn(
                    "the detector is reversed (false_alarm + missed > 1): a report of no change is \
                             evidence of one; the answer uses it that way",
                );
            }
        } else if self.levels().distinct().len() == 1 {
            review.warn("the detector is uninformative: its reports change nothing");
        }
    }

    /// The engine's form. The model must have passed review.
    pub(crate) fn levels(&self) -> Levels {
        match self {
            Detector::Binary { false_alarm, missed } => {
                Levels::binary(false_alarm.exact.clone(), missed.exact.clone()).expect("reviewed")
            }
            Detector::Levels(levels) => {
                let row = |read: Read| {
                    let sum = sum(levels, read);
                    levels.iter().map(|level| &read(level).exact / &sum).collect()
                };
                Levels::new(row(|level| &level.before), row(|level| &level.after))
                    .expect("reviewed")
            }
            Detector::Several(detectors) => detectors
                .iter()
                .map(Detector::levels)
                .reduce(|all, one| all.and(&one))
                .expect("a list that is read as detectors has one"),
        }
    }

    /// The facts that `check` prints.
    pub(crate) fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let levels = self.levels().likelihoods();
        let ratio = |at: usize| {
            let ratio = levels[at].ratio();
            if ratio.is_finite() { ratio.into() } else { "infinite".into() }
        };
        match self {
            Detector::Binary { false_alarm, missed } => vec![(
                "likelihood_ratio_of_a_report",
                if false_alarm.value > 0.0 {
                    ((1.0 - missed.value) / false_alarm.value).into()
                } else {
                    "infinite".into()
                },
            )],
            _ => vec![
                ("levels", levels.len().into()),
                ("largest_likelihood_ratio", ratio(0)),
                ("smallest_likelihood_ratio", ratio(levels.len() - 1)),
            ],
        }
    }
}

/// Selects one of the two probabilities of a level.
type Read = fn(&Level) -> &Decimal;

fn sum(levels: &[Level], row: Read) -> Rational {
    levels.iter().fold(Rational::ZERO, |sum, level| sum + &row(level).exact)
}

/// Records a fault at `path` unless the value has one of these names.
fn named(review: &mut Review<'_>, path: &str, names: &[&str]) {
    let written = review.written_name(path);
    if names.contains(&written.as_str()) {
        return;
    }
    let name = names[names.len() - 1];
    let listed = names.len() == 1;
    let label = format!("expected {name}({})", if listed { "[...]" } else { "..." });
    let message = match listed {
        true => "this list is not named for what it holds",
        false => "this is not named for what it is",
    };
    review.fault(path, message, &label, &format!("such as {}", SHAPE.1));
}
