//! How far the value function may lie above a lower function, cell by cell of the odds.
//!
//! Let L be a lower function, v <= L + e the value function a step later, and L' <= T L what a step makes of L, with T L - L'
//! at most `taken` where it retains. With P e(o) = s (1-h) sum P_r e(o_r), the mean over the reports before the change, v
//! then lies below L' + P e + taken one step earlier where L' retains. Where it remaps, both are lines through what retaining at o = 0 costs, so
//! that v lies below L' + P e(0), and what was taken there.
//!
//! e is the most of each cell, and P e is computed from the cells that a cell is taken to.

use super::problem::{Cycle, Report};
use super::stationary::Change;
use crate::concave::bracket::Losses;
use crate::rounding::SLACK;

/// Cells of odds, and where reports take them.
pub(super) struct Cells {
    /// Where cells begin, ascending from 0; the last is all beyond.
    pub(super) starts: Vec<f64>,
    /// The hazard and its complement that the ways belong to.
    chances: (f64, f64),
    ways: Vec<Way>,
}

/// Where a report takes the odds.
struct Way {
    /// Its chance before the change.
    chance: f64,
    /// For each cell but the last, the first and the last one that it meets.
    cells: Vec<[u32; 2]>,
    /// The same for odds of 0.
    zero: [u32; 2],
}

/// Something for each cell, at odds of 0, and beyond the kink.
#[derive(Debug, Clone, Default)]
pub(super) struct Amounts {
    pub(super) cells: Vec<f64>,
    pub(super) zero: f64,
    pub(super) beyond: f64,
}

/// What a step takes in each cell.
pub(crate) struct Lost<'a> {
    starts: &'a [f64],
    pub(super) most: Vec<f64>,
    cell: usize,
    /// The most atoms of a span.
    pub(super) atoms: u32,
}

impl Losses for &mut Lost<'_> {
    #[inline]
    fn lost(&mut self, start: f64, end: f64, most: f64, atoms: u32) {
        while self.starts.get(self.cell + 1).is_some_and(|next| *next <= start) {
            self.cell += 1;
        }
        self.atoms = self.atoms.max(atoms);
        let mut cell = self.cell;
        loop {
            self.most[cell] = self.most[cell].max(most);
            cell += 1;
            if self.starts.get(cell).is_none_or(|next| *next >= end) {
                break;
            }
        }
    }
}

/// Rounds of following what is taken for good, and what may be left of it.
const MOST_ROUNDS: usize = 4000;
const CLOSE: f64 = 1e-3;

impl Cells {
    /// So many cells up to `end`, those of the least odds about as small as the belief after one step from 0.
    pub(super) fn new(end: f64, count: usize, cycle: &Cycle, reports: &[Report]) -> Option<Cells> {
        let seen = reports.iter().filter(|report| report.before > 0.0 && report.after > 0.0);
        let least = seen.map(stretch).fold(1.0, f64::min) * 0.5 * cycle.hazard;
        if !(end.is_finite() && least > 0.0 && least < 0.5 * end && cycle.quiet > 0.0) {
            return None;
        }
        let factor = (end / least).ln() / (count - 1) as f64;
        let starts = (0..=count).map(|k| match k {
            0 => 0.0,
            k => least * (factor * (k - 1) as f64).exp(),
        });
        let mut starts: Vec<f64> = starts.collect();
        starts[count] = end;
        let ways = Vec::new();
        let mut cells = Cells { starts, chances: (0.0, 0.0), ways };
        cells.prepare(cycle, reports);
        Some(cells)
    }

    /// Finds where reports take the cells, if the hazard is another one.
    pub(super) fn prepare(&mut self, cycle: &Cycle, reports: &[Report]) {
        let chances = (cycle.hazard, cycle.quiet);
        if self.chances == chances && !self.ways.is_empty() {
            return;
        }
        self.chances = chances;
        let starts = &self.starts;
        let way = |report: &Report| {
            let stretch = stretch(report) / cycle.quiet;
            let after = |odds: f64, rounding: f64| stretch * (odds + cycle.hazard) * rounding;
            let (mut first, mut last) = (0, 0);
            let mut next = |from: f64, to: f64| {
                let (from, to) = (after(from, 1.0 - SLACK), after(to, 1.0 + SLACK));
                while starts.get(first + 1).is_some_and(|start| *start <= from) {
                    first += 1;
                }
                while starts.get(last + 1).is_some_and(|start| *start <= to) {
                    last += 1;
                }
                [first as u32, last as u32]
            };
            let zero = next(0.0, 0.0);
            let cells = starts.windows(2).map(|ends| next(ends[0], ends[1])).collect();
            Way { chance: report.before, cells, zero }
        };
        self.ways = reports.iter().filter(|report| report.before > 0.0).map(way).collect();
    }

    /// No losses yet.
    pub(super) fn nothing_lost(&self) -> Lost<'_> {
        Lost { starts: &self.starts, most: vec![0.0; self.starts.len()], cell: 0, atoms: 0 }
    }

    /// P e, rounded up, in all cells but the last, and at odds of 0; `e` may be negative.
    pub(super) fn ahead(&self, e: &[f64], cycle: &Cycle) -> (Vec<f64>, f64) {
        let kept = cycle.discount();
        let most = |[first, last]: [u32; 2]| {
            e[first as usize..=last as usize].iter().copied().fold(f64::NEG_INFINITY, f64::max)
        };
        let up = |sum: f64, size: f64| kept * sum + 2.0 * SLACK * size;
        let mut cells = vec![(0.0, 0.0); self.starts.len() - 1];
        let mut zero = (0.0, 0.0);
        for way in &self.ways {
            let add = |sum: &mut (f64, f64), to: [u32; 2]| {
                let more = way.chance * most(to);
                *sum = (sum.0 + more, sum.1 + more.abs());
            };
            cells.iter_mut().zip(&way.cells).for_each(|(sum, to)| add(sum, *to));
            add(&mut zero, way.zero);
        }
        let margin = 1.0 + self.ways.len() as f64 / 4.0;
        let all = cells.into_iter().map(|(sum, size)| up(sum, margin * size));
        (all.collect(), up(zero.0, margin * zero.1))
    }

    /// e one step earlier, where so much is taken in the cells before the kink of the lower function, at 0 and beyond; the kink lies
    /// between two odds.
    pub(super) fn back(
        &self,
        e: &[f64],
        taken: &Amounts,
        [first, last]: [f64; 2],
        cycle: &Cycle,
    ) -> Amounts {
        let (mut cells, zero) = self.ahead(e, cycle);
        let zero_taken = zero + taken.zero;
        let beyond = zero + taken.beyond;
        for ((e, taken), ends) in cells.iter_mut().zip(&taken.cells).zip(self.starts.windows(2)) {
            *e += taken;
            if ends[1] > first {
                *e = if ends[0] >= last { beyond } else { e.max(beyond) };
            }
        }
        cells.push(beyond);
        Amounts { cells, zero: zero_taken, beyond }
    }

    /// g and k such that what is at most g + b is at most g + k + s (1-h) b one step earlier, as [`Self::back`] has it; g is 0 at odds of
    /// 0. `None` if that takes too long.
    pub(super) fn followed(
        &self,
        taken: &Amounts,
        kink: [f64; 2],
        cycle: &Cycle,
    ) -> Option<(Vec<f64>, f64)> {
        let mut g = vec![0.0; self.starts.len()];
        for _ in 0..MOST_ROUNDS {
            let next = self.back(&g, taken, kink, cycle);
            let grown = next.cells.iter().zip(&g).map(|(next, g)| next - g);
            let rate = grown.fold(next.zero, f64::max);
            if rate - next.zero <= CLOSE * rate {
                let rate = rate + SLACK * (rate + most(&g));
                return Some((g, rate));
            }
            for (g, next_cell) in g.iter_mut().zip(&next.cells) {
                *g = next_cell - next.zero;
            }
        }
        None
    }

    /// The most that the shapes of two functions differ in each cell, either way or upwards only.
    pub(super) fn differences(&self, change: &Change, both_ways: bool) -> Vec<f64> {
        let mut most = vec![0.0f64; self.starts.len()];
        let (mut cell, mut before) = (0, 0.0f64);
        for &(at, value, off) in &change.knots {
            let off = off + change.tilt * at;
            let value = off + if both_ways { value.abs() } else { value };
            let larger = before.max(value);
            most[cell] = most[cell].max(larger);
            while self.starts.get(cell + 1).is_some_and(|start| *start <= at) {
                cell += 1;
                most[cell] = most[cell].max(larger);
            }
            before = value;
        }
        for most in &mut most[cell..] {
            *most = most.max(before);
        }
        most
    }

    /// Where the last begins, which is all beyond.
    pub(super) fn end(&self) -> f64 {
        self.starts[self.starts.len() - 1]
    }

    /// The most of `e` between two odds.
    pub(super) fn most_between(&self, e: &[f64], from: f64, to: f64) -> f64 {
        let first = self.starts.partition_point(|start| *start <= from).saturating_sub(1);
        let cells = e.iter().zip(&self.starts).skip(first).take_while(|(_, start)| **start <= to);
        cells.fold(0.0, |most, (e, _)| most.max(*e))
    }
}

pub(super) fn most(e: &[f64]) -> f64 {
    e.iter().copied().fold(0.0, f64::max)
}

/// By how much a report multiplies the odds.
fn stretch(report: &Report) -> f64 {
    if report.ratio > 0.0 { 1.0 / report.ratio } else { f64::MAX }
}
