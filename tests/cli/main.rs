//! The command line, from outside.

mod certificates;
mod determinism;
mod diagnostics;
mod faults;
mod files;
mod flags;
mod fuzz;
mod limits;
mod load_drift;
mod model_problems;
mod monitor;
mod mutants;
mod mutations;
mod periodic;
mod periodic_references;
mod phase_switching;
mod stopping;
mod stopping_reference;
mod studies;
mod sweeps;
mod verify;
mod workplace;
