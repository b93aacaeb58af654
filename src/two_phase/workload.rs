//! Runs a workload in all its scenarios and compares the policies on them.

use super::envelope::{Point, envelope};
use super::expectation::Expected;
use super::figure::{self, Figure, Played, Policy, Scenario, Setting, play, reports};
use super::parts::Premature;
use super::play;
use super::speedup::{Scaled, Speedup, measure, scale};
use super::trace::{Cycles, Loads, Trace};
use crate::estimate::Estimate;
use crate::parallel;
use crate::phase_change::ProblemError;
use crate::{Halt, Observer, Status};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A computation whose load shifts once, at a time that its scenarios vary.
pub trait Workload: Sync {
    /// The quantity that the scenarios vary.
    fn axis(&self) -> &'static str;
    /// Its value in each scenario.
    fn positions(&self) -> Vec<f64>;
    /// Run `index` of a seed in a scenario.
    fn trace(&self, scenario: usize, seed: u64, index: u32) -> Trace;
    /// Whether all runs of a scenario are the same, apart from the errors of the detector.
    fn deterministic(&self) -> bool;
    /// The detector and the policies.
    fn setting(&self, runs: u32, seed: u64) -> Setting;
    /// Cycles of a run.
    fn cycles(&self) -> usize;
    /// Points L of the domain.
    fn points(&self) -> f64;
    /// Processors P.
    fn processors(&self) -> usize;

    /// The names of the recorded costs, in the order of [`write_traces`].
    fn trace_names(&self) -> Vec<String> {
        let of = |at: f64| ["old", "new", "dynamic"].map(|mapping| format!("{at}-{mapping}"));
        self.positions().into_iter().flat_map(of).collect()
    }
}

/// The bytes that a comparison over this many runs needs.
pub fn memory(workload: &dyn Workload, runs: u32) -> u64 {
    let cycle = 3 * size_of::<f64>() + size_of::<bool>();
    let trace = size_of::<Option<Cycles>>() + cycle * workload.cycles();
    let outcomes = Policy::ALL.len() * size_of::<Expected>();
    let runs = u64::from(runs);
    let traces = if workload.deterministic() { 1 } else { runs };
    // The traces are stored twice: by scenario, and all together.
    let scenario = 2 * traces * trace as u64 + runs * outcomes as u64;
    workload.positions().len() as u64 * scenario
}

/// The remap costs of the envelope, as multiples of that in the model.
const FACTORS: [f64; 9] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// A policy over all scenarios and runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The policy.
    pub policy: Policy,
    /// The time of a run: its expectation over the errors of the detector, estimated from the runs.
    #[serde(flatten)]
    pub time: Estimate,
    /// Whether the policy is fitted to the runs on which it is evaluated. The interval then does
    /// not apply to other runs.
    pub fitted_to_runs: bool,
    /// The other means.
    pub per_metric: Metrics,
}

/// Means over all scenarios and runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metrics {
    /// The remaps.
    pub remaps: f64,
    /// The premature ones of these.
    pub premature: f64,
    /// Work over processors times time.
    pub utilization: f64,
}

/// The whole comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The policies over all scenarios.
    pub policies: Vec<Summary>,
    /// The quantity that the scenarios vary.
    pub axis: &'static str,
    /// Runs per scenario.
    pub runs: u32,
    /// Their seed.
    pub seed: u64,
    /// Whether runs differ. Intervals are then confidence intervals; otherwise they bound the error
    /// of the computation.
    pub sampled: bool,
    /// The curves.
    #[serde(flatten)]
    pub figure: Figure,
    /// Where remapping pays.
    pub envelope: Vec<Point>,
    /// Speedup of every scenario.
    pub speedup: Vec<Speedup>,
    /// The growth of the middle scenario's speedup with the number of processors.
    pub scaling: Vec<Scaled>,
}

impl Comparison {
    /// Removes the policies that are not among `policies`.
    pub fn retain(&mut self, policies: &[Policy]) {
        self.policies.retain(|summary| policies.contains(&summary.policy));
        self.figure.curves.retain(|curve| policies.contains(&curve.policy));
    }
}

/// Runs all scenarios `runs` times and evaluates all policies on them. Scenarios that were not
/// finished when the observer halted are left out, and the status says so.
///
/// # Errors
/// A belief is not a probability.
pub fn compare(
    workload: &dyn Workload,
    runs: u32,
    seed: u64,
    observer: &dyn Observer,
) -> Result<(Comparison, Status), ProblemError> {
    let setting = workload.setting(runs, seed);
    let (scenarios, mut status) = run_all(workload, &setting, observer);
    let everywhere: Vec<Cycles> = scenarios.iter().flat_map(|s| s.runs.iter().cloned()).collect();
    let attempts =
        parallel::map_all(&scenarios, &|scenario| play(scenario, &setting, &everywhere, observer));
    let attempts = attempts.into_iter().collect::<Result<Vec<Option<Played>>, ProblemError>>()?;
    let played: Vec<Played> = attempts.into_iter().flatten().collect();
    if let (true, ControlFlow::Break(halt)) = (played.len() < scenarios.len(), observer.check()) {
        status = halt.into();
    }
    let (points, processors) = (workload.points(), workload.processors() as f64);
    let speedup: Vec<Speedup> =
        played.iter().map(|scenario| measure(scenario, points, processors)).collect();
    let larger: Vec<f64> = (0..8).map(|doubling| processors * 2f64.powi(doubling)).collect();
    let scaling = speedup.get(speedup.len() / 2).map_or(vec![], |middle| scale(middle, &larger));
    let comparison = Comparison {
        policies: summaries(&played, &setting, processors),
        axis: workload.axis(),
        runs,
        seed,
        sampled: !workload.deterministic(),
        figure: Figure::of(&played),
        envelope: envelope(&played, &FACTORS),
        speedup,
        scaling,
    };
    Ok((comparison, status))
}

/// The scenarios that were finished.
pub fn run_all(
    workload: &dyn Workload,
    setting: &Setting,
    observer: &dyn Observer,
) -> (Vec<Scenario>, Status) {
    let positions = workload.positions();
    let per_scenario = if workload.deterministic() { 1 } else { setting.runs };
    let total = positions.len() as u64 * u64::from(per_scenario);
    let (done, halt) = (AtomicU64::new(0), Mutex::new(None::<Halt>));
    let jobs: Vec<(usize, u32)> =
        (0..positions.len()).flat_map(|at| (0..per_scenario).map(move |run| (at, run))).collect();
    let run = |&(scenario, index): &(usize, u32)| -> Option<Cycles> {
        if halt.lock().is_ok_and(|halt| halt.is_some()) {
            return None;
        }
        let cycles = workload.trace(scenario, setting.seed, index).cycle_times();
        let finished = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let ControlFlow::Break(reason) = observer.progress(finished, total)
            && let Ok(mut halt) = halt.lock()
        {
            *halt = Some(reason);
        }
        Some(cycles)
    };
    let mut finished = parallel::map_all(&jobs, &run);
    let scenarios = (positions.iter().zip(finished.chunks_mut(per_scenario as usize)))
        .filter_map(|(&at, runs)| {
            let runs = runs.iter_mut().map(Option::take).collect::<Option<Vec<Cycles>>>()?;
            Some(Scenario { at, runs })
        })
        .collect();
    let status = match halt.into_inner() {
        Ok(Some(reason)) => reason.into(),
        _ => Status::Converged,
    };
    (scenarios, status)
}

fn summaries(played: &[Played], setting: &Setting, processors: f64) -> Vec<Summary> {
    let scenarios = played.len() as f64;
    let work = played.iter().map(|scenario| scenario.work).sum::<f64>() / scenarios;
    let summary = |policy: Policy| {
        let mean_by_run = |value: fn(&Expected) -> f64| -> Vec<f64> {
            (0..setting.runs as usize)
                .map(|run| {
                    let outcomes = played.iter().map(|s| &s.outcomes[run][policy as usize]);
                    outcomes.map(value).sum::<f64>() / scenarios
                })
                .collect()
        };
        let mean = |value| mean_by_run(value).iter().sum::<f64>() / f64::from(setting.runs);
        let (times, errors) = (mean_by_run(|run| run.time), mean_by_run(|run| run.error));
        let repeated = played.iter().all(|scenario| scenario.repeated);
        let time = figure::estimate(&times, &errors, repeated);
        let per_metric = Metrics {
            remaps: mean(|run| run.remaps),
            premature: mean(|run| run.premature),
            utilization: work / (processors * time.value),
        };
        Summary { policy, time, fitted_to_runs: policy == Policy::Optimal, per_metric }
    };
    if played.is_empty() { vec![] } else { Policy::ALL.map(summary).to_vec() }
}

/// Writes a file of this name and content.
type Write<'a, E> = dyn FnMut(&str, &[u8]) -> Result<(), E> + 'a;

/// Passes the costs of the first run of every scenario to `write`, per step and processor as CSV:
/// under the old mapping, the new one, and the fixed threshold policy (with its remap).
///
/// # Errors
/// The first error of `write`.
pub fn write_traces<E>(
    workload: &dyn Workload,
    seed: u64,
    write: &mut Write<'_, E>,
) -> Result<(), E> {
    let setting = workload.setting(1, seed);
    let mut names = workload.trace_names().into_iter();
    for scenario in 0..workload.positions().len() {
        let trace = workload.trace(scenario, seed, 0);
        let cycles = trace.cycle_times();
        let reports = reports(&setting, 0, &cycles.changed);
        let (belief, premature) = (&setting.belief, setting.premature);
        let (_, remap) =
            play::threshold(&cycles, &reports, belief, premature, &|_| belief.threshold);
        let remap = remap
            .filter(|&at| premature == Premature::Keep || cycles.change().is_some_and(|c| c <= at))
            .map(|cycle| (cycle * trace.steps_per_cycle, cycles.remap_cost[cycle]));
        let followed = follow(&trace, remap.map(|(step, _)| step));
        for (loads, remap) in [(&trace.old, None), (&trace.new, None), (&followed, remap)] {
            let name = names.next().unwrap_or_default();
            write(&name, loads.to_csv(remap.as_slice()).as_bytes())?;
        }
    }
    Ok(())
}

/// The loads under the old mapping up to a step, and under the new one from there on.
fn follow(trace: &Trace, remap: Option<usize>) -> Loads {
    let mut loads = Loads::new(trace.old.processors());
    for (step, (old, new)) in trace.old.steps().zip(trace.new.steps()).enumerate() {
        let row = if remap.is_some_and(|remap| step >= remap) { new } else { old };
        loads.push_step().copy_from_slice(row);
    }
    loads
}
