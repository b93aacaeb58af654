//! The command line: commands and their options.

mod comparing;
mod fit;
mod measurements;
mod pages;
mod policies;
mod replay;
mod simulate;
mod traces;

pub use comparing::{Compare, Join, Regret, Study, Sweep};
pub use fit::Fit;
pub use measurements::{Calibrate, Monitor};
pub use pages::{Export, Report};
pub use replay::{Advise, Replay};
pub use simulate::Simulate;
pub use traces::{Log, Reading};

use crate::output::say;
use crate::problems::{self, Method};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use comparing::{COMPARE_HELP, JOIN_HELP, REGRET_HELP, STUDY_HELP, SWEEP_HELP};
use fit::FIT_HELP;
use measurements::{CALIBRATE_HELP, MONITOR_HELP};
use pages::{EXPORT_HELP, REPORT_HELP};
use replay::{ADVISE_HELP, REPLAY_HELP};
use simulate::SIMULATE_HELP;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// When should a parallel program remap its work? Optimal policies, computed and certified.
///
/// A model file states the problem: what a cycle costs before and after the work has drifted, what
/// remapping costs, how reliable the signs of drift are. `solve` returns the policy that minimizes
/// the expected time, with bounds that are proved.
///
/// Results go to standard output; warnings, faults and progress to standard error.
#[derive(Debug, Parser)]
#[command(name = "remap", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Parses the arguments, the name of the program first; a fault ends the program with its
    /// message. A negative number counts as the value of its option, so that the message says what
    /// is wrong with it.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Cli {
        let below_0 = |argument: Arg| {
            let is_option = !argument.is_positional() && argument.get_action().takes_values();
            if is_option { argument.allow_negative_numbers(true) } else { argument }
        };
        let mut command = Cli::command().mut_subcommands(|verb| verb.mut_args(below_0));
        let found = command.try_get_matches_from_mut(arguments).unwrap_or_else(|e| leave(&e));
        Cli::from_arg_matches(&found).unwrap_or_else(|error| leave(&error.format(&mut command)))
    }
}

/// Ends the program with the message of a fault, or with the requested help.
fn leave(error: &clap::Error) -> ! {
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            say(&format!("cannot write to standard output: {error}"));
            std::process::exit(1)
        }
        _ => std::process::exit(error.exit_code()),
    }
}

const EXIT_CODES: &str = "\
A model file (RON), here a change of phase [Nicol and Reynolds 1990]:
  Model(
      title: \"Adaptive-grid fluids code\",
      problem: PhaseChange(
          lifetime: Fixed(79),    // cycles 0..=79
          // Mean cycle times, and delays in the same unit:
          cycle: (before: 1.0, after: 1.5, remapped: 1.1),
          remap: (test: 0.2, install: 0.0),
          detector: (false_alarm: 0.1, missed: 0.1),
          hazard: Constant(0.0025),    // chance of the change per cycle
      ),
  )

Examples:
  remap solve models/phase_change/fluids.ron
  remap solve model.ron --json --out results
  remap sweep model.ron --set problem.remap.test=1:20:1

Exit codes:
  0    done
  1    the input is wrong: the message names file, line and column
  2    the arguments are wrong
  3    a limit was hit first; the partial result is printed, with its bounds
  4    a bug
  130  interrupted; the partial result is printed
Of several models the worst counts.";

const SOLVE_HELP: &str = "\
Examples:
  remap solve models/phase_change/fluids.ron --plot curve.svg
  remap solve a.ron b.ron --json > solutions.json
  remap solve long.ron --time-limit 10 --tolerance 1e-6

With --json, one model gives one document, several give an array in the order given; models that \
are wrong are left out of it (see the exit code). Files are written whole or not at all.

Numbers after +- are half the width of proved bounds, rounded up; where something is sampled, the level of \
its confidence interval stands beside it.";

const VERIFY_HELP: &str = "\
Examples:
  remap verify models/phase_change/fluids.ron --cases 1000
  remap verify model.ron model.cert       (from remap solve model.ron --certificate model.cert)
  remap verify model.json                 (each field of a solution that names its certificate)

With a certificate, a checker that shares nothing with the solvers prints what it proves. Without, each lemma is checked against a slow and obvious evaluation (fractions, dense matrices, every branch \
followed) on the model, or what of it is small enough, and on random models that have something of \
it. Claims of the papers that are known to be false are refuted. Whatever fails is shrunk to a minimal \
model file. Exit code 4 if a theorem fails, or a false claim cannot be refuted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compute the optimal policy of each model.
    #[command(after_help = SOLVE_HELP)]
    Solve(Solve),
    /// Validate models and print what can be said without solving them.
    Check(Check),
    /// Solve a model for each value of a parameter (or each combination of several).
    #[command(after_help = SWEEP_HELP)]
    Sweep(Sweep),
    /// Join the parts of a sweep that several jobs have solved.
    #[command(after_help = JOIN_HELP)]
    Join(Join),
    /// Compare policies: exact costs where possible, otherwise on the same sample paths.
    #[command(after_help = COMPARE_HELP)]
    Compare(Compare),
    /// Compute the cost of a wrong parameter: of policies that are optimal for wrong models, in the
    /// true one.
    #[command(after_help = REGRET_HELP)]
    Regret(Regret),
    /// Recompute a table or figure of a paper, and compare it with the printed numbers.
    #[command(after_help = STUDY_HELP)]
    Study(Study),
    /// Watch measurements of a running program, one per line, and decide after each.
    #[command(after_help = MONITOR_HELP)]
    Monitor(Monitor),
    /// Measure how often the monitor's change test errs, for your own noise or a recorded trace.
    #[command(after_help = CALIBRATE_HELP)]
    Calibrate(Calibrate),
    /// Check the lemmas of the papers on a model and on similar random models, or the proof of an
    /// answer.
    #[command(after_help = VERIFY_HELP)]
    Verify(Verify),
    /// Simulate a trace of a model: step times of every rank, as CSV.
    #[command(after_help = SIMULATE_HELP)]
    Simulate(Simulate),
    /// Fit a model to the recorded step times of a program, and say how well it fits. Waiting is
    /// not load.
    #[command(after_help = FIT_HELP)]
    Fit(Fit),
    /// Evaluate policies on recorded step times: what would each have cost? Waiting is not load.
    #[command(after_help = REPLAY_HELP)]
    Replay(Replay),
    /// Say when the program of a log should remap, and what that is worth. Waiting is not load.
    #[command(after_help = ADVISE_HELP)]
    Advise(Advise),
    /// Write a solution as source code, as a table, or as settings of a known code.
    #[command(after_help = EXPORT_HELP)]
    Export(Export),
    /// Write one page with pictures, sliders, policies and bounds of solutions and models.
    #[command(after_help = REPORT_HELP)]
    Report(Report),
    /// Print a completion script for a shell, such as `source <(remap completions bash)`.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, for `man -l`.
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
    /// Not an option of this command: `sweep` sets values.
    #[arg(long, hide = true, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Write each solution to DIR/MODEL.json too; DIR is created if needed. Decision maps of more
    /// than 10^6 load vectors go to DIR/MODEL.npz (see docs/guide/stopping.md).
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Draw the threshold curve or decision map of one model.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Write a proof of the answer to one model, which `remap verify` checks independently.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Overwrite existing files; without it they stop the command before any work is done.
    #[arg(long)]
    pub force: bool,
}

/// Options of all commands that solve.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Largest certified width of a threshold, and of a value relative to max(1, |value|) [default:
    /// 1e-9]. LoadDrift and ContinuousDrift with statistical bounds: their relative gap, by the
    /// upper end of its 95 % interval [default: 2.5e-3; 1e-2, with persistent drift rates 5e-2].
    /// ManyPhases: the relative gap of its bounds [default: 1e-2].
    #[arg(long, value_name = "T", value_parser = positive)]
    pub tolerance: Option<f64>,
    /// Stopping, LoadDrift: include the value function.
    #[arg(long)]
    pub values: bool,
    /// Worker threads; results do not depend on it [default: all cores].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Stop after this many seconds with the bounds reached by then (exit code 3).
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
    /// LoadDrift: give the decision after this step (before the next) for every state.
    #[arg(long, value_name = "STEP", value_parser = clap::value_parser!(u64).range(1..))]
    pub step: Option<u64>,
    /// PhaseChange: keep at most this many linear segments and report the width reached.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(4..))]
    pub segments: Option<u32>,
    /// Stopping: method for the Bellman equation. All methods give the same answer, except with
    /// Restart: `value` does not certify decisions in states that are almost never visited; it
    /// reports the last iterate's choice there. LoadDrift: over all states, or statistical bounds
    /// for many ranks.
    #[arg(long, value_parser = one_of(METHODS))]
    pub method: Option<Method>,
    /// Stopping: give the remap cost at which each decision switches.
    #[arg(long)]
    pub critical_costs: bool,
    /// PhaseChange, PhaseSwitching: also solve in exact fractions (short horizons) and print them.
    #[arg(long)]
    pub exact: bool,
    /// Periodic: also simulate R sample paths until they violate the bound (95 % confidence).
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    pub simulate: Option<u64>,
    /// Seed of simulations and sampling [default: 1].
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
}

/// The methods of solving a problem, by name.
const METHODS: [(Method, &str, &str); 5] = [
    (Method::Auto, "auto", "Stopping: policy iteration. LoadDrift: exact where that fits"),
    (Method::Value, "value", "Stopping: value iteration from below and above"),
    (Method::Policy, "policy", "Stopping: policy iteration"),
    (Method::Exact, "exact", "LoadDrift: all states"),
    (
        Method::Bounds,
        "bounds",
        "LoadDrift: a policy and a lower bound by sampling, for any number of ranks",
    ),
];

impl From<&Settings> for problems::Settings {
    fn from(settings: &Settings) -> Self {
        Self {
            tolerance: settings.tolerance.unwrap_or(1e-9),
            gap: settings.tolerance,
            values: settings.values,
            time_limit: settings.time_limit,
            step: settings.step,
            segments: settings.segments,
            method: settings.method.unwrap_or(Method::Auto),
            critical_costs: settings.critical_costs,
            exact: settings.exact,
            simulate: settings.simulate,
            seed: settings.seed.unwrap_or(1),
        }
    }
}

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Model files (.ron).
    #[arg(required = true, value_name = "MODEL.ron")]
    pub models: Vec<PathBuf>,
    /// Say how many of R ranks of remap-mpi can share the model, and how much memory each needs.
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub ranks: Option<u32>,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// Options of `verify`.
#[derive(Debug, Clone, Args)]
pub struct Verify {
    /// The model file (.ron), or a solution (.json) that names a certificate.
    #[arg(value_name = "MODEL.ron|SOLUTION.json")]
    pub model: PathBuf,
    /// A certificate by `remap solve --certificate`: check it instead of the lemmas.
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: Option<PathBuf>,
    /// Random models for each lemma [default: 64].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub cases: Option<u32>,
    /// Seed of the random models [default: 1].
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Give up on a certificate after this many seconds (exit code 3), with no other limit on the
    /// work.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time_limit: Option<f64>,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// Parses one of these values by its name; each has a help text.
fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (T, &'static str, impl Into<String>)>,
) -> impl TypedValueParser<Value = T> {
    let (mut values, mut shown) = (HashMap::new(), Vec::new());
    for (value, name, help) in choices {
        values.insert(name.to_owned(), value);
        shown.push(PossibleValue::new(name).help(help.into()));
    }
    PossibleValuesParser::new(shown).map(move |name| values[&name].clone())
}

/// Parses a number that `fits`.
fn number(text: &str, fits: impl Fn(f64) -> bool, expected: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|value: &f64| value.is_finite() && fits(*value));
    found.ok_or_else(|| format!("expected a {expected}"))
}

fn finite(text: &str) -> Result<f64, String> {
    number(text, |_| true, "finite number")
}

fn positive(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0, "number above 0")
}
