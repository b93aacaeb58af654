//! The solutions of one model for several values.

use super::Solution;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// One value of a sweep with its solution.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// The values set, by path, in the order of the arguments.
    #[serde(serialize_with = "as_map")]
    pub set: Vec<(String, Value)>,
    /// The solution.
    pub solution: Solution,
}

fn as_map<S: Serializer>(set: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(set.iter().map(|(path, value)| (path, value)))
}
