//! Decision rules behind one small trait: when should a running program remap?
//!
//! A policy watches a workload step by step and says when to remap. It is the same trait for the
//! rules of the papers ([`classical`]), the rules production codes use today ([`practice`]) and an
//! optimal decision map, and it works on simulated workloads and on recorded step times alike
//! ([`advise`]).
//!
//! ```
//! use remapping::policy::{Policy, Rule, Step};
//!
//! let rule: Rule = "threshold:0.5".parse()?;
//! let mut policy = rule.start(2.0);
//! policy.observe(&Step::new(1, vec![1.0, 1.2, 2.0]));
//! assert!(policy.wants_remap());
//! policy.remapped();
//! # Ok::<(), remapping::policy::RuleError>(())
//! ```

pub mod advised;
pub mod classical;
mod map;
pub mod practice;
pub mod predictive;
mod rule;
pub mod stated;
pub mod watching;

pub use map::{Index, Map};
pub use rule::{Rule, RuleError, Running};

/// A decision rule, as one run of a program meets it.
///
/// The caller alternates [`observe`](Policy::observe), once after every change of the workload, and
/// [`wants_remap`](Policy::wants_remap), at the moments where remapping is possible; when it has
/// remapped it says so with [`remapped`](Policy::remapped). `Seen` is what there is to see at a
/// step: processor times ([`Step`]) unless said otherwise.
pub trait Policy<Seen: ?Sized = Step>: Send {
    /// Takes in the step the workload has come to.
    fn observe(&mut self, seen: &Seen);

    /// Whether the program should remap now.
    fn wants_remap(&self) -> bool;

    /// A remap has begun beside the steps that follow, which are made on the old mapping still;
    /// [`remapped`](Policy::remapped) says when it is over.
    fn begun(&mut self) {}

    /// The program has remapped: what was observed before concerns another mapping.
    fn remapped(&mut self);
}

/// What a policy sees of a step: what each processor needs for it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    number: u64,
    times: Vec<f64>,
    max: f64,
    mean: f64,
    min: f64,
}

impl Step {
    /// Step `number` (from 1) with the given execution time of each processor, at least one.
    ///
    /// # Panics
    /// Without any time.
    pub fn new(number: u64, times: Vec<f64>) -> Step {
        assert!(!times.is_empty(), "a step has at least one processor");
        let mut step = Step { number, times, ..Step::default() };
        step.summarize();
        step
    }

    /// Step `number` of which no more is known than the largest and the mean time, and the least where
    /// that is known: enough for rules that do not look at single processors.
    pub fn summary(number: u64, max: f64, mean: f64, min: Option<f64>) -> Step {
        Step { number, times: Vec::new(), max, mean, min: min.unwrap_or(f64::NAN) }
    }

    /// Makes this step `number`, with the times that `fill` writes into the buffer of the last.
    ///
    /// # Panics
    /// If `fill` leaves no time.
    pub fn refill(&mut self, number: u64, fill: impl FnOnce(&mut Vec<f64>)) {
        self.number = number;
        fill(&mut self.times);
        assert!(!self.times.is_empty(), "a step has at least one processor");
        self.summarize();
    }

    fn summarize(&mut self) {
        self.max = self.times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.min = self.times.iter().copied().fold(f64::INFINITY, f64::min);
        self.mean = self.times.iter().sum::<f64>() / self.times.len() as f64;
    }

    /// Number of the step, counted from 1 at the start of the program.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Execution time of each processor; empty where only a summary is known.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Time of the slowest processor: the time the step takes.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// Mean over the processors: the time the step would take in perfect balance.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Time of the fastest processor; NaN where a summary leaves it out.
    pub fn min(&self) -> f64 {
        self.min
    }

    /// Time lost to imbalance, max - mean >= 0.
    pub fn imbalance(&self) -> f64 {
        (self.max - self.mean).max(0.0)
    }

    /// (max - min) / mean; 0 for a step without work, NaN where the least time is not known.
    pub fn range(&self) -> f64 {
        if self.mean > 0.0 { (self.max - self.min) / self.mean } else { 0.0 }
    }

    /// max / min; 1 for a step without work, infinite where one processor has none, NaN where the least time is not
    /// known.
    pub fn ratio(&self) -> f64 {
        match self.max > 0.0 {
            true if self.min <= 0.0 => f64::INFINITY,
            true => self.max / self.min,
            false => 1.0,
        }
    }

    /// mean / max in [0, 1]; 1 for a step without work.
    pub fn utilization(&self) -> f64 {
        if self.max > 0.0 { self.mean / self.max } else { 1.0 }
    }
}

/// Where `policy` would remap on recorded step times: the numbers of the steps after which it asks
/// for a remap. The record itself is not changed by its decisions; what a remap would have changed
/// is for a workload model to say.
pub fn advise<Seen>(
    policy: &mut dyn Policy<Seen>,
    record: impl IntoIterator<Item = Seen>,
) -> Vec<u64> {
    let mut remaps = Vec::new();
    for (number, seen) in (1..).zip(record) {
        policy.observe(&seen);
        if policy.wants_remap() {
            remaps.push(number);
            policy.remapped();
        }
    }
    remaps
}

/// `a >= b` where sums of rounded numbers may fall a few units in the last place short of a tie.
fn reaches(a: f64, b: f64) -> bool {
    a - b >= -SLACK * (a.abs() + b.abs())
}

/// `a > b`, by more than sums of rounded numbers can err.
fn exceeds(a: f64, b: f64) -> bool {
    !reaches(b, a)
}

/// Relative slack of comparisons between accumulated times: a tie is a tie whatever the order in
/// which its terms were added.
const SLACK: f64 = 1e-12;

#[cfg(test)]
mod tests;
