//! The command line, from outside.

mod certificates;
mod determinism;
mod diagnostics;
mod faults;
mod files;
mod flags;
mod fuzz;
mod export;
mod files;
mod flags;
mod languages;
mod limits;
mod load_drift;
mod model_problems;
mod monitor;
mod mutants;
mod mutations;
mod periodic;
mod periodic_references;
mod report;
mod stopping;
mod stopping_reference;
mod sweeps;
mod verify;
mod traces;
mod workplace;
