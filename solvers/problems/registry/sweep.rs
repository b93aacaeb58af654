//! The solutions of one model for several values: the document of `sweep`.

use super::Solution;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// The document that `sweep` writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// With `--part`, the part that this is.
    pub part: Option<Part>,
    /// The solutions.
    pub runs: Vec<Run>,
}

/// A part of a sweep that several jobs share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Counted from 1.
    pub number: usize,
    /// The number of parts.
    pub of: usize,
    /// The number of models in all parts.
    pub models: usize,
    /// The values of the whole sweep, as given on the command line.
    pub set: Vec<String>,
    /// Checksum of the model file's text; absent in parts of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The settings of the solutions, without time limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

impl Part {
    /// Whether the part has the model with this index among all.
    pub fn holds(&self, place: usize) -> bool {
        place % self.of == self.number - 1
    }

    /// The field in which another part differs from this one, if they do not belong together.
    pub fn unlike(&self, other: &Part) -> Option<&'static str> {
        let differ = |one: &Option<String>, two: &Option<String>| {
            one.as_ref().zip(two.as_ref()).is_some_and(|(one, two)| one != two)
        };
        match () {
            () if differ(&self.model, &other.model) => Some("a part of another model"),
            () if differ(&self.settings, &other.settings) => Some("a part with other options"),
            () => None,
        }
    }
}

/// One value of a sweep with its solution.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// Its index among all values, where this is a part of a sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The values set, by path, in the order of the arguments.
    #[serde(serialize_with = "as_map")]
    pub set: Vec<(String, Value)>,
    /// The solution.
    pub solution: Solution,
}

fn as_map<S: Serializer>(set: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(set.iter().map(|(path, value)| (path, value)))
}
