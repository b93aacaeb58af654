//! The command line, from outside.

mod model_problems;
mod stopping;
