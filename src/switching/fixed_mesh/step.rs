//! One step back of four functions on a mesh, in one pass over memory.
//!
//! The functions are those around the difference, cut, and around the value, the lower ones with the other sign: so
//! all four are upper functions. A step is the mean of the ends of the cells that the reports lead into; where a slope
//! falls the image lies above its chord, by no more than what both ends of its cell are raised by. What cuts at a place
//! within a cell bends the function there, downward for one side: the kink is moved to the nearer node, outward.

use super::functions::{Four, Functions, each};
use super::mesh::{Mesh, Way};
use crate::rounding::{SLACK, outward};
use crate::switching::operator::Line;
use crate::switching::polyline::Polyline;
use crate::switching::recursion::{Chances, Recursion, enclosed};
use crate::threshold::Bounds;
use rayon::prelude::*;

/// Nodes of a block: what belongs to it fits a cache.
const BLOCK: usize = 512;

/// Nodes that are computed beside it.
const BESIDE: usize = 3;

#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn less(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// A cell in which some function passes a level, with the values at its ends, not cut.
#[derive(Clone, Copy)]
struct Passing {
    cell: usize,
    ends: [Four; 2],
}

/// What a block of nodes shows.
#[derive(Default)]
struct Seen {
    passing: Vec<Passing>,
    first: Four,
    last: Four,
    size: Four,
    steep: Four,
}

/// What all nodes of a step share.
pub(super) struct Operator<'a> {
    pub(super) mesh: &'a Mesh,
    recursion: &'a Recursion,
    survival: f64,
    start: Four,
    tilt: Four,
    margin: Four,
}

impl<'a> Operator<'a> {
    /// The step back from `functions`, `running` being the mean time of a cycle under the first mapping.
    pub(super) fn new(
        mesh: &'a Mesh,
        recursion: &'a Recursion,
        running: Line,
        chances: Chances,
        functions: &Functions,
    ) -> Operator<'a> {
        let survival = chances.survival;
        let [low, high] = recursion.difference;
        let [first, second] = running;
        // What the functions around the value are at 0 now goes over to what is taken out of them.
        let [above, below] = [2, 3].map(|lane| survival * functions.now[0][lane]);
        let start = [low, -low, first - above, -first - below];
        let tilt = [high - low, low - high, second - first, first - second];
        let times = 1.0 + mesh.ways.len() as f64 / 8.0;
        let blur = functions.blur();
        let lines = [
            recursion.difference,
            recursion.difference,
            [first.abs() + second.abs(), above],
            [first.abs() + second.abs(), below],
        ];
        let margin = [0, 1, 2, 3].map(|lane: usize| {
            // Those around the value also lose what lies beyond a switch.
            let beside = if lane < 2 { 0.0 } else { blur[0] + blur[1] };
            let line = 4.0 * SLACK * (lines[lane][0].abs() + lines[lane][1].abs());
            let line_beside = 4.0 * SLACK * (low.abs() + high.abs());
            times * (blur[lane] + beside) + line + line_beside + f64::MIN_POSITIVE
        });
        Operator { mesh, recursion, survival, start, tilt, margin }
    }

    /// Takes the step. O(nodes x reports); the same numbers on any number of threads.
    pub(super) fn step(&self, functions: &mut Functions, chances: Chances) -> Shown {
        let Functions { now, later, .. } = functions;
        let next = &*now;
        let blocks = later.par_chunks_mut(BLOCK).enumerate();
        let seen: Vec<Seen> = blocks.map(|(k, block)| self.block(next, block, k * BLOCK)).collect();
        for passing in seen.iter().flat_map(|seen| &seen.passing) {
            self.bend(later, passing);
        }
        let ends = [seen[0].first, seen[seen.len() - 1].last];
        let shifts = [2, 3].map(|lane| self.survival * now[0][lane]);
        std::mem::swap(now, later);
        functions.older = functions.offset;
        for (offset, shift) in functions.offset.iter_mut().zip(shifts) {
            let lost = chances.failure * offset.value();
            *offset = offset.plus(outward::<true>(-lost, lost)).plus(shift);
        }
        functions.size = seen.iter().fold([0.0; 4], |most, seen| each(most, seen.size, greater));
        functions.steep = seen.iter().fold([0.0; 4], |most, seen| each(most, seen.steep, greater));
        Shown { passing: seen.into_iter().flat_map(|seen| seen.passing).collect(), ends }
    }

    /// The difference at `node` before it is cut, from above and from below, where a step is taken from `next`.
    pub(super) fn difference(&self, next: &[Four], node: usize) -> [f64; 2] {
        let seen = self.block(next, &mut [[0.0; 4]], node);
        [seen.last[0], -seen.last[1]]
    }

    /// The nodes from `first` on.
    fn block(&self, next: &[Four], block: &mut [Four], first: usize) -> Seen {
        let mesh = self.mesh;
        let (from, end) = (first.saturating_sub(1), first + block.len());
        let cells = [from.saturating_sub(1), end.min(mesh.cells())];
        let mut rise = [[0.0; 4]; BLOCK + BESIDE];
        let mut mean = [[0.0; 4]; BLOCK + BESIDE];
        for way in &mesh.ways {
            self.rise(way, next, cells, &mut rise);
            let places = way.cell[from..end].iter().zip(&way.weights[from..end]);
            for (mean, (cell, [start, stop])) in mean.iter_mut().zip(places) {
                let ends = &next[*cell as usize..*cell as usize + 2];
                let value = each(ends[0], ends[1], |a, b| a * start + b * stop);
                *mean = each(*mean, value, |a, b| a + b);
            }
        }
        let (low, high) = (self.recursion.low, self.recursion.high);
        let least = [low, -high, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let most = [high, -low, f64::INFINITY, f64::INFINITY];
        let mut seen = Seen::default();
        let (mut raw, mut cut) = ([0.0; 4], [0.0; 4]);
        for node in from..end {
            let (raw_before, cut_before) = (raw, cut);
            let here = mesh.at[node];
            let before = if node > 0 { rise[node - 1 - cells[0]] } else { [0.0; 4] };
            let raised =
                each(mean[node - from], each(before, rise[node - cells[0]], greater), |a, b| a + b);
            let line = each(self.start, self.tilt, |start, tilt| start + tilt * here);
            raw = each(each(raised, line, |a, b| a * self.survival + b), self.margin, |a, b| a + b);
            let gains = [greater(raw[0] - high, 0.0), greater(-raw[1] - high, 0.0)];
            let value = [raw[0], raw[1], raw[2] - gains[1], raw[3] + gains[0]];
            cut = each(each(value, least, greater), most, less);
            if node > from && sides(&raw, low, high) != sides(&raw_before, low, high) {
                seen.passing.push(Passing { cell: node - 1, ends: [raw_before, raw] });
            }
            if node == 0 {
                seen.first = raw;
            } else if node > from {
                let slope = each(cut, cut_before, |b, a| ((b - a) * mesh.reach[node]).abs());
                seen.steep = each(seen.steep, slope, greater);
            }
            if node >= first {
                block[node - first] = cut;
                seen.size = each(seen.size, cut, |most, own| greater(most, own.abs()));
            }
        }
        seen.last = raw;
        seen
    }

    /// Adds what the image of a report lies above its chord, by cell.
    #[inline(always)]
    fn rise(&self, way: &Way, next: &[Four], cells: [usize; 2], rise: &mut [Four]) {
        let [first, last] = cells.map(|node| way.cell[node] as usize);
        let inverse = &self.mesh.inverse[first..=last];
        let values = &next[first..=last + 1];
        let slope = |k: usize| each(values[k + 1], values[k], |b, a| (b - a) * inverse[k]);
        let mut before = slope(0);
        let bends = way.home[first + 1..=last].iter().zip(&way.bend[first + 1..=last]);
        for (k, (home, bend)) in bends.enumerate() {
            let after = slope(k + 1);
            let fall = each(before, after, |a, b| greater(a - b, 0.0) * f64::from(*bend));
            let rise = &mut rise[*home as usize - cells[0]];
            *rise = each(*rise, fall, |a, b| a + b);
            before = after;
        }
    }

    /// Raises functions at one end of a cell in which they are cut.
    fn bend(&self, later: &mut [Four], passing: &Passing) {
        let Passing { cell, ends } = *passing;
        let (low, high) = (self.recursion.low, self.recursion.high);
        let mut raise = |node: usize, lane: usize, value: f64| {
            later[cell + node][lane] = later[cell + node][lane].max(value);
        };
        for (lane, level) in [(0, high), (1, -low)] {
            let [start, stop] = ends.map(|end| end[lane]);
            if (start > level) != (stop > level) {
                let (over, under) = if start > level { (0, 1) } else { (1, 0) };
                let [above, below] = [ends[over][lane], ends[under][lane]];
                // Either as high as the level before it is reached, or straight on beyond it.
                if level - below < above - level {
                    raise(under, lane, level);
                } else {
                    raise(over, lane, above);
                }
            }
        }
        // What lies beyond a switch is lost from where the lower function begins to exceed it.
        let gains = ends.map(|end| -end[1] - high);
        if (gains[0] > 0.0) != (gains[1] > 0.0) {
            let (over, under) = if gains[0] > 0.0 { (0, 1) } else { (1, 0) };
            if gains[over] < -gains[under] {
                raise(over, 2, ends[over][2]);
            } else {
                raise(under, 2, ends[under][2] - gains[under]);
            }
        }
    }
}

/// On which side of every level the functions around the difference are.
#[inline(always)]
fn sides(raw: &Four, low: f64, high: f64) -> [bool; 4] {
    [raw[0] > high, -raw[1] > high, raw[0] < low, -raw[1] < low]
}

/// What a step shows of the difference, which is between functions that are linear in every cell.
pub(super) struct Shown {
    passing: Vec<Passing>,
    ends: [Four; 2],
}

/// One of two functions around the difference.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Above,
    Below,
}

impl Side {
    /// Of both, from above and from below.
    pub(super) fn of(self, [above, below]: [f64; 2]) -> f64 {
        match self {
            Side::Above => above,
            Side::Below => below,
        }
    }

    /// Where it passes `level` within a cell with these values at its ends, rounded to the safe side.
    pub(super) fn place(self, mesh: &Mesh, cell: usize, ends: [f64; 2], level: f64) -> f64 {
        let piece = Polyline { at: mesh.at[cell..=cell + 1].to_vec(), value: ends.to_vec() };
        match self {
            Side::Above => piece.crossing::<false>(0, level),
            Side::Below => piece.crossing::<true>(0, level),
        }
    }

    fn value(self, four: &Four) -> f64 {
        self.of([four[0], -four[1]])
    }
}

impl Shown {
    /// The thresholds to the second mapping and back.
    pub(super) fn thresholds(&self, mesh: &Mesh, recursion: &Recursion) -> [Bounds; 2] {
        let first = |side| self.first_above(mesh, side, recursion.high);
        let last = |side| self.last_below(mesh, side, recursion.low);
        [
            enclosed(first(Side::Above), first(Side::Below)),
            enclosed(last(Side::Above), last(Side::Below)),
        ]
    }

    fn first_above(&self, mesh: &Mesh, side: Side, level: f64) -> f64 {
        let above = |four: &Four| side.value(four) > level;
        if above(&self.ends[0]) {
            return 0.0;
        }
        let passing = self.passing.iter().find(|passing| above(&passing.ends[1]));
        passing.map_or(1.0, |passing| {
            let ends = passing.ends.map(|end| side.value(&end));
            side.place(mesh, passing.cell, ends, level)
        })
    }

    fn last_below(&self, mesh: &Mesh, side: Side, level: f64) -> f64 {
        let below = |four: &Four| side.value(four) < level;
        if below(&self.ends[1]) {
            return 1.0;
        }
        let passing = self.passing.iter().rfind(|passing| below(&passing.ends[0]));
        passing.map_or(0.0, |passing| {
            let ends = passing.ends.map(|end| side.value(&end));
            side.place(mesh, passing.cell, ends, level)
        })
    }
}
