//! The command line, from outside.

mod acceptance;
mod certificates;
mod chains;
mod claims;
mod determinism;
mod diagnostics;
mod documents;
mod export;
mod faults;
mod files;
mod flags;
mod floors;
mod fuzz;
mod interrupts;
mod languages;
mod limits;
mod load_drift;
mod model_problems;
mod monitor;
mod mutants;
mod mutations;
mod periodic;
mod periodic_references;
mod phase_switching;
mod report;
mod stopping;
mod stopping_reference;

mod studies;
mod sweeps;
mod traces;
mod verify;
mod workplace;
