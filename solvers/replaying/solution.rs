//! A solution as a policy.

use crate::complaint::Complaint;
use crate::solution::map::Map;
use crate::solution::rule::{Imbalance, Rule as Stated, StatedRule};
use remapping::policy::{Policy, Step};

/// A solution as a policy.
#[derive(Debug, Clone)]
pub struct Solution {
    rule: Stated,
    unit: f64,
    since: u64,
    wants: bool,
}

impl Solution {
    /// The policy of a solution whose unit of load is `unit` seconds.
    pub fn new(stated: StatedRule, unit: f64) -> Result<Solution, Complaint> {
        if let Stated::Belief(_) = stated.rule {
            let message = "thresholds on the probability of a change need a detector's reports";
            return Err(Complaint::elsewhere(message, "watch the run with remap monitor"));
        }
        Ok(Solution { rule: stated.rule, unit, since: 0, wants: false })
    }

    /// How many ranks it is for, if for a certain number.
    pub fn ranks(&self) -> Option<usize> {
        match &self.rule {
            Stated::Map(map) => Some(map.processes()),
            _ => None,
        }
    }
}

impl Policy for Solution {
    fn observe(&mut self, step: &Step) {
        self.since += 1;
        self.wants = match &self.rule {
            Stated::Interval(interval) => interval.every.is_some_and(|every| self.since >= every),
            Stated::Imbalance(imbalance) => {
                past(imbalance, step.number(), step.imbalance() / self.unit)
            }
            Stated::Map(map) => decides(map, step.times(), self.unit),
            Stated::Belief(_) => false,
        };
    }

    fn wants_remap(&self) -> bool {
        self.wants
    }

    fn remapped(&mut self) {
        self.since = 0;
        self.wants = false;
    }
}

fn past(imbalance: &Imbalance, step: u64, excess: f64) -> bool {
    let threshold = imbalance.thresholds.iter().rev().find(|(from, _)| *from <= step);
    // A tie of rounded loads is a tie.
    step < imbalance.steps && threshold.is_some_and(|(_, value)| excess > value + 1e-9)
}

fn decides(map: &Map, times: &[f64], unit: f64) -> bool {
    let loads: Vec<i64> = times.iter().map(|time| (time / unit).round() as i64).collect();
    map.decision(&loads) == Some(b'R')
}
