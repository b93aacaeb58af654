//! Model files with faults, and damaged inputs of every reader: the fault is named, nothing panics
//! or hangs.

mod diagnostics;
mod fuzz;
mod large_models;
mod mutations;
