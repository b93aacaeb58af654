//! What proofs of every kind are made of: exact decimals, intervals with integer ends, the work that checks
//! may take, and the form of what is proved. Nothing here knows a kind of problem.

pub mod budget;
pub mod counts;
pub mod decimal;
pub mod proof;
pub mod span;
pub mod span_arithmetic;
pub mod weights;

/// What stands in a model file: every field must be known, and is given once.
macro_rules! written {
    ($($item:item)*) => { $(
        #[allow(dead_code, missing_docs)]
        #[derive(Clone, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $item
    )* };
}

pub(crate) use written;
