//! Options of `fit`.

use super::traces::{Log, traces};
use crate::fitting::Kind;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const FIT_HELP: &str = traces!(
    "Examples:
  remap fit run.csv -o fitted.ron
  remap fit run.csv.gz --model periodic --remap-cost 0.1 > fitted.ron

Without --model the first that fits the growth of the imbalance is written: load-drift (all ranks alike),
stopping (a chain for each rank, where a chi-square test refutes that they are alike at 0.001), continuous-drift
(loads on no levels, up to 2,000 steps; its solution is a rule by max - mean), periodic. One change of phase comes before
stopping where half of the log or more has no remap in between, else before periodic.
Probabilities are relative frequencies; each level leans on the moves from all levels, and each
rank on those of all ranks, as if on one more visit. Intervals are Clopper
and Pearson's, of 95 %; those of drifts take the ranks, those of deviations the steps as independent,
those of a change of phase take times as correlated from step to step, and its hazard as seen once."
);

/// Models that can be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fitted {
    /// Loads that walk on levels, with one chain for all ranks.
    LoadDrift,
    /// Loads that walk on levels, with a chain for each rank.
    Stopping,
    /// Loads that drift by normal increments, with drift rates and noise where the log has them.
    ContinuousDrift,
    /// Changes per step, for the best fixed interval.
    Periodic,
    /// One permanent change.
    PhaseChange,
}

impl Fitted {
    /// The name of the problem in documents.
    pub fn name(self) -> &'static str {
        match self {
            Fitted::LoadDrift => "load_drift",
            Fitted::Stopping => "stopping",
            Fitted::ContinuousDrift => "continuous_drift",
            Fitted::Periodic => "periodic",
            Fitted::PhaseChange => "phase_change",
        }
    }
}

/// Chains that can be fitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Chain {
    /// Dense where more than one move in a hundred crosses several levels.
    #[default]
    Auto,
    /// Moves to neighboring levels only.
    BirthDeath,
    /// Any moves.
    Dense,
}

impl From<Chain> for Kind {
    fn from(chain: Chain) -> Kind {
        match chain {
            Chain::Auto => Kind::Auto,
            Chain::BirthDeath => Kind::BirthDeath,
            Chain::Dense => Kind::Dense,
        }
    }
}

/// Options of `fit`.
#[derive(Debug, Args)]
pub struct Fit {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub log: Log,
    /// Model to fit [default: the first that fits].
    #[arg(long, value_enum)]
    pub model: Option<Fitted>,
    /// How loads on levels move.
    #[arg(long, value_enum, default_value_t, value_name = "KIND")]
    pub chain: Chain,
    /// The job's length in steps of the program; without it rules hold for any length.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub steps: Option<u64>,
    /// Write the model to FILE, and the findings to standard output; without it, both go to
    /// standard output as one model file.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print one JSON document and nothing else: all models that can be fitted, the written one
    /// first.
    #[arg(long)]
    pub json: bool,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}
