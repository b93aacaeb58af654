//! The command `remap`: model files, the command line, and all output for people.
//!
//! Calls go one way: `commands` read a [`model`] and solve it as one of the [`problems`], which use
//! the `remapping` engine. They show the `solution` through [`render`], [`report`] and
//! [`export`].

pub mod archive;
pub mod checkpoint;
pub mod cli;
pub mod commands;
pub mod complaint;
pub mod document;
pub mod export;
pub mod fitting;
pub mod logs;
pub mod measurements;
pub mod memory;
pub mod model;
pub mod output;
pub mod plot;
pub mod problems;
pub mod proving;
mod records;
pub mod render;
pub mod replaying;
pub mod report;
pub mod run;
pub mod study;
pub mod text;
pub mod verify;
