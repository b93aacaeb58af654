//! Options of `report` and `export`.

use super::one_of;
use super::traces::Reading;
use crate::export::Target;
use clap::Args;
use std::path::PathBuf;

pub(super) const EXPORT_HELP: &str = "\
Examples:
  remap solve models/phase_change/fluids.ron --json > fluids.json
  remap export fluids.json --to c -o remap_policy.h
  remap export interval.json --to lammps

The source files are self-contained: a table, and a function that decides. Settings of known codes \
need an interval or a tolerance: solutions of periodic, load_drift, continuous_drift and stopping models, and rules of logs.";

pub(super) const REPORT_HELP: &str = "\
Examples:
  remap report models/phase_change/fluids.ron -o report.html
  remap sweep model.ron --set problem.remap_cost=1:16:1 --json > sweep.json
  remap report sweep.json solution.json -o report.html
  remap report run.csv --remap-cost 0.1 -o report.html

The page of a log is that of `remap advise`: intervals are of 95 %, by a block bootstrap. Models are solved, also for other costs of a remap and tolerances, and their policies compared, as far as \
that takes seconds; a sweep gives a slider for each path that was set. The page says of each ± whether it is \
proved or of a confidence interval, and its level; errors are rounded up.";

/// Options of `report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Model files (.ron), and solutions or sweeps as JSON (.json); or a log.
    #[arg(required = true, value_name = "MODEL.ron|SOLUTION.json|TRACE")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub reading: Reading,
    /// Write the page to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}

/// Options of `export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The solution, as `remap solve --json` prints it, or the rule that `replay --advised` writes.
    #[arg(value_name = "SOLUTION.json")]
    pub solution: PathBuf,
    /// Format to write.
    #[arg(long, value_name = "TARGET", value_parser = one_of(Target::all()))]
    pub to: Target,
    /// Write to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}
