//! Options of `fit`.

use super::one_of;
use super::traces::{Log, traces};
use crate::fitting::Kind;
use clap::Args;
use std::path::PathBuf;

pub(super) const FIT_HELP: &str = traces!(
    "Examples:
  remap fit run.csv -o fitted.ron
  remap fit run.csv.gz --model periodic --remap-cost 0.1 > fitted.ron

Without --model the first that fits the growth of the imbalance is written: load-drift (all ranks alike), \
stopping (a chain for each rank, where a chi-square test refutes that they are alike at 0.001), continuous-drift \
(loads on no levels, up to 2,000 steps; its solution is a rule by max - mean), periodic. One change of phase comes before \
stopping where half of the log or more has no remap in between, else before periodic. \
Probabilities are relative frequencies; each level leans on the moves from all levels, and each \
rank on those of all ranks, as if on one more visit. Intervals are Clopper \
and Pearson's, of 95 %; those of drifts take the ranks, those of deviations the steps as independent, \
those of a change of phase take times as correlated from step to step, and its hazard as seen once."
);

/// The models that can be fitted, by the name of the problem in documents.
const FITTED: [(&str, &str, &str); 5] = [
    ("load_drift", "load-drift", "Loads that walk on levels, with one chain for all ranks"),
    ("stopping", "stopping", "Loads that walk on levels, with a chain for each rank"),
    (
        "continuous_drift",
        "continuous-drift",
        "Loads that drift by normal increments, with drift rates and noise where the log has them",
    ),
    ("periodic", "periodic", "Changes per step, for the best fixed interval"),
    ("phase_change", "phase-change", "One permanent change"),
];

/// The chains that can be fitted.
const CHAINS: [(Kind, &str, &str); 3] = [
    (Kind::Auto, "auto", "Dense where more than one move in a hundred crosses several levels"),
    (Kind::BirthDeath, "birth-death", "Moves to neighboring levels only"),
    (Kind::Dense, "dense", "Any moves"),
];

/// Options of `fit`.
#[derive(Debug, Args)]
pub struct Fit {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub log: Log,
    /// Model to fit [default: the first that fits].
    #[arg(long, value_parser = one_of(FITTED))]
    pub model: Option<&'static str>,
    /// How loads on levels move.
    #[arg(long, value_parser = one_of(CHAINS), default_value = "auto", value_name = "KIND")]
    pub chain: Kind,
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
