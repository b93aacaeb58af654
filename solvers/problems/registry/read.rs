//! Reads documents back from files. Unknown parts are refused, with their place.

use super::sweep::{self, Run, Sweep};
use super::{Body, Certified, Solution};
use crate::complaint::{Complaint, ReadText, Source};
use crate::document::advised::Advised;
use crate::document::log::{Fits, Log};
use crate::problems::shared::recommended::Recommended;
use remapping::Status;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The kinds of documents that the program writes.
pub enum Document {
    /// Written by `solve` for one model.
    Solution(Box<Solution>),
    /// Written by `sweep`.
    Sweep(Sweep),
    /// Written by `replay --advised`.
    Advised(Box<Advised>),
}

const HELP: &str = "give the document that `remap solve MODEL.ron --json` prints or --out writes";

/// Reads the solution in the file at `path`.
///
/// # Errors
/// A file that cannot be read, is not JSON or not one solution, or has unknown or missing fields.
pub fn read(path: &Path) -> Result<Solution, Complaint> {
    Document::read(path)?.one(&path.display().to_string())
}

/// Reads the solution in the text of the file called `name`.
///
/// # Errors
/// As [`read`].
pub fn of_text(name: String, text: String) -> Result<Solution, Complaint> {
    Document::of_text(name.clone(), text)?.one(&name)
}

impl Document {
    /// Reads the document in the file at `path`.
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(path: &Path) -> Result<Document, Complaint> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Complaint::elsewhere(format!("cannot read {name}: {error}"), HELP))?;
        Document::of_text(name, text)
    }

    /// The solution, if the document has exactly one.
    pub fn one(self, name: &str) -> Result<Solution, Complaint> {
        match self {
            Document::Solution(solution) => Ok(*solution),
            Document::Sweep(_) => {
                let message = format!("{name}: a sweep of several solutions");
                Err(Complaint::elsewhere(message, "take the `solution` of one of its `runs`"))
            }
            Document::Advised(_) => {
                let message = format!("{name}: the rule of a log, not the solution of a model");
                Err(Complaint::elsewhere(message, "export it, or play it with replay --solution"))
            }
        }
    }

    fn of_text(name: String, text: String) -> Result<Document, Complaint> {
        let source: Source = Arc::new(ReadText::new(name, text));
        let whole = Part { source: &source, text: source.text() };
        if whole.text.trim_start().starts_with('[') {
            return Err(whole.wrong("a list of several solutions"));
        }
        let kind: Kind = whole.parse_named(false)?;
        whole.is_all()?;
        match kind {
            Kind { runs: Some(_), .. } => whole.sweep().map(Document::Sweep),
            Kind { policy: Some(_), .. } => Ok(Document::Advised(Box::new(whole.advised()?))),
            Kind { problem: Some(problem), .. } => {
                Ok(Document::Solution(Box::new(whole.solution(&problem)?)))
            }
            _ => Err(whole.wrong("not a solution: it has no field `problem`")),
        }
    }
}

/// The fields that distinguish the kinds of documents.
#[derive(Deserialize)]
struct Kind {
    problem: Option<String>,
    runs: Option<IgnoredAny>,
    policy: Option<IgnoredAny>,
}

/// The fields that every solution has.
#[derive(Deserialize)]
#[expect(dead_code, reason = "`problem` is looked at before")]
struct Header {
    title: String,
    problem: String,
    recommended: Option<Recommended>,
    status: Status,
    tolerance: f64,
    version: String,
    seconds: f64,
    certificate: Option<Certified>,
    unit_seconds: Option<f64>,
    stride: Option<u64>,
    fits: Option<Fits>,
    job_steps: Option<u64>,
    warnings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Runs<'a> {
    part: Option<sweep::Part>,
    #[serde(borrow)]
    runs: Vec<RawRun<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRun<'a> {
    place: Option<usize>,
    set: Map<String, Value>,
    #[serde(borrow)]
    solution: &'a RawValue,
}

/// A document in a text: the whole text or a part.
pub(super) struct Part<'a> {
    source: &'a Source,
    text: &'a str,
}

impl<'a> Part<'a> {
    fn solution(&self, problem: &str) -> Result<Solution, Complaint> {
        let body = Body::read(problem, self)?;
        if let Some(fault) = body.answer().fault() {
            return Err(self.wrong(&fault));
        }
        let header: Header = self.parse_named(true)?;
        let Header { unit_seconds, stride, .. } = header;
        let recommended = body.answer().recommended();
        if header.recommended.is_some() && header.recommended != recommended {
            return Err(self.wrong("`recommended` is not what its other fields come to"));
        }
        if unit_seconds.is_some_and(|unit| !(unit.is_finite() && unit > 0.0)) || stride == Some(0) {
            return Err(self.wrong("`unit_seconds` and `stride` are greater than 0"));
        }
        Ok(Solution {
            title: header.title,
            log: Log::of(unit_seconds, stride, header.fits, header.job_steps),
            body,
            recommended,
            status: header.status,
            tolerance: header.tolerance,
            version: header.version,
            seconds: header.seconds,
            certificate: header.certificate,
            warnings: header.warnings,
            contradiction: None,
        })
    }

    /// Reads the fields of the problem's own part.
    pub(super) fn answer<T: DeserializeOwned>(&self) -> Result<T, Complaint> {
        let known = Known([fields::<Header>(), fields::<T>()]);
        let mut reader = serde_json::Deserializer::from_str(self.text);
        known.deserialize(&mut reader).map_err(|error| self.misread(&error, ""))?;
        self.parse_named(true)
    }

    /// Like `parse`, but the diagnostic names the field. It does so if the text is known to be
    /// JSON, or the error is about data.
    fn parse_named<T: DeserializeOwned>(&self, is_json: bool) -> Result<T, Complaint> {
        let mut reader = serde_json::Deserializer::from_str(self.text);
        let found: Result<T, _> = serde_path_to_error::deserialize(&mut reader);
        found.map_err(|error| match is_json || error.inner().is_data() {
            true => self.misread(error.inner(), &error.path().to_string()),
            false => self.misread(error.inner(), ""),
        })
    }

    fn sweep(&self) -> Result<Sweep, Complaint> {
        let Runs { part, runs } = self.parse()?;
        if let Some(sweep::Part { number, of, .. }) = part
            && !(1..=of).contains(&number)
        {
            return Err(self.wrong(&format!("there is no part {number} of {of}")));
        }
        if runs.is_empty() && part.is_none() {
            return Err(self.wrong("a sweep without runs"));
        }
        let run = |run: RawRun<'a>| {
            let part = Part { source: self.source, text: run.solution.get() };
            let Kind { problem, .. } = part.parse()?;
            let problem = problem.ok_or_else(|| part.wrong("it has no field `problem`"))?;
            let set = run.set.into_iter().collect();
            Ok(Run { place: run.place, set, solution: part.solution(&problem)? })
        };
        let runs = runs.into_iter().map(run).collect::<Result<_, _>>()?;
        Ok(Sweep { part, runs })
    }

    fn advised(&self) -> Result<Advised, Complaint> {
        let advised: Advised = self.parse_named(true)?;
        match advised.fault() {
            Some(fault) => Err(self.wrong(&fault)),
            None => Ok(advised),
        }
    }

    /// Checks that nothing follows the document.
    fn is_all(&self) -> Result<(), Complaint> {
        let mut reader = serde_json::Deserializer::from_str(self.text);
        IgnoredAny::deserialize(&mut reader).map_err(|error| self.misread(&error, ""))?;
        reader.end().map_err(|error| {
            let message = format!("{}: this is not one solution alone", self.source.name());
            let at = self.place(&error);
            Complaint::at(self.source, at..at + 1, &message, "this follows it", HELP)
        })
    }

    fn parse<T: Deserialize<'a>>(&self) -> Result<T, Complaint> {
        serde_json::from_str(self.text).map_err(|error| self.misread(&error, ""))
    }

    pub(super) fn wrong(&self, what: &str) -> Complaint {
        Complaint::elsewhere(format!("{}: {what}", self.source.name()), HELP)
    }

    /// Where reading stopped, as a position in the whole text.
    fn place(&self, error: &serde_json::Error) -> usize {
        let start = self.text.as_ptr() as usize - self.source.text().as_ptr() as usize;
        let lines = self.text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let line = lines.map(str::len).sum::<usize>();
        start + (line + error.column().saturating_sub(1)).min(self.text.len())
    }

    /// A diagnostic at the position where reading stopped, in the field at this path.
    fn misread(&self, error: &serde_json::Error, path: &str) -> Complaint {
        let at = self.place(error);
        let said = error.to_string();
        let label = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
        let label =
            PLAIN.iter().fold(label.to_owned(), |label, (from, to)| label.replace(from, to));
        let label = match path {
            "" | "." => label,
            path => format!("`{path}`: {label}"),
        };
        let name = self.source.name();
        let message = match error.is_data() || !path.is_empty() {
            true => format!("{name}: this is not a solution: {label}"),
            false => format!("{name}: this is not JSON"),
        };
        Complaint::at(self.source, at..at + 1, &message, &label, HELP)
    }
}

/// Names of types in plain words.
const PLAIN: [(&str, &str); 7] = [
    ("expected f64", "expected a number"),
    ("expected u64", "expected a whole number"),
    ("expected usize", "expected a whole number"),
    ("expected i64", "expected a whole number"),
    ("expected u128", "expected a whole number"),
    ("a sequence", "a list"),
    ("a map", "an object"),
];

/// Skips an object whose fields are all among these.
struct Known([&'static [&'static str]; 2]);

impl<'de> DeserializeSeed<'de> for Known {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Known {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if !self.0.iter().any(|names| names.contains(&key.as_str())) {
                return Err(A::Error::custom(format!("unknown field `{key}`")));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// The names of the fields of a structure.
fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names = Names(&[]);
    // It yields no value, but is asked for the names first.
    let _ = T::deserialize(&mut names);
    names.0
}

struct Names(&'static [&'static str]);

impl<'de> Deserializer<'de> for &mut Names {
    type Error = serde::de::value::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0 = fields;
        Err(Error::custom("only its names are wanted"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
        Err(Error::custom("not a structure"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
