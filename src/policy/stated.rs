//! Policies stated by a solution: an interval, thresholds by step, a level, or a map.

use super::map::Map;
use super::{Policy, Step};
use serde::{Deserialize, Serialize};

/// When to remap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Stated {
    /// Every `every` steps; never if `None`.
    Interval {
        /// Steps between two remaps.
        every: Option<u64>,
    },
    /// Above a threshold on max - mean that depends on the step, and one that depends on the steps
    /// since the last remap.
    Imbalance {
        /// Number of steps; there is no remap from the last on.
        steps: u64,
        /// Pairs (step, threshold) in ascending order: each holds from that step on.
        thresholds: Vec<(u64, f64)>,
        /// Additional thresholds: pairs (steps since the last remap, threshold) in ascending order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        since: Vec<(u64, f64)>,
    },
    /// At a level that is the same in all steps.
    Level {
        /// The measure that is compared.
        measure: Measure,
        /// The level.
        value: f64,
    },
    /// In the load vectors of a map.
    Map {
        /// The decisions.
        map: Map,
        /// Seconds in a unit of load.
        unit_seconds: f64,
    },
}

/// A measure of imbalance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// max - mean: remap above the level.
    Excess,
    /// mean / max: remap below the level.
    Utilization,
}

/// A stated policy during a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Following {
    rule: Stated,
    /// Steps of the policy in one observed step.
    stride: u64,
    since: u64,
    wants: bool,
    /// Whether a remap is in progress: steps are counted from its decision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    begun: bool,
}

impl Following {
    /// Follows `rule`; each observation counts as `stride` steps.
    pub fn new(rule: Stated, stride: u64) -> Following {
        Following { rule, stride, since: 0, wants: false, begun: false }
    }

    /// The rule.
    pub fn rule(&self) -> &Stated {
        &self.rule
    }

    /// The number of processors required, if any.
    pub fn ranks(&self) -> Option<usize> {
        match &self.rule {
            Stated::Map { map, .. } => Some(map.processes()),
            _ => None,
        }
    }

    /// The inconsistency of a deserialized policy, if any.
    pub fn fault(&self) -> Option<&'static str> {
        match &self.rule {
            _ if self.stride == 0 => Some("`stride` is 0"),
            Stated::Map { map, unit_seconds } => {
                let unit = unit_seconds.is_finite() && *unit_seconds > 0.0;
                if unit { map.fault() } else { Some("`unit_seconds` is greater than 0") }
            }
            Stated::Imbalance { thresholds, since, .. } => {
                let ascending = |list: &[(u64, f64)]| list.is_sorted_by(|a, b| a.0 <= b.0);
                match (ascending(thresholds), ascending(since)) {
                    (true, true) => None,
                    (false, _) => Some("the steps of `thresholds` are in ascending order"),
                    (true, false) => Some("the steps of `since` are in ascending order"),
                }
            }
            Stated::Interval { .. } | Stated::Level { .. } => None,
        }
    }
}

impl Policy for Following {
    fn observe(&mut self, step: &Step) {
        self.since += 1;
        self.wants = match &self.rule {
            Stated::Interval { every } => {
                every.is_some_and(|every| self.since.saturating_mul(self.stride) >= every)
            }
            Stated::Imbalance { steps, thresholds, since } => {
                let number = step.number().saturating_mul(self.stride);
                let now = self.since.saturating_mul(self.stride);
                let excess = step.imbalance();
                let due = since.is_empty() || past(since, now, excess);
                number < *steps && due && past(thresholds, number, excess)
            }
            Stated::Level { measure, value } => beyond(*measure, *value, step),
            Stated::Map { map, unit_seconds } => decides(map, step.times(), *unit_seconds),
        };
    }

    fn wants_remap(&self) -> bool {
        self.wants
    }

    fn begun(&mut self) {
        (self.since, self.wants, self.begun) = (0, false, true);
    }

    fn remapped(&mut self) {
        if !self.begun {
            self.since = 0;
        }
        (self.wants, self.begun) = (false, false);
    }
}

fn beyond(measure: Measure, value: f64, step: &Step) -> bool {
    // A tie of rounded loads is a tie.
    let above = |a: f64, b: f64| a - b > 1e-12 * (a + b);
    match measure {
        Measure::Excess => above(step.imbalance(), value),
        Measure::Utilization => above(value, step.utilization()),
    }
}

fn past(thresholds: &[(u64, f64)], at: u64, excess: f64) -> bool {
    let threshold = thresholds[..thresholds.partition_point(|(from, _)| *from <= at)].last();
    // A tie of rounded loads is a tie.
    threshold.is_some_and(|(_, value)| excess > value + 1e-9)
}

fn decides(map: &Map, times: &[f64], unit: f64) -> bool {
    let loads: Vec<i64> = times.iter().map(|time| (time / unit).round() as i64).collect();
    map.decision(&loads) == Some(b'R')
}
