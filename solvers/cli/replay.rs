//! Options of `replay` and `advise`.

use super::policies::{Named, PLAYED};
use super::traces::{Log, traces};
use super::{number, one_of, positive};
use crate::replaying::Outset;
use clap::Args;
use remapping::overlap::Overlap;
use std::path::PathBuf;

pub(super) const ADVISE_HELP: &str = traces!(
    "Examples:
  remap advise run.csv
  remap advise run.csv --remap-cost 0.1 -o advice

The first line says what to do and what it is worth. The adaptive rule (docs/advised.md) and rules of one number are \
trained on the first half of the log and valued on the second, which nothing was fitted to, from where the run \
stood, against the run as it was. Intervals are of 95 %, by a block bootstrap. Where little can be gained, or the \
log cannot tell, that is the answer.

Assumed: a remap restores balance and does not change later increments."
);

pub(super) const REPLAY_HELP: &str = traces!(
    "Examples:
  remap replay run.csv
  remap replay run.csv --policies solved,menon,fixed,never --remap-cost 0.1 --split 0.3

Policies: the rules of `compare` (never, fixed:9, threshold:2.5, utilization:0.8, range:0.3 on (max - min) / mean \
from the second step on, ratio:1.5 on max / min, stop_at_rise, menon, metabalancer, zhai, procassini, \
marquez:0.1, ...) and of codes, by the target of `export`: interval and level, as in vt:26 or lammps:1:1.2; fixed, threshold and utilization tuned on the training \
steps; advised (the adaptive rule: docs/advised.md) and advised_cold (the same without \
the training steps); predictive (plans on the increments of the training steps), adaptive (goes on learning), \
adaptive_cold (knows nothing at first), interval (of least cost for the fitted model), q_learning, \
solution (with --solution); and solved: of two adaptive plans, by trends and by means that loads return to, \
and the rules in use, what was cheapest on the later training steps.

Where the log says when the run was remapped, `recorded` is the run as it was, from where it stood. The others \
start balanced, or with --from actual where the run stood. Differences have 95 % intervals by a block bootstrap; \
with --splits they are spread over several trainings, not one.

With --overlap 3:0.05 a remap decided after step 10 balances the loads of step 10 from step 14 on; steps 11 to 13 \
are made on the old mapping and take 5 % longer, and --remap-cost is what stops the run besides (0, perhaps).

Assumed: a remap restores balance and does not change later increments."
);

/// The states at the start of the judged run.
const STARTS: [(Outset, &str, &str); 2] = [
    (Outset::Balance, "balance", "Balanced, as if there had been a remap just before"),
    (Outset::Actual, "actual", "The imbalance of the recorded run"),
];

/// Options of `replay`.
#[derive(Debug, Args)]
pub struct Replay {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub log: Log,
    /// Policies, separated by commas [default: the published rules, those that are tuned, trained
    /// or solved on the log, and the one of --solution].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = Named(&PLAYED), hide_possible_values = true)]
    pub policies: Vec<String>,
    /// Share of the steps that fitted policies are trained on; all are judged on the rest [default:
    /// 0.5].
    #[arg(long, value_name = "F", value_parser = share)]
    pub split: Option<f64>,
    /// Start of the judged run.
    #[arg(long, value_parser = one_of(STARTS), default_value = "balance")]
    pub from: Outset,
    /// Remaps overlap the steps: the new mapping takes effect STEPS after the decision, and these
    /// steps cost a share SLOWDOWN more, as in 3:0.05 [default: the program stops].
    #[arg(long, value_name = "STEPS:SLOWDOWN", value_parser = overlap, default_value = "0:0", hide_default_value = true)]
    pub overlap: Overlap,
    /// Judge the steps in K parts, each with policies trained anew on all steps before it, and from
    /// the start that --from states; costs are those of all parts.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=50))]
    pub splits: u64,
    /// Say, too, which policy would be best if a remap cost a quarter, half, twice, four times as
    /// much.
    #[arg(long)]
    pub what_if: bool,
    /// A solution, or a rule that --advised wrote, to evaluate too, as the policy `solution`.
    #[arg(long, value_name = "SOLUTION.json")]
    pub solution: Option<PathBuf>,
    /// Seconds in a unit of load of that solution [default: what it states, otherwise 1].
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub unit: Option<f64>,
    /// Seed of Q-learning and of the intervals.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Draw the log, its remaps, the times of all ranks as colors, and the accumulated costs of the
    /// policies.
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
    /// The job's length in steps of the program: the advice states the savings on the whole job.
    /// The program tells the adaptive rule how many steps remain.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub steps: Option<u64>,
    /// Remaps overlap the steps: the new mapping takes effect STEPS after the decision, and these
    /// steps cost a share SLOWDOWN more, as in 3:0.05 [default: the program stops].
    #[arg(long, value_name = "STEPS:SLOWDOWN", value_parser = overlap, default_value = "0:0", hide_default_value = true)]
    pub overlap: Overlap,
    /// Seed of the intervals.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Write the rule, a report, the fitted model and settings into DIR, which is created if
    /// needed.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON document and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Overwrite existing files.
    #[arg(long)]
    pub force: bool,
}

/// The number of earlier steps that a rule remembers.
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
    number(text, |value| value > 0.0 && value < 1.0, "number between 0 and 1")
}
