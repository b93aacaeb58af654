//! The command line, from outside. Each test runs `remap`, or what `remap` is made of, in a folder
//! of its own.
//!
//! - `commands`, `inputs`, `kinds`: what commands print; models with faults; each kind of problem.
//! - `logs`, `fits`, `advice`: logs are read, models fitted to them, rules recommended for them.
//! - `exports`, `proofs`, `limits`: policies in other languages; certificates; what was stopped or
//!   went wrong.
//! - `repository`: imports, dependencies and pages. `support`, `families`, `thorough`: what tests
//!   share.

mod advice;
mod commands;
mod exports;
#[path = "../families/mod.rs"]
mod families;
mod fits;
mod inputs;
mod kinds;
mod limits;
mod logs;
mod proofs;
mod repository;
mod support;
#[path = "../thorough.rs"]
mod thorough;
