//! The solutions of one model for several values.

use super::Solution;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// What `sweep` writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// With `--part`, which part it is.
    pub part: Option<Part>,
    /// The solutions.
    pub runs: Vec<Run>,
}

/// A part of a sweep that several jobs share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// From 1 on.
    pub number: usize,
    /// How many parts there are.
    pub of: usize,
    /// How many models all parts solve.
    pub models: usize,
    /// The values of the whole sweep, as they were asked for.
    pub set: Vec<String>,
    /// Checksum of the model file's text; absent in parts of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How its models are solved, but for limits of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

impl Part {
    /// Whether the model with this place among all is one of the part's.
    pub fn holds(&self, place: usize) -> bool {
        place % self.of == self.number - 1
    }

    /// What sets another part of the same values apart, if it does not belong to this one.
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
    /// Its place among all values of a sweep of which this is a part.
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
