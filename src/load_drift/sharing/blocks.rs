//! Load balancing of the recursion itself: blocks of states move between ranks so that all ranks
//! have equal work.
//!
//! A step is computed in the states within the limits, and the limits change as the recursion goes
//! on. The caller measures the time of each rank; this module computes where to cut so that all
//! ranks would have taken equally long. Values do not depend on which rank holds them, so blocks
//! can move at any step.

use crate::communicator::Shares;
use crate::load_drift::{Backward, Ranks, Snapshot, States};

/// Distribution of work over the states: consecutive stretches, each with its number of states and
/// an amount proportional to its work.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    stretches: Vec<(usize, f64)>,
}

/// Number of stretches that a rank reports to the others.
const STRETCHES: usize = 256;

/// A rank holds at most this many times the number of states of an equal partition, which bounds
/// its memory.
const MOST_TIMES_EQUAL: usize = 2;

/// Work of a state beyond the limits, relative to one within.
const PASSED_OVER: f64 = 1.0 / 16.0;

impl Work {
    /// Stretches given as pairs: number of states, amount of work.
    pub fn new(stretches: Vec<(usize, f64)>) -> Work {
        Work { stretches }
    }

    /// Partition of `blocks` blocks into `parts` parts of equal work: the first block of each part,
    /// and `blocks`. Each part has at least one block, and at most [`MOST_TIMES_EQUAL`] times the
    /// number in an equal partition. `None` where no work is known.
    ///
    /// # Panics
    /// When there are fewer blocks than parts.
    pub(in crate::load_drift) fn starts(&self, parts: usize, blocks: usize) -> Option<Vec<usize>> {
        assert!(parts <= blocks, "each part has a block");
        let all: f64 = self.stretches.iter().map(|(_, amount)| amount).sum();
        if !(all.is_finite() && all > 0.0) {
            return None;
        }
        let most = MOST_TIMES_EQUAL * blocks.div_ceil(parts);
        let mut starts = vec![0];
        let mut stretches = self.stretches.iter();
        // Sums before the present stretch, and the present stretch.
        let (mut first, mut before, mut present) = (0, 0.0, (0, 0.0));
        for part in 1..parts {
            let goal = all * part as f64 / parts as f64;
            while before + present.1 < goal {
                let Some(next) = stretches.next() else { break };
                (first, before, present) = (first + present.0, before + present.1, *next);
            }
            let share = if present.1 > 0.0 { (goal - before) / present.1 } else { 0.0 };
            let state = first as f64 + share.clamp(0.0, 1.0) * present.0 as f64;
            let block = (state / States::BLOCK as f64).round() as usize;
            // The later parts need room for the remaining blocks, and one block each.
            let (before, later) = (starts[part - 1], parts - part);
            let least = (before + 1).max(blocks.saturating_sub(later * most));
            starts.push(block.clamp(least, (before + most).min(blocks - later)));
        }
        starts.push(blocks);
        Some(starts)
    }
}

impl Backward<'_> {
    /// Distribution of the work of the latest step over all states. `seconds` is the time it took
    /// on this rank; 0 where it was not measured, and then all states within the limits count
    /// alike. All ranks call it.
    pub fn work(&self, seconds: f64) -> Work {
        let count = self.states.count();
        let stretch = count.div_ceil(STRETCHES).next_multiple_of(States::BLOCK).max(States::BLOCK);
        let within = |state: &usize| {
            self.states.excess(*state) <= self.limits[self.states.totals()[*state] as usize]
        };
        let amount = |first: usize| {
            let states = first..count.min(first + stretch);
            let (all, within) = (states.len() as f64, states.filter(within).count() as f64);
            (all, within + PASSED_OVER * (all - within))
        };
        let own: Vec<(f64, f64)> = (0..count).step_by(stretch).map(amount).collect();
        let all: f64 = own.iter().map(|(_, amount)| amount).sum();
        let unit = if seconds > 0.0 && all > 0.0 { seconds / all } else { 1.0 };
        let own = own.iter().flat_map(|(states, amount)| [*states, amount * unit]);
        let told = self.ranks.gather(own.collect());
        let stretches =
            told.as_chunks().0.iter().map(|&[states, amount]| (states as usize, amount));
        Work::new(stretches.collect())
    }
}

impl Snapshot {
    /// This rank's part after the states have moved from the shares of `ranks` to `to`. All ranks
    /// call it.
    #[must_use]
    pub fn moved(mut self, ranks: &Ranks, to: &Shares) -> Snapshot {
        if let Some((others, from)) = ranks.others() {
            let old = (0..from.ranks()).map(|rank| from.own(rank));
            let around = old.zip((0..to.ranks()).map(|rank| to.own(rank)));
            let around = around.map(|(old, new)| old.start.min(new.start)..old.end.max(new.end));
            let starts = (0..from.ranks()).map(|rank| from.own(rank).start).chain([from.total()]);
            let between = Shares::new(starts.collect(), around.collect());
            let rank = others.rank();
            let (old, new, window) = (from.own(rank), to.own(rank), between.window(rank));
            for vector in &mut self.vectors {
                let mut all = vec![0.0; window.len()];
                let (below, rest) = all.split_at_mut(old.start - window.start);
                let (own, above) = rest.split_at_mut(old.len());
                own.copy_from_slice(vector);
                others.exchange(&between, vector, below, above);
                *vector = all[new.start - window.start..][..new.len()].to_vec();
            }
        }
        self
    }
}
