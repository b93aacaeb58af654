//! The curves of [NR90, Figs. 6 and 7]: static mappings against dynamic remapping, as the moment of
//! the change moves through the run.

use super::estimate::{Parameters, optimal_thresholds};
use super::play::{self, Beliefs, Outcome, Premature};
use super::trace::Cycles;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use remapping::{Halt, Observer};
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the detector errs on purpose, and what the policies make of its reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Probability that a report is flipped where the faultless one says no change.
    pub flip_unchanged: f64,
    /// Probability that a report is flipped where the faultless one says change.
    pub flip_changed: f64,
    /// What the policies assume.
    pub beliefs: Beliefs,
    /// The fixed threshold tau.
    pub threshold: f64,
    /// What happens to premature remaps.
    pub premature: Premature,
    /// Runs per scenario.
    pub runs: u32,
    /// Seed of them all.
    pub seed: u64,
}

/// One position of the change: the runs that have it there (a single one where the workload is
/// deterministic).
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Where on the horizontal axis.
    pub at: f64,
    /// Its runs.
    pub runs: Vec<Cycles>,
}

impl Scenario {
    fn run(&self, index: usize) -> &Cycles {
        &self.runs[index % self.runs.len()]
    }
}

/// The contestants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The old mapping throughout.
    StaticOld,
    /// The new mapping throughout.
    StaticNew,
    /// Remap when the belief exceeds a fixed threshold.
    Threshold,
    /// Remap when it exceeds the optimal threshold of the cycle, for parameters estimated from the
    /// scenario's runs.
    Optimal,
    /// The best single remap in hindsight.
    Clairvoyant,
    /// The better mapping at every step, for nothing.
    LowerBound,
}

impl Policy {
    /// All of them, in the order they are shown.
    pub const ALL: [Policy; 6] = [
        Policy::StaticOld,
        Policy::StaticNew,
        Policy::Threshold,
        Policy::Optimal,
        Policy::Clairvoyant,
        Policy::LowerBound,
    ];
}

/// A mean over runs and the half-width of its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; 0 for a single run.
    pub half_width: f64,
}

impl Estimate {
    /// Of independent observations.
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        let deviation = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        Estimate { mean, half_width: 1.96 * deviation / n.sqrt() }
    }

    /// Of 100 (mean a - mean b)/mean b, for pairs observed together.
    pub fn percent(a: &[f64], b: &[f64]) -> Self {
        let (mean_a, mean_b) = (Estimate::of(a).mean, Estimate::of(b).mean);
        let ratio = mean_a / mean_b;
        let errors: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - ratio * b) / mean_b).collect();
        let half_width = 100.0 * Estimate::of(&errors).half_width;
        Estimate { mean: 100.0 * (ratio - 1.0), half_width }
    }
}

/// One policy over all scenarios.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Which.
    pub policy: Policy,
    /// Time of a run.
    pub time: Vec<Estimate>,
    /// How much longer than the fixed threshold policy, in percent of that.
    pub percent: Vec<Estimate>,
    /// Remaps per run.
    pub remaps: Vec<f64>,
    /// Of them premature.
    pub premature: Vec<f64>,
}

/// What comparing the policies on a set of scenarios brings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Positions on the horizontal axis.
    pub at: Vec<f64>,
    /// The estimated parameters of each scenario; none where no run anywhere has both phases.
    pub parameters: Vec<Option<Parameters>>,
    /// A curve per policy, in the order of [`Policy::ALL`].
    pub curves: Vec<Curve>,
}

impl Figure {
    /// The curve of a policy.
    pub fn curve(&self, policy: Policy) -> &Curve {
        &self.curves[policy as usize]
    }
}

/// The reports of an erring detector: run `index` of a seed always errs on the same cycles for the
/// same faultless reports, whatever the scenario.
pub fn reports(setting: &Setting, index: u32, changed: &[bool]) -> Vec<bool> {
    let mut rng = ChaCha8Rng::seed_from_u64(setting.seed);
    rng.set_stream(2 * u64::from(index) + 1);
    changed
        .iter()
        .map(|&changed| {
            let rate = if changed { setting.flip_changed } else { setting.flip_unchanged };
            changed ^ (rng.random::<f64>() < rate)
        })
        .collect()
}

/// Plays every policy on every run of every scenario.
pub fn compare(
    scenarios: &[Scenario],
    setting: &Setting,
    observer: &dyn Observer,
) -> Result<Figure, Halt> {
    let everywhere: Vec<Cycles> = scenarios.iter().flat_map(|s| s.runs.iter().cloned()).collect();
    let done = AtomicU64::new(0);
    let total = scenarios.len() as u64;
    let played = scenarios
        .par_iter()
        .map(|scenario| {
            let parameters = Parameters::estimate(&scenario.runs, &everywhere);
            let outcomes = play_all(scenario, setting, parameters.as_ref());
            let finished = done.fetch_add(1, Ordering::Relaxed) + 1;
            match observer.progress(finished, total) {
                std::ops::ControlFlow::Continue(()) => Ok((parameters, outcomes)),
                std::ops::ControlFlow::Break(halt) => Err(halt),
            }
        })
        .collect::<Result<Vec<_>, Halt>>()?;
    let times = |policy: Policy, at: usize| -> Vec<f64> {
        played[at].1.iter().map(|run| run[policy as usize].time).collect()
    };
    let mean = |policy: Policy, at: usize, count: fn(&Outcome) -> u32| -> f64 {
        let runs = &played[at].1;
        let sum: u32 = runs.iter().map(|run| count(&run[policy as usize])).sum();
        f64::from(sum) / runs.len() as f64
    };
    let all = 0..scenarios.len();
    let curves = Policy::ALL.into_iter().map(|policy| Curve {
        policy,
        time: all.clone().map(|at| Estimate::of(&times(policy, at))).collect(),
        percent: all
            .clone()
            .map(|at| Estimate::percent(&times(policy, at), &times(Policy::Threshold, at)))
            .collect(),
        remaps: all.clone().map(|at| mean(policy, at, |run| run.remaps)).collect(),
        premature: all.clone().map(|at| mean(policy, at, |run| run.premature)).collect(),
    });
    Ok(Figure {
        at: scenarios.iter().map(|scenario| scenario.at).collect(),
        curves: curves.collect(),
        parameters: played.iter().map(|(parameters, _)| *parameters).collect(),
    })
}

/// Outcomes by run, and for each in the order of [`Policy::ALL`].
fn play_all(
    scenario: &Scenario,
    setting: &Setting,
    parameters: Option<&Parameters>,
) -> Vec<[Outcome; 6]> {
    let Setting { beliefs, premature, .. } = setting;
    let cycles = scenario.runs[0].len();
    let optimal = match parameters {
        Some(parameters) => optimal_thresholds(parameters, beliefs, *premature, cycles),
        None => vec![1.0; cycles],
    };
    (0..setting.runs)
        .map(|index| {
            let run = scenario.run(index as usize);
            let reports = reports(setting, index, &run.changed);
            [
                play::fixed(&run.old),
                play::fixed(&run.new),
                play::threshold(run, &reports, beliefs, *premature, |_| setting.threshold),
                play::threshold(run, &reports, beliefs, *premature, |n| optimal[n]),
                play::clairvoyant(run),
                Outcome { time: run.lower_bound, ..Outcome::default() },
            ]
        })
        .collect()
}
