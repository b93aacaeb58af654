//! The command line, from outside.

mod certificates;
mod determinism;
mod diagnostics;
mod export;
mod faults;
mod files;
mod flags;
mod fuzz;
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
mod story;
mod sweeps;
mod traces;
mod verify;
mod workplace;
