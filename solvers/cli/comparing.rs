//! Options of the commands that compare models, values and policies.

use super::policies::{COMPARED, Named};
use super::{Settings, positive};
use clap::Args;
use std::path::PathBuf;

pub(super) const SWEEP_HELP: &str = "\
Examples:
  remap sweep models/phase_change/fluids.ron --set problem.remap.test=1:20:1
  remap sweep model.ron --set problem.hazard=0.001,0.01 --set problem.lifetime=100:500:100
  remap sweep model.ron --set 'problem.lifetime=Fixed(80),Uniform(first: 1, last: 160)'

A path names a place as it stands in the file; of a one-value variant such as Constant(0.001) it is \
the value. Fields left to their defaults can be set too. Of several --set all combinations are \
solved, the last varying fastest. --time-limit counts for each model.

Many models are shared out by --part: in a job array, job number JOB of 20 solves its own.
  remap sweep model.ron --set problem.hazard=0.001:0.1:0.001 --part $JOB/20 --json > part_$JOB.json
  remap join part_*.json";

pub(super) const JOIN_HELP: &str = "\
Examples:
  remap join part_*.json
  remap join part_*.json --json > sweep.json

The output is that of the whole sweep, or of the whole regret. Where parts or models are missing, it says which, prints the \
others, and the exit code is 3.";

pub(super) const COMPARE_HELP: &str = "\
Examples:
  remap compare models/phase_change/table_iii_*.ron --policies optimal,heuristic_1986,fixed:0.7,never
  remap compare models/fluids/figure6.ron --runs 100 --seed 1 --plot figure6.png

For a change of phase, fixed:tau remaps once the belief exceeds tau, where one that is tau but for rounding may count \
as either; guarded:tau the same while D <= T G, T being the mean number of cycles left, the present one included. Numbers after ± are half the width of proved \
bounds for a change of phase, and otherwise of 95 % confidence intervals, sampled; both rounded up.

With --json, one model gives one document, several give an array.";

pub(super) const REGRET_HELP: &str = "\
Examples:
  remap regret models/phase_change/table_iii_n100_g50.ron --plot regret.png
  remap regret model.ron --set problem.hazard=0.0001,0.001,0.01 --set problem.remap.test=5:20:5

For each value, one place at a time, the model is solved as if that value were right; its policy, which \
also judges the reports by it, is evaluated in the model as it is. Without --set: the hazard, both errors of \
the detector, the cycle time after the change and the delay of a remapping, each off by factors from \
1/10 to 10 (the time after the change: its difference to the remapped one, the gain); of drifting loads the cost of a remap and the probabilities of a walk. Numbers after ± are half the \
width of proved bounds, rounded up. Many values are shared out by --part, as those of `sweep`.";

pub(super) const STUDY_HELP: &str = "\
Examples:
  remap study models/studies/table_iii.ron
  remap study models/studies/figure_4.ron --plot figure_4.png

Every number is computed between certified bounds; a printed one agrees if it lies within them, give or \
take what the paper says of its own accuracy. Numbers after ± are half the width of these bounds, rounded up.";

/// Options of `sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// The model file (.ron).
    #[arg(value_name = "MODEL.ron")]
    pub model: PathBuf,
    /// A place in the model and its values: PATH=first:last:step (exact; last is included if a step
    /// reaches it), or PATH=v1,v2,...
    #[arg(long, required = true, value_name = "PATH=VALUES")]
    pub set: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub settings: Settings,
    /// Draw the numbers of the table that differ, up to four of them, over the first --set, with a
    /// curve for each value of the others. Drifting loads: the cost per step. A Stopping model and
    /// one --set: the regions where one remaps, and the iterations.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Solve only every N-th model, from the I-th on: job I of N. `remap join` joins the parts.
    #[arg(long, value_name = "I/N", value_parser = share)]
    pub part: Option<(usize, usize)>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}

/// Options of `join`.
#[derive(Debug, Clone, Args)]
pub struct Join {
    /// The parts: what `remap sweep` or `remap regret` printed with --part I/N and --json, in any
    /// order.
    #[arg(required = true, value_name = "PART.json")]
    pub parts: Vec<PathBuf>,
    /// Print the JSON document of the whole and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Draw what --plot of that command draws.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// Model files (.ron).
    #[arg(required = true, value_name = "MODEL.ron")]
    pub models: Vec<PathBuf>,
    /// Policies, separated by commas [default: all that apply].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = Named(&COMPARED), hide_possible_values = true)]
    pub policies: Vec<String>,
    /// Runs to average over [default: 100].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub runs: Option<u32>,
    /// Seed of the random numbers; the same seed gives the same runs [default: 1].
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Write the comparison to DIR/MODEL.json, and recorded costs per step and processor as CSV.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Draw the comparison.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    pub force: bool,
    /// Worker threads; results do not depend on it [default: all cores].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Stop after this many seconds and print what is finished by then.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
}

/// Options of `regret`.
#[derive(Debug, Clone, Args)]
pub struct Regret {
    /// The true model (.ron), a change of phase or drifting loads.
    #[arg(value_name = "MODEL.ron")]
    pub model: PathBuf,
    /// A place in the model and the values wrongly assumed for it: PATH=first:last:step or
    /// PATH=v1,v2,...
    #[arg(long, value_name = "PATH=VALUES")]
    pub set: Vec<String>,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Try only every N-th value, from the I-th on: job I of N. `remap join` joins the parts.
    #[arg(long, value_name = "I/N", value_parser = share, conflicts_with = "plot")]
    pub part: Option<(usize, usize)>,
    /// Draw the lost share of the possible gain against the factor by which a parameter is wrong.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
    /// Stop after this many seconds and print what is finished by then.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
}

/// Options of `study`.
#[derive(Debug, Clone, Args)]
pub struct Study {
    /// The study file (.ron).
    #[arg(value_name = "STUDY.ron")]
    pub study: PathBuf,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Draw the curves, with the printed numbers as crosses.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
    /// Stop after this many seconds and print what is finished by then.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
}

/// `I/N` with 1 <= I <= N.
fn share(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((number, of)) if 1 <= number && number <= of && of <= 100_000 => Ok((number, of)),
        _ => Err("expected a part such as 3/20, of 100000 at most".to_owned()),
    }
}
