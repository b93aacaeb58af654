//! Policies behind one small trait: when should a running program remap?
//!
//! A policy observes a workload step by step and decides when to remap. The same trait serves the
//! policies of the papers ([`classical`]), those of production codes ([`practice`]), and optimal
//! decision maps. It works on simulated workloads and on recorded step times alike.
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
pub mod codes;
mod map;
pub mod practice;
pub mod predictive;
mod rule;
pub mod stated;

pub use map::{Index, Map};
pub use rule::{Rule, RuleError, Running};

/// A policy during one run of a program.
///
/// The caller alternates [`observe`](Policy::observe), once after every change of the workload, and
/// [`wants_remap`](Policy::wants_remap), when a remap is possible. After a remap it calls
/// [`remapped`](Policy::remapped).
pub trait Policy: Send {
    /// Processes the present step of the workload.
    fn observe(&mut self, step: &Step);

    /// Whether the program should remap now.
    fn wants_remap(&self) -> bool;

    /// A delayed remap has begun; the following steps still use the old mapping.
    /// [`remapped`](Policy::remapped) is called when it is complete.
    fn begun(&mut self) {}

    /// The program has remapped: earlier observations concern another mapping.
    fn remapped(&mut self);
}

/// Observation of a step: the time of each processor.
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

    /// Step `number` of which only the largest and the mean time are known, and the least if given.
    /// This suffices for policies that do not use single processors.
    pub fn summary(number: u64, max: f64, mean: f64, min: Option<f64>) -> Step {
        Step { number, times: Vec::new(), max, mean, min: min.unwrap_or(f64::NAN) }
    }

    /// Turns this into step `number`, with the times that `fill` writes into the existing buffer.
    pub fn refill(&mut self, number: u64, fill: impl FnOnce(&mut Vec<f64>)) {
        self.number = number;
        fill(&mut self.times);
        assert!(!self.times.is_empty(), "a step has at least one processor");
        self.summarize();
    }

    fn summarize(&mut self) {
        let (mut max, mut min, mut sum) = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
        for time in &self.times {
            (max, min, sum) = (max.max(*time), min.min(*time), sum + time);
        }
        (self.max, self.min, self.mean) = (max, min, sum / self.times.len() as f64);
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

    /// (max - min) / mean; 0 for a step without work, NaN where the least time is unknown.
    pub fn range(&self) -> f64 {
        if self.mean > 0.0 { (self.max - self.min) / self.mean } else { 0.0 }
    }

    /// max / min; 1 for a step without work, infinite where one processor has none, NaN where the
    /// least time is unknown.
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

/// `a >= b`, where sums of rounded numbers may miss a tie by a few units in the last place.
fn reaches(a: f64, b: f64) -> bool {
    a - b >= -SLACK * (a.abs() + b.abs())
}

/// `a > b`, by more than rounding of sums.
fn exceeds(a: f64, b: f64) -> bool {
    !reaches(b, a)
}

/// Relative slack of comparisons between accumulated times: a tie is a tie for any order of
/// summation.
const SLACK: f64 = 1e-12;

#[cfg(test)]
mod tests;
