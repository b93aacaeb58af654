//! Loads as levels, by any move: transition matrices of all ranks together, or of each by itself.

use super::Estimated;
use super::chain::extent;
use crate::record::Record;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// How often every rank went from each level to each other, remaps left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Transitions {
    /// Load of a level.
    pub quantum: f64,
    /// Load of the lowest level seen, in quanta.
    pub lowest: i64,
    /// Number of levels.
    pub levels: usize,
    /// For each rank, row by row.
    counts: Vec<Vec<u64>>,
}

/// Matrices of more levels are not counted, nor more numbers in all.
const MOST_LEVELS: usize = 100;
const MOST_NUMBERS: usize = 1 << 23;

impl Transitions {
    /// Counts the moves of a record between levels `quantum` apart; `None` if there are more than 100
    /// levels, or too many for so many ranks.
    pub fn of(record: &Record, quantum: f64) -> Option<Transitions> {
        let (lowest, levels) = extent(record, quantum);
        if levels > MOST_LEVELS || levels * levels * record.ranks() > MOST_NUMBERS {
            return None;
        }
        let level = |load: f64| ((load / quantum).round() as i64 - lowest) as usize;
        let mut counts = vec![vec![0; levels * levels]; record.ranks()];
        for stretch in record.stretches() {
            for step in stretch.start + 1..stretch.end {
                let moves = record.row(step - 1).iter().zip(record.row(step));
                for ((before, after), counts) in moves.zip(&mut counts) {
                    counts[level(*before) * levels + level(*after)] += 1;
                }
            }
        }
        Some(Transitions { quantum, lowest, levels, counts })
    }

    /// Counts of all ranks together, row by row.
    fn together(&self) -> Vec<u64> {
        let cells = 0..self.levels * self.levels;
        cells.map(|cell| self.counts.iter().map(|counts| counts[cell]).sum()).collect()
    }

    /// The share of moves over several levels among all steps, staying included.
    pub fn jumps(&self) -> f64 {
        let counts = self.together();
        let far = |cell: usize| (cell / self.levels).abs_diff(cell % self.levels) > 1;
        let all: u64 = counts.iter().sum();
        let jumps: u64 = (0..counts.len()).filter(|cell| far(*cell)).map(|cell| counts[cell]).sum();
        jumps as f64 / all.max(1) as f64
    }

    /// The matrix of all ranks together: relative frequencies. Each row leans on the law of the moves
    /// from all levels, moves beyond the ends ending there, as if on one more visit.
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

    /// The matrix of each rank, leaning on that of all ranks in the same way.
    pub fn matrices(&self) -> Vec<Vec<Vec<f64>>> {
        let pooled = self.matrix();
        self.counts.iter().map(|counts| self.smoothed(counts, &pooled)).collect()
    }

    fn smoothed(&self, counts: &[u64], prior: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let row = |(counts, prior): (&[u64], &Vec<f64>)| {
            let visits = counts.iter().sum::<u64>() as f64 + 1.0;
            counts
                .iter()
                .zip(prior)
                .map(|(count, prior)| (*count as f64 + prior) / visits)
                .collect()
        };
        counts.chunks(self.levels).zip(prior).map(row).collect()
    }

    /// The probabilities of all ranks together, or of one, from level to level with their confidence
    /// intervals; those of levels never left are not known.
    pub fn probabilities(&self, rank: Option<usize>) -> Vec<(i64, i64, Estimated)> {
        let (counts, matrix) = match rank {
            None => (self.together(), self.matrix()),
            Some(rank) => (self.counts[rank].clone(), self.matrices().swap_remove(rank)),
        };
        let mut found = Vec::new();
        for (from, row) in counts.chunks(self.levels).enumerate() {
            let visits: u64 = row.iter().sum();
            for (to, count) in row.iter().enumerate().filter(|_| visits > 0) {
                let share = Estimated::probability(*count, visits);
                let value = matrix[from][to].clamp(share.low, share.high);
                let load = |level: usize| self.lowest + level as i64;
                found.push((load(from), load(to), Estimated { value, ..share }));
            }
        }
        found
    }

    /// Pearson's test that all ranks move alike from equal levels: the probability of counts that
    /// differ at least as much if they do. Moves seldom seen are taken together.
    pub fn alike(&self) -> f64 {
        let (together, levels) = (self.together(), self.levels);
        let (mut statistic, mut freedom) = (0.0, 0.0);
        for from in 0..levels {
            let row = from * levels..(from + 1) * levels;
            let visits = |rank: usize| self.counts[rank][row.clone()].iter().sum::<u64>() as f64;
            let ranks: Vec<usize> = (0..self.counts.len()).filter(|r| visits(*r) >= 5.0).collect();
            if ranks.len() < 2 {
                continue;
            }
            let all: f64 = ranks.iter().map(|rank| visits(*rank)).sum();
            let total = |cell: usize| -> f64 {
                ranks.iter().map(|rank| self.counts[*rank][cell] as f64).sum()
            };
            // A column is expected five times a rank on average, or shares one with others.
            let enough = |cell: &usize| total(*cell) >= 5.0 * ranks.len() as f64;
            let (own, rest): (Vec<usize>, Vec<usize>) =
                row.clone().filter(|cell| together[*cell] > 0).partition(enough);
            let groups: Vec<Vec<usize>> =
                own.into_iter().map(|cell| vec![cell]).chain([rest]).collect();
            let share = |group: &[usize]| group.iter().map(|c| total(*c)).sum::<f64>() / all;
            let kept: Vec<(&Vec<usize>, f64)> = groups
                .iter()
                .map(|group| (group, share(group)))
                .filter(|(_, share)| *share > 0.0)
                .collect();
            for rank in &ranks {
                for (group, share) in &kept {
                    let seen: u64 = group.iter().map(|cell| self.counts[*rank][*cell]).sum();
                    let expected = share * visits(*rank);
                    statistic += (seen as f64 - expected).powi(2) / expected;
                }
            }
            freedom += ((ranks.len() - 1) * (kept.len() - 1)) as f64;
        }
        match ChiSquared::new(freedom) {
            Ok(law) if freedom > 0.0 => law.sf(statistic),
            _ => 1.0,
        }
    }
}
