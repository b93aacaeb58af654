//! Options of `simulate`.

use super::policies::{Named, RULES};
use clap::Args;
use clap::builder::TypedValueParser;
use remapping::policy::Rule;
use std::path::PathBuf;

pub(super) const SIMULATE_HELP: &str = "\
Example: remap simulate models/load_drift/eight_chains.ron --policy fixed:10 --seed 7 --trace run.csv

A trace is written as it is made: remap simulate MODEL.ron --steps 100000000 | remap fit -

Columns: step, rank, seconds, remapped (1 where a remap came just before the step), remap_seconds. A unit \
of load is a second, and steps are counted by one, but for models fitted to a log (unit_seconds, stride). A \
Periodic model gives 1000 steps, a PhaseChange model 8 ranks whose slowest is the cycle time. Steps of a \
ContinuousDrift model have its mean_load, or without one a mean that loads hardly ever are below zero at.";

/// Options of `simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// The model file (.ron).
    #[arg(value_name = "MODEL.ron")]
    pub model: PathBuf,
    /// Steps of the model [default: as many as it has].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    pub steps: Option<u64>,
    /// Seed of the random numbers.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Drifting loads: remap by this rule [default: never].
    #[arg(long, value_name = "RULE", value_parser = rule(), hide_possible_values = true)]
    pub policy: Option<Rule>,
    /// Write the trace to FILE instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}

fn rule() -> impl TypedValueParser<Value = Rule> {
    Named(&[&RULES]).try_map(|name| name.parse::<Rule>())
}
