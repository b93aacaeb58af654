//! Commands that are stopped, or that lack time, memory or disk.
//!
//! - `stopped`, `told`, `unconverged`: partial results and what is said of them.
//! - `interrupts`, `files`, `faults`: Ctrl-C, files written whole, and what goes wrong around a
//!   program.

mod faults;
mod files;
mod interrupts;
mod stopped;
mod told;
mod unconverged;
