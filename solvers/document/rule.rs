//! The rule a solution states: when to remap, in a form that a program can follow.

use super::advised::Advised;
use super::priced::Priced;
use remapping::policy::Map;
pub use remapping::policy::stated::Measure;
use remapping::simulate::Statistic;
use serde::{Deserialize, Serialize};

/// The threshold that holds from a number of steps on, up to that of the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The first number of steps.
    pub from: u64,
    /// The threshold on max - mean.
    pub threshold: f64,
}

impl Threshold {
    /// No imbalance is above it: there is no remap to decide on.
    pub const NEVER: f64 = remapping::load_drift::Curve::NEVER;
}

/// The parameters of Bayes' rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// The belief at step 0.
    pub initial: f64,
    /// The chance that the first phase ends between one step and the next.
    pub to_second: f64,
    /// The same of the second.
    pub to_first: f64,
    /// The probability of each level of the detector in the first phase.
    pub first: Vec<f64>,
    /// The same in the second.
    pub second: Vec<f64>,
}

/// What a document says of when to remap.
pub enum Found {
    /// The rule of a solution.
    Rule(Box<StatedRule>),
    /// The rule that a log has taught.
    Advised(Box<Advised>),
}

/// A rule and where it comes from.
#[derive(Debug, Clone)]
pub struct StatedRule {
    /// The model's title.
    pub title: String,
    /// Whether it is the best for its model; rules from logs are not.
    pub optimal: bool,
    /// What the rule itself is, a sentence each; of settings made from it, it says nothing.
    pub about: Vec<String>,
    /// What it promises and assumes, a sentence each.
    pub notes: Vec<String>,
    /// The rule: in seconds and in steps of the program, where the model was fitted to a log.
    pub rule: Rule,
    /// Seconds in a unit of the loads of a map.
    pub unit_seconds: f64,
    /// Whether steps are those of a program.
    pub of_a_log: bool,
    /// What other rules of the same model cost, where that is known.
    pub priced: Option<Priced>,
    /// The level of a statistic that single codes compare, in place of the rule.
    pub level_of: Option<(Statistic, f64)>,
    /// Processors of its model, on whose number thresholds and intervals depend; absent where no model has them.
    pub processors: Option<usize>,
    /// Whether it is asked before steps, with the times of the step about to be made.
    pub before_step: bool,
}

/// When to remap.
#[derive(Debug, Clone)]
pub enum Rule {
    /// When the belief that the phase has changed exceeds the threshold of the step.
    Belief(Belief),
    /// Two mappings: to the second above one threshold on the belief in the second phase, back below another.
    Switching(Switching),
    /// In the load vectors of a map.
    Map(Map),
    /// When max - mean exceeds the threshold of the step.
    Imbalance(LoadThresholds),
    /// Every so many steps.
    Interval(RemapInterval),
    /// Past a level that is the same in all steps.
    Level(Level),
}

/// Thresholds on the belief, and Bayes' rule that updates it.
#[derive(Debug, Clone)]
pub struct Belief {
    /// M.
    pub last: u64,
    /// Thresholds of the steps 0, 1, ...
    pub head: Vec<f64>,
    /// The threshold of the steps between head and tail.
    pub stationary: f64,
    /// Thresholds of the last steps, up to M.
    pub tail: Vec<f64>,
    /// alpha, beta.
    pub detector: (f64, f64),
    /// h_1, h_2, ..., or one number for every step.
    pub hazard: Vec<f64>,
}

/// The shortest run of equal thresholds that is not written out.
const SHORTEST_RUN: usize = 16;

impl Belief {
    /// The first step of the tail.
    pub fn tail_from(&self) -> u64 {
        self.last + 1 - self.tail.len() as u64
    }

    /// The threshold of a step; 1, never, beyond the last.
    pub fn threshold(&self, n: u64) -> f64 {
        match n {
            _ if n > self.last => 1.0,
            _ if (n as usize) < self.head.len() => self.head[n as usize],
            _ if n < self.tail_from() => self.stationary,
            _ => self.tail[(n - self.tail_from()) as usize],
        }
    }

    /// Takes the longest run of equal thresholds out of a full list.
    pub(crate) fn of_list(
        last: u64,
        list: &[f64],
        detector: (f64, f64),
        hazard: Vec<f64>,
    ) -> Belief {
        let (mut longest, mut start) = (0..0, 0);
        for n in 1..=list.len() {
            if n == list.len() || list[n] != list[start] {
                if n - start > longest.len() {
                    longest = start..n;
                }
                start = n;
            }
        }
        if longest.len() < SHORTEST_RUN {
            longest = 0..0;
        }
        Belief {
            last,
            head: list[..longest.start].to_vec(),
            stationary: list[longest.start],
            tail: list[longest.end..].to_vec(),
            detector,
            hazard,
        }
    }
}

/// Two thresholds by step, and Bayes' rule for phases that come back.
#[derive(Debug, Clone)]
pub struct Switching {
    /// From which step on which threshold to the second mapping holds.
    pub to_second: Vec<(u64, f64)>,
    /// The same of the way back.
    pub to_first: Vec<(u64, f64)>,
    /// The chances that a phase ends, the belief at step 0, and the levels of the detector in either phase.
    pub belief: Filter,
}

/// Thresholds on max - mean.
#[derive(Debug, Clone)]
pub struct LoadThresholds {
    /// Number of steps; none is followed by a remap from the last on.
    pub steps: u64,
    /// From which step on which threshold holds.
    pub thresholds: Vec<(u64, f64)>,
    /// From how many steps since the last remap or the start on which threshold holds besides; empty without.
    pub since: Vec<(u64, f64)>,
    /// The one that holds at most remaps.
    pub level: f64,
    /// Load of every processor at the start.
    pub mean: f64,
}

impl LoadThresholds {
    /// Whether no imbalance leads to a remap.
    pub fn is_never(&self) -> bool {
        let never = |list: &Vec<(u64, f64)>| {
            !list.is_empty() && list.iter().all(|(_, threshold)| *threshold == Threshold::NEVER)
        };
        never(&self.thresholds) || never(&self.since)
    }
}

/// A fixed interval.
#[derive(Debug, Clone)]
pub struct RemapInterval {
    /// Steps between remaps; never if none.
    pub every: Option<u64>,
    /// The max / mean - 1 expected at its end, where it is known.
    pub tolerance: Option<f64>,
    /// Load of every processor at the start.
    pub mean: f64,
    /// What a step takes longer than that on average, where it is known.
    pub waiting: Option<f64>,
}

/// A level of imbalance, for any number of steps.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    /// What is compared.
    pub measure: Measure,
    /// The level.
    pub value: f64,
    /// Mean time of a step.
    pub mean: f64,
    /// Steps of the program between two looks.
    pub stride: u64,
}
