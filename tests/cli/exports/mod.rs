//! Exported policies and settings.
//!
//! - `policies`, `maps`, `advised`, `settings`, `words`: rules of models and of logs in each
//!   language, and what is said in them.
//! - `controllers`: rules that are stored and go on.
//! - `knobs`, `real`: settings of production codes, and these codes run with them.

mod advised;
mod controllers;
pub mod knobs;
mod maps;
mod policies;
mod real;
mod settings;
mod words;
