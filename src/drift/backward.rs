//! The backward recursion over the horizon, resumable at every step.

use super::remapping::Remapping;
use super::transition::Transition;
use super::{Closest, Decisions, LoadDrift, Outcome, States, Timing};
use crate::chain::{ChainError, Wanted};
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

/// What is carried along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// The value and the decisions: one vector.
    Value,
    /// The expected work and number of remaps too: three vectors.
    Outcome,
}

/// The recursion from the last step to the first.
///
/// Memory: three vectors of the number of states for the value alone, five for the outcome. A step
/// costs one application of the transition operator per vector carried, restricted to the states in
/// which the program may want to go on: where a remap is certain (by the rule, or by a bound on the
/// cost of going on; see [`Remapping`]) the cost depends on the total load alone.
pub struct Backward<'a> {
    problem: &'a LoadDrift,
    states: &'a States,
    transition: &'a Transition,
    control: Control,
    remapping: Remapping,
    remaining: u64,
    /// By total: states with r (max - mean) beyond this remap for certain at the next decision, and
    /// the vectors hold nothing for them.
    limits: Vec<u32>,
    /// What the limits are expected to be.
    expected: Vec<u32>,
    vectors: Vec<Vec<f64>>,
    /// The value of the step before, while the step after may still be needed.
    scratch: Vec<f64>,
    /// What the transition is applied to.
    buffer: Vec<f64>,
    decisions: Decisions,
}

/// Where the recursion stands: all that must be kept to resume it.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Steps still to be gone through.
    pub remaining: u64,
    /// By total: states with r (max - mean) beyond this are left out of the vectors.
    pub limits: Vec<u32>,
    /// Value, and if carried work and number of remaps, of every state.
    pub vectors: Vec<Vec<f64>>,
}

/// Relative slack within which two branches count as equal.
const TIE: f64 = 1e-12;
/// Blocks of 64 states handled by one task.
const TASK: usize = 1 << 8;

impl<'a> Backward<'a> {
    /// The recursion at the end of the horizon.
    ///
    /// # Panics
    /// When `transition` and `states` are not those of the problem.
    pub fn new(
        problem: &'a LoadDrift,
        states: &'a States,
        transition: &'a Transition,
        control: Control,
        carry: Carry,
    ) -> Backward<'a> {
        let count = states.count();
        assert_eq!(transition.states(), count, "transition and states must agree");
        let vectors = if carry == Carry::Outcome { 3 } else { 1 };
        let mut backward = Backward {
            problem,
            states,
            transition,
            control,
            remapping: Remapping::new(problem, states),
            remaining: problem.steps,
            limits: vec![states.largest_excess(); states.distinct_totals()],
            expected: vec![states.largest_excess(); states.distinct_totals()],
            vectors: vec![vec![0.0; count]; vectors],
            scratch: vec![0.0; count],
            buffer: vec![0.0; count],
            decisions: Decisions::none(count),
        };
        if problem.timing == Timing::BeforeStep {
            backward.pay(0);
            if carry == Carry::Outcome {
                backward.pay(1);
            }
            backward.remaining -= 1;
        }
        backward
    }

    /// Goes on from a snapshot of the same recursion.
    ///
    /// # Errors
    /// A snapshot of another shape.
    pub fn resume(&mut self, snapshot: Snapshot) -> Result<(), ChainError> {
        let check = |what: &str, expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(ChainError::Shape { what: what.into(), expected, found }),
        };
        check("vectors of the snapshot", self.vectors.len(), snapshot.vectors.len())?;
        for vector in &snapshot.vectors {
            check("states of the snapshot", self.states.count(), vector.len())?;
        }
        let most = self.problem.steps.min(snapshot.remaining);
        check("steps of the snapshot", most as usize, snapshot.remaining as usize)?;
        check("totals of the snapshot", self.limits.len(), snapshot.limits.len())?;
        self.remaining = snapshot.remaining;
        self.expected.clone_from(&snapshot.limits);
        self.limits = snapshot.limits;
        self.vectors = snapshot.vectors;
        Ok(())
    }

    /// What must be kept to resume from here.
    pub fn snapshot(&self) -> Snapshot {
        let (limits, vectors) = (self.limits.clone(), self.vectors.clone());
        Snapshot { remaining: self.remaining, limits, vectors }
    }

    /// Steps still to be gone through; 0 when the recursion is done.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// The decisions between steps k and k + 1 for k = `remaining() + 1`, after the latest
    /// [`advance`](Self::advance). None remaps before the first, and at the end of the horizon.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// How many states the latest step had to be computed in.
    pub fn active_states(&self) -> usize {
        (0..self.states.count()).into_par_iter().filter(|&state| self.is_active(state)).count()
    }

    fn is_active(&self, state: usize) -> bool {
        self.states.excess(state) <= self.limits[self.states.totals()[state] as usize]
    }

    /// The cost-to-go of each state, before the first move (T1) or the first step (T2) when done;
    /// `None` where a remap is certain and it was not computed.
    pub fn cost_to_go(&self) -> Vec<Option<f64>> {
        let values = self.vectors[0].iter().enumerate();
        values.map(|(state, &value)| self.is_active(state).then_some(value)).collect()
    }

    /// The threshold on max - mean closest to the latest [`decisions`](Self::decisions).
    pub fn closest_threshold(&self) -> Closest {
        self.decisions.closest_threshold(self.states)
    }

    /// Goes one step back. Does nothing when done.
    pub fn advance(&mut self) {
        if self.remaining == 0 {
            return;
        }
        let decides = self.remaining < self.problem.steps;
        if decides {
            self.remapping.observe(&self.vectors, self.problem.remap_cost);
        }
        let certain = self.fill_value(decides);
        self.limits = self.transit_value(certain.as_deref());
        if self.problem.timing == Timing::BeforeStep {
            self.pay(0);
        }
        if self.vectors.len() > 1 {
            // Work and remaps to come matter where the program goes on, and after a remap.
            let wanted = Wanted::new(self.problem.processors, &self.goes_on_up_to());
            for vector in 1..self.vectors.len() {
                self.fill_other(vector, decides);
                let (buffer, out) = (&self.buffer, &mut self.vectors[vector]);
                self.transition.apply_where(&wanted, buffer, out);
            }
            if self.problem.timing == Timing::BeforeStep {
                self.pay(1);
            }
        }
        self.remaining -= 1;
    }

    /// Expected outcome of `steps - remaining()` steps from the initial state: of the whole horizon
    /// when done, and before that of the same program with a shorter horizon. `None` if only the
    /// value is carried.
    pub fn outcome(&self) -> Option<Outcome> {
        let [value, work, remaps] = self.vectors.as_slice() else { return None };
        let at = self.initial_state();
        Some(Outcome::new(self.problem.objective, value[at], work[at], remaps[at]))
    }

    /// The value at the initial state; see [`outcome`](Self::outcome).
    pub fn value(&self) -> f64 {
        self.vectors[0][self.initial_state()]
    }

    fn initial_state(&self) -> usize {
        self.states.multisets().rank(&vec![self.problem.initial; self.problem.processors])
    }

    /// Fills the buffer with the value of the better (or the prescribed) branch, for T1 with the cost
    /// of the step before it. Returns, by total, the largest r (max - mean) in which the program
    /// goes on; `None` where there is nothing to decide.
    fn fill_value(&mut self, decides: bool) -> Option<Vec<u32>> {
        let (control, problem, states) = (self.control, self.problem, self.states);
        let (limits, pays) = (&self.limits, problem.timing == Timing::AfterStep);
        let after = self.remapping.costs().first().filter(|_| decides);
        let blocks = self.buffer.par_chunks_mut(64).zip(self.vectors[0].par_chunks(64));
        let blocks = blocks.zip(self.decisions.words_mut()).enumerate().with_min_len(TASK);
        let none = || vec![0u32; limits.len()];
        let certain = blocks.fold(none, |mut largest, (block, ((filled, values), word))| {
            let mut remaps = 0u64;
            for (bit, (filled, &value)) in filled.iter_mut().zip(values).enumerate() {
                let state = block * 64 + bit;
                let mut branch = value;
                if let Some(after) = after {
                    let (excess, total) = (states.excess(state), states.totals()[state] as usize);
                    let remapped = after[total];
                    let remap = excess > limits[total]
                        || control.remaps(problem, states, state, value, remapped);
                    if remap {
                        remaps |= 1 << bit;
                        branch = remapped;
                    } else {
                        largest[total] = largest[total].max(excess);
                        if control == Control::Optimal {
                            branch = value.min(remapped);
                        }
                    }
                }
                if pays {
                    let (max, mean) = problem.loads(states, state);
                    branch += problem.step_cost(max, mean);
                }
                *filled = branch;
            }
            *word = remaps;
            largest
        });
        let certain = certain.reduce(none, larger);
        decides.then_some(certain)
    }

    /// By total, the largest r (max - mean) with which the program goes on at the decision that
    /// precedes the present value, or that a remap leaves.
    fn goes_on_up_to(&self) -> Vec<u32> {
        let (control, problem, states) = (self.control, self.problem, self.states);
        let after = self.remapping.leads_to(&self.vectors[0]);
        let none = || vec![self.remapping.balanced_excess(); after.len()];
        let values = self.vectors[0].par_iter().enumerate().with_min_len(64 * TASK);
        let largest = values.fold(none, |mut largest, (state, &value)| {
            let (excess, total) = (states.excess(state), states.totals()[state] as usize);
            let undecided = excess > largest[total] && excess <= self.limits[total];
            if undecided && !control.remaps(problem, states, state, value, after[total]) {
                largest[total] = excess;
            }
            largest
        });
        largest.reduce(none, larger)
    }

    /// Fills the buffer with the work (1) or the number of remaps (2) of the branch decided for, for
    /// T1 with the work of the step before it.
    fn fill_other(&mut self, vector: usize, decides: bool) {
        let (problem, states) = (self.problem, self.states);
        let works = vector == 1 && problem.timing == Timing::AfterStep;
        let after = self.remapping.costs().get(vector).filter(|_| decides);
        let blocks = self.buffer.par_chunks_mut(64).zip(self.vectors[vector].par_chunks(64));
        let blocks = blocks.zip(self.decisions.words()).enumerate().with_min_len(TASK);
        blocks.for_each(|(block, ((filled, values), &word))| {
            for (bit, (filled, &value)) in filled.iter_mut().zip(values).enumerate() {
                let total = states.totals()[block * 64 + bit];
                *filled = match after {
                    Some(after) if word >> bit & 1 == 1 => after[total as usize],
                    _ => value,
                };
                if works {
                    *filled += problem.lowest + f64::from(total) / problem.processors as f64;
                }
            }
        });
    }

    /// Takes the expectation of the value in the buffer over the next state, wherever the decision
    /// that comes next (earlier in time) may be to go on, if after the move it is to remap beyond
    /// `certain`. Returns, by total, the largest r (max - mean) of those states.
    fn transit_value(&mut self, certain: Option<&[u32]>) -> Vec<u32> {
        let (full, processors) = (self.states.largest_excess(), self.problem.processors);
        let optimal = self.control == Control::Optimal;
        let mut limits = match certain {
            None => vec![full; self.limits.len()],
            Some(certain) if optimal => {
                let reachable = self.remapping.reachable(certain);
                reachable.iter().zip(&self.expected).map(|(a, b)| *a.max(b)).collect()
            }
            Some(certain) => certain.to_vec(),
        };
        let least = self.remapping.balanced_excess();
        limits.iter_mut().for_each(|limit| *limit = (*limit).max(least));
        let mut wanted = Wanted::new(processors, &limits);
        self.transition.apply_where(&wanted, &self.buffer, &mut self.scratch);
        if certain.is_some() && optimal {
            let needed = self.remapping.certain_beyond(&self.scratch);
            let short = |(total, limit): (usize, &u32)| {
                *limit < needed[total].min(self.remapping.largest_excess(total))
            };
            if limits.iter().enumerate().any(short) {
                limits.fill(full);
                wanted = Wanted::new(processors, &limits);
                self.transition.apply_where(&wanted, &self.buffer, &mut self.scratch);
            }
            // A little more, for the next step needs a little more or less.
            self.expected = needed.into_iter().map(|excess| excess.saturating_add(1)).collect();
        }
        std::mem::swap(&mut self.vectors[0], &mut self.scratch);
        limits
    }

    /// Adds the cost (0) or the work (1) of a step.
    fn pay(&mut self, vector: usize) {
        let (problem, states) = (self.problem, self.states);
        let values = self.vectors[vector].par_iter_mut().with_min_len(64 * TASK).enumerate();
        values.for_each(|(state, value)| {
            let (max, mean) = problem.loads(states, state);
            *value += if vector == 0 { problem.step_cost(max, mean) } else { mean };
        });
    }
}

/// The larger of two lists, entry by entry.
fn larger(mut a: Vec<u32>, b: Vec<u32>) -> Vec<u32> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = b.max(*a));
    a
}

impl Control {
    /// Whether to remap in a state where going on costs `value` and remapping `remapped`.
    fn remaps(
        self,
        problem: &LoadDrift,
        states: &States,
        state: usize,
        value: f64,
        remapped: f64,
    ) -> bool {
        match self {
            Control::Optimal => value - remapped > TIE * value.abs().max(remapped.abs()),
            Control::Threshold(threshold) => {
                let r = problem.processors as f64;
                f64::from(states.excess(state)) / r > threshold * (1.0 + TIE)
            }
            Control::Utilization(minimum) => {
                let (max, mean) = problem.loads(states, state);
                mean < minimum * max * (1.0 - TIE)
            }
        }
    }
}

impl LoadDrift {
    /// Largest and mean load of a state.
    pub(super) fn loads(&self, states: &States, state: usize) -> (f64, f64) {
        let max = self.lowest + f64::from(states.largest()[state]);
        let mean = self.lowest + f64::from(states.totals()[state]) / self.processors as f64;
        (max, mean)
    }
}
