//! How far the slack of what is left out is used up, and where the values of the members stand.

use super::Region;
use crate::drift::{Decisions, Ranks};

/// Share of a slack that is not used up, above rounding.
const SPARE: f64 = 1e-3;

/// By total, the largest and the least change of what going on saves, or 0.
pub(in crate::drift) struct Moved {
    rise: Vec<f64>,
    fall: Vec<f64>,
}

impl Moved {
    pub fn none(totals: usize) -> Moved {
        Moved { rise: vec![0.0; totals], fall: vec![0.0; totals] }
    }

    pub fn add(&mut self, total: usize, change: f64) {
        self.rise[total] = self.rise[total].max(change);
        self.fall[total] = self.fall[total].min(change);
    }

    pub fn and(mut self, other: Moved) -> Moved {
        for (total, (rise, fall)) in other.rise.into_iter().zip(other.fall).enumerate() {
            self.add(total, rise);
            self.add(total, fall);
        }
        self
    }

    /// The extremes of all ranks.
    pub fn of_all(mut self, ranks: &Ranks) -> Moved {
        let fall = self.fall.iter().map(|fall| -fall);
        let mut both: Vec<f64> = self.rise.iter().copied().chain(fall).collect();
        ranks.largest(&mut both);
        let fall = both.split_off(self.rise.len());
        (self.rise, self.fall) = (both, fall.into_iter().map(|fall| -fall).collect());
        self
    }

    /// The largest change less the least.
    pub fn unrest(&self) -> f64 {
        let most = self.rise.iter().copied().fold(0.0, f64::max);
        most - self.fall.iter().copied().fold(0.0, f64::min)
    }
}

impl Region {
    /// Takes the values and decisions of the members from those of the states.
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

    /// Writes the values of the members to where those of the own states are.
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

    /// The same for the members that remaps lead to; `first` is the rank of the first own state.
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

    /// Whether remapping is better, by so much at least, in all states left out, one step on.
    pub fn is_apart(&self, least: f64) -> bool {
        let mut pairs = self.slack.iter().zip(&self.moved);
        pairs.all(|(slack, moved)| moved + least <= (1.0 - SPARE) * slack)
    }

    /// How the savings have changed from these, the first of `width` for each member, to those of the present values.
    pub(super) fn moved_in_step(&self, savings: &[f64], width: usize, after: &[f64]) -> Moved {
        let mut moved = Moved::none(after.len());
        let pairs = self.values.iter().zip(&savings[self.first * width..]).step_by(width);
        for (member, (value, saved)) in self.members.iter().zip(pairs) {
            let total = member.total as usize;
            moved.add(total, f64::max(0.0, after[total] - value) - saved);
        }
        moved
    }

    /// Adds up what the slack may lose with the step after one in which the costs of a remap went from `before` to
    /// `after` and the savings moved like this.
    pub(super) fn account(&mut self, moved: &Moved, before: &[f64], after: &[f64]) {
        let changes: Vec<f64> =
            after.iter().zip(before).map(|(after, before)| after - before).collect();
        let totals = changes.len();
        let expected: Vec<f64> =
            self.sums.iter().map(|&(law, total)| self.laws.expect(law, total, &changes)).collect();
        // A remap may change the total by as much as a move may.
        let reach = 2 * self.processors;
        for total in 0..totals {
            let near = total.saturating_sub(reach)..=(total + reach).min(totals - 1);
            let base = self.remapped[total].iter().map(|&(p, sum)| p * expected[sum]).sum();
            let apart = self.laws.farthest_from(base, total, &changes, &self.ends);
            let highest = moved.rise[near.clone()].iter().copied().fold(0.0, f64::max);
            let lowest = moved.fall[near].iter().copied().fold(0.0, f64::min);
            self.moved[total] += apart + highest - lowest;
        }
    }
}
