//! Commands: what they print, where to, and that it is the same everywhere and every time.
//!
//! - `flags`, `headlines`, `one_answer`, `coverage`, `determinism`: all commands.
//! - `sweeps`, `studies`, `regrets`, `report`, `report_numbers`, `monitor`: one command each.

mod coverage;
mod determinism;
mod flags;
mod headlines;
mod monitor;
mod one_answer;
mod regrets;
mod report;
mod report_numbers;
mod studies;
mod sweeps;
