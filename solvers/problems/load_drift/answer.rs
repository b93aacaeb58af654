//! The answer to drifting loads: the cost of the optimal policy, and that of simpler rules.

use crate::document::Bounds;
use crate::document::dynamics::{Dynamics, Kind};
use crate::document::priced::{BestFixed, Priced};
use crate::document::rule::Threshold;
use crate::problems::stopping::answer::CostByState;
pub use remapping::load_drift::BestThreshold;
pub use remapping::load_drift::many::Spread as Mean;
use remapping::overlap::Overlap;
use serde::{Deserialize, Serialize};

/// The optimal policy of a program with drifting loads, and its costs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Number of processors.
    pub processors: usize,
    /// Load of the lowest level.
    pub lowest: f64,
    /// Number of levels.
    pub levels: usize,
    /// Load of every processor at the start.
    pub initial_load: f64,
    /// Number of steps.
    pub steps: u64,
    /// The largest cost of a remap.
    pub remap_cost: f64,
    /// The parts of the remap cost that depend on the loads, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_by_state: Option<CostByState>,
    /// Whether remaps are decided before a step, with its loads known, and not after it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before_step: bool,
    /// How a remap overlaps the steps after its decision, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// Number of states: multisets of levels. Absent where they cannot be counted.
    pub states: Option<u64>,
    /// The representation the answer was computed on.
    #[serde(default)]
    pub representation: Representation,
    /// The most states of a region, where steps visited one instead of all states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_states: Option<u64>,
    /// Whether the bounds are confidence intervals, which are not proved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub statistical: bool,
    /// Expected objective of the optimal policy. Like the other expectations, absent if the
    /// computation was stopped.
    pub value: Option<f64>,
    /// Expected time, remaps included.
    pub time: Option<f64>,
    /// Expected sum of the mean loads.
    pub work: Option<f64>,
    /// Expected number of remaps; with sampled bounds, that of the policy on its paths.
    pub remaps: Option<f64>,
    /// Work divided by time.
    pub utilization: Option<f64>,
    /// Bounds on the value. A finished solution has proved bounds for rounding. An unfinished one
    /// has the value of the steps done, and that of the best fixed interval found. With sampled
    /// bounds they are the outer ends of two 99 % confidence intervals.
    pub value_bounds: Bounds,
    /// With sampled bounds: both bounds with their 99 % confidence intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Both>,
    /// The mean excess of the policy's cost over the lower bound, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_percent: Option<f64>,
    /// The 95 % confidence interval of `gap_percent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_interval: Option<[f64; 2]>,
    /// Number of sample paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<u64>,
    /// The best of the evaluated fixed intervals and of never, for comparison.
    pub best_fixed: Fixed,
    /// The longest interval evaluated, where a limit stopped that; 0 with sampled bounds where none
    /// was. Absent: all intervals were evaluated; with sampled bounds, that of least average cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals_evaluated: Option<u64>,
    /// The cost without any remap.
    pub never: Fixed,
    /// n*, the interval of least expected average cost W(n). With sampled bounds it leaves out the
    /// cost of moved units.
    pub least_average_cost: u64,
    /// For some steps, the threshold on max - mean closest to the optimal decision.
    pub closest_threshold: Vec<Closest>,
    /// The exact cost of the rule with these thresholds, each from its step on and the first from
    /// the start; present with `best_threshold`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closest_value: Option<f64>,
    /// With sampled bounds: the policy as a rule of a few thresholds on max - mean, and the cost of
    /// that rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold_curve: Option<Curve>,
    /// The threshold on max - mean with the least expected objective, where finding it takes no
    /// longer than the solution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_threshold: Option<BestThreshold>,
    /// The step of the decision map, with `--step` or `--values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_step: Option<u64>,
    /// The decision after that step (before the next): `R` remap, `C` continue, for every multiset
    /// of levels in colexicographic order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The expected cost from the start of the program in each state, in the same order, with
    /// `--values`. States in which a remap is certain are `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_to_go: Option<Vec<Option<f64>>>,
    /// Utilization of the fixed intervals 1, 2, ..., as far as the picture shows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_utilization: Vec<f64>,
    /// The motion of the loads, where a remap splits them evenly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamics: Option<Dynamics>,
}

/// The representation that an answer was computed on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Representation {
    /// All states.
    #[default]
    Full,
    /// All states at some steps; at the others only the states in which no remap is certain.
    Active,
    /// Sample paths: a policy and a lower bound.
    Bounds,
}

/// A lower bound and a policy's cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Both {
    /// The lower bound on the cost of every policy.
    pub lower: Mean,
    /// The cost of the policy.
    pub upper: Mean,
}

/// A fixed interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// Steps between remaps; `null` for never.
    pub interval: Option<u64>,
    /// Its expected objective.
    pub value: f64,
    /// Work divided by time.
    pub utilization: f64,
}

/// A rule of few thresholds: remap when max - mean is above both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// The threshold by the number of steps since the last remap or the start.
    pub by_steps_since: Vec<Threshold>,
    /// The threshold by the step.
    pub by_step: Vec<Threshold>,
    /// The cost of the rule with its 99 % confidence interval, on the sample paths of both bounds.
    /// Absent if the computation was stopped before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Mean>,
    /// The mean excess of that cost over the lower bound, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_percent: Option<f64>,
    /// The 95 % confidence interval of `gap_percent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_interval: Option<[f64; 2]>,
    /// Its mean number of remaps.
    pub remaps: f64,
}

impl Curve {
    /// The first inconsistency in its lists, if any.
    pub(crate) fn fault(&self) -> Option<String> {
        let lists = [("by_steps_since", &self.by_steps_since), ("by_step", &self.by_step)];
        let wrong = |list: &Vec<Threshold>| {
            let ascending = list.is_sorted_by(|a, b| a.from < b.from);
            !ascending || list.first().is_none_or(|first| first.from != 1)
        };
        let (name, _) = lists.into_iter().find(|(_, list)| wrong(list))?;
        Some(format!("the numbers of steps of `{name}` ascend from 1"))
    }
}

/// The simple rule closest to the optimal one at a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closest {
    /// The decision after this step (before the next).
    pub step: u64,
    /// Remap when max - mean exceeds this: halfway between two possible values, or above all.
    pub threshold: f64,
    /// Share of all load vectors on which the two rules disagree.
    pub disagreement: f64,
}

impl Priced {
    pub(crate) fn of_drift(answer: &Answer) -> Option<Priced> {
        let dynamics = answer.dynamics.clone()?;
        let fixed = answer.best_fixed;
        let makespan =
            matches!(dynamics.course, Kind::AfterStepMakespan | Kind::BeforeStepMakespan);
        let remaps = fixed.interval.map_or(0, |every| (answer.steps - 1) / every.max(1));
        let time = match makespan {
            true => fixed.value,
            false => fixed.value / (1.0 - fixed.utilization),
        };
        let step = (time - answer.remap_cost * remaps as f64) / answer.steps as f64;
        Some(Priced {
            dynamics,
            processes: answer.processors,
            remap_cost: answer.remap_cost,
            job: (answer.initial_load as i64, answer.steps),
            optimum: answer.value,
            fixed: Some(BestFixed {
                interval: fixed.interval,
                cost: fixed.value,
                never: answer.never.value,
                step_time: Some(step).filter(|step| step.is_finite()),
            }),
            stride: 1,
            goes_on: false,
        })
    }
}
