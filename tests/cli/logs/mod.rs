//! Logs are read.
//!
//! - `formats`, `tables`, `json_lines`, `columnar`, `codes`: formats, and the logs of production
//!   codes.
//! - `cases`, `columns`, `gaps`, `damaged`, `unreadable`: logs as people have them, and those that
//!   are refused.
//! - `streams`: logs longer than memory.

mod cases;
mod codes;
#[cfg(feature = "parquet")]
pub mod columnar;
mod columns;
mod damaged;
pub mod formats;
mod gaps;
mod json_lines;
pub mod streams;
mod tables;
mod unreadable;
