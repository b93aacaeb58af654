//! Options of what deals with recorded runs and with other programs: `simulate`, `fit`, `replay`,
//! `advise`, `report`, `export`.

use super::policies::{Named, PLAYED, RULES};
use super::positive;
use crate::export::Target;
use crate::fitting::Kind;
use crate::replaying::Outset;
use crate::trace::{Form, Pattern};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use remapping::overlap::Overlap;
use remapping::policy::Rule;
use std::path::PathBuf;

pub(super) const EXPORT_HELP: &str = "\
Examples:
  remap solve models/phase_change/fluids.ron --json > fluids.json
  remap export fluids.json --to c -o remap_policy.h
  remap export interval.json --to lammps

The source files are self-contained: a table, and a function that decides. Settings of known codes
need an interval or a tolerance: solutions of periodic, load_drift and stopping models.";

pub(super) const REPORT_HELP: &str = "\
Examples:
  remap report models/phase_change/fluids.ron -o report.html
  remap sweep model.ron --set problem.remap_cost=1:16:1 --json > sweep.json
  remap report sweep.json solution.json -o report.html
  remap report run.csv --remap-cost 0.1 -o report.html

The page of a log is that of `remap advise`: intervals are of 95 %, by a block bootstrap. Models are solved, also for other costs of a remap and tolerances, and their policies compared, as far as
that takes seconds; a sweep gives a slider for each path that was set. The page says of each ± whether it is
proved or of a confidence interval, and its level; errors are rounded up.";

pub(super) const SIMULATE_HELP: &str = "\
Example: remap simulate models/load_drift/eight_chains.ron --policy fixed:10 --seed 7 --trace run.csv

Columns: step, rank, seconds, remapped (1 where a remap came just before the step), remap_seconds. A
Periodic model gives 1000 steps, a PhaseChange model 8 ranks whose slowest is the cycle time.";

macro_rules! traces {
    ($examples:literal) => {
        concat!($examples, "

Traces: CSV with the columns step, rank, seconds[, remapped, remap_seconds], in any order; or one row a
step with a column for each rank (rank_0, rank_1, ...), in seconds or as they are called (time_ms, rank_0_us); JSON lines with the same names, `seconds` being
a number or a list; LAMMPS logs whose thermo output has the imbalance of fix balance; the LB data of
DARMA/vt (the folder, or a file with the others beside it), LoadBalanceCosts of WarpX, rank_cpu_balance.log
of SWIFT (CPU times); lines by --regex, where remap_seconds on a line of its own is of a remap before the
next step. All also compressed by gzip or brotli; `-` is standard input. Up to a tenth of a rank's times may be missing (or NaN): they
are filled in between their neighbours, and said. Anything else that is wrong is refused.")
    };
}

pub(super) const FIT_HELP: &str = traces!(
    "Examples:
  remap fit run.csv -o fitted.ron
  remap fit run.csv.gz --model periodic --remap-cost 0.1 > fitted.ron

Without --model the first that fits the growth of the imbalance is written: load-drift (all ranks alike),
stopping (a chain for each rank, where a chi-square test refutes that they are alike at 0.001), periodic.
continuous-drift, whose solution is a rule by max - mean, is fitted where it is asked for.
Probabilities are relative frequencies; each level leans on the moves from all levels, and each
rank on those of all ranks, as if on one more visit. Intervals are Clopper
and Pearson's, of 95 %; those of drifts take the ranks, those of deviations the steps as independent,
those of a change of phase take times as correlated from step to step, and its hazard as seen once."
);

pub(super) const ADVISE_HELP: &str = traces!(
    "Examples:
  remap advise run.csv
  remap advise run.csv --remap-cost 0.1 -o advice

The first line says what to do and what it is worth. Rules are trained on the first half of the log, and one is
chosen there; it is valued on the second half, which nothing was fitted to, from where the run stood, against
the run as it was. Intervals are of 95 %, by a block bootstrap. A rule of one number is
taken where it is within 1 % of the rule that votes (docs/advised.md). Where nothing beats what was done, or the
log cannot tell, that is the answer.

Assumed: a remap restores balance and does not change later increments."
);

pub(super) const REPLAY_HELP: &str = traces!(
    "Examples:
  remap replay run.csv
  remap replay run.csv --policies solved,menon,fixed,never --remap-cost 0.1 --split 0.3

Policies: the rules of `compare` (never, fixed:9, threshold:2.5, utilization:0.8, stop_at_rise, menon,
metabalancer, zhai, procassini, marquez:0.1, ...); fixed, threshold and utilization tuned on the training
steps; advised (rules and a plan, tried on paper, vote: docs/advised.md) and advised_cold (the same without
the training steps); predictive (plans on the increments of the training steps), adaptive (goes on learning),
adaptive_cold (knows nothing at first), interval (of least cost for the fitted model), q_learning,
solution (with --solution); and solved: of two adaptive plans, by trends and by means that loads return to,
and the rules in use, what was cheapest on the later training steps.

Where the log says when the run was remapped, `recorded` is the run as it was, from where it stood. The others
start balanced, or with --from actual where the run stood. Differences have 95 % intervals by a block bootstrap;
with --splits they are spread over several trainings, not one.

With --overlap 3:0.05 a remap decided after step 10 balances the loads of step 10 from step 14 on; steps 11 to 13
are made on the old mapping and take 5 % longer, and --remap-cost is what stops the run besides (0, perhaps).

Assumed: a remap restores balance and does not change later increments."
);

/// Options of `simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// The model file (.ron).
    #[arg(value_name = "MODEL.ron")]
    pub model: PathBuf,
    /// Steps [default: those of the model].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub steps: Option<u64>,
    /// Seed of the random numbers.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// LoadDrift: remap by this rule [default: never].
    #[arg(long, value_name = "RULE", value_parser = rule(), hide_possible_values = true)]
    pub policy: Option<Rule>,
    /// Write the trace to FILE instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}

/// A log of step times.
#[derive(Debug, Args)]
pub struct Log {
    /// The log: a file, or the folder of vt's LB data.
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub reading: Reading,
}

/// How a log is read.
#[derive(Debug, Clone, Args)]
pub struct Reading {
    /// Cost of a remap in seconds [default: the mean of those recorded].
    #[arg(long, value_name = "C", value_parser = cost, allow_negative_numbers = true)]
    pub remap_cost: Option<f64>,
    /// Seconds in a unit of the log's times [default: as its columns are called, otherwise 1].
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub log_unit: Option<f64>,
    /// How the log is written [default: what it looks like].
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Read lines by a regular expression with the groups step, rank and seconds, or loads (a list), and
    /// remap_seconds, as `"step": (?<step>[0-9]+).*"loads": (?<loads>.*)|LB_time: (?<remap_seconds>[0-9.]+)`.
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "format", value_parser = pattern)]
    pub regex: Option<Pattern>,
    /// Take sudden falls of the imbalance for remaps that were not recorded.
    #[arg(long)]
    pub suspected: bool,
}

/// Ways to write a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Rows and columns, separated by commas, semicolons, tabs or blanks.
    Table,
    /// A JSON object a line.
    JsonLines,
    /// A log of LAMMPS.
    Lammps,
    /// LB data of DARMA/vt, all nodes of a run.
    Vt,
    /// LoadBalanceCosts of WarpX.
    Warpx,
    /// rank_cpu_balance.log of SWIFT.
    Swift,
}

impl Reading {
    /// The form that was asked for.
    pub fn form(&self) -> Option<Form> {
        let forced = self.format.map(|format| match format {
            Format::Table => Form::Table,
            Format::JsonLines => Form::JsonLines,
            Format::Lammps => Form::Lammps,
            Format::Vt => Form::Vt,
            Format::Warpx => Form::Warpx,
            Format::Swift => Form::Swift,
        });
        self.regex.clone().map(Form::Lines).or(forced)
    }
}

fn pattern(text: &str) -> Result<Pattern, String> {
    text.parse()
}

/// Where the judged run starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// Balanced, as if there had been a remap just before.
    #[default]
    Balance,
    /// Where the recorded run stood.
    Actual,
}

impl From<Start> for Outset {
    fn from(start: Start) -> Outset {
        match start {
            Start::Balance => Outset::Balance,
            Start::Actual => Outset::Actual,
        }
    }
}

/// Models that can be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fitted {
    /// Loads that walk on levels, all ranks alike.
    LoadDrift,
    /// Loads that walk on levels, each rank by a chain of its own.
    Stopping,
    /// Loads that drift by normal increments, with slopes and noise where there are any.
    ContinuousDrift,
    /// Changes per step, for the best fixed interval.
    Periodic,
    /// One change for good.
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
    /// Dense where more than one move in a hundred is over several levels.
    #[default]
    Auto,
    /// Moves to neighbouring levels only.
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
    /// Which model [default: the first that fits].
    #[arg(long, value_enum)]
    pub model: Option<Fitted>,
    /// How loads on levels move.
    #[arg(long, value_enum, default_value_t, value_name = "KIND")]
    pub chain: Chain,
    /// The job's length in steps of the program; without it rules hold for any length.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub steps: Option<u64>,
    /// Write the model to FILE, and what was found to standard output; without it, both go to
    /// standard output as one model file.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print one JSON document and nothing else: all models that can be fitted, the one written first.
    #[arg(long)]
    pub json: bool,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}

/// Options of `replay`.
#[derive(Debug, Args)]
pub struct Replay {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub log: Log,
    /// Policies, separated by commas [default: all].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = played(), hide_possible_values = true)]
    pub policies: Vec<String>,
    /// Share of the steps that fitted policies are trained on; all are judged on the rest.
    #[arg(long, value_name = "F", default_value_t = 0.5, value_parser = share)]
    pub split: f64,
    /// Where the judged run starts.
    #[arg(long, value_enum, default_value_t)]
    pub from: Start,
    /// Remaps go on beside the steps: the new mapping comes into force STEPS after the decision, and
    /// these cost a share SLOWDOWN more, as in 3:0.05 [default: the run stands still].
    #[arg(long, value_name = "STEPS:SLOWDOWN", value_parser = overlap, default_value = "0:0", hide_default_value = true)]
    pub overlap: Overlap,
    /// Judge the steps in K parts, each with policies trained anew on all steps before it, and from where --from
    /// says; costs are those of all parts.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=50))]
    pub splits: u64,
    /// Say, too, which policy would be best if a remap cost a quarter, half, twice, four times as much.
    #[arg(long)]
    pub what_if: bool,
    /// A solution, or a rule that --advised wrote, to play too, as the policy `solution`.
    #[arg(long, value_name = "SOLUTION.json")]
    pub solution: Option<PathBuf>,
    /// Seconds in a unit of load of that solution [default: as it says, otherwise 1].
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub unit: Option<f64>,
    /// Seed of Q-learning and of the intervals.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Draw the log, its remaps, the times of all ranks as colours, and what the policies pay as it adds up.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    /// Write the rule `advised`, as it is after the training steps, to FILE, for `remap export`.
    #[arg(long, value_name = "FILE.json")]
    pub advised: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// Options of `advise`.
#[derive(Debug, Args)]
pub struct Advise {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub log: Log,
    /// The job's length in steps of the program: the exported rule knows the end, and the advice says what
    /// it is worth on the whole job.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub steps: Option<u64>,
    /// Remaps go on beside the steps: the new mapping comes into force STEPS after the decision, and
    /// these cost a share SLOWDOWN more, as in 3:0.05 [default: the run stands still].
    #[arg(long, value_name = "STEPS:SLOWDOWN", value_parser = overlap, default_value = "0:0", hide_default_value = true)]
    pub overlap: Overlap,
    /// Seed of the intervals.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Write the rule, a report, the fitted model and settings into DIR, which is made if need be.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Overwrite existing files.
    #[arg(long)]
    pub force: bool,
}

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

/// The targets by name, each with what it is.
fn targets() -> impl TypedValueParser<Value = Target> {
    let shown =
        |(_, name, what): (_, &'static str, &'static str)| PossibleValue::new(name).help(what);
    PossibleValuesParser::new(Target::ALL.map(shown)).try_map(|name| name.parse::<Target>())
}

/// Options of `export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The solution, as `remap solve --json` prints it, or the rule that `replay --advised` writes.
    #[arg(value_name = "SOLUTION.json")]
    pub solution: PathBuf,
    /// What to write.
    #[arg(long, value_name = "TARGET", value_parser = targets())]
    pub to: Target,
    /// Write to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}

fn rule() -> impl TypedValueParser<Value = Rule> {
    Named(&[&RULES]).try_map(|name| name.parse::<Rule>())
}

fn played() -> Named {
    Named(&PLAYED)
}

fn cost(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a number of at least 0".to_owned()),
    }
}

/// Steps that a rule can look back on.
const LONGEST_OVERLAP: u64 = 63;

fn overlap(text: &str) -> Result<Overlap, String> {
    let right = "expected STEPS:SLOWDOWN, as in 3:0.05: 0 to 63 steps of the log until the new mapping is in \
                 force, each longer by this share (from 0 on) meanwhile";
    let found = text.split_once(':').and_then(|(steps, slowdown)| {
        let (steps, slowdown) = (steps.parse().ok()?, slowdown.parse::<f64>().ok()?);
        let fits = steps <= LONGEST_OVERLAP && slowdown >= 0.0 && slowdown.is_finite();
        fits.then_some(Overlap { steps, slowdown })
    });
    found.ok_or_else(|| right.to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("expected a number between 0 and 1".to_owned()),
    }
}
