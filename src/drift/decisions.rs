//! The decision of every state at one moment, as a map over multisets.

use super::{Ranks, States};

/// One bit per state, in order of rank: remap, or go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    count: usize,
    words: Vec<u64>,
}

/// The threshold on max - mean closest to a decision map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Remap when max - mean exceeds this.
    pub threshold: f64,
    /// Share of all vectors of loads on which the map and the threshold disagree.
    pub disagreement: f64,
}

impl Decisions {
    /// The map that goes on in all of `count` states.
    pub fn none(count: usize) -> Decisions {
        Decisions { count, words: vec![0; count.div_ceil(64)] }
    }

    /// The map with these words, as [`words`](Self::words) gives them; `None` if their number is not
    /// right for `count` states.
    pub fn from_words(count: usize, words: Vec<u64>) -> Option<Decisions> {
        (words.len() == count.div_ceil(64)).then_some(Decisions { count, words })
    }

    /// Number of states.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether to remap in the state of this rank.
    pub fn remaps(&self, state: usize) -> bool {
        self.words[state / 64] >> (state % 64) & 1 == 1
    }

    /// Number of states in which to remap.
    pub fn remapping_states(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The map as 64 states a word, lowest bit first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// By value of r (max - mean) = 0, 1, ..., (r-1)(L-1): how many vectors of loads the map lets
    /// go on and how many it remaps. A multiset counts as many times as it has orderings.
    pub fn by_excess(&self, states: &States) -> Vec<[f64; 2]> {
        let mut counts = vec![0.0; 2 * (states.largest_excess() as usize + 1)];
        self.count_by_excess(states, &mut counts);
        counts.as_chunks().0.to_vec()
    }

    /// Adds these states to the counts, those that go on and those that remap by turns.
    fn count_by_excess(&self, states: &States, counts: &mut [f64]) {
        let multisets = states.multisets();
        let mut walk = multisets.from(states.first());
        for state in 0..self.count {
            if let Some(sorted) = walk.get() {
                let entry = 2 * states.excess(state) as usize + usize::from(self.remaps(state));
                counts[entry] += multisets.orderings(sorted);
            }
            walk.advance();
        }
    }

    /// The threshold on max - mean that disagrees least with the map; the lowest of several.
    pub fn closest_threshold(&self, states: &States) -> Closest {
        self.closest_of_all(states, &Ranks::alone())
    }

    /// The same of the maps of all ranks, of which each has its own states.
    pub(super) fn closest_of_all(&self, states: &States, ranks: &Ranks) -> Closest {
        let none = vec![0.0; 2 * (states.largest_excess() as usize + 1)];
        let counts = ranks.in_turn(none, |counts| self.count_by_excess(states, counts));
        let (counts, _) = counts.as_chunks::<2>();
        let r = states.multisets().items() as f64;
        let all: f64 = counts.iter().flatten().sum();
        // Below every excess: the threshold rule remaps everywhere.
        let mut wrong: f64 = counts.iter().map(|[on, _]| on).sum();
        let mut best: Option<(f64, usize)> = None;
        for (excess, [on, remap]) in counts.iter().enumerate() {
            wrong += remap - on;
            if best.is_none_or(|(least, _)| wrong < least) {
                best = Some((wrong, excess));
            }
        }
        let (least, excess) = best.unwrap_or((0.0, 0));
        Closest { threshold: excess as f64 / r, disagreement: (least / all).max(0.0) }
    }
}
