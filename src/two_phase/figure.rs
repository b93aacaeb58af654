//! The curves of [NR90, Figs. 6 and 7]: static mappings compared with dynamic remapping, as the
//! time of the change varies.

use super::estimate::{self, optimal_thresholds};
use super::expectation::{self, Expected};
use super::parts::{Belief, Parameters, Premature};
use super::play;
use super::trace::Cycles;
use crate::Observer;
use crate::estimate::Estimate;
use crate::phase_change::ProblemError;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;

/// The artificial errors of the detector, and the beliefs of the policies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Probability that an observation is flipped where the true one is no change.
    pub flip_unchanged: f64,
    /// Probability that an observation is flipped where the true one is a change.
    pub flip_changed: f64,
    /// The assumptions of the policies, and the fixed threshold.
    pub belief: Belief,
    /// The effect of premature remaps.
    pub premature: Premature,
    /// Runs per scenario.
    pub runs: u32,
    /// Their seed.
    pub seed: u64,
}

/// One time of the change: the runs that have it (a single one where the workload is
/// deterministic).
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its position on the horizontal axis.
    pub at: f64,
    /// Its runs.
    pub runs: Vec<Cycles>,
}

/// The policies that are compared.
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
    /// The best single remap for each run, which knows the run in advance.
    Clairvoyant,
    /// The better mapping at every step, with free remaps.
    LowerBound,
}

impl Policy {
    /// All of them, in the order of the tables.
    pub const ALL: [Policy; 6] = [
        Policy::StaticOld,
        Policy::StaticNew,
        Policy::Threshold,
        Policy::Optimal,
        Policy::Clairvoyant,
        Policy::LowerBound,
    ];

    /// Its name on the command line and in documents.
    pub fn name(self) -> &'static str {
        ["static_old", "static_new", "threshold", "optimal", "clairvoyant", "lower_bound"]
            [self as usize]
    }

    /// The policy of that name.
    pub fn named(name: &str) -> Option<Policy> {
        Policy::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

/// The mean of one value of each run, known to within `errors`. With `repeated` runs it is exact;
/// runs that agree by coincidence do not make it so.
pub(crate) fn estimate(values: &[f64], errors: &[f64], repeated: bool) -> Estimate {
    let found = if repeated { Estimate::around(values[0], 0.0) } else { Estimate::of(values) };
    let error = errors.iter().sum::<f64>() / values.len() as f64;
    Estimate { lower: found.lower - error, upper: found.upper + error, ..found }
}

/// 100 (mean a - mean b)/mean b in time, for paired runs of two policies.
pub(crate) fn percent(a: &[Expected], b: &[Expected], repeated: bool) -> Estimate {
    let mean = |runs: &[Expected]| runs.iter().map(|run| run.time).sum::<f64>() / runs.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let ratio = mean_a / mean_b;
    let pairs = || a.iter().zip(b);
    let above: Vec<f64> =
        pairs().map(|(a, b)| 100.0 * (a.time - ratio * b.time) / mean_b).collect();
    let errors: Vec<f64> =
        pairs().map(|(a, b)| 100.0 * (a.error + ratio * b.error) / mean_b).collect();
    let Estimate { value, lower, upper } = estimate(&above, &errors, repeated);
    let shift = 100.0 * (ratio - 1.0) - value;
    Estimate { value: value + shift, lower: lower + shift, upper: upper + shift }
}

/// One policy over all scenarios.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The policy.
    pub policy: Policy,
    /// The time of a run.
    pub time: Vec<Estimate>,
    /// The additional time relative to the fixed threshold policy, in percent.
    pub percent: Vec<Estimate>,
    /// The remaps per run.
    pub remaps: Vec<f64>,
    /// The premature ones of these.
    pub premature: Vec<f64>,
}

/// The comparison of the policies on a set of scenarios.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Positions on the horizontal axis.
    pub at: Vec<f64>,
    /// The estimated parameters of each scenario; `None` where no run anywhere has both phases.
    pub parameters: Vec<Option<Parameters>>,
    /// A curve per policy.
    pub curves: Vec<Curve>,
}

/// The observations of an erring detector. Run `index` of a seed always errs on the same cycles for
/// the same true observations, in every scenario.
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

/// The results of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// Its position on the horizontal axis.
    pub at: f64,
    /// The parameters estimated from its runs; `None` where no run anywhere has both phases.
    pub parameters: Option<Parameters>,
    /// Whether all runs are the same: the workload is deterministic.
    pub repeated: bool,
    /// The expected result of each run over the errors of the detector, in the order of
    /// [`Policy::ALL`].
    pub outcomes: Vec<[Expected; Policy::ALL.len()]>,
    /// Cycles of a run.
    pub cycles: usize,
    /// The mean cost of a run on a single processor.
    pub work: f64,
}

/// The accuracy of the thresholds: far beyond any visible difference in time.
const TOLERANCE: f64 = 1e-9;

/// Evaluates every policy on every run of a scenario. Where none of its runs has a phase, that
/// phase's parameters are those of `everywhere`. `None` after a halt.
///
/// # Errors
/// A belief is not a probability.
pub fn play(
    scenario: &Scenario,
    setting: &Setting,
    everywhere: &[Cycles],
    observer: &dyn Observer,
) -> Result<Option<Played>, ProblemError> {
    let Setting { belief, premature, .. } = setting;
    let parameters = estimate::estimate(&scenario.runs, everywhere);
    let cycles = scenario.runs[0].len();
    let optimal = match &parameters {
        Some(parameters) => {
            optimal_thresholds(parameters, belief, *premature, cycles, TOLERANCE, observer)?.0
        }
        None => vec![1.0; cycles],
    };
    let outcome = |run: &Cycles| {
        [
            play::fixed(&run.old),
            play::fixed(&run.new),
            expectation::threshold(run, setting, &|_| belief.threshold),
            expectation::threshold(run, setting, &|n| optimal[n]),
            play::clairvoyant(run),
            Expected { time: run.lower_bound, ..Expected::default() },
        ]
    };
    let work = scenario.runs.iter().map(|run| run.work).sum::<f64>() / scenario.runs.len() as f64;
    let unhalted = |run| observer.check().is_continue().then(|| outcome(run));
    let different: Option<Vec<_>> = scenario.runs.iter().map(unhalted).collect();
    // A deterministic workload has one run, which is repeated.
    let outcomes = different
        .map(|runs| (0..setting.runs as usize).map(|run| runs[run % runs.len()]).collect());
    let at = scenario.at;
    let repeated = scenario.runs.len() == 1 && setting.runs > 1;
    Ok(outcomes.map(|outcomes| Played { at, parameters, repeated, outcomes, cycles, work }))
}

impl Played {
    /// The results of a policy in all runs.
    pub(crate) fn runs(&self, policy: Policy) -> Vec<Expected> {
        self.outcomes.iter().map(|run| run[policy as usize]).collect()
    }

    /// The mean over the runs of a number of these results.
    pub(crate) fn mean(&self, policy: Policy, value: fn(&Expected) -> f64) -> f64 {
        self.runs(policy).iter().map(value).sum::<f64>() / self.outcomes.len() as f64
    }
}

impl Figure {
    /// The curves of these scenarios.
    pub fn of(played: &[Played]) -> Self {
        let curve = |policy: Policy| {
            let time = |scenario: &Played| {
                let runs = scenario.runs(policy).into_iter();
                let (times, errors): (Vec<_>, Vec<_>) =
                    runs.map(|run| (run.time, run.error)).unzip();
                estimate(&times, &errors, scenario.repeated)
            };
            let against = |scenario: &Played| match policy {
                // Relative to itself.
                Policy::Threshold => Estimate::around(0.0, 0.0),
                _ => {
                    let other = scenario.runs(Policy::Threshold);
                    percent(&scenario.runs(policy), &other, scenario.repeated)
                }
            };
            let mean = |value: fn(&Expected) -> f64| {
                played.iter().map(|scenario| scenario.mean(policy, value)).collect()
            };
            Curve {
                policy,
                time: played.iter().map(time).collect(),
                percent: played.iter().map(against).collect(),
                remaps: mean(|run| run.remaps),
                premature: mean(|run| run.premature),
            }
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
