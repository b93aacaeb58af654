//! The cost of a run on each processor at each step, under each of two mappings.

use std::fmt::Write;

/// The cost of every step on every processor.
#[derive(Debug, Clone, PartialEq)]
pub struct Loads {
    processors: usize,
    costs: Vec<f64>,
}

impl Loads {
    /// No steps yet.
    pub fn new(processors: usize) -> Self {
        assert!(processors > 0);
        Loads { processors, costs: Vec::new() }
    }

    /// Appends a step whose costs are all zero and returns its row.
    pub fn push_step(&mut self) -> &mut [f64] {
        let from = self.costs.len();
        self.costs.resize(from + self.processors, 0.0);
        &mut self.costs[from..]
    }

    /// Number of processors.
    pub fn processors(&self) -> usize {
        self.processors
    }

    /// The steps: costs by processor.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.costs.chunks(self.processors)
    }

    /// The time of each step: that of its slowest processor.
    pub fn times(&self) -> Vec<f64> {
        self.steps().map(|row| row.iter().copied().fold(0.0, f64::max)).collect()
    }

    /// The steps as a trace. `remaps` are the steps before which a remap happened, in order, with
    /// their costs.
    pub fn to_csv(&self, remaps: &[(usize, f64)]) -> String {
        let mut text = String::from(HEADER);
        for (step, row) in self.steps().enumerate() {
            let remap = remaps.binary_search_by_key(&step, |(at, _)| *at);
            write_step(&mut text, step as u64, row, remap.ok().map(|place| remaps[place].1));
        }
        text
    }
}

/// The columns of a trace: a line for each step and processor. A unit of cost counts as a second.
pub const HEADER: &str = "step,rank,seconds,remapped,remap_seconds\n";

/// Writes the lines of a step of a trace, with the cost of a remap just before it.
pub fn write_step(text: &mut String, step: u64, row: &[f64], remap: Option<f64>) {
    for (rank, seconds) in row.iter().enumerate() {
        let _ = match remap {
            None => writeln!(text, "{step},{rank},{seconds},0,"),
            Some(cost) => writeln!(text, "{step},{rank},{seconds},1,{cost}"),
        };
    }
}

/// One run of a workload: its loads under both mappings, and the observations of a faultless
/// detector.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Under the mapping at the start.
    pub old: Loads,
    /// Under the mapping after a remap.
    pub new: Loads,
    /// Steps between two decisions.
    pub steps_per_cycle: usize,
    /// For every cycle whether the phase has changed, as a faultless detector observes it before
    /// the cycle.
    pub changed: Vec<bool>,
    /// The cost of a remap just before each cycle.
    pub remap_cost: Vec<f64>,
    /// The cost of the whole run on a single processor.
    pub work: f64,
}

impl Trace {
    /// No steps yet.
    pub fn new(processors: usize, steps_per_cycle: usize) -> Trace {
        let none = || Loads::new(processors);
        let (changed, remap_cost) = (Vec::new(), Vec::new());
        Trace { old: none(), new: none(), steps_per_cycle, changed, remap_cost, work: 0.0 }
    }

    /// The time of every cycle under the old and the new mapping.
    pub fn cycle_times(&self) -> Cycles {
        let sum = |loads: &Loads| -> Vec<f64> {
            loads.times().chunks(self.steps_per_cycle).map(|cycle| cycle.iter().sum()).collect()
        };
        Cycles {
            old: sum(&self.old),
            new: sum(&self.new),
            changed: self.changed.clone(),
            remap_cost: self.remap_cost.clone(),
            lower_bound: self.old.times().iter().zip(self.new.times()).map(|(o, n)| o.min(n)).sum(),
            work: self.work,
        }
    }
}

/// A run as the policies use it.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycles {
    /// Time of every cycle under the old mapping.
    pub old: Vec<f64>,
    /// Time of every cycle under the new mapping.
    pub new: Vec<f64>,
    /// The observations of a faultless detector before every cycle.
    pub changed: Vec<bool>,
    /// The cost of a remap before every cycle.
    pub remap_cost: Vec<f64>,
    /// The time with the best mapping at every step and free remaps.
    pub lower_bound: f64,
    /// The cost of the whole run on a single processor.
    pub work: f64,
}

impl Cycles {
    /// Number of cycles.
    pub fn len(&self) -> usize {
        self.old.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.old.is_empty()
    }

    /// The first cycle of the second phase, if there is one.
    pub fn change(&self) -> Option<usize> {
        self.changed.iter().position(|&changed| changed)
    }
}
