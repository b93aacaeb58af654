//! Loads as levels: a birth–death chain estimated by relative frequencies.
//!
//! The test for equal probabilities at all levels is a likelihood ratio with a parametric
//! bootstrap. O(ranks x steps) time, plus the simulated moves of the bootstrap.

use super::counting::Counting;
use super::resample;
use crate::chain::Edge;
use crate::estimate::Estimate;
use crate::fit::probability;
use crate::record::Record;
use rand::RngExt;

/// Moves of all ranks together, by level.
#[derive(Debug, Clone, PartialEq)]
pub struct Moves {
    /// Load of a level.
    pub quantum: f64,
    /// Lowest load that occurs, in quanta.
    pub lowest: i64,
    /// For each level: number of moves down, of stays, and of moves up.
    pub counts: Vec<[u64; 3]>,
    /// Moves of more than one level, counted as one level.
    pub jumps: u64,
    /// For each stretch without a remap: initial level of every rank, and number of steps.
    stretches: Vec<(Vec<usize>, usize)>,
    /// The moves used for the tests, where these cover more steps.
    tested: Option<Box<Moves>>,
}

/// A walk with the same probabilities at every inner level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Walk {
    /// Probability of a level up.
    pub up: Estimate,
    /// Probability of a level down.
    pub down: Estimate,
    /// The kind of edges.
    pub edge: Edge,
    /// p-value of the test that the probabilities are the same at every level.
    pub same_at_every_level: f64,
}

/// Number of loads from which the common measure is computed.
pub(in crate::fit) const MEASURED: usize = 1 << 16;

/// The distance of the levels of a record whose measured loads all lie on a lattice through 0.
/// `None` if they do not, or with more than 10^4 levels.
pub fn lattice(record: &Record) -> Option<f64> {
    let loads =
        || (0..record.steps()).flat_map(|step| measured(record.row(step), record.filled(step)));
    let quantum = measure(loads().take(MEASURED), loads().fold(0.0, f64::max))?;
    loads().all(|load| is_on(load, quantum)).then_some(quantum)
}

/// The times of a step that were measured, not filled in.
pub(in crate::fit) fn measured<'r>(
    row: &'r [f64],
    filled: &'r [bool],
) -> impl Iterator<Item = f64> + 'r {
    let is_filled = |rank: usize| filled.get(rank) == Some(&true);
    row.iter().enumerate().filter(move |(rank, _)| !is_filled(*rank)).map(|(_, time)| *time)
}

/// The common measure of loads, by Euclid's algorithm on rounded numbers; `largest` is the largest
/// of all loads.
pub(in crate::fit) fn measure(loads: impl Iterator<Item = f64>, largest: f64) -> Option<f64> {
    let tolerance = 1e-6 * largest;
    let mut quantum = 0.0_f64;
    for load in loads {
        let (mut a, mut b) = (quantum.max(load), quantum.min(load));
        while b > tolerance {
            let rest = a - b * (a / b).round();
            (a, b) = (b, rest.abs());
        }
        quantum = a;
        if quantum > 0.0 && largest / quantum > 1e4 {
            return None;
        }
    }
    (quantum > 0.0).then_some(quantum)
}

/// Whether a load is on the lattice.
pub(in crate::fit) fn is_on(load: f64, quantum: f64) -> bool {
    (load / quantum - (load / quantum).round()).abs() <= 1e-3
}

/// The lowest level of a record, in quanta, and the number of its levels.
pub(in crate::fit) fn extent(record: &Record, quantum: f64) -> (i64, usize) {
    let level = |load: &f64| (load / quantum).round() as i64;
    let all = || (0..record.steps()).flat_map(|step| record.row(step)).map(level);
    let (lowest, highest) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
    (lowest, (highest - lowest + 1) as usize)
}

/// For each stretch without a remap: initial level of every rank, and number of steps.
pub(in crate::fit) fn starts(
    record: &Record,
    quantum: f64,
    lowest: i64,
) -> Vec<(Vec<usize>, usize)> {
    let place = |load: &f64| ((load / quantum).round() as i64 - lowest) as usize;
    let start = |stretch: std::ops::Range<usize>| {
        (record.row(stretch.start).iter().map(place).collect(), stretch.len() - 1)
    };
    record.stretches().into_iter().map(start).collect()
}

impl Moves {
    /// Counts the moves of a record between levels `quantum` apart, excluding remaps.
    pub fn of(record: &Record, quantum: f64) -> Moves {
        let (lowest, levels) = extent(record, quantum);
        let counting = Counting::all(record, quantum, lowest, levels, false);
        let stretches = starts(record, quantum, lowest);
        Moves { stretches, ..Moves::counted(&counting, None) }
    }

    /// From counts; `tested` are the moves used for the tests.
    pub(in crate::fit) fn counted(counting: &Counting, tested: Option<Box<Moves>>) -> Moves {
        Moves {
            quantum: counting.quantum,
            lowest: counting.lowest,
            counts: counting.sides.clone(),
            jumps: counting.jumps,
            stretches: Vec::new(),
            tested,
        }
    }

    /// Total number of moves.
    pub fn total(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// The probabilities of going down and up from each level. They are smoothed toward the average
    /// of all levels, with the weight of one visit.
    pub fn birth_death(&self) -> (Vec<f64>, Vec<f64>) {
        let sum = |side: usize| self.counts.iter().map(|count| count[side]).sum::<u64>() as f64;
        let all = self.total().max(1) as f64;
        let average = [sum(0) / all, sum(1) / all, sum(2) / all];
        let last = self.counts.len() - 1;
        let share = |level: usize, side: usize| {
            let visits = self.counts[level].iter().sum::<u64>() as f64;
            (self.counts[level][side] as f64 + average[side]) / (visits + 1.0)
        };
        let down = (0..=last).map(|l| if l == 0 { 0.0 } else { share(l, 0) }).collect();
        let up = (0..=last).map(|l| if l == last { 0.0 } else { share(l, 2) }).collect();
        (down, up)
    }

    /// The inner levels.
    fn inner(&self) -> &[[u64; 3]] {
        &self.counts[1.min(self.counts.len())..self.counts.len().saturating_sub(1).max(1)]
    }

    /// The walk closest to the counts.
    pub fn walk(&self) -> Walk {
        let inner = self.inner();
        let side = |side: usize| inner.iter().map(|count| count[side]).sum::<u64>();
        let (downs, stays, ups) = (side(0), side(1), side(2));
        let visits = downs + stays + ups;
        let (up, down) = (probability(ups, visits), probability(downs, visits));
        Walk {
            up,
            down,
            edge: self.edge(up.value, down.value),
            same_at_every_level: self.tested.as_deref().unwrap_or(self).sameness(),
        }
    }

    /// The kind of edges with the larger likelihood. At the lower edge Hold goes up with
    /// probability `up`, Reflect with `up + down`; likewise at the upper edge.
    fn edge(&self, up: f64, down: f64) -> Edge {
        let (Some(low), Some(high)) = (self.counts.first(), self.counts.last()) else {
            return Edge::Hold;
        };
        let inward = (low[2] + high[0]) as f64;
        let rest = (low[1] + high[1]) as f64;
        let both = (up + down).clamp(1e-12, 1.0 - 1e-12);
        let average = ((up + down) / 2.0).clamp(1e-12, 1.0 - 1e-12);
        let hold = inward * average.ln() + rest * (1.0 - average).ln();
        let reflect = inward * both.ln() + rest * (1.0 - both).ln();
        if reflect > hold { Edge::Reflect } else { Edge::Hold }
    }

    /// p-value of the test that all inner levels have the same probabilities: likelihood ratio,
    /// with a parametric bootstrap from the common probabilities and those of the edges.
    fn sameness(&self) -> f64 {
        let inner = self.inner();
        let last = self.counts.len() - 1;
        let ratio = |counts: &[[u64; 3]]| {
            resample::likelihood_ratio(counts.iter().map(|count| count.as_slice()))
        };
        let mut common = [0; 3];
        for count in inner {
            common.iter_mut().zip(count).for_each(|(sum, count)| *sum += count);
        }
        let shares = |count: [u64; 3]| {
            let visits = count.iter().sum::<u64>().max(1) as f64;
            [count[0] as f64 / visits, (count[0] + count[2]) as f64 / visits]
        };
        let ends = [shares(self.counts[0]), shares(common), shares(self.counts[last])];
        resample::probability(ratio(inner), self.total(), |random| {
            let mut counts = vec![[0; 3]; last + 1];
            for (starts, steps) in &self.stretches {
                for start in starts {
                    let mut level = *start;
                    for _ in 0..*steps {
                        let kind = if level == 0 { 0 } else { 1 + usize::from(level == last) };
                        let [down, moves] = ends[kind];
                        let draw: f64 = random.random();
                        let side = if draw < down { 0 } else { 1 + usize::from(draw < moves) };
                        counts[level][side] += 1;
                        level = (level + side).saturating_sub(1).min(last);
                    }
                }
            }
            ratio(&counts[1.min(last + 1)..last.max(1)])
        })
    }
}
