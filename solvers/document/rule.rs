//! The rule a solution states: when to remap, in a form that a program can follow.

use super::advised::Advised;
use super::priced::Priced;
use remapping::policy::Map;
use remapping::policy::codes::Code;
pub use remapping::policy::stated::Measure;
use serde::{Deserialize, Serialize};

/// A threshold that holds from a number of steps on, until the next one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The first number of steps.
    pub from: u64,
    /// The threshold on max - mean.
    pub threshold: f64,
}

impl Threshold {
    /// No imbalance exceeds it, so the rule never remaps.
    pub const NEVER: f64 = remapping::load_drift::Curve::NEVER;
}

/// The parameters of Bayes' rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// The belief at step 0.
    pub initial: f64,
    /// The probability per step that the first phase ends.
    pub to_second: f64,
    /// The same for the second phase.
    pub to_first: f64,
    /// The probability of each level of the detector in the first phase.
    pub first: Vec<f64>,
    /// The same in the second phase.
    pub second: Vec<f64>,
}

/// A rule found in a document.
pub enum Found {
    /// The rule of a solution.
    Rule(Box<StatedRule>),
    /// The rule that was trained on a log.
    Advised(Box<Advised>),
}

/// A rule and its source.
#[derive(Debug, Clone)]
pub struct StatedRule {
    /// The model's title.
    pub title: String,
    /// Whether it is optimal for its model; rules from logs are not.
    pub optimal: bool,
    /// The description of the rule, one sentence each. It does not apply to settings made from the
    /// rule.
    pub about: Vec<String>,
    /// Its guarantees and assumptions, one sentence each.
    pub notes: Vec<String>,
    /// The rule: in seconds and in steps of the program, where the model was fitted to a log.
    pub rule: Rule,
    /// The seconds in a unit of the loads of a map.
    pub unit_seconds: f64,
    /// Whether its steps are those of a program.
    pub of_a_log: bool,
    /// The costs of other rules of the same model, where these are known.
    pub priced: Option<Priced>,
    /// The interval and the level of a code, in steps of the program; they replace the rule.
    pub of_code: Option<(Code, u64, Option<f64>)>,
    /// Whether remaps come into force after steps that follow their decision.
    pub overlapped: bool,
    /// The number of processors of its model, on which thresholds and intervals depend; `None`
    /// where the model has none.
    pub processors: Option<usize>,
    /// Whether it is called before a step, with the times of that step.
    pub before_step: bool,
}

/// When to remap.
#[derive(Debug, Clone)]
pub enum Rule {
    /// When the belief that the phase has changed exceeds the threshold of the step.
    Belief(Belief),
    /// Two mappings: switches to the second above one threshold on the belief in the second phase,
    /// and back below another.
    Switching(Switching),
    /// In some load vectors of a map.
    Map(Map),
    /// When max - mean exceeds the threshold of the step.
    Imbalance(LoadThresholds),
    /// Every `n` steps.
    Interval(RemapInterval),
    /// Above a level that is the same at all steps.
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

/// The shortest run of equal thresholds that is stored once.
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

    /// Replaces the longest run of equal thresholds of a full list by one number.
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

/// Two thresholds by step, and Bayes' rule for recurring phases.
#[derive(Debug, Clone)]
pub struct Switching {
    /// The thresholds for a switch to the second mapping, each with its first step.
    pub to_second: Vec<(u64, f64)>,
    /// The same for the switch back.
    pub to_first: Vec<(u64, f64)>,
    /// The parameters of Bayes' rule.
    pub belief: Filter,
}

/// Thresholds on max - mean.
#[derive(Debug, Clone)]
pub struct LoadThresholds {
    /// The number of steps; no remap follows the last one.
    pub steps: u64,
    /// The thresholds by step, each with its first step.
    pub thresholds: Vec<(u64, f64)>,
    /// Additional thresholds by the number of steps since the last remap or the start; may be
    /// empty.
    pub since: Vec<(u64, f64)>,
    /// The threshold that holds at most of the remaps.
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
    /// The steps between remaps; `None` is never.
    pub every: Option<u64>,
    /// The expected max / mean - 1 at its end, where it is known.
    pub tolerance: Option<f64>,
    /// Load of every processor at the start.
    pub mean: f64,
    /// The mean excess of a step's time over `mean`, where it is known.
    pub waiting: Option<f64>,
}

/// A level of imbalance, for any number of steps.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    /// The statistic that is compared.
    pub measure: Measure,
    /// The level.
    pub value: f64,
    /// Mean time of a step.
    pub mean: f64,
    /// The number of the program's steps between two checks.
    pub stride: u64,
}
