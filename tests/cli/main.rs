//! The command line, from outside.

mod load_drift;
mod model_problems;
mod periodic;
