//! Decision map of one moment: one bit for each multiset of levels.

use crate::chain::Multisets;
use crate::load_drift::{Ranks, States};
use rayon::prelude::*;

/// States counted by one task.
const CHUNK: usize = 1 << 16;
/// All whole numbers up to this one are doubles.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// One bit for each state, in order of rank: remap, or continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    count: usize,
    words: Vec<u64>,
}

/// The threshold on max - mean closest to a decision map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Remap when max - mean exceeds this. It lies halfway between two attainable values, or above
    /// all.
    pub threshold: f64,
    /// Share of all load vectors on which the map and the threshold disagree.
    pub disagreement: f64,
}

impl Decisions {
    /// The map that continues in all of `count` states.
    pub fn none(count: usize) -> Decisions {
        Decisions { count, words: vec![0; count.div_ceil(64)] }
    }

    /// The map with these words, as [`words`](Self::words) returns them. `None` if their number is
    /// wrong for `count` states.
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

    /// The map with 64 states in a word, lowest bit first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub(in crate::load_drift) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// By value of r (max - mean) = 0, 1, ..., (r-1)(L-1): the number of load vectors that
    /// continue, and of those that remap, in the maps of all ranks. A multiset counts as many times
    /// as it has orderings.
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

    /// Adds these states to the counts, which alternate: those that continue, those that remap.
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

    /// Number of load vectors that continue in these states, by value of r (max - mean). Used where
    /// all sums are exact and so the same in any order. Words in which all states remap are
    /// skipped.
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

    /// The threshold on max - mean that disagrees least with the map; the lowest of equals.
    pub fn closest_threshold(&self, states: &States) -> Closest {
        self.closest_of_all(states, &Ranks::alone())
    }

    /// The same for the maps of all ranks, each with its own states.
    pub(in crate::load_drift) fn closest_of_all(&self, states: &States, ranks: &Ranks) -> Closest {
        let counts = self.counts_of_all(states, ranks);
        let all: f64 = counts.iter().flatten().sum();
        // Below every excess the threshold policy remaps everywhere.
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

/// Number of load vectors by value of r (max - mean). `None` where it exceeds what doubles count
/// exactly.
fn vectors_by_excess(multisets: &Multisets) -> Option<Vec<f64>> {
    let (r, levels) = (multisets.items(), multisets.levels());
    let vectors = (levels as f64).powf(r as f64);
    let orders: f64 = (1..=r).map(|k| k as f64).product();
    // The number of orderings of a multiset is computed through r times as much.
    if vectors > LARGEST_EXACT || vectors.min(orders) * r as f64 > LARGEST_EXACT {
        return None;
    }
    let mut counts = vec![0.0; (r - 1) * (levels - 1) + 1];
    let mut below = Vec::new();
    for max in 0..levels {
        // Counts the vectors whose largest level is at most this, by sum of levels, adding one
        // process at a time. Windows are differences of running sums.
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
            let found = map.counts_of_all(&states, &Ranks::alone());
            assert_eq!(found, plain.as_chunks().0, "{processors} {levels}");
        }
    }
}
