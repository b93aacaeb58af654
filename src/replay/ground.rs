//! Policies by name on a record: construction, training, and the choice among trained policies.

use super::{Indicator, Player, cheapest, intervals, learn, replay, standing, thresholds, tuned};
use crate::fit::growth;
use crate::fit::increments::Increments;
use crate::fit::level::Family;
use crate::learning::Learnt;
use crate::overlap::{Overlap, Price};
use crate::policy::advised::Advised;
use crate::policy::predictive::Predictive;
use crate::policy::{Policy, Rule, RuleError, Step};
use crate::record::Record;
use crate::simulate::Base;
use std::ops::Range;

/// Why a name denotes no policy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// No policy or rule has this name, or its parameter is invalid.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The name `solution` without a solution.
    #[error("`solution` plays a solution: which?")]
    NoSolution,
}

/// A policy under comparison.
pub struct Contestant {
    /// Its name.
    pub name: String,
    /// A note on the result of its training.
    pub note: Option<String>,
    /// The candidates it was chosen from, with costs on the later training steps as multiples of
    /// the perfect-information optimum.
    pub trials: Vec<(String, f64)>,
    start: Start,
}

impl Contestant {
    /// The rule it stands for, or that was found in training.
    pub fn rule(&self) -> Option<Rule> {
        match self.start {
            Start::Rule(rule) => Some(rule),
            _ => None,
        }
    }
}

/// How a run of the policy is initialized.
enum Start {
    Rule(Rule),
    Predictive { adaptive: bool, cold: bool, family: Family },
    Learnt(Box<Learnt>),
    Advised(Box<Advised>),
    Given(Box<Player>),
}

/// The state in which the evaluated run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outset {
    /// Balanced, as after a remap.
    Balance,
    /// The state of the recorded run.
    Actual,
}

/// The data from which policies are made.
#[derive(Clone)]
pub struct Ground<'a> {
    /// The record.
    pub record: &'a Record,
    /// Cost of a remap in seconds.
    pub remap_cost: f64,
    /// How remaps overlap the steps.
    pub overlap: Overlap,
    /// The training steps: those before the first evaluated step.
    pub training: Range<usize>,
    /// Seed of Q-learning.
    pub seed: u64,
    /// The state in which the evaluated run starts.
    pub from: Outset,
    /// Whether policies know the number of evaluated steps.
    pub end_known: bool,
}

/// Published rules with their default parameters.
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

/// Policies of this crate, in the order of the table.
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

/// Factor by which a published rule must be cheaper in training than the plans, which have fewer
/// steps to learn from there.
const ADVANTAGE: f64 = 1.1;

/// The longest interval considered by the growth model, and its seed.
const LONGEST_PLANNED: usize = 200;
const GROWTH_SEED: u64 = 1;

/// Most training steps used in trials.
const LONGEST_TRIAL: usize = 600;

/// The total cost of a remap on these steps, slowdown included.
pub fn whole_cost(record: &Record, steps: Range<usize>, remap_cost: f64, overlap: Overlap) -> f64 {
    if overlap.is_none() || steps.is_empty() {
        return remap_cost;
    }
    let many = steps.len() as f64;
    let time = |step: usize| record.mean(step) + record.imbalance(step).max(0.0);
    overlap.price(remap_cost, steps.map(time).sum::<f64>() / many)
}

impl<'a> Ground<'a> {
    /// The cost of a remap and its overlap with the steps.
    pub fn price(&self) -> Price {
        Price { stops: self.remap_cost, overlap: self.overlap }
    }

    /// The total cost of a remap that policies are given: the stop, plus the slowdown of the steps
    /// meanwhile, estimated on the training steps.
    fn told(&self) -> f64 {
        whole_cost(self.record, self.training.clone(), self.remap_cost, self.overlap)
    }

    /// The policy of this name; `solution` is the policy named `solution`, if there is one. `curve`
    /// receives the regret curve of Q-learning.
    ///
    /// # Errors
    /// If there is no such policy.
    pub fn contestant(
        &self,
        name: &str,
        solution: Option<&Player>,
        curve: &mut Vec<(u64, f64)>,
    ) -> Result<Contestant, NameError> {
        let (record, cost, steps) = (self.record, self.told(), self.training.clone());
        let price = self.price();
        let tune =
            |rules: Vec<Rule>| tuned(record, steps.clone(), price, &rules).unwrap_or(Rule::Never);
        let found = |rule: Rule| (Start::Rule(rule), Some(format!("trained: {rule}")));
        let plan =
            |adaptive, cold| (Start::Predictive { adaptive, cold, family: Family::Trends }, None);
        let mut trials = Vec::new();
        let (start, note) = match name {
            "advised" => (Start::Advised(Box::new(self.advised())), None),
            "advised_cold" => {
                let mut policy = Advised::new(cost).overlapping(self.overlap);
                self.catch_up(&mut policy);
                (Start::Advised(Box::new(policy)), None)
            }
            "adaptive" => plan(true, false),
            "predictive" => plan(false, false),
            "adaptive_cold" => plan(true, true),
            "fixed" => found(tune(intervals(steps.len()))),
            "threshold" => found(tune(thresholds(record, steps.clone(), Indicator::Excess))),
            "utilization" => found(tune(thresholds(record, steps.clone(), Indicator::Utilization))),
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
                Some(solution) => (Start::Given(Box::new(solution.clone())), None),
                None => return Err(NameError::NoSolution),
            },
            rule => (Start::Rule(rule.parse()?), None),
        };
        Ok(Contestant { name: name.to_owned(), note, trials, start })
    }

    /// The last remap before the evaluated steps.
    pub fn base(&self) -> Base {
        let end = self.training.end;
        match self.from {
            Outset::Actual => standing(self.record, end),
            Outset::Balance => Base::before(end),
        }
    }

    /// The training steps up to the last remap, and those after it.
    fn since_base(&self) -> (Range<usize>, Range<usize>) {
        let Range { start, end } = self.training;
        let base = match self.base() {
            Base::Balanced(base) => base + 1,
            Base::AsRecorded => start,
        };
        (start..base, base..end)
    }

    /// The adaptive rule, trained on the steps before the evaluated run.
    pub fn advised(&self) -> Advised {
        let rows = self.since_base().0.map(|step| self.record.path(step));
        let mut policy = Advised::new(self.told()).overlapping(self.overlap).after(rows);
        self.catch_up(&mut policy);
        policy
    }

    /// Feeds a policy the steps since the last remap before the evaluated ones.
    fn catch_up(&self, policy: &mut dyn Policy) {
        let steps = self.since_base().1;
        for (number, step) in (1..).zip(steps) {
            policy.observe(&Step::new(number, self.record.row(step).to_vec()));
        }
    }

    /// The interval of least cost by the increment model fitted to the training steps.
    fn interval(&self) -> Rule {
        let part = self.record.part(self.training.clone());
        let Some(found) = Increments::of(&part) else { return Rule::Never };
        let Increments { drifts, deviation, noise, .. } = &found;
        let lags: Vec<usize> = (1..=self.training.len().min(LONGEST_PLANNED)).collect();
        let growth = growth::normal(drifts, deviation.value, *noise, &lags, GROWTH_SEED);
        let growth: Vec<f64> = growth.iter().map(|point| point.mean).collect();
        // Average cost of an interval of n steps: W(n) = (C + u_1 + ... + u_n) / n.
        let mut spent = self.told();
        let average = |(n, u): (u64, &f64)| {
            spent += u;
            spent / n as f64
        };
        let averages: Vec<f64> = (1..).zip(&growth).map(average).collect();
        match cheapest(averages.iter().copied()) {
            Some(place) if place + 1 < growth.len() => Rule::Fixed(place as u64 + 1),
            _ => Rule::Never,
        }
    }

    /// The plan or published rule that was cheapest on the last two thirds and the last half of the
    /// training steps, given the steps before those. Also returns all candidates with their costs,
    /// the best first.
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
            let earlier = Ground { training: 0..first, from: Outset::Balance, ..*self };
            let start = || -> Vec<Box<dyn Policy>> {
                let run = |start: &Start| earlier.start(start, (end - first) as u64);
                candidates.iter().map(|c| Box::new(run(&c.1)) as Box<dyn Policy>).collect()
            };
            let Ok(found) = replay(self.record, first..end, self.price(), &start, &()) else {
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
        let best = cheapest(candidates.iter().map(judged)).unwrap_or(0);
        let best = candidates.remove(best);
        candidates.sort_by(|a, b| judged(a).total_cmp(&judged(b)));
        candidates.insert(0, best);
        let trials = candidates.iter().map(|(name, _, cost)| ((*name).to_owned(), *cost)).collect();
        (candidates.swap_remove(0).1, trials)
    }

    fn start(&self, start: &Start, steps: u64) -> Player {
        let mut policy = match start {
            Start::Rule(rule) => Player::Rule(rule.run(self.told())),
            Start::Learnt(learnt) => Player::Learnt(learnt.as_ref().clone()),
            // It was fed those steps in training.
            Start::Advised(advised) => {
                let advised = Player::Advised(advised.clone());
                return if self.end_known { advised.for_steps(steps) } else { advised };
            }
            Start::Given(player) => match player.as_ref().clone().for_steps(steps) {
                // It continues from its stored state, as an exported policy does.
                advised @ Player::Advised(_) => return advised,
                other => other,
            },
            Start::Predictive { adaptive, cold, family } => {
                let (before, since) = self.since_base();
                let first = if *cold { before.end.saturating_sub(1) } else { before.start };
                let balanced = vec![0.0; self.record.ranks()];
                let mut rows: Vec<&[f64]> =
                    (first..before.end).map(|step| self.record.path(step)).collect();
                if rows.is_empty() {
                    rows.push(&balanced);
                }
                let steps = steps.saturating_add(since.len() as u64);
                let policy = Predictive::new(rows, self.told(), steps, *adaptive, *family);
                Player::Predictive(Box::new(policy))
            }
        };
        self.catch_up(&mut policy);
        policy
    }

    /// A new run of a policy, for `steps` steps.
    pub fn run(&self, contestant: &Contestant, steps: u64) -> Player {
        self.start(&contestant.start, steps)
    }
}
