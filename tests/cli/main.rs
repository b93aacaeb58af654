//! The command line, from outside.

mod periodic;
