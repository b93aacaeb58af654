//! `remap`: the problems as files, the command line, and everything people see.
//!
//! One way down: `commands` read a [`model`], solve it with the `remapping` engine, and show the
//! [`solution`] through [`render`]. One module per problem says how its model becomes an answer.

pub mod archive;
pub mod certificate;
pub mod checkpoint;
pub mod claims;
pub mod cli;
pub mod commands;
pub mod decision_map;
pub mod evaluation;
pub mod export;
pub mod fitting;
pub mod fluids;
pub mod land_battle;
pub mod load_drift;
pub mod measurements;
pub mod memory;
pub mod model;
pub mod output;
pub mod periodic;
pub mod phase_change;
pub mod phase_switching;
pub mod render;
pub mod replaying;
pub mod report;
pub mod run;
pub mod sampling;
pub mod solution;
pub mod stopping;
pub mod trace;
pub mod verify;
pub mod workload;
