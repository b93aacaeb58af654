//! Decision maps, in text, as pictures, and in files.

pub(in crate::problems::stopping) mod decision_map;
pub mod map;
pub mod table;
