//! Accounting of the slack of the omitted states, and transfer of values between members and
//! states.

use super::Region;
use crate::load_drift::{Decisions, Ranks};

/// Share of the slack that is kept in reserve, beyond rounding.
const SPARE: f64 = 1e-3;

impl Region {
    /// Number of classes of states with the same total. Classes differ by the number of processors
    /// at the two edges, if only these move differently.
    pub(super) fn classes(&self) -> usize {
        self.ends.len().max(1)
    }

    /// The class of a state with these ascending levels.
    pub(super) fn class(&self, total: usize, sorted: &[usize], levels: usize) -> usize {
        let [low, high] = [0, levels - 1].map(|end| sorted.iter().filter(|l| **l == end).count());
        // In the order of the distributions.
        let before = low * (2 * self.processors + 3 - low) / 2;
        let class = if self.ends.is_empty() { 0 } else { before + high };
        total * self.classes() + class
    }

    /// Reads the values and decisions of the members from the state vectors.
    pub fn read(&mut self, vectors: &[Vec<f64>], decisions: &Decisions, ranks: &Ranks) {
        let entries = self.placed.iter().zip(&self.places).flat_map(|(member, &state)| {
            let goes_on = if decisions.remaps(state) { 0.0 } else { 1.0 };
            let values = vectors.iter().map(move |vector| vector[state]);
            [f64::from(*member), goes_on].into_iter().chain(values)
        });
        let all = ranks.gather(entries.collect());
        let width = vectors.len();
        self.values = vec![0.0; self.members.len() * width];
        self.goes_on = vec![false; self.members.len()];
        for entry in all.chunks(2 + width) {
            let own = (entry[0] as usize).wrapping_sub(self.first);
            if own < self.members.len() {
                self.goes_on[own] = entry[1] == 1.0;
                self.values[own * width..][..width].copy_from_slice(&entry[2..]);
            }
        }
    }

    /// Writes the values of the members to the vectors of the own states.
    pub fn write(&self, vectors: &mut [Vec<f64>], ranks: &Ranks) {
        let width = vectors.len();
        let all = ranks.gather(self.values.clone());
        for (member, &state) in self.placed.iter().zip(&self.places) {
            let entries = &all[*member as usize * width..];
            for (vector, entry) in vectors.iter_mut().zip(entries) {
                vector[state] = *entry;
            }
        }
    }

    /// The same for the members that remaps lead to only; `first` is the rank of the first own
    /// state.
    pub fn write_balanced(&self, vectors: &mut [Vec<f64>], first: usize, ranks: &Ranks) {
        let (width, count) = (vectors.len(), vectors[0].len());
        let own = self.first..self.first + self.members.len();
        let values = self.balanced.iter().filter(|(member, _)| own.contains(member));
        let values =
            values.flat_map(|(member, _)| &self.values[(member - self.first) * width..][..width]);
        let all = ranks.gather(values.copied().collect());
        for ((_, rank), entries) in self.balanced.iter().zip(all.chunks(width)) {
            let state = rank.wrapping_sub(first);
            if state < count {
                vectors.iter_mut().zip(entries).for_each(|(vector, entry)| vector[state] = *entry);
            }
        }
    }

    /// By total: upper bound on the rise from these savings, the first of `width` entries of each
    /// own member, to those of the present values.
    pub(super) fn risen_in_step(&self, savings: &[f64], width: usize, after: &[f64]) -> Vec<f64> {
        let mut risen = vec![0.0f64; after.len()];
        let pairs = self.values.iter().zip(&savings[self.first * width..]).step_by(width);
        for (member, (value, saved)) in self.members.iter().zip(pairs) {
            let total = member.total as usize;
            risen[total] = risen[total].max(f64::max(0.0, after[total] - value) - saved);
        }
        risen
    }

    /// Records a step in which remap costs changed from `before` to `after` and savings rose by
    /// `risen`.
    pub(super) fn note(&mut self, risen: Vec<f64>, before: &[f64], after: &[f64]) {
        self.changed = after.iter().zip(before).map(|(after, before)| after - before).collect();
        self.risen = risen;
    }

    /// Whether a remap is still better by `least` in all omitted states after a step in which remap
    /// costs change from `before` to `after`. If so, records the loss of slack.
    pub(super) fn stays_apart(&mut self, before: &[f64], after: &[f64], least: f64) -> bool {
        let (totals, classes) = (before.len(), self.classes());
        let mut moved = self.moved.clone();
        for total in 0..totals {
            let near =
                total.saturating_sub(self.processors)..=(total + self.processors).min(totals - 1);
            let rise = self.risen[near].iter().copied().fold(0.0, f64::max);
            let own = after[total] - before[total];
            for class in 0..classes {
                let at = total * classes + class;
                if self.slack[at] < f64::INFINITY {
                    let gained = self.laws.least(class, total, &self.changed, &self.ends);
                    moved[at] += own - gained + rise;
                    if moved[at] + least > (1.0 - SPARE) * self.slack[at] {
                        return false;
                    }
                }
            }
        }
        self.moved = moved;
        true
    }
}
