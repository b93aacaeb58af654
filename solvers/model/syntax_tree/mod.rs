//! The text of a model file: its words, its tree of spans, and messages that point into it.

pub(crate) mod explain;
pub(crate) mod packed;
pub(in crate::model) mod reader;
pub(in crate::model) mod scanner;
pub(crate) mod syntax;
