//! Policies by name on a recorded run: which there are, how they are trained, what they came to.

pub mod advised;

use crate::complaint::Complaint;
use crate::fitting::{self, Facts};
use crate::solution::advised::Simple;
use crate::solution::map::Map;
use crate::solution::rule::{Found, Imbalance, Rule as Stated};
use remapping::fit::level::Family;
use remapping::learning::Learnt;
use remapping::policy::advised::Advised;
use remapping::policy::predictive::Predictive;
use remapping::policy::{Policy, Rule, Step};
use remapping::record::Record;
use remapping::replay::{intervals, learn, replay, thresholds, tuned};
use std::ops::Range;

/// A policy that takes part.
pub struct Contestant {
    /// Its name.
    pub name: String,
    /// What came out of its training.
    pub note: Option<String>,
    /// What it was chosen from: names, and costs on the later training steps as multiples of
    /// hindsight's.
    pub trials: Vec<(String, f64)>,
    start: Start,
}

/// How a run of a policy starts.
enum Start {
    Rule(Rule),
    Predictive { adaptive: bool, cold: bool, family: Family },
    Learnt(Box<Learnt>),
    Advised(Box<Advised>),
    Solution(Box<Solution>),
}

/// Everything the policies are made from.
pub struct Ground<'a> {
    /// The record.
    pub record: &'a Record,
    /// Cost of a remap in seconds.
    pub remap_cost: f64,
    /// Steps to train on: those before the first judged.
    pub training: Range<usize>,
    /// Seed of Q-learning.
    pub seed: u64,
}

/// The rules that codes use today, with the parameters they come with.
pub const IN_USE: [&str; 9] = [
    "never",
    "stop_at_rise",
    "menon",
    "metabalancer",
    "zhai",
    "procassini",
    "marquez:0.1",
    "utilization:0.9",
    "fixed:10",
];

/// Policies made here, in the order of the table.
pub const OURS: [&str; 11] = [
    "advised",
    "advised_cold",
    "solved",
    "adaptive",
    "predictive",
    "adaptive_cold",
    "interval",
    "q_learning",
    "fixed",
    "threshold",
    "utilization",
];

/// Q-learning episodes.
const EPISODES: u64 = 512;

/// By which factor a rule in use must be cheaper in training than the plans, which have fewer steps to
/// learn from there.
const ADVANTAGE: f64 = 1.1;

/// Trials look back this far at most.
const LONGEST_TRIAL: usize = 600;

impl<'a> Ground<'a> {
    /// The policy of this name. `curve` gets the regret curve of Q-learning.
    pub fn contestant(
        &self,
        name: &str,
        solution: Option<&Solution>,
        curve: &mut Vec<(u64, f64)>,
    ) -> Result<Contestant, Complaint> {
        let (record, cost, steps) = (self.record, self.remap_cost, self.training.clone());
        let tune =
            |rules: Vec<Rule>| tuned(record, steps.clone(), cost, &rules).unwrap_or(Rule::Never);
        let found = |rule: Rule| (Start::Rule(rule), Some(format!("trained: {rule}")));
        let plan =
            |adaptive, cold| (Start::Predictive { adaptive, cold, family: Family::Trends }, None);
        let mut trials = Vec::new();
        let (start, note) = match name {
            "advised" => {
                let rows = steps.clone().map(|step| record.path(step));
                (Start::Advised(Box::new(Advised::trained(rows, cost))), None)
            }
            "advised_cold" => (Start::Advised(Box::new(Advised::new(cost))), None),
            "adaptive" => plan(true, false),
            "predictive" => plan(false, false),
            "adaptive_cold" => plan(true, true),
            "fixed" => found(tune(intervals(steps.len()))),
            "threshold" => found(tune(thresholds(record, steps.clone(), false))),
            "utilization" => found(tune(thresholds(record, steps.clone(), true))),
            "interval" => found(self.interval()),
            "q_learning" => {
                let (learnt, regrets) = learn(record, steps.clone(), cost, EPISODES, self.seed);
                *curve = regrets;
                (Start::Learnt(Box::new(learnt)), None)
            }
            "solved" => {
                let (start, found) = self.solved();
                trials = found;
                let chosen = trials.first().map(|(name, _)| name.clone());
                (start, chosen)
            }
            "solution" => match solution {
                Some(solution) => (Start::Solution(Box::new(solution.clone())), None),
                None => {
                    let help = "add --solution SOLUTION.json";
                    return Err(Complaint::elsewhere("`solution` plays a solution: which?", help));
                }
            },
            rule => match rule.parse() {
                Ok(rule) => (Start::Rule(rule), None),
                Err(error) => {
                    let help = format!("known are {}, and {}", OURS.join(", "), IN_USE.join(", "));
                    return Err(Complaint::elsewhere(format!("{error}"), help));
                }
            },
        };
        Ok(Contestant { name: name.to_owned(), note, trials, start })
    }

    /// The interval of least cost by the model fitted to the training steps.
    fn interval(&self) -> Rule {
        let part = self.record.part(self.training.clone());
        let Some(facts) = Facts::of(&part, self.remap_cost, false) else { return Rule::Never };
        let growth = fitting::model_growth(&facts, self.training.len());
        // W(n) = (C + u_1 + ... + u_n) / n.
        let (mut spent, mut best) = (self.remap_cost, (f64::INFINITY, Rule::Never));
        for (n, u) in (1..).zip(&growth) {
            spent += u;
            let average = spent / n as f64;
            if average < best.0 {
                best = (average, Rule::Fixed(n));
            }
        }
        match best.1 {
            Rule::Fixed(n) if n as usize == growth.len() => Rule::Never,
            rule => rule,
        }
    }

    /// The plan, or rule in use, that would have been cheapest on the last two thirds and the last half of
    /// the training steps, had it known those before; and all of them with their costs, the best first.
    fn solved(&self) -> (Start, Vec<(String, f64)>) {
        let plan = |family| Start::Predictive { adaptive: true, cold: false, family };
        let plans = [("the plan by trends", Family::Trends), ("the plan by means", Family::Means)];
        let rules = IN_USE.iter().filter_map(|name| Some((*name, name.parse::<Rule>().ok()?)));
        let mut candidates: Vec<(&str, Start, f64)> = plans
            .map(|(name, family)| (name, plan(family), 0.0))
            .into_iter()
            .chain(rules.map(|(name, rule)| (name, Start::Rule(rule), 0.0)))
            .collect();
        let end = self.training.end;
        let length = end.min(LONGEST_TRIAL);
        for first in [end - length * 2 / 3, end - length / 2] {
            if first < 4 || end - first < 4 {
                continue;
            }
            let earlier = Ground { training: 0..first, ..*self };
            let start = || candidates.iter().map(|c| earlier.start(&c.1, end - first)).collect();
            let Ok(found) = replay(self.record, first..end, self.remap_cost, &start, &()) else {
                continue;
            };
            let least = found.clairvoyant.max(f64::MIN_POSITIVE);
            for ((_, _, cost), tally) in candidates.iter_mut().zip(&found.tallies) {
                *cost += tally.value / least / 2.0;
            }
        }
        let judged = |(_, start, cost): &(&str, Start, f64)| match start {
            Start::Rule(_) => ADVANTAGE * cost,
            _ => *cost,
        };
        candidates.sort_by(|a, b| judged(a).total_cmp(&judged(b)));
        let trials = candidates.iter().map(|(name, _, cost)| ((*name).to_owned(), *cost)).collect();
        (candidates.swap_remove(0).1, trials)
    }

    fn start(&self, start: &Start, steps: usize) -> Box<dyn Policy> {
        match start {
            Start::Rule(rule) => rule.start(self.remap_cost),
            Start::Learnt(learnt) => Box::new(learnt.as_ref().clone()),
            Start::Advised(advised) => Box::new(advised.as_ref().clone().for_steps(steps as u64)),
            Start::Solution(solution) => solution.start(self.remap_cost, steps as u64),
            Start::Predictive { adaptive, cold, family } => {
                let end = self.training.end;
                let first = if *cold { end.saturating_sub(1) } else { self.training.start };
                let rows = (first..end).map(|step| self.record.path(step));
                Box::new(Predictive::new(rows, self.remap_cost, steps as u64, *adaptive, *family))
            }
        }
    }

    /// New runs of all contestants, for so many steps.
    pub fn runs(&self, contestants: &[Contestant], steps: usize) -> Vec<Box<dyn Policy>> {
        contestants.iter().map(|contestant| self.start(&contestant.start, steps)).collect()
    }
}

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
    unit: f64,
    since: u64,
    wants: bool,
}

impl Solution {
    /// The policy of a document; the unit of load of a solution is `unit` seconds. What is written in place
    /// of the rule of a log by `export` is played in its place.
    pub fn new(found: Found, unit: f64) -> Result<Solution, Complaint> {
        let stated = match found {
            Found::Rule(stated) => stated,
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
        Ok(Solution::Stated(Followed { rule: stated.rule, unit, since: 0, wants: false }))
    }

    /// How many ranks it is for, if for a certain number.
    pub fn ranks(&self) -> Option<usize> {
        match self {
            Solution::Stated(Followed { rule: Stated::Map(map), .. }) => Some(map.processes()),
            Solution::Advised(_, ranks) => Some(*ranks),
            _ => None,
        }
    }

    fn start(&self, remap_cost: f64, steps: u64) -> Box<dyn Policy> {
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
            Stated::Interval(interval) => interval.every.is_some_and(|every| self.since >= every),
            Stated::Imbalance(imbalance) => {
                past(imbalance, step.number(), step.imbalance() / self.unit)
            }
            Stated::Map(map) => decides(map, step.times(), self.unit),
            Stated::Belief(_) | Stated::Level(_) => false,
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
