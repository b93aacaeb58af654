//! Streaming count of moves between levels: O(ranks) time per step, O(levels) memory, or O(ranks x
//! levels^2) by rank.

use super::chain::{is_on, measured};
use super::transitions::are_few;
use crate::record::Record;

/// Largest number of levels that are counted; a lattice has no more.
const MOST_LEVELS: usize = 10_002;

/// Numbers of moves between levels, by rank.
#[derive(Debug, Clone)]
pub(in crate::fit) struct Counting {
    pub quantum: f64,
    /// Lowest level that occurs, in quanta.
    pub lowest: i64,
    /// For each level: number of moves down, of stays, and of moves up.
    pub sides: Vec<[u64; 3]>,
    /// Moves of more than one level.
    pub jumps: u64,
    /// For each rank, the matrix of moves row by row; `None` where it would be too large.
    pub ranks: Option<Vec<Vec<u64>>>,
    /// The levels of the last step, where its times were measured; empty before the first step.
    pub last: Vec<Option<i64>>,
    /// Whether all measured loads were on the lattice.
    pub regular: bool,
}

impl Counting {
    /// Empty counts between levels `quantum` apart.
    pub fn new(ranks: usize, quantum: f64) -> Counting {
        Counting {
            quantum,
            lowest: 0,
            sides: Vec::new(),
            jumps: 0,
            ranks: Some(vec![Vec::new(); ranks]),
            last: Vec::new(),
            regular: true,
        }
    }

    /// All moves of a record whose levels are known, by rank or only in total.
    pub fn all(record: &Record, quantum: f64, lowest: i64, levels: usize, each: bool) -> Counting {
        let ranks = each.then(|| vec![vec![0; levels * levels]; record.ranks()]);
        let empty = Counting::new(0, quantum);
        let mut found = Counting { lowest, sides: vec![[0; 3]; levels], ranks, ..empty };
        for stretch in record.stretches() {
            for step in stretch.clone() {
                found.count(record.row(step), record.filled(step), step == stretch.start);
            }
        }
        found
    }

    /// Counts the next step, as long as all loads are on the lattice; some of its times may be
    /// `filled` in.
    pub fn step(&mut self, row: &[f64], filled: &[bool], remapped: bool) {
        if !self.regular {
            return;
        }
        let quantum = self.quantum;
        if !measured(row, filled).all(|load| is_on(load, quantum)) {
            self.regular = false;
            return;
        }
        let level = |load: &f64| (load / quantum).round() as i64;
        let (low, high) = row
            .iter()
            .map(level)
            .fold((i64::MAX, i64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        if self.sides.is_empty() {
            self.lowest = low;
        }
        if low < self.lowest || high >= self.lowest + self.sides.len() as i64 {
            self.widen(low, high);
        }
        if self.regular {
            self.count(row, filled, remapped || self.last.is_empty());
        }
    }

    /// Counts the moves to a step whose levels are known; if `starts`, only records the levels. A
    /// time that was filled in has no level, and no move leads to it or from it.
    fn count(&mut self, row: &[f64], filled: &[bool], starts: bool) {
        let (quantum, lowest, levels) = (self.quantum, self.lowest, self.sides.len());
        let level = |(rank, load): (usize, &f64)| {
            (filled.get(rank) != Some(&true)).then(|| (load / quantum).round() as i64)
        };
        if starts {
            self.last.clear();
            self.last.extend(row.iter().enumerate().map(level));
            return;
        }
        for (rank, (load, last)) in row.iter().zip(&mut self.last).enumerate() {
            let to = level((rank, load));
            let Some((from, to)) = std::mem::replace(last, to).zip(to) else { continue };
            self.jumps += u64::from((to - from).abs() > 1);
            let side = (to - from).signum() + 1;
            let (from, to) = ((from - lowest) as usize, (to - lowest) as usize);
            self.sides[from][side as usize] += 1;
            if let Some(ranks) = &mut self.ranks {
                ranks[rank][from * levels + to] += 1;
            }
        }
    }

    /// Adds the counts of another part of the run.
    pub fn join(&mut self, other: Counting) {
        self.regular &= other.regular;
        if !self.regular || other.sides.is_empty() {
            return;
        }
        let many = other.sides.len();
        let highest = other.lowest + many as i64 - 1;
        self.widen(other.lowest, highest);
        if !self.regular {
            return;
        }
        let shift = (other.lowest - self.lowest) as usize;
        let levels = self.sides.len();
        for (sums, more) in self.sides[shift..].iter_mut().zip(&other.sides) {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        self.jumps += other.jumps;
        let both = self.ranks.take().zip(other.ranks);
        self.ranks = both.map(|(mut ranks, others)| {
            for (sums, counts) in ranks.iter_mut().zip(&others) {
                for (from, row) in counts.chunks(many).enumerate() {
                    let at = (from + shift) * levels + shift;
                    sums[at..at + many].iter_mut().zip(row).for_each(|(sum, more)| *sum += more);
                }
            }
            ranks
        });
    }

    /// Extends the range to the levels `low` to `high`.
    fn widen(&mut self, low: i64, high: i64) {
        let (was, many) = (self.lowest, self.sides.len());
        let low = low.min(was);
        let high = high.max(was + many as i64 - 1);
        let levels = (high - low + 1) as usize;
        if levels > MOST_LEVELS {
            self.regular = false;
            return;
        }
        let shift = (was - low) as usize;
        let mut sides = vec![[0; 3]; levels];
        sides[shift..shift + many].copy_from_slice(&self.sides);
        (self.sides, self.lowest) = (sides, low);
        self.ranks = self.ranks.take().filter(|ranks| are_few(levels, ranks.len()));
        for counts in self.ranks.iter_mut().flatten() {
            let mut wider = vec![0; levels * levels];
            for (from, row) in counts.chunks(many.max(1)).enumerate() {
                let at = (from + shift) * levels + shift;
                wider[at..at + many].copy_from_slice(row);
            }
            *counts = wider;
        }
    }
}
