//! A document of ours as a policy.

use crate::complaint::Complaint;
use crate::solution::advised::Simple;
use crate::solution::map::Map;
use crate::solution::rule::{Found, Imbalance, Level, Measure, Rule as Stated};
use remapping::policy::advised::Advised;
use remapping::policy::{Policy, Rule, Step};

/// A document of ours as a policy.
#[derive(Debug, Clone)]
pub enum Solution {
    /// The rule of a solution.
    Stated(Followed),
    /// The rule that a log has taught.
    Advised(Box<Advised>, usize),
    /// A simple rule that is as good.
    Simple(Rule),
}

/// The rule of a solution as a policy.
#[derive(Debug, Clone)]
pub struct Followed {
    rule: Stated,
    /// Seconds in a unit of the loads of a map.
    unit: f64,
    /// Steps of the rule in a step of the log.
    stride: u64,
    since: u64,
    wants: bool,
}

impl Solution {
    /// The policy of a document on a log that has one step for `stride` of the program. What is written in
    /// place of the rule of a log by `export` is played in its place.
    pub fn new(found: Found, stride: u64) -> Result<Solution, Complaint> {
        let stated = match found {
            Found::Rule(stated) => *stated,
            Found::Advised(advised) => {
                return Ok(match advised.simple_enough() {
                    None => Solution::Advised(Box::new(advised.rule), advised.ranks),
                    Some((Simple::Every(None), _)) => Solution::Simple(Rule::Never),
                    Some((Simple::Every(Some(every)), _)) => Solution::Simple(Rule::Fixed(every)),
                    Some((Simple::Excess(level), _)) => Solution::Simple(Rule::Threshold(level)),
                    Some((Simple::Utilization(level), _)) => {
                        Solution::Simple(Rule::Utilization(level))
                    }
                });
            }
        };
        if let Stated::Belief(_) = stated.rule {
            let message = "thresholds on the probability of a change need a detector's reports";
            return Err(Complaint::elsewhere(message, "watch the run with remap monitor"));
        }
        let (rule, unit) = (stated.rule, stated.unit_seconds);
        let stride = if stated.of_a_log { stride } else { 1 };
        Ok(Solution::Stated(Followed { rule, unit, stride, since: 0, wants: false }))
    }

    /// How many ranks it is for, if for a certain number.
    pub fn ranks(&self) -> Option<usize> {
        match self {
            Solution::Stated(Followed { rule: Stated::Map(map), .. }) => Some(map.processes()),
            Solution::Advised(_, ranks) => Some(*ranks),
            _ => None,
        }
    }

    /// A run of it, of so many steps.
    pub(super) fn start(&self, remap_cost: f64, steps: u64) -> Box<dyn Policy> {
        match self {
            Solution::Stated(followed) => Box::new(followed.clone()),
            Solution::Advised(advised, _) => Box::new(advised.as_ref().clone().for_steps(steps)),
            Solution::Simple(rule) => rule.start(remap_cost),
        }
    }
}

impl Policy for Followed {
    fn observe(&mut self, step: &Step) {
        self.since += 1;
        self.wants = match &self.rule {
            Stated::Interval(interval) => {
                interval.every.is_some_and(|every| self.since * self.stride >= every)
            }
            Stated::Imbalance(imbalance) => {
                past(imbalance, step.number() * self.stride, step.imbalance())
            }
            Stated::Map(map) => decides(map, step.times(), self.unit),
            Stated::Level(level) => beyond(level, step),
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

fn beyond(level: &Level, step: &Step) -> bool {
    // A tie of rounded loads is a tie.
    let above = |a: f64, b: f64| a - b > 1e-12 * (a + b);
    match level.measure {
        Measure::Excess => above(step.imbalance(), level.value),
        Measure::Utilization => above(level.value, step.utilization()),
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
