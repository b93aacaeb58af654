//! The command line, from outside.

mod diagnostics;
mod files;
mod flags;
mod limits;
mod load_drift;
mod model_problems;
mod monitor;
mod mutations;
mod periodic;
mod periodic_references;
mod stopping;
mod stopping_reference;
mod sweeps;
mod verify;
mod workplace;
