//! One step of the backward recursion over all states: decision, cost of the step, and expectation
//! over the move.

use super::backward::{Backward, Rounding};
use crate::chain::Wanted;
use crate::load_drift::{Control, States, Timing};
use crate::parallel;
use rayon::prelude::*;

/// Blocks of states handled by one task.
const TASK: usize = 1 << 8;

impl Backward<'_> {
    /// Makes the decisions that precede the present value, those between steps `moment` and
    /// `moment` + 1. Returns, by total, the largest r (max - mean) that continues.
    pub(in crate::load_drift) fn decide(&mut self, moment: u64) -> Vec<u32> {
        let given = self.given.as_ref().map(|maps| maps.at(moment));
        let (control, problem, states) = (self.control_at(moment), self.problem, self.states);
        let (limits, after) = (&self.limits, self.leads_to_after(moment));
        let surcharges = self.surcharges.as_slice();
        let beyond = limits.iter().copied().max().unwrap_or(0);
        let blocks = self.vectors[0].par_chunks(States::BLOCK).zip(self.upcoming.words_mut());
        let blocks = blocks.enumerate().with_min_len(TASK);
        let none = || vec![0u32; limits.len()];
        let largest = blocks.fold(none, |mut largest, (block, (values, word))| {
            *word = u64::MAX >> (States::BLOCK - values.len());
            if states.least_excess(block) > beyond {
                return largest;
            }
            for (bit, &value) in values.iter().enumerate() {
                let state = block * States::BLOCK + bit;
                let (excess, total) = (states.excess(state), states.totals()[state] as usize);
                let decided = excess > limits[total];
                let more = surcharges.get(state).copied().unwrap_or(0.0);
                let remapped = after[total] + more;
                let remaps = || match given {
                    Some(map) => map.is_some_and(|map| map.remaps(state)),
                    None => control.remaps(problem, states, state, value, remapped),
                };
                if !decided && !remaps() {
                    *word &= !(1 << bit);
                    largest[total] = largest[total].max(excess);
                }
            }
            largest
        });
        self.ranks.highest(largest.reduce(none, larger))
    }

    /// Fills the buffer with the value of the better (or prescribed) branch; for T1 including the
    /// step before it. It covers all states reached from those up to `limits` by total.
    pub(in crate::load_drift) fn fill(&mut self, vector: usize, decides: bool, limits: &[u32]) {
        let (control, problem, states) = (self.control, self.problem, self.states);
        let surcharges = match (vector, &self.late) {
            (0, _) => self.surcharges.as_slice(),
            (1, Some(late)) => &late.work,
            _ => &[],
        };
        let pays = vector < 2 && problem.timing == Timing::AfterStep;
        let after = self.remapping.costs().get(vector).filter(|_| decides);
        let beyond = match self.scratch.is_empty() && vector == 0 {
            // The vector is overwritten later, so all states are filled in case more are wanted.
            true => u32::MAX,
            false => limits.iter().copied().max().unwrap_or(0) + self.remapping.farthest(),
        };
        let blocks = self.buffer.own().par_chunks_mut(States::BLOCK);
        let blocks = blocks.zip(self.vectors[vector].par_chunks(States::BLOCK));
        let blocks = blocks.zip(self.decisions.words()).enumerate().with_min_len(TASK);
        blocks.for_each(|(block, ((filled, values), &word))| {
            if states.least_excess(block) > beyond {
                return;
            }
            for (bit, (filled, &value)) in filled.iter_mut().zip(values).enumerate() {
                let state = block * States::BLOCK + bit;
                *filled = value;
                if let Some(after) = after {
                    let more = surcharges.get(state).copied().unwrap_or(0.0);
                    let remapped = after[states.totals()[state] as usize] + more;
                    if word >> bit & 1 == 1 {
                        *filled = remapped;
                    } else if vector == 0 && control == Control::Optimal {
                        *filled = value.min(remapped);
                    }
                }
                if pays {
                    let (max, mean) = problem.loads(states, state);
                    *filled += if vector == 0 { problem.step_cost(max, mean) } else { mean };
                }
            }
        });
    }

    /// Computes the expectation of the value over the next state, wherever the preceding decision
    /// may be to continue. After the move, states beyond `certain` remap. Returns, by total, the
    /// largest r (max - mean) of the computed states.
    pub(in crate::load_drift) fn transit_value(&mut self, certain: Option<&[u32]>) -> Vec<u32> {
        let decides = certain.is_some();
        let (full, processors) = (self.states.largest_excess(), self.problem.processors);
        let optimal = self.control == Control::Optimal;
        let mut limits = match certain {
            None => vec![full; self.limits.len()],
            // The states that continue one step earlier are not known.
            Some(_) if self.given.is_some() || !self.by_step.is_empty() => {
                vec![full; self.limits.len()]
            }
            Some(certain) if optimal => {
                let reachable = self.remapping.reachable(certain);
                reachable.iter().zip(&self.expected).map(|(a, b)| *a.max(b)).collect()
            }
            Some(certain) => certain.to_vec(),
        };
        let least = self.farthest_in_force();
        limits.iter_mut().for_each(|limit| *limit = (*limit).max(least));
        let mut wanted = Wanted::new(processors, &limits);
        self.fill(0, decides, &limits);
        let has_room = !self.scratch.is_empty();
        let mut out = std::mem::take(match has_room {
            true => &mut self.scratch,
            false => &mut self.vectors[0],
        });
        self.expect(&wanted, &mut out);
        if decides && optimal {
            let Rounding { growth, absolute } = self.rounding();
            let rounding = [growth.exp_m1(), absolute];
            let needed = match self.is_constant() {
                true => self.remapping.certain_beyond(&self.at_places(&out), rounding),
                // Where a remap moves many units it may not pay, however large the imbalance.
                false => vec![full; self.limits.len()],
            };
            let short = |(total, limit): (usize, &u32)| {
                *limit < needed[total].min(self.remapping.largest_excess(total))
            };
            if limits.iter().enumerate().any(short) {
                limits = larger(limits, needed.clone());
                wanted = Wanted::new(processors, &limits);
                if has_room {
                    self.fill(0, decides, &limits);
                }
                self.expect(&wanted, &mut out);
            }
            // A safety margin, because the next step needs slightly more or fewer states.
            let more = if self.region.is_some() { 4 } else { 1 };
            self.expected = needed.into_iter().map(|excess| excess.saturating_add(more)).collect();
        }
        let before = std::mem::replace(&mut self.vectors[0], out);
        if has_room {
            self.scratch = before;
        }
        limits
    }

    /// The expectation of the buffer over the next state, from the wanted states.
    pub(in crate::load_drift) fn expect(&mut self, wanted: &Wanted, out: &mut [f64]) {
        self.buffer.expect(&self.ranks, self.transition, wanted, out);
    }

    /// Adds the cost (0) or the work (1) of a step.
    pub(in crate::load_drift) fn pay(&mut self, vector: usize) {
        let (problem, states) = (self.problem, self.states);
        const PIECE: usize = States::BLOCK * TASK;
        parallel::pieces(&mut self.vectors[vector], PIECE, &|piece, values| {
            for (state, value) in (piece * PIECE..).zip(values) {
                let (max, mean) = problem.loads(states, state);
                *value += if vector == 0 { problem.step_cost(max, mean) } else { mean };
            }
        });
    }
}

/// The elementwise maximum of two lists.
pub(in crate::load_drift) fn larger(mut a: Vec<u32>, b: Vec<u32>) -> Vec<u32> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = b.max(*a));
    a
}
