//! `advise` and `replay`: what is recommended for a log, and that it is true.
//!
//! - `advise`, `cases`: the command, and logs on which advice was once wrong.
//! - `noisy_logs`, `real_logs`, `few_remaps`, `other_ranks`, `overlap`: logs of each sort.
//! - `advised`, `ships`, `programs`, `truth`: the rule `advised`, and programs that follow it.

mod advise;
pub mod advised;
mod cases;
mod few_remaps;
mod noisy_logs;
mod other_ranks;
mod overlap;
pub mod programs;
mod real_logs;
mod ships;
mod truth;
