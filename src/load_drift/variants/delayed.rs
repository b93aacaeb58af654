//! Delayed (asynchronous) remaps: a remap takes effect d steps after its decision.
//!
//! The d steps after a decision use the old mapping. Meanwhile the loads that an even split at the
//! decision would have produced move on. No decision is made during the delay, so the state space
//! does not grow. The cost of the d steps depends on the loads at the decision alone. The value of
//! the split is the expected cost-to-go d moves later. Let V_k(x) be the cost of continuing from x
//! at the decision after step k. Let s(x) be the cost of a slowed step and R the rebalance. A remap
//! costs
//!
//! ```text
//! C + B_d(x) + sum over z of P^d(R x, z) V_{k+d}(z),
//! B_0 = 0,   B_{j+1}(x) = sum over y of P(x, y) (s(y) + B_j(y))
//! ```
//!
//! where decisions are made after a step. Where they are made before a step, B_{j+1}(x) = s(x) +
//! sum over y of P(x, y) B_j(y). A remap that would take effect after the last step is not made.

use crate::chain::{ChainError, Wanted};
use crate::load_drift::induction::backward::Backward;
use crate::load_drift::induction::snapshot::check;
use crate::load_drift::{Carry, Control, LoadDrift, States, Timing, Transition};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use crate::parallel;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// States handled by one task.
const TASK: usize = 1 << 14;

/// Remaps in progress.
pub(in crate::load_drift) struct Late {
    pub(in crate::load_drift) overlap: Overlap,
    /// Whether the cost of the steps during a remap is computed; it is then part of the surcharges.
    is_ready: bool,
    /// Work of the steps during a remap from each state, if work is carried.
    pub(in crate::load_drift) work: Vec<f64>,
    /// Value of the splits that take effect at one of the next decisions, at the target states of
    /// remaps, for each vector that is carried. The earliest decision comes first.
    worth: VecDeque<Vec<Vec<f64>>>,
    /// Step after which the first of them takes effect.
    first: u64,
}

impl Late {
    /// The same encoded as words.
    pub(in crate::load_drift) fn words(&self) -> Vec<u64> {
        let numbers = self.worth.iter().flatten().flatten();
        [self.first].into_iter().chain(numbers.map(|number| number.to_bits())).collect()
    }

    /// Values of the vectors at the target states for a remap that is decided after the step with
    /// this number.
    pub(in crate::load_drift) fn worth(&self, step: u64) -> &[Vec<f64>] {
        &self.worth[(step + self.overlap.steps - self.first) as usize]
    }
}

impl<'a> Backward<'a> {
    /// The recursion with delayed remaps. The next remap is decided, at the earliest, after a step
    /// under the new mapping. Control and given decisions apply only while no remap is in progress.
    /// Time: d more expectations per step and vector, near even loads. Memory: two more vectors,
    /// three for the outcome.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn overlapping(
        problem: &'a LoadDrift,
        overlap: Overlap,
        (states, transition): (&'a States, &'a Transition),
        control: Control,
        carry: Carry,
    ) -> Backward<'a> {
        let mut backward = Backward::new(problem, states, transition, control, carry);
        if !overlap.is_none() {
            // A delay past the last step means that no remap takes effect.
            let overlap = Overlap { steps: overlap.steps.min(problem.steps), ..overlap };
            let largest = problem.lowest + problem.chain.levels() as f64;
            backward.dearest += overlap.steps as f64 * (1.0 + overlap.slowdown) * largest;
            let first = backward.start() + 1;
            backward.late = Some(Late {
                overlap,
                is_ready: false,
                work: Vec::new(),
                worth: VecDeque::new(),
                first,
            });
        }
        backward
    }

    /// Computes the cost and work of the steps during a remap.
    fn prepare(&mut self, overlap: Overlap, observer: &dyn Observer) -> Result<(), Halt> {
        let (problem, states) = (self.problem, self.states);
        let slower = |state: usize| {
            let (max, mean) = problem.loads(states, state);
            problem.step_cost(max, mean) + overlap.slowdown * max
        };
        let cost = self.beside(overlap.steps, slower, observer)?;
        let work = match self.vectors.len() {
            1 => Vec::new(),
            _ => {
                let mean = |state| problem.loads(states, state).1;
                self.beside(overlap.steps, mean, observer)?
            }
        };
        if self.surcharges.is_empty() {
            self.surcharges = cost;
        } else {
            self.surcharges.iter_mut().zip(cost).for_each(|(more, beside)| *more += beside);
        }
        if let Some(late) = &mut self.late {
            (late.work, late.is_ready) = (work, true);
        }
        Ok(())
    }

    /// Expected sum of `step` over `steps` steps from each state.
    fn beside(
        &mut self,
        steps: u64,
        step: impl Fn(usize) -> f64 + Sync,
        observer: &dyn Observer,
    ) -> Result<Vec<f64>, Halt> {
        let all = self.wanted(self.states.largest_excess());
        let after = self.problem.timing == Timing::AfterStep;
        let mut sum = vec![0.0; self.states.count()];
        let add = |sum: &mut [f64]| {
            parallel::pieces(sum, TASK, &|piece, sum| {
                sum.iter_mut().zip(piece * TASK..).for_each(|(sum, state)| *sum += step(state));
            });
        };
        for _ in 0..steps {
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            if after {
                add(&mut sum);
            }
            self.buffer.own().copy_from_slice(&sum);
            self.expect(&all, &mut sum);
            if !after {
                add(&mut sum);
            }
        }
        Ok(sum)
    }

    /// The states up to this r (max - mean).
    fn wanted(&self, excess: u32) -> Wanted {
        let excess = excess.min(self.states.largest_excess());
        Wanted::new(self.problem.processors, &vec![excess; self.states.distinct_totals()])
    }

    /// Number of steps between the decision for a remap and its effect.
    pub(in crate::load_drift) fn delay(&self) -> u64 {
        self.late.as_ref().map_or(0, |late| late.overlap.steps)
    }

    /// Whether there is a decision after the step with this number. There is none where a remap
    /// would take effect after the last step.
    pub(in crate::load_drift) fn decides_after(&self, step: u64) -> bool {
        step > 0 && step + self.delay() < self.problem.steps
    }

    /// The largest r (max - mean) that loads can have when a remap takes effect.
    pub(in crate::load_drift) fn farthest_in_force(&self) -> u32 {
        let moves = u32::try_from(self.delay()).unwrap_or(u32::MAX);
        let moved = self.remapping.farthest().saturating_mul(moves);
        self.remapping.balanced_excess() + moved.min(self.states.largest_excess())
    }

    /// Computes the value of remaps that take effect at the present moment, which the next
    /// [`advance`](Self::advance) needs. Without this call `advance` computes it itself. Does
    /// nothing where remaps are immediate.
    ///
    /// # Errors
    /// The halt that the observer requested. The observer is consulted for each expectation; the
    /// method can be called again.
    pub fn look_ahead(&mut self, observer: &dyn Observer) -> Result<(), Halt> {
        let Some(late) = self.late.as_ref().filter(|_| self.remaining > 0) else { return Ok(()) };
        let (overlap, is_ready, first) = (late.overlap, late.is_ready, late.first);
        if !is_ready {
            self.prepare(overlap, observer)?;
        }
        if first == self.remaining {
            return Ok(());
        }
        let delay = self.delay();
        let (farthest, least) = (self.remapping.farthest(), self.remapping.balanced_excess());
        // Otherwise no remap takes effect at this moment.
        let is_asked = self.decides_after(self.remaining.saturating_sub(delay));
        let mut out = vec![0.0; self.states.count()];
        let mut worth = vec![vec![0.0; self.remapping.places().len()]; self.vectors.len()];
        let asked = worth.iter_mut().enumerate().filter(|_| is_asked);
        for (vector, worth) in asked {
            self.buffer.own().copy_from_slice(&self.vectors[vector]);
            for left in (0..delay).rev() {
                if let ControlFlow::Break(halt) = observer.check() {
                    return Err(halt);
                }
                let near = farthest.saturating_mul(left as u32).saturating_add(least);
                self.expect(&self.wanted(near), &mut out);
                self.buffer.own().copy_from_slice(&out);
            }
            *worth = self.at_places(&out);
        }
        if let Some(late) = &mut self.late {
            late.worth.push_front(worth);
            late.worth.truncate(delay as usize + 1);
            late.first = self.remaining;
        }
        Ok(())
    }

    /// Restores remaps in progress from [`words`](Late::words).
    ///
    /// # Errors
    /// Words of another recursion, or of another step.
    pub(in crate::load_drift) fn resume_late(&mut self, words: &[u64]) -> Result<(), ChainError> {
        let (start, places) = (self.start(), self.remapping.places().len());
        let (vectors, delay, remaining) = (self.vectors.len(), self.delay(), self.remaining);
        let Some(late) = &mut self.late else { return Ok(()) };
        let first = words.first().copied().unwrap_or(0);
        let near = first.clamp(remaining, remaining + 1);
        check("moment of the remaps under way", near as usize, first as usize)?;
        let moments = (start + 1).saturating_sub(first).min(delay + 1) as usize;
        check("words of the remaps under way", 1 + moments * vectors * places, words.len())?;
        let numbers: Vec<f64> = words[1..].iter().map(|word| f64::from_bits(*word)).collect();
        let moment = |numbers: &[f64]| numbers.chunks(places).map(<[f64]>::to_vec).collect();
        late.worth = numbers.chunks(vectors * places).map(moment).collect();
        late.first = first;
        Ok(())
    }

    /// The moment at which the recursion begins.
    fn start(&self) -> u64 {
        self.problem.steps - u64::from(self.problem.timing == Timing::BeforeStep)
    }
}
