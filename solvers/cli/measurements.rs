//! Options of the commands that read measurements of a running program: `monitor` and `calibrate`.

use super::{finite, positive};
use crate::measurements::Column;
use clap::Args;
use remapping::monitor::calibrate::Noise;
use std::path::PathBuf;

pub(super) const MONITOR_HELP: &str = "\
Example: remap monitor models/phase_change/fluids.ron --batch 1 --cluster 5 < times.csv

Batches of measurements are averaged, clusters of batch means are tested against the first cluster \
by Akaike's criterion, each test updates the probability that the phase has changed, and the \
program should remap once that exceeds the optimal threshold of the step. Each cluster is a step of \
the model, base clusters too, the first of which is step 0. Decisions: base (the base cluster is \
being taken), wait (a cluster is being taken), continue, remap (a new base cluster follows, at which \
nothing is decided). After the model's last step nothing is known of the program: it is told to continue, \
and a warning says so. A first line that is no number is taken as the names of columns.";

pub(super) const CALIBRATE_HELP: &str = "\
Examples:
  remap calibrate --batch 4 --cluster 8 --shift 1.5
  remap calibrate --noise ar1:0.6 --scale 2 --runs 100000
  remap calibrate --change-at 1200 < times.csv";

/// Options of `monitor`.
#[derive(Debug, Clone, Args)]
pub struct Monitor {
    /// The model file (.ron): a change of phase, or recurring phases.
    #[arg(value_name = "MODEL.ron")]
    pub model: PathBuf,
    /// Measurements averaged to a batch.
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub batch: u32,
    /// Batches in a cluster.
    #[arg(long, value_name = "C", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub cluster: u32,
    /// The column of the measurements: its name in the header, or its number from 1 [default:
    /// last].
    #[arg(long, value_name = "NAME|K", default_value = "last", value_parser = column, hide_default_value = true)]
    pub column: Column,
    /// Leave out lines that are not finite numbers, with a warning, instead of stopping.
    #[arg(long)]
    pub skip_invalid: bool,
    /// Print one JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// Options of `calibrate`.
#[derive(Debug, Clone, Args)]
pub struct Calibrate {
    /// Measurements averaged to a batch.
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub batch: u32,
    /// Batches in a cluster.
    #[arg(long, value_name = "C", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub cluster: u32,
    /// Distribution of the measurements: normal, ar1:CORRELATION, or student:DEGREES (heavy tails)
    /// [default: normal].
    #[arg(long, value_name = "LAW", value_parser = noise)]
    pub noise: Option<Noise>,
    /// Number of standard deviations by which the change moves the mean [default: 1].
    #[arg(long, value_name = "K", value_parser = finite)]
    pub shift: Option<f64>,
    /// Factor by which the change multiplies the standard deviation [default: 1].
    #[arg(long, value_name = "K", value_parser = positive)]
    pub scale: Option<f64>,
    /// Pairs of clusters to simulate [default: 10000].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    pub runs: Option<u32>,
    /// Seed of the simulation [default: 1].
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Read a trace from standard input instead; the change comes after this many measurements.
    #[arg(long, value_name = "K")]
    pub change_at: Option<u64>,
    /// The column of the trace: its name in the header, or its number from 1 [default: last].
    #[arg(long, value_name = "NAME|K", value_parser = column)]
    pub column: Option<Column>,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
}

fn noise(text: &str) -> Result<Noise, String> {
    let law = match text.split_once(':') {
        None if text == "normal" => Some(Noise::Normal),
        Some(("ar1", value)) => value.parse().ok().map(Noise::Autoregressive),
        Some(("student", value)) => value.parse().ok().map(Noise::Student),
        _ => None,
    };
    law.filter(Noise::is_valid).ok_or_else(|| {
        "expected normal, ar1:CORRELATION within -1..1, or student:DEGREES above 2".to_owned()
    })
}

fn column(text: &str) -> Result<Column, String> {
    if text == "last" { Ok(Column::Last) } else { text.parse() }
}
