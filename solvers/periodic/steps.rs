//! An interval as it is told: known, never ending, or not known.

use remapping::Status;
use remapping::interval::Method;
use serde::{Serialize, Serializer};

/// How many steps, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// So many.
    Known(u64),
    /// The interval does not end.
    Never,
    /// So many or more: the search was stopped.
    AtLeast(u64),
    /// The search was stopped before anything was known.
    NotComputed,
}

impl Steps {
    /// What a method found.
    pub fn of(method: &Method) -> Steps {
        match method.interval.steps {
            _ if method.is_missing() => Steps::NotComputed,
            None => Steps::Never,
            Some(steps) if method.status == Status::Converged => Steps::Known(steps),
            Some(steps) => Steps::AtLeast(steps),
        }
    }

    /// The steps, where there is a number of them.
    pub fn number(self) -> Option<u64> {
        match self {
            Steps::Known(steps) | Steps::AtLeast(steps) => Some(steps),
            Steps::Never | Steps::NotComputed => None,
        }
    }

    /// The steps that are proved, where there may be more.
    pub fn at_least(self) -> Option<u64> {
        if let Steps::AtLeast(steps) = self { Some(steps) } else { None }
    }
}

impl std::fmt::Display for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Steps::Known(steps) => f.pad(&steps.to_string()),
            Steps::Never => f.pad("never"),
            Steps::AtLeast(steps) => f.pad(&format!("{steps} or more")),
            Steps::NotComputed => f.pad("not computed"),
        }
    }
}

/// A number, `null` for never, or the words "not computed".
impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Steps::Known(steps) | Steps::AtLeast(steps) => serializer.serialize_u64(*steps),
            Steps::Never => serializer.serialize_none(),
            Steps::NotComputed => serializer.serialize_str("not computed"),
        }
    }
}
