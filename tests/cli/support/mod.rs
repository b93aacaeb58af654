//! What tests share: folders to work in, languages to compile in, logs made for tests, damaged
//! inputs.

pub mod languages;
pub mod made_logs;
pub mod mutants;
pub mod workplace;

/// What most tests use.
pub mod prelude {
    pub use super::workplace::{
        Json, MODEL, Outcome, Workplace, deck, deck_text, decks, files, has, lacks, root, stated,
        timeless,
    };
    pub use crate::thorough::{few_or_all, samples, some, some_of_each_folder, thorough};
    pub use approx::{abs_diff_eq, assert_abs_diff_eq};
    pub use serde_json::{Value, json};
}
