//! Policies on common sample paths: estimates with confidence intervals.

use super::load_drift::answer::BestThreshold;
use super::regret::Failure;
use super::{Contest, Outcome};
use crate::complaint::Complaint;
use crate::run::Watch;
use remapping::Status;
use remapping::estimate::Estimate;
use remapping::load_drift::MapPolicy;
use remapping::overlap::Overlap;
use remapping::policy::stated::{Following, Stated};
use remapping::policy::{Policy, Rule};
use remapping::simulate::{Simulated, Tally};
use remapping::stopping::MapRule;
use serde::Serialize;

/// A policy that takes part.
pub struct Contestant {
    /// Its name in the results.
    pub name: String,
    /// How each of its runs starts.
    pub start: Start,
    /// Its exact expected cost, where it can be evaluated.
    pub exact: Option<f64>,
}

/// How each run of a policy starts.
pub enum Start {
    /// With a named rule.
    Rule(Rule),
    /// With an optimal decision map.
    Map(MapPolicy),
    /// With a list of load vectors in which it remaps.
    Listed(MapRule),
    /// With a rule that a solution states.
    Stated(Following),
}

impl Contestant {
    /// A contestant with a named rule.
    pub fn rule(name: &str, rule: Rule, exact: Option<f64>) -> Contestant {
        Contestant { name: name.to_owned(), start: Start::Rule(rule), exact }
    }

    /// A rule where remaps overlap the steps: no interval ends while a remap is in progress.
    pub fn overlapping(rule: Rule, overlap: Overlap, exact: Option<f64>) -> Contestant {
        let name = rule.to_string();
        let Rule::Fixed(steps) = rule else { return Contestant::rule(&name, rule, exact) };
        if overlap.is_none() {
            return Contestant::rule(&name, rule, exact);
        }
        let steps = steps.max(overlap.steps + 1);
        let rule = Following::new(Stated::Interval { every: Some(steps) }, 1);
        Contestant { name, start: Start::Stated(rule), exact }
    }

    /// The policy of the next run, with this remap cost.
    pub fn start(&self, remap_cost: f64) -> Box<dyn Policy> {
        match &self.start {
            Start::Rule(rule) => rule.start(remap_cost),
            Start::Map(map) => Box::new(map.clone()),
            Start::Listed(map) => Box::new(map.clone()),
            Start::Stated(rule) => Box::new(rule.clone()),
        }
    }
}

/// The result of one policy.
#[derive(Debug, Clone, Serialize)]
pub struct Line {
    /// Its name.
    pub policy: String,
    /// The objective.
    #[serde(flatten)]
    pub cost: Estimate,
    /// The exact expected objective, where it can be evaluated.
    pub exact: Option<f64>,
    /// The other means.
    pub per_metric: Metrics,
}

/// Means over the runs.
#[derive(Debug, Clone, Serialize)]
pub struct Metrics {
    /// Time of a run, remaps included. Like the work and the utilization, `null` where the model
    /// does not state the time of a balanced step.
    pub time: Option<Estimate>,
    /// The sum of the steps' mean loads.
    pub work: Option<Estimate>,
    /// Number of remaps.
    pub remaps: Estimate,
    /// Steps between remaps, counted from the start, over the runs with a remap; absent if none
    /// has.
    pub spacing: Option<Estimate>,
    /// Work divided by time, for each run.
    pub utilization: Option<Estimate>,
    /// Mean work divided by mean time.
    pub utilization_of_means: Option<f64>,
    /// The excess over the best sequence of remaps for the same path; absent for horizons of more
    /// than 5000 steps.
    pub regret_clairvoyant: Option<Estimate>,
    /// The excess over the optimal policy: exact if both costs are, otherwise on the same paths.
    pub regret_optimal: Option<Estimate>,
}

/// The results of all policies.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The number of runs.
    pub runs: u64,
    /// Seed of their random numbers.
    pub seed: u64,
    /// The cost of the best sequence of remaps, which knows the path in advance.
    pub clairvoyant: Option<Estimate>,
    /// The policies, in the order asked for.
    pub policies: Vec<Line>,
    /// For drifting loads: the best threshold, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_threshold: Option<BestThreshold>,
    /// The policy called optimal is that of a computation without an end. It may not be best over
    /// the simulated steps.
    #[serde(skip)]
    pub without_end: bool,
    /// Why default policies are left out.
    #[serde(skip)]
    pub left_out: Vec<String>,
}

/// The longest horizon for which the perfect-information optimum is computed.
const CLAIRVOYANT_STEPS: u64 = 5000;

/// The number of paths between two checks of the clock.
pub const BATCH: u64 = 64;

impl Report {
    /// The report of a comparison; an empty one if it was stopped before anything was finished.
    pub fn of(
        found: Result<(Report, Status), Failure>,
        contest: &Contest,
    ) -> Outcome<(Report, Status)> {
        match found {
            Ok(found) => Ok(found),
            Err(Failure::Halted(halt)) => Ok((Report::none(contest), halt.into())),
            Err(Failure::Wrong(complaints)) => Err(complaints),
        }
    }

    /// The report if nothing was finished.
    pub fn none(contest: &Contest) -> Report {
        Report { seed: contest.seed, ..Report::default() }
    }

    /// Removes the numbers that depend on the time of a balanced step.
    pub fn without_times(mut self) -> Report {
        for Line { per_metric, .. } in &mut self.policies {
            (per_metric.time, per_metric.work) = (None, None);
            (per_metric.utilization, per_metric.utilization_of_means) = (None, None);
        }
        self
    }
}

/// Simulates all contestants on the paths. If stopped, the report has the finished paths.
pub fn play(
    workload: &dyn Simulated,
    contestants: &[Contestant],
    contest: &Contest,
    watch: &Watch,
) -> (Report, Status) {
    let cost = workload.typical_remap_cost();
    let start = || contestants.iter().map(|contestant| contestant.start(cost)).collect();
    let mut tallies: Vec<Vec<Tally>> = vec![Vec::new(); contestants.len()];
    let mut clairvoyant: Vec<f64> = Vec::new();
    // The time of the perfect-information optimum grows with the square of the horizon.
    let knows = workload.steps() <= CLAIRVOYANT_STEPS;
    let mut finished = 0;
    let (runs, mut status) = (u64::from(contest.runs), Status::Converged);
    for first in (0..runs).step_by(BATCH as usize) {
        let batch = first..(first + BATCH).min(runs);
        match workload.compare(&start, batch, contest.seed, true, watch) {
            Ok(batch) => {
                tallies.iter_mut().zip(batch.tallies).for_each(|(all, new)| all.extend(new));
                clairvoyant.extend(batch.clairvoyant.into_iter().flatten());
                finished = (first + BATCH).min(runs);
            }
            Err(halt) => {
                status = halt.into();
                break;
            }
        }
    }
    if finished == 0 {
        return (Report::none(contest), status);
    }
    let optimal = contestants
        .iter()
        .position(|contestant| matches!(contestant.start, Start::Map(_) | Start::Listed(_)));
    let played = |at: usize| {
        let Contestant { name, exact, .. } = &contestants[at];
        Played { name, exact: *exact, tallies: &tallies[at] }
    };
    let lines = (0..contestants.len())
        .map(|at| line(&played(at), knows.then_some(&clairvoyant), optimal.map(played)));
    let report = Report {
        runs: finished,
        clairvoyant: knows.then(|| Estimate::between(&clairvoyant, 0.0, f64::INFINITY)),
        policies: lines.collect(),
        ..Report::none(contest)
    };
    (report, status)
}

/// The results of a policy, run by run.
pub struct Played<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its exact expected cost, where it can be evaluated.
    pub exact: Option<f64>,
    /// Its runs.
    pub tallies: &'a [Tally],
}

/// The relative error of exact costs.
const EXACTLY: f64 = 1e-12;

/// The results of a policy relative to the optimum.
pub fn line(
    played: &Played<'_>,
    clairvoyant: Option<&Vec<f64>>,
    optimal: Option<Played<'_>>,
) -> Line {
    let tallies = played.tallies;
    // Costs are sums of loads over the steps, or differences of such sums.
    let sizes = tallies.iter().map(|tally| tally.time.max(tally.value.abs()));
    let size = sizes.fold(0.0, f64::max);
    let of = |read: &dyn Fn(&Tally) -> f64, most: f64| {
        let values: Vec<f64> = tallies.iter().map(read).collect();
        Estimate::of_sums(&values, size).within(0.0, most)
    };
    let above = |others: &mut dyn Iterator<Item = f64>| -> Vec<f64> {
        tallies.iter().zip(others).map(|(own, other)| own.value - other).collect()
    };
    let unlimited = f64::INFINITY;
    let spacings: Vec<f64> = tallies.iter().filter_map(Tally::spacing).collect();
    let (time, work) = (of(&|tally| tally.time, unlimited), of(&|tally| tally.work, unlimited));
    let regret_optimal = optimal.map(|best| match (played.exact, best.exact) {
        (Some(own), Some(best)) => {
            let (above, off) = (own - best, EXACTLY * (own.abs() + best.abs()));
            Estimate::around(if above.abs() <= off { 0.0 } else { above }, off)
        }
        _ => {
            let above = above(&mut best.tallies.iter().map(|tally| tally.value));
            Estimate::of_sums(&above, size)
        }
    });
    Line {
        policy: played.name.to_owned(),
        cost: of(&|tally| tally.value, unlimited),
        exact: played.exact,
        per_metric: Metrics {
            time: Some(time),
            work: Some(work),
            remaps: of(&|tally| tally.remaps as f64, unlimited),
            spacing: (!spacings.is_empty()).then(|| Estimate::between(&spacings, 1.0, unlimited)),
            utilization: Some(of(&Tally::utilization, 1.0)),
            utilization_of_means: Some(match time.value > 0.0 {
                true => work.value / time.value,
                false => 1.0,
            }),
            regret_clairvoyant: clairvoyant
                .map(|best| above(&mut best.iter().copied()))
                .map(|above| Estimate::of_sums(&above, size).within(0.0, unlimited)),
            regret_optimal,
        },
    }
}

/// The policies asked for, or the usual ones if there are none.
pub fn named(asked: &[String], usual: &[&str]) -> Vec<String> {
    match asked {
        [] => usual.iter().map(|name| (*name).to_owned()).collect(),
        _ => asked.iter().map(|name| name.trim().to_owned()).collect(),
    }
}

/// The rule with this name.
pub fn rule(name: &str) -> Result<Rule, Complaint> {
    name.trim().parse::<Rule>().map_err(|error| {
        let help = "policies: optimal, never, fixed:m, stop_at_rise, threshold:x, utilization:u, \
                    menon, menon_offline, metabalancer, zhai, procassini, marquez:f, rules of codes (vt:26, lammps:1:1.2)";
        Complaint::elsewhere(format!("--policies {name}: {error}"), help)
    })
}
