//! The curves of [NR90, Figs. 6 and 7]: static mappings against dynamic remapping, as the moment of
//! the change moves through the run.

use super::estimate::{estimate, optimal_thresholds};
use super::play::{self, Beliefs, Outcome};
use super::trace::Cycles;
use crate::model::two_phase::Premature;
use crate::solution::two_phase::Parameters;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use remapping::Observer;
use remapping::threshold::ProblemError;
use serde::Serialize;

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

    /// As the command line and documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Policy::StaticOld => "static_old",
            Policy::StaticNew => "static_new",
            Policy::Threshold => "threshold",
            Policy::Optimal => "optimal",
            Policy::Clairvoyant => "clairvoyant",
            Policy::LowerBound => "lower_bound",
        }
    }

    /// The policy of that name.
    pub fn named(name: &str) -> Option<Policy> {
        Policy::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

/// A mean over runs and the half-width of its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; infinite for a single run.
    pub half_width: f64,
}

impl Estimate {
    /// Of independent observations.
    pub fn of(values: &[f64]) -> Self {
        if values.len() == 1 {
            return Estimate { mean: values[0], half_width: f64::INFINITY };
        }
        if values.windows(2).all(|pair| pair[0] == pair[1]) {
            return Estimate { mean: values[0], half_width: 0.0 };
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        Estimate { mean, half_width: 1.96 * (squares / (n - 1.0) / n).sqrt() }
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
    /// A curve per policy.
    pub curves: Vec<Curve>,
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

/// What became of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// Where on the horizontal axis.
    pub at: f64,
    /// The parameters estimated from its runs; none where no run anywhere has both phases.
    pub parameters: Option<Parameters>,
    /// Outcomes by run, and for each in the order of [`Policy::ALL`].
    pub outcomes: Vec<[Outcome; Policy::ALL.len()]>,
    /// Cycles of a run.
    pub cycles: usize,
    /// What a run would cost a single processor, on average.
    pub work: f64,
}

/// Accuracy of the thresholds played: far beyond what any difference in time shows.
const TOLERANCE: f64 = 1e-9;

/// Plays every policy on every run of a scenario. Where none of its runs has a phase, that phase's
/// parameters are those of `everywhere`. `None` after a halt.
///
/// # Errors
/// If a belief is not a probability.
pub fn play(
    scenario: &Scenario,
    setting: &Setting,
    everywhere: &[Cycles],
    observer: &dyn Observer,
) -> Result<Option<Played>, ProblemError> {
    let Setting { beliefs, premature, .. } = setting;
    let parameters = estimate(&scenario.runs, everywhere);
    let cycles = scenario.runs[0].len();
    let optimal = match &parameters {
        Some(parameters) => {
            optimal_thresholds(parameters, beliefs, *premature, cycles, TOLERANCE, observer)?.0
        }
        None => vec![1.0; cycles],
    };
    let outcome = |index: u32| {
        let run = &scenario.runs[index as usize % scenario.runs.len()];
        let reports = reports(setting, index, &run.changed);
        [
            play::fixed(&run.old),
            play::fixed(&run.new),
            play::threshold(run, &reports, beliefs, *premature, |_| setting.threshold),
            play::threshold(run, &reports, beliefs, *premature, |n| optimal[n]),
            play::clairvoyant(run),
            Outcome { time: run.lower_bound, ..Outcome::default() },
        ]
    };
    let work = scenario.runs.iter().map(|run| run.work).sum::<f64>() / scenario.runs.len() as f64;
    let unhalted = |index| observer.check().is_continue().then(|| outcome(index));
    let outcomes: Option<Vec<_>> = (0..setting.runs).map(unhalted).collect();
    let at = scenario.at;
    Ok(outcomes.map(|outcomes| Played { at, parameters, outcomes, cycles, work }))
}

impl Figure {
    /// The curves of what was played.
    pub fn of(played: &[Played]) -> Self {
        let column = |policy: Policy, scenario: &Played, value: fn(&Outcome) -> f64| -> Vec<f64> {
            scenario.outcomes.iter().map(|run| value(&run[policy as usize])).collect()
        };
        let over = |policy: Policy, value: fn(&Outcome) -> f64| -> Vec<Estimate> {
            played.iter().map(|scenario| Estimate::of(&column(policy, scenario, value))).collect()
        };
        let percent = |policy: Policy| -> Vec<Estimate> {
            let time = |policy, scenario| column(policy, scenario, |run| run.time);
            let against = |scenario| {
                Estimate::percent(&time(policy, scenario), &time(Policy::Threshold, scenario))
            };
            played.iter().map(against).collect()
        };
        let means = |estimates: Vec<Estimate>| estimates.iter().map(|e| e.mean).collect();
        let curve = |policy: Policy| Curve {
            policy,
            time: over(policy, |run| run.time),
            percent: percent(policy),
            remaps: means(over(policy, |run| f64::from(run.remaps))),
            premature: means(over(policy, |run| f64::from(run.premature))),
        };
        Figure {
            at: played.iter().map(|scenario| scenario.at).collect(),
            parameters: played.iter().map(|scenario| scenario.parameters).collect(),
            curves: Policy::ALL.into_iter().map(curve).collect(),
        }
    }

    /// The curve of a policy, if it is among them.
    pub fn curve(&self, policy: Policy) -> Option<&Curve> {
        self.curves.iter().find(|curve| curve.policy == policy)
    }
}
