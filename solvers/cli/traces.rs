//! Options for reading the log of `fit`, `replay`, `advise` and `report`.

use super::{number, one_of};
use crate::logs::{Form, How, Named, Pattern};
use clap::Args;
use std::path::PathBuf;

macro_rules! traces {
    ($examples:literal) => {
        concat!("Waiting is not load: seconds are those that a rank works in a step, without those it waits for others. Log \
them before the barrier, or log both. --columns says what columns of other names are.

", $examples, "

Traces: CSV with the columns step, rank, seconds[, remapped, remap_seconds], in any order; or one row a \
step with a column for each rank (rank_0, rank_1, ...: alike but for the number), or one row a rank with a column for each step (step_0, ...), in seconds or as they are called (time_ms, rank_0_us); JSON lines with the same names, `seconds` being \
a number or a list of all ranks; lines of names and values (step=5 rank=0 time=0.25); or step, max and mean; LAMMPS logs with cpu, f_ID[1], f_ID and f_ID[3] of fix balance; load \
balancing lines of Charm++, OpenFOAM, vLLM and SGLang; the process summary of TALP with a region for each step; tables \
of Caliper with mpi.rank, iteration# and time.duration.ns; the LB data of \
DARMA/vt (the folder, or a file with the others beside it), LoadBalanceCosts of WarpX, rank_cpu_balance.log \
of SWIFT (CPU times); Parquet with the columns of CSV; lines by --regex, where remap_seconds on a line of its own is of a remap before the \
next step. All also compressed by gzip, brotli, zstd or xz; `-` is standard input; a log may be \
written in several files, given in order. Up to a tenth of a rank's times may be missing (or NaN): they \
are filled in between their neighbours, never across a remap, and said. Anything else that is wrong is refused.")
    };
}

pub(super) use traces;

/// A log of step times.
#[derive(Debug, Args)]
pub struct Log {
    /// The log: a file, or several that follow each other, or the folder of vt's LB data.
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub reading: Reading,
}

/// How a log is read.
#[derive(Debug, Clone, Args)]
pub struct Reading {
    /// Cost of a remap in seconds [default: the mean of those recorded].
    #[arg(long, value_name = "C", value_parser = cost)]
    pub remap_cost: Option<f64>,
    /// Seconds in a unit of the log's times, whatever the names of its columns [default: by their
    /// names, otherwise 1]. Costs of remaps are in the same unit unless their own column names one,
    /// as `remap_seconds` does.
    #[arg(long, visible_alias = "seconds-per-load", value_name = "SECONDS", value_parser = unit)]
    pub log_unit: Option<f64>,
    /// Format of the log [default: detected].
    #[arg(long, value_parser = one_of(FORMATS))]
    pub format: Option<Form>,
    /// Read lines by a regular expression with the groups step, rank and seconds, or loads (a
    /// list), or max and mean, and remap_seconds, as
    /// `"step": (?<step>[0-9]+).*"loads": (?<loads>.*)|LB_time: (?<remap_seconds>[0-9.]+)`.
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "format", value_parser = str::parse::<Pattern>)]
    pub regex: Option<Pattern>,
    /// The meaning of columns, by their names or numbers from 1, where names do not tell.
    /// `seconds=NAME*` is a column for each rank; `wait=NAME` is part of the seconds and is
    /// subtracted; `wait=-` ignores a column; `begin=NAME,end=NAME` are moments, seconds their
    /// difference.
    #[arg(long, value_name = "step=..,rank=..,seconds=..", value_parser = str::parse::<Named>)]
    pub columns: Option<Named>,
    /// A row is one step in N, not the sum of N [default: the sum of as many as its steps are
    /// apart].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub every: Option<u32>,
    /// Treat sudden decreases of the imbalance as remaps that were not recorded.
    #[arg(long)]
    pub suspected: bool,
}

/// The formats of logs.
const FORMATS: [(Form, &str, &str); 7] = [
    (
        Form::Table,
        "table",
        "Rows and columns, separated by commas, semicolons, tabs, blanks or bars",
    ),
    (Form::JsonLines, "json-lines", "One JSON object per line"),
    (Form::Lammps, "lammps", "A log of LAMMPS"),
    (Form::Vt, "vt", "LB data of DARMA/vt, all nodes of a run"),
    (Form::Warpx, "warpx", "LoadBalanceCosts of WarpX"),
    (Form::Swift, "swift", "rank_cpu_balance.log of SWIFT"),
    (Form::Parquet, "parquet", "Parquet: a table stored by columns"),
];

impl Reading {
    /// The user's statements about the log.
    pub fn how(&self) -> How {
        let columns = self.columns.clone().unwrap_or_default();
        How { form: self.form(), unit: self.log_unit, columns, every: self.every }
    }

    /// The format that was asked for.
    pub fn form(&self) -> Option<Form> {
        self.regex.clone().map(Form::Lines).or_else(|| self.format.clone())
    }
}

/// Squares of times in such a unit are finite doubles, and so are their sums.
fn unit(text: &str) -> Result<f64, String> {
    number(text, |value| (1e-40..=1e40).contains(&value), "number from 1e-40 to 1e40")
}

fn cost(text: &str) -> Result<f64, String> {
    number(text, |value| value >= 0.0, "number of at least 0")
}
