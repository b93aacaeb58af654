//! The backward recursion over the horizon, resumable at every step.

use super::{LoadDrift, Outcome, States, Timing};
use crate::chain::{ChainError, Operator};
use crate::drift::decisions::Decisions;
use rayon::prelude::*;

/// How remaps are decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Control {
    /// By the cheaper of the two branches; ties go to going on.
    Optimal,
    /// By the rule that remaps when max - mean > threshold.
    Threshold(f64),
    /// By the rule that remaps when mean / max < minimum.
    Utilization(f64),
}

/// How much of the outcome is carried along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lanes {
    ValueOnly,
    All,
}

/// The recursion from the last step to the first.
///
/// Memory: four vectors of the number of states (value, work, remaps, scratch), or two for the
/// value alone. Each step applies the transition operator once per vector carried.
pub struct Backward<'a> {
    problem: &'a LoadDrift,
    states: &'a States,
    operator: &'a dyn Operator,
    control: Control,
    /// Sorted state of each balanced outcome, per total: (probability, rank).
    balanced: Vec<Vec<(f64, usize)>>,
    /// Steps still to be gone through; 0 when the recursion is done.
    remaining: u64,
    lanes: Vec<Vec<f64>>,
    scratch: Vec<f64>,
    decisions: Decisions,
}

/// Where the recursion stands: all that must be kept to resume it.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Steps still to be gone through.
    pub remaining: u64,
    /// Value, and if carried work and remaps, of every state.
    pub vectors: Vec<Vec<f64>>,
}

/// Relative slack within which two branches count as equal.
const TIE: f64 = 1e-12;
/// States handled by one task.
const CHUNK: usize = 1 << 14;

impl<'a> Backward<'a> {
    /// The recursion for value, work and number of remaps, at the end of the horizon.
    pub fn new(
        problem: &'a LoadDrift,
        states: &'a States,
        operator: &'a dyn Operator,
        control: Control,
    ) -> Backward<'a> {
        Self::with_lanes(problem, states, operator, control, Lanes::All)
    }

    /// The recursion for the value and the decisions alone, a third of the work.
    pub fn value_only(
        problem: &'a LoadDrift,
        states: &'a States,
        operator: &'a dyn Operator,
        control: Control,
    ) -> Backward<'a> {
        Self::with_lanes(problem, states, operator, control, Lanes::ValueOnly)
    }

    fn with_lanes(
        problem: &'a LoadDrift,
        states: &'a States,
        operator: &'a dyn Operator,
        control: Control,
        lanes: Lanes,
    ) -> Backward<'a> {
        let count = states.count();
        assert_eq!(operator.states(), count, "operator and states must agree");
        let rank = |(probability, sorted): (f64, Vec<usize>)| {
            (probability, states.multisets().rank(&sorted))
        };
        let balanced = (0..states.distinct_totals())
            .map(|total| problem.balanced(total).into_iter().map(rank).collect())
            .collect();
        let number = if lanes == Lanes::All { 3 } else { 1 };
        let mut backward = Backward {
            problem,
            states,
            operator,
            control,
            balanced,
            remaining: problem.steps,
            lanes: vec![vec![0.0; count]; number],
            scratch: vec![0.0; count],
            decisions: Decisions::none(count),
        };
        if problem.timing == Timing::BeforeStep {
            backward.pay();
            backward.remaining -= 1;
        }
        backward
    }

    /// Goes on from a snapshot of the same recursion.
    ///
    /// # Errors
    /// A snapshot of another shape.
    pub fn resume(&mut self, snapshot: Snapshot) -> Result<(), ChainError> {
        let shape =
            |what: &str, expected, found| ChainError::Shape { what: what.into(), expected, found };
        if snapshot.vectors.len() != self.lanes.len() {
            return Err(shape("vectors of the snapshot", self.lanes.len(), snapshot.vectors.len()));
        }
        let count = self.states.count();
        if let Some(vector) = snapshot.vectors.iter().find(|vector| vector.len() != count) {
            return Err(shape("states of the snapshot", count, vector.len()));
        }
        if snapshot.remaining > self.problem.steps {
            let (expected, found) = (self.problem.steps as usize, snapshot.remaining as usize);
            return Err(shape("steps of the snapshot", expected, found));
        }
        self.remaining = snapshot.remaining;
        self.lanes = snapshot.vectors;
        Ok(())
    }

    /// What must be kept to resume from here.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { remaining: self.remaining, vectors: self.lanes.clone() }
    }

    /// Steps still to be gone through; 0 when the recursion is done.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Vectors of the cost-to-go: value, and if carried work and number of remaps.
    pub fn vectors(&self) -> &[Vec<f64>] {
        &self.lanes
    }

    /// The decisions between steps k and k + 1 for k = `remaining() + 1`, after the latest
    /// [`advance`](Self::advance). None remaps before the first, and at the end of the horizon.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// Goes one step back. Does nothing when done.
    pub fn advance(&mut self) {
        if self.remaining == 0 {
            return;
        }
        match self.problem.timing {
            Timing::AfterStep => {
                if self.remaining < self.problem.steps {
                    self.decide();
                }
                self.pay();
                self.transit();
            }
            Timing::BeforeStep => {
                self.decide();
                self.transit();
                self.pay();
            }
        }
        self.remaining -= 1;
    }

    /// Expected cost-to-go of `steps - remaining()` steps from the initial state: of the whole
    /// horizon when done, and before that of the same program with a shorter horizon.
    pub fn outcome(&self) -> Option<Outcome> {
        let [value, work, remaps] = self.lanes.as_slice() else { return None };
        let at = self.initial_state();
        Some(Outcome::new(self.problem.objective, value[at], work[at], remaps[at]))
    }

    /// The value at the initial state; see [`outcome`](Self::outcome).
    pub fn value(&self) -> f64 {
        self.lanes[0][self.initial_state()]
    }

    fn initial_state(&self) -> usize {
        self.states.multisets().rank(&vec![self.problem.initial; self.problem.processors])
    }

    /// Replaces each value by that of the better (or the prescribed) branch.
    fn decide(&mut self) {
        let after: Vec<Vec<f64>> = self
            .lanes
            .iter()
            .map(|lane| self.balanced.iter().map(|to| expected(to, lane)).collect())
            .collect();
        let (cost, states) = (self.problem.remap_cost, self.states);
        let (control, problem) = (self.control, self.problem);
        let words = self.decisions.words_mut();
        let (value, others) = self.lanes.split_at_mut(1);
        let chunks = value[0].par_chunks_mut(64).zip(words).enumerate().with_min_len(CHUNK / 64);
        chunks.for_each(|(block, (values, word))| {
            *word = 0;
            for (bit, value) in values.iter_mut().enumerate() {
                let state = block * 64 + bit;
                let remapped = cost + after[0][states.totals()[state] as usize];
                let remap = match control {
                    Control::Optimal => {
                        let remap = *value - remapped > TIE * value.abs().max(remapped.abs());
                        *value = value.min(remapped);
                        remap
                    }
                    Control::Threshold(threshold) => {
                        let r = problem.processors as f64;
                        f64::from(states.excess(state)) / r > threshold * (1.0 + TIE)
                    }
                    Control::Utilization(minimum) => {
                        let (max, mean) = loads(problem, states, state);
                        mean < minimum * max * (1.0 - TIE)
                    }
                };
                if remap {
                    *word |= 1 << bit;
                    *value = remapped;
                }
            }
        });
        let words = self.decisions.words();
        for (number, (lane, after)) in others.iter_mut().zip(&after[1..]).enumerate() {
            // The work of a remap is nothing; their number goes up by one.
            let one = number as f64;
            let chunks = lane.par_chunks_mut(64).zip(words).enumerate().with_min_len(CHUNK / 64);
            chunks.for_each(|(block, (values, &word))| {
                let mut left = word;
                while left != 0 {
                    let bit = left.trailing_zeros() as usize;
                    values[bit] = one + after[states.totals()[block * 64 + bit] as usize];
                    left &= left - 1;
                }
            });
        }
    }

    /// Adds the cost and the work of a step.
    fn pay(&mut self) {
        let (problem, states) = (self.problem, self.states);
        for (number, lane) in self.lanes.iter_mut().take(2).enumerate() {
            lane.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(state, value)| {
                let (max, mean) = loads(problem, states, state);
                *value += if number == 0 { problem.step_cost(max, mean) } else { mean };
            });
        }
    }

    /// Takes the expectation over the next state.
    fn transit(&mut self) {
        for lane in &mut self.lanes {
            self.operator.apply_into(lane, &mut self.scratch);
            std::mem::swap(lane, &mut self.scratch);
        }
    }
}

fn expected(outcomes: &[(f64, usize)], values: &[f64]) -> f64 {
    outcomes.iter().map(|&(probability, rank)| probability * values[rank]).sum()
}

/// Largest and mean load of a state.
fn loads(problem: &LoadDrift, states: &States, state: usize) -> (f64, f64) {
    let max = problem.lowest + f64::from(states.largest()[state]);
    let mean = problem.lowest + f64::from(states.totals()[state]) / problem.processors as f64;
    (max, mean)
}
