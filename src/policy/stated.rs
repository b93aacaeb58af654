//! Rules that a solution states: an interval, thresholds by step, a level, or a map.

use super::map::Map;
use super::{Policy, Step};
use serde::{Deserialize, Serialize};

/// When to remap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Stated {
    /// Every so many steps; never if none.
    Interval {
        /// Steps between two remaps.
        every: Option<u64>,
    },
    /// Past a threshold on max - mean that depends on the step, and past one that depends on the steps since the last remap.
    Imbalance {
        /// Number of steps; none is followed by a remap from the last on.
        steps: u64,
        /// From which step on which threshold holds, in ascending order.
        thresholds: Vec<(u64, f64)>,
        /// From how many steps since the last remap on which threshold holds besides, in ascending order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        since: Vec<(u64, f64)>,
    },
    /// Past a level that is the same in all steps.
    Level {
        /// What is compared.
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
    /// max - mean: a remap is due above the level.
    Excess,
    /// mean / max: a remap is due below.
    Utilization,
}

/// A stated rule as a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Following {
    rule: Stated,
    /// Steps of the rule in one that is observed.
    stride: u64,
    since: u64,
    wants: bool,
    /// Whether a remap is under way: steps are counted from its decision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    begun: bool,
}

impl Following {
    /// Follows `rule`, whose steps are counted `stride` at a time.
    pub fn new(rule: Stated, stride: u64) -> Following {
        Following { rule, stride, since: 0, wants: false, begun: false }
    }

    /// The rule.
    pub fn rule(&self) -> &Stated {
        &self.rule
    }

    /// How many processors it is for, if for a certain number.
    pub fn ranks(&self) -> Option<usize> {
        match &self.rule {
            Stated::Map { map, .. } => Some(map.processes()),
            _ => None,
        }
    }

    /// What does not fit together in it, after it was read.
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
