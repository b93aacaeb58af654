//! The tools that all proofs share: exact decimals, intervals with integer ends, the work budget,
//! and the form of a proof. No file here knows a kind of problem.

pub mod budget;
pub mod counts;
pub mod decimal;
pub mod proof;
pub mod span;

/// Types that model files are read into: unknown fields are refused, and each field is given at
/// most once.
macro_rules! written {
    ($($item:item)*) => { $(
        #[allow(dead_code, missing_docs)]
        #[derive(Clone, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $item
    )* };
}

pub(crate) use written;
