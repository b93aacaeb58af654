//! Loads as levels with arbitrary moves: transition matrices of all ranks together, or of each
//! rank.
//!
//! Relative frequencies, smoothed. The test for equal ranks is a parametric bootstrap. O(ranks x
//! steps) time, O(ranks x levels^2) memory.

use super::chain::{extent, starts};
use super::counting::Counting;
use super::resample;
use crate::estimate::Estimate;
use crate::fit::probability;
use crate::record::Record;
use rand::RngExt;

/// Numbers of moves between levels by rank, excluding remaps.
#[derive(Debug, Clone, PartialEq)]
pub struct Transitions {
    /// Load of a level.
    pub quantum: f64,
    /// Lowest load that occurs, in quanta.
    pub lowest: i64,
    /// Number of levels.
    pub levels: usize,
    /// For each rank, row by row.
    counts: Vec<Vec<u64>>,
    /// For each stretch without a remap: initial level of every rank, and number of steps.
    stretches: Vec<(Vec<usize>, usize)>,
    /// The moves used for the tests, where these cover more steps.
    tested: Option<Box<Transitions>>,
}

/// Largest number of levels of a matrix, and of entries in all.
const MOST_LEVELS: usize = 100;
const MOST_NUMBERS: usize = 1 << 23;

/// Whether matrices with so many levels are counted for each rank.
pub(in crate::fit) fn are_few(levels: usize, ranks: usize) -> bool {
    levels <= MOST_LEVELS && levels * levels * ranks <= MOST_NUMBERS
}

impl Transitions {
    /// Counts the moves of a record between levels `quantum` apart; `None` if there are more than
    /// 100 levels, or too many for so many ranks.
    pub fn of(record: &Record, quantum: f64) -> Option<Transitions> {
        let (lowest, levels) = extent(record, quantum);
        if !are_few(levels, record.ranks()) {
            return None;
        }
        let counting = Counting::all(record, quantum, lowest, levels, true);
        let stretches = starts(record, quantum, lowest);
        Some(Transitions { stretches, ..Transitions::counted(counting, None)? })
    }

    /// From counts; `tested` are the moves used for the tests. `None` if they were not counted by
    /// rank.
    pub(in crate::fit) fn counted(
        counting: Counting,
        tested: Option<Box<Transitions>>,
    ) -> Option<Transitions> {
        let Counting { quantum, lowest, sides, ranks, .. } = counting;
        let levels = sides.len();
        Some(Transitions { quantum, lowest, levels, counts: ranks?, stretches: Vec::new(), tested })
    }

    /// Counts of all ranks together, row by row.
    fn together(&self) -> Vec<u64> {
        let cells = 0..self.levels * self.levels;
        cells.map(|cell| self.counts.iter().map(|counts| counts[cell]).sum()).collect()
    }

    /// The share of moves over several levels among all steps, including stays.
    pub fn jumps(&self) -> f64 {
        let counts = self.together();
        let far = |cell: usize| (cell / self.levels).abs_diff(cell % self.levels) > 1;
        let all: u64 = counts.iter().sum();
        let jumps: u64 = (0..counts.len()).filter(|cell| far(*cell)).map(|cell| counts[cell]).sum();
        jumps as f64 / all.max(1) as f64
    }

    /// The matrix of all ranks together: relative frequencies. Each row is smoothed toward the
    /// distribution of the moves from all levels, truncated at the edges, with the weight of one
    /// visit.
    pub fn matrix(&self) -> Vec<Vec<f64>> {
        let (counts, last) = (self.together(), self.levels as i64 - 1);
        let all = counts.iter().sum::<u64>().max(1) as f64;
        let mut prior = vec![vec![0.0; self.levels]; self.levels];
        for (cell, count) in counts.iter().enumerate() {
            let change = (cell % self.levels) as i64 - (cell / self.levels) as i64;
            for (from, row) in prior.iter_mut().enumerate() {
                row[(from as i64 + change).clamp(0, last) as usize] += *count as f64 / all;
            }
        }
        if counts.iter().all(|count| *count == 0) {
            (0..self.levels).for_each(|level| prior[level][level] = 1.0);
        }
        self.smoothed(&counts, &prior)
    }

    /// The matrix of each rank, smoothed toward that of all ranks in the same way.
    pub fn matrices(&self) -> Vec<Vec<Vec<f64>>> {
        let pooled = self.matrix();
        self.counts.iter().map(|counts| self.smoothed(counts, &pooled)).collect()
    }

    fn smoothed(&self, counts: &[u64], prior: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let row = |(counts, prior): (&[u64], &Vec<f64>)| {
            let visits = counts.iter().sum::<u64>() as f64 + 1.0;
            counts.iter().zip(prior).map(|(count, own)| (*count as f64 + own) / visits).collect()
        };
        counts.chunks(self.levels).zip(prior).map(row).collect()
    }

    /// The transition probabilities of all ranks together, or of one, with confidence intervals.
    /// Those of levels never left are unknown.
    pub fn probabilities(&self, rank: Option<usize>) -> Vec<(i64, i64, Estimate)> {
        let (counts, matrix) = match rank {
            None => (self.together(), self.matrix()),
            Some(rank) => (self.counts[rank].clone(), self.matrices().swap_remove(rank)),
        };
        let mut found = Vec::new();
        for (from, row) in counts.chunks(self.levels).enumerate() {
            let visits: u64 = row.iter().sum();
            for (to, count) in row.iter().enumerate().filter(|_| visits > 0) {
                let share = probability(*count, visits);
                let value = matrix[from][to].clamp(share.lower, share.upper);
                let load = |level: usize| self.lowest + level as i64;
                found.push((load(from), load(to), Estimate { value, ..share }));
            }
        }
        found
    }

    /// p-value of the test that all ranks move alike from equal levels, by parametric bootstrap
    /// from the matrix of all ranks.
    ///
    /// The chi-square distribution would reject rare moves far too often: a level that is left is
    /// visited no more, so visits carry as much information as moves. There are two statistics,
    /// because one rank that goes up or down more often is lost among all pairs of levels: the
    /// likelihood ratio, and the excess of moves up and down. The smaller p-value is doubled.
    pub fn alike(&self) -> f64 {
        if let Some(tested) = &self.tested {
            return tested.alike();
        }
        let all = self.drawn_so_far_off(&|counts| self.ratio(counts));
        let sides = self.drawn_so_far_off(&|counts| self.excess(counts));
        (2.0 * all.min(sides)).min(1.0)
    }

    /// The probability of a statistic at least as large, if all ranks move by the common matrix.
    fn drawn_so_far_off(&self, statistic: &(dyn Fn(&[Vec<u64>]) -> f64 + Sync)) -> f64 {
        let observed = statistic(&self.counts);
        let together = self.together();
        let row = |level: usize| &together[level * self.levels..(level + 1) * self.levels];
        // Staying first: it is the most frequent.
        let moves: Vec<Vec<(usize, f64)>> = (0..self.levels)
            .map(|from| {
                let visits = row(from).iter().sum::<u64>().max(1) as f64;
                let others = (0..self.levels).filter(|to| *to != from && row(from)[*to] > 0);
                let mut sum = 0.0;
                let step = |to: usize| {
                    sum += row(from)[to] as f64 / visits;
                    (to, sum)
                };
                std::iter::once(from).chain(others).map(step).collect()
            })
            .collect();
        let numbers = self.counts.iter().flatten().sum();
        resample::probability(observed, numbers, |random| {
            let mut counts = vec![vec![0; self.levels * self.levels]; self.counts.len()];
            for (starts, steps) in &self.stretches {
                for (counts, start) in counts.iter_mut().zip(starts) {
                    let mut level = *start;
                    for _ in 0..*steps {
                        let draw: f64 = random.random();
                        let next = moves[level].iter().find(|(_, sum)| draw < *sum);
                        // A level that was never left, or the rounding remainder of the last.
                        let next = next.map_or(level, |(to, _)| *to);
                        counts[level * self.levels + next] += 1;
                        level = next;
                    }
                }
            }
            statistic(&counts)
        })
    }

    /// Distance of the moves up and down of each rank from those expected for its visits to each
    /// level, in squared deviations. Moves alone would not suffice: a rank that goes up more often
    /// is soon at the top.
    fn excess(&self, counts: &[Vec<u64>]) -> f64 {
        let side = |counts: &[u64], level: usize, up: bool| {
            let row = &counts[level * self.levels..(level + 1) * self.levels];
            let part = if up { &row[level + 1..] } else { &row[..level] };
            (part.iter().sum::<u64>() as f64, row.iter().sum::<u64>() as f64)
        };
        let mut all = 0.0;
        for up in [false, true] {
            let common = |level: usize| {
                let sides = counts.iter().map(|counts| side(counts, level, up));
                sides.fold((0.0, 0.0), |sum, found| (sum.0 + found.0, sum.1 + found.1))
            };
            let common: Vec<(f64, f64)> = (0..self.levels).map(common).collect();
            for counts in counts {
                let (mut off, mut variance) = (0.0, 0.0);
                for (level, (moves, visits)) in common.iter().enumerate() {
                    let (own, stays) = side(counts, level, up);
                    let p = moves / visits.max(1.0);
                    off += own - p * stays;
                    variance += p * (1.0 - p) * stays * (1.0 - stays / visits.max(1.0));
                }
                all += if variance > 0.0 { off * off / variance } else { 0.0 };
            }
        }
        all
    }

    /// Log-likelihood ratio of a matrix for each rank against one for all.
    fn ratio(&self, counts: &[Vec<u64>]) -> f64 {
        let level = |level: usize| {
            let row = level * self.levels..(level + 1) * self.levels;
            resample::likelihood_ratio(counts.iter().map(|counts| &counts[row.clone()]))
        };
        (0..self.levels).map(level).sum()
    }
}
