//! The decision of every state at one moment, as a map over multisets.

use super::{Ranks, States};
use crate::chain::Multisets;
use rayon::prelude::*;

/// States counted by one task.
const CHUNK: usize = 1 << 16;
/// All whole numbers up to this one are doubles.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// One bit per state, in order of rank: remap, or go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    count: usize,
    words: Vec<u64>,
}

/// The threshold on max - mean closest to a decision map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Remap when max - mean exceeds this: halfway between two values that it may have, or above all.
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
        self.counts_of_all(states, &Ranks::alone())
    }

    /// The same of the maps of all ranks.
    fn counts_of_all(&self, states: &States, ranks: &Ranks) -> Vec<[f64; 2]> {
        if let Some(all) = vectors_by_excess(states.multisets()) {
            let parts = ranks.gather(self.going_on(states));
            let on = |excess: usize| parts.iter().skip(excess).step_by(all.len()).sum::<f64>();
            return all.iter().enumerate().map(|(e, all)| [on(e), all - on(e)]).collect();
        }
        let none = vec![0.0; 2 * (states.largest_excess() as usize + 1)];
        let counts = ranks.in_turn(none, |counts| self.count_by_excess(states, counts));
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

    /// How many vectors of loads of these states the map lets go on, by value of r (max - mean), where all sums are exact
    /// and so the same in any order. Words of states that all remap are passed over.
    fn going_on(&self, states: &States) -> Vec<f64> {
        let multisets = states.multisets();
        let none = || vec![0.0; states.largest_excess() as usize + 1];
        let words = self.words.par_iter().enumerate().with_min_len(CHUNK / 64);
        let count = |mut counts: Vec<f64>, (block, word): (usize, &u64)| {
            let part = block * 64..self.count.min((block + 1) * 64);
            if word.count_ones() as usize == part.len() {
                return counts;
            }
            let mut walk = multisets.from(states.first() + part.start);
            for state in part {
                if let (false, Some(sorted)) = (self.remaps(state), walk.get()) {
                    counts[states.excess(state) as usize] += multisets.orderings(sorted);
                }
                walk.advance();
            }
            counts
        };
        words.fold(none, count).reduce(none, |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        })
    }

    /// The threshold on max - mean that disagrees least with the map; the lowest of several.
    pub fn closest_threshold(&self, states: &States) -> Closest {
        self.closest_of_all(states, &Ranks::alone())
    }

    /// The same of the maps of all ranks, of which each has its own states.
    pub(super) fn closest_of_all(&self, states: &States, ranks: &Ranks) -> Closest {
        let counts = self.counts_of_all(states, ranks);
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
        let threshold = states.threshold_at(excess as u32);
        Closest { threshold, disagreement: (least / all).max(0.0) }
    }
}

/// How many vectors of loads there are by value of r (max - mean). `None` where that is more than doubles count exactly.
fn vectors_by_excess(multisets: &Multisets) -> Option<Vec<f64>> {
    let (r, levels) = (multisets.items(), multisets.levels());
    let vectors = (levels as f64).powf(r as f64);
    let orders: f64 = (1..=r).map(|k| k as f64).product();
    // That of a multiset is found by way of r times as much.
    if vectors > LARGEST_EXACT || vectors.min(orders) * r as f64 > LARGEST_EXACT {
        return None;
    }
    let mut counts = vec![0.0; (r - 1) * (levels - 1) + 1];
    let mut below = Vec::new();
    for max in 0..levels {
        // Those with this largest level or less by sum of levels, one process after another: windows are differences of
        // running sums.
        let mut within = vec![1.0];
        for _ in 0..r {
            let mut running = vec![0.0];
            running.extend(within.iter().scan(0.0, |sum, count| {
                *sum += count;
                Some(*sum)
            }));
            let upto = |sum: usize| running[sum.min(within.len())];
            let window = |sum: usize| upto(sum + 1) - upto(sum.saturating_sub(max));
            within = (0..within.len() + max).map(window).collect();
        }
        for (sum, vectors) in within.iter().enumerate() {
            let found = vectors - below.get(sum).copied().unwrap_or(0.0);
            if found > 0.0 {
                counts[r * max - sum] += found;
            }
        }
        below = within;
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_drift::States;

    #[test]
    fn vectors_are_counted_as_states_have_orderings() {
        for (processors, levels) in
            [(1, 1), (1, 5), (2, 1), (2, 2), (3, 7), (5, 4), (8, 5), (13, 2)]
        {
            let states = States::new(processors, levels).unwrap();
            let mut map = Decisions::none(states.count());
            let mut word = 0x9e37_79b9_7f4a_7c15u64;
            for own in map.words_mut() {
                word = word.rotate_left(5).wrapping_mul(0x5851_f42d_4c95_7f2d);
                *own = if word.is_multiple_of(3) { u64::MAX } else { word };
            }
            let rest = states.count() % 64;
            if let Some(last) = map.words_mut().last_mut().filter(|_| rest > 0) {
                *last &= u64::MAX >> (64 - rest);
            }
            let mut plain = vec![0.0; 2 * (states.largest_excess() as usize + 1)];
            map.count_by_excess(&states, &mut plain);
            assert_eq!(map.by_excess(&states), plain.as_chunks().0, "{processors} {levels}");
        }
    }
}
