//! The text of a model file: its words, its tree of spans, and messages that point into it.

pub(crate) mod explain;
pub(crate) mod packed;
mod reader;
mod scanner;
pub(crate) mod syntax;
