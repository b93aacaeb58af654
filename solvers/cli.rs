//! The command line: what can be asked for.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// When should a parallel program remap its work? Optimal policies, computed and certified.
///
/// A model file states the problem; `solve` returns the policy that minimises the expected time, with
/// bounds that are proved.
#[derive(Debug, Parser)]
#[command(name = "remap", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the input is wrong; 2 usage; 3 a limit was hit first \
(the partial result is printed); 4 a bug; 130 interrupted (likewise).";

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compute the optimal policy of each model.
    #[command(after_help = "Example: remap solve models/phase_change/fluids.ron --plot curve.svg")]
    Solve(Solve),
    /// Validate models and print what can be said without solving them.
    Check(Check),
    /// Solve a model for each value of a parameter (or each combination of several).
    #[command(
        after_help = "Example: remap sweep models/phase_change/fluids.ron --set problem.remap.test=1:20:1"
    )]
    Sweep(Sweep),
    /// Play policies side by side on the same sample paths.
    #[command(
        after_help = "Example: remap compare models/fluids/figure6.ron --runs 100 --seed 1 --plot figure6.png"
    )]
    Compare(Compare),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff).
    Man,
}

/// Options of `solve`.
#[derive(Debug, Args)]
pub struct Solve {
    /// Model files (.ron).
    #[arg(required = true, value_name = "MODEL.ron")]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub settings: Settings,
    /// Write each solution to DIR/<model>.json.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Draw the threshold curve or decision map.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    pub force: bool,
}

/// Options every solving verb shares.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Largest certified width of a threshold, and of a value relative to max(1, |value|).
    #[arg(long, value_name = "T", default_value_t = 1e-9, value_parser = positive)]
    pub tolerance: f64,
    /// Include the value function.
    #[arg(long)]
    pub values: bool,
    /// Worker threads; results do not depend on it [default: all cores].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Stop after so many seconds with the bounds reached by then.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
    /// LoadDrift: give the decision after this step (before the next) for every state.
    #[arg(long, value_name = "STEP", value_parser = clap::value_parser!(u64).range(1..))]
    pub step: Option<u64>,
    /// PhaseChange: keep at most so many linear segments and report the width reached.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..))]
    pub segments: Option<u32>,
    /// Stopping: how to solve the Bellman equation; all ways give the same answer.
    #[arg(long, value_enum)]
    pub method: Option<Method>,
    /// Stopping: give the remap cost at which each decision switches.
    #[arg(long)]
    pub critical_costs: bool,
    /// PhaseChange: solve in exact rationals too (short horizons) and print fractions.
    #[arg(long)]
    pub exact: bool,
}

/// Ways to solve a stopping problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Policy iteration, then accelerated value iteration where it helps.
    Auto,
    /// Value iteration from below and above.
    Value,
    /// Policy iteration.
    Policy,
}

impl From<Method> for remapping::stopping::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Auto => Self::Auto,
            Method::Value => Self::Value,
            Method::Policy => Self::Policy,
        }
    }
}

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Model files (.ron).
    #[arg(required = true, value_name = "MODEL.ron")]
    pub models: Vec<PathBuf>,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// Options of `sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// The model file (.ron).
    #[arg(value_name = "MODEL.ron")]
    pub model: PathBuf,
    /// A place in the model and its values: PATH=first:last:step, or PATH=v1,v2,...
    #[arg(long, required = true, value_name = "PATH=VALUES")]
    pub set: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub settings: Settings,
}

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The model file (.ron).
    #[arg(value_name = "MODEL.ron")]
    pub model: PathBuf,
    /// Policies, separated by commas [default: all that apply].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub policies: Vec<String>,
    /// Runs to average over.
    #[arg(long, value_name = "R", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Seed of the random numbers; the same seed gives the same runs.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Write the comparison to DIR/<model>.json, and recorded costs per step and processor as CSV.
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
    /// Stop after so many seconds and print what is finished by then.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a number above 0".to_owned()),
    }
}
