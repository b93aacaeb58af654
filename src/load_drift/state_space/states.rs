//! The multisets of levels, with the data that determines the cost of a step and the target of a
//! remap.

use crate::chain::{ChainError, Multisets};
use crate::load_drift::{LoadDrift, Rebalance};
use crate::parallel;
use rayon::prelude::*;
use std::ops::Range;

/// Total and largest level of every state.
#[derive(Debug, Clone)]
pub struct States {
    multisets: Multisets,
    /// Rank of the first state.
    first: usize,
    totals: Vec<u32>,
    largest: Vec<u16>,
    /// The least r (max - mean) in each block of [`BLOCK`](Self::BLOCK) states.
    least: Vec<u32>,
}

/// Result of a remap from a given total: sorted levels and their probability. One entry, or two.
pub type Balanced = Vec<(f64, Vec<usize>)>;

impl States {
    /// Number of states filled by one task.
    const CHUNK: usize = 1 << 15;
    /// Number of states in a block: those of one word of decisions.
    pub(in crate::load_drift) const BLOCK: usize = 64;

    /// The states of `processors` processors on `levels` <= 65536 levels.
    ///
    /// # Errors
    /// More states than can be counted.
    pub fn new(processors: usize, levels: usize) -> Result<States, ChainError> {
        let all = 0..Multisets::new(processors, levels)?.states();
        States::part(processors, levels, all)
    }

    /// The states with ranks `own` only. Indices of states then count from 0.
    /// # Errors
    /// As [`new`](Self::new).
    pub fn part(processors: usize, levels: usize, own: Range<usize>) -> Result<States, ChainError> {
        let multisets = Multisets::new(processors, levels)?;
        let (first, count) = (own.start, own.len());
        let (mut totals, mut largest) = (vec![0u32; count], vec![0u16; count]);
        let chunks = totals.par_chunks_mut(Self::CHUNK).zip(largest.par_chunks_mut(Self::CHUNK));
        chunks.enumerate().for_each(|(chunk, (totals, largest))| {
            let mut walk = multisets.from(first + chunk * Self::CHUNK);
            for (total, largest) in totals.iter_mut().zip(largest) {
                if let Some(sorted) = walk.get() {
                    *total = sorted.iter().sum::<usize>() as u32;
                    *largest = sorted.last().copied().unwrap_or(0) as u16;
                }
                walk.advance();
            }
        });
        let mut states = States { multisets, first, totals, largest, least: Vec::new() };
        let mut least = vec![0; count.div_ceil(Self::BLOCK)];
        parallel::fill(&mut least, Self::CHUNK / Self::BLOCK, &|block| {
            let block = block * Self::BLOCK..count.min((block + 1) * Self::BLOCK);
            block.map(|state| states.excess(state)).min().unwrap_or(0)
        });
        states.least = least;
        Ok(states)
    }

    /// The ranking of the multisets.
    pub fn multisets(&self) -> &Multisets {
        &self.multisets
    }

    /// Number of states.
    pub fn count(&self) -> usize {
        self.totals.len()
    }

    /// Number of states of the whole problem.
    pub fn all(&self) -> usize {
        self.multisets.states()
    }

    /// Rank of the first state.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Sum of the levels of each state.
    pub fn totals(&self) -> &[u32] {
        &self.totals
    }

    /// Largest level of each state.
    pub fn largest(&self) -> &[u16] {
        &self.largest
    }

    /// Number of totals, r (L - 1) + 1.
    pub fn distinct_totals(&self) -> usize {
        self.multisets.items() * (self.multisets.levels() - 1) + 1
    }

    /// The largest r (max - mean), (r - 1)(L - 1).
    pub fn largest_excess(&self) -> u32 {
        ((self.multisets.items() - 1) * (self.multisets.levels() - 1)) as u32
    }

    /// The least r (max - mean) among the states of a block.
    pub(in crate::load_drift) fn least_excess(&self, block: usize) -> u32 {
        self.least[block]
    }

    /// The threshold on max - mean that this r (max - mean) does not exceed and the next does. It
    /// lies halfway between them, so that rounded loads decide as exact ones do.
    pub fn threshold_at(&self, excess: u32) -> f64 {
        (f64::from(excess) + 0.5) / self.multisets.items() as f64
    }

    /// The largest r (max - mean) that does not exceed a threshold on max - mean. The threshold may
    /// equal an attainable value up to rounding.
    pub fn within(&self, threshold: f64) -> u32 {
        let excess = (threshold * self.multisets.items() as f64 + 0.25).floor();
        (excess.max(0.0) as u32).min(self.largest_excess())
    }

    /// r (max - mean) of each state, an integer.
    pub fn excess(&self, state: usize) -> u32 {
        let r = self.multisets.items() as u32;
        r * u32::from(self.largest[state]) - self.totals[state]
    }
}

impl LoadDrift {
    /// The fewest units of load that change their processor when the total of these levels is split
    /// evenly. Processors above the average keep its floor or its ceiling; as many keep the ceiling
    /// as the split allows.
    pub fn units_moved(&self, levels: &[usize]) -> usize {
        let total: usize = levels.iter().sum();
        let (floor, extra) = (total / self.processors, total % self.processors);
        let above = levels.iter().filter(|level| **level > floor);
        above.clone().map(|level| level - floor).sum::<usize>() - above.count().min(extra)
    }

    /// Largest cost of a remap.
    pub fn dearest_remap(&self, states: &States) -> f64 {
        self.remap_cost + self.surcharges(states).into_iter().fold(0.0, f64::max)
    }

    /// Cost of a remap in each state beyond [`remap_cost`](Self::remap_cost); empty where there is
    /// none.
    pub(in crate::load_drift) fn surcharges(&self, states: &States) -> Vec<f64> {
        if self.per_unit_moved == 0.0 {
            return Vec::new();
        }
        let mut levels = vec![0; self.processors];
        let one = |state| {
            states.multisets().unrank_into(states.first + state, &mut levels);
            self.per_unit_moved * self.units_moved(&levels) as f64
        };
        (0..states.count()).map(one).collect()
    }

    /// Sorted levels after a remap of loads with sum of levels `total`, and their probabilities.
    pub fn balanced(&self, total: usize) -> Balanced {
        let r = self.processors;
        let (floor, extra) = (total / r, total % r);
        match self.rebalance {
            Rebalance::Split => {
                let mut levels = vec![floor; r];
                levels[r - extra..].fill(floor + 1);
                vec![(1.0, levels)]
            }
            Rebalance::Nearest => {
                let up = usize::from(2 * extra >= r);
                vec![(1.0, vec![floor + up; r])]
            }
            Rebalance::Stochastic if extra == 0 => vec![(1.0, vec![floor; r])],
            Rebalance::Stochastic => {
                let up = extra as f64 / r as f64;
                vec![(1.0 - up, vec![floor; r]), (up, vec![floor + 1; r])]
            }
        }
    }
}
