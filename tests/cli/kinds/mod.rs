//! Each kind of problem from the command line, in a folder or file of its name.

pub mod continuous_drift;
mod load_drift;
mod many_phases;
mod model_problems;
mod periodic;
mod phase_switching;
mod stopping;
