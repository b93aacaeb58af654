//! Exported policies and settings.
//!
//! - `policies`, `advised`, `words`: rules of models and of logs in each language, and what is said in them.
//! - `controllers`: rules that are stored and go on.
//! - `knobs`, `real`: settings of production codes, and these codes run with them.

mod advised;
mod controllers;
pub mod knobs;
mod policies;
mod real;
mod words;
