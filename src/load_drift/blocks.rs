//! Blocks of states that move from rank to rank, so that each rank has as much work as any other.
//!
//! A step costs what it is computed in: the states within the limits, which change as the recursion goes on. Where they
//! lie is known, what they take is measured by whoever looks at a clock, and the engine says where to cut so that all
//! ranks would have taken equally long. Values do not depend on who has them, so that blocks move at any step.

use super::{Backward, Ranks, Snapshot, States};
use crate::communicator::Shares;

/// How much work there is in the states: in stretches of them, in order, with the number of states of each and a
/// number that is in proportion to its work.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    stretches: Vec<(usize, f64)>,
}

/// Stretches that a rank tells others about.
const STRETCHES: usize = 256;

/// How many times as many states as in equal parts a rank may come to have: what it needs of memory is bounded.
const MOST_TIMES_EQUAL: usize = 2;

/// What a state beyond the limits takes, in parts of one within.
const PASSED_OVER: f64 = 1.0 / 16.0;

impl Work {
    /// These stretches: numbers of states, and amounts of work.
    pub fn new(stretches: Vec<(usize, f64)>) -> Work {
        Work { stretches }
    }

    /// The first block of each of so many parts of equal work, of so many blocks in all, and that number; each part has
    /// one at least, and [`MOST_TIMES_EQUAL`] times as many as in equal parts at most. `None` where no work is known.
    ///
    /// # Panics
    /// When there are fewer blocks than parts.
    pub(super) fn starts(&self, parts: usize, blocks: usize) -> Option<Vec<usize>> {
        assert!(parts <= blocks, "each part has a block");
        let all: f64 = self.stretches.iter().map(|(_, amount)| amount).sum();
        if !(all.is_finite() && all > 0.0) {
            return None;
        }
        let most = MOST_TIMES_EQUAL * blocks.div_ceil(parts);
        let mut starts = vec![0];
        let mut stretches = self.stretches.iter();
        // What comes before the present stretch, and it.
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
            // Those to come have room for the rest, and a block each.
            let (before, later) = (starts[part - 1], parts - part);
            let least = (before + 1).max(blocks.saturating_sub(later * most));
            starts.push(block.clamp(least, (before + most).min(blocks - later)));
        }
        starts.push(blocks);
        Some(starts)
    }
}

impl Backward<'_> {
    /// Where the work of the latest step was, over all states, which took the own rank so many seconds; 0 where nobody
    /// has measured that, and all states within the limits count alike. All ranks call it.
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
    /// The part of the own rank when states that are shared by `ranks` are shared like this. All ranks call it.
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
