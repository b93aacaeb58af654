//! One backward step of the four functions on a mesh, in one pass over memory.
//!
//! The functions are the clipped bounds on the difference and the bounds on the value; lower bounds
//! have the opposite sign, so all four are upper functions. A step takes the mean of interpolated
//! values at the updated beliefs. Where a slope falls, the image lies above its chord by a bounded
//! amount, and both ends of its cell are raised by that bound. A clip within a cell bends the
//! function downward for one side: the kink is moved to the nearer node, outward. O(nodes x
//! observations) time, vectorized over the four functions.

use super::functions::{Four, Functions, each};
use super::mesh::{Mesh, Way};
use crate::machine::widest;
use crate::phase_change::Bounds;
use crate::phase_switching::difference::operator::Line;
use crate::phase_switching::difference::recursion::{Chances, Recursion, enclosed};
use crate::phase_switching::polylines::polyline::Polyline;
use crate::rounding::{SLACK, outward};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Nodes of a block: its data fit a cache.
const BLOCK: usize = 512;

/// Additional nodes computed at the boundary of a block.
const BESIDE: usize = 3;

#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn less(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// A cell in which some function crosses a level, with the unclipped values at its ends.
#[derive(Clone, Copy)]
struct Passing {
    cell: usize,
    ends: [Four; 2],
}

/// Results of a block of nodes.
struct Seen {
    passing: Vec<Passing>,
    /// The unclipped functions at its first and its last node.
    ends: [Four; 2],
    size: Four,
    steep: Four,
}

impl Seen {
    /// The results of both blocks; `later` holds the nodes that follow.
    fn before(mut self, mut later: Seen) -> Seen {
        self.passing.append(&mut later.passing);
        Seen {
            passing: self.passing,
            ends: [self.ends[0], later.ends[1]],
            size: each(self.size, later.size, greater),
            steep: each(self.steep, later.steep, greater),
        }
    }
}

/// Constants shared by all nodes of a step.
pub(super) struct Operator<'a> {
    pub(super) mesh: &'a Mesh,
    recursion: &'a Recursion,
    survival: f64,
    start: Four,
    tilt: Four,
    margin: Four,
}

impl<'a> Operator<'a> {
    /// The step back from `functions`; `running` is the mean time of a cycle under the first
    /// mapping.
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
        // The values at 0 of the bounds on the value move to their constants.
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
            // The bounds on the value also depend on the gains, hence on the rounding of the
            // difference.
            let beside = if lane < 2 { 0.0 } else { blur[0] + blur[1] };
            let line = 4.0 * SLACK * (lines[lane][0].abs() + lines[lane][1].abs());
            let line_beside = 4.0 * SLACK * (low.abs() + high.abs());
            times * (blur[lane] + beside) + line + line_beside + f64::MIN_POSITIVE
        });
        Operator { mesh, recursion, survival, start, tilt, margin }
    }

    /// Takes the step. O(nodes x observations). The result does not depend on the number of
    /// threads.
    pub(super) fn step(&self, functions: &mut Functions, chances: Chances) -> Shown {
        self.recursion.filter.worked(self.mesh.at.len());
        let Functions { now, later, .. } = functions;
        let next = &*now;
        let blocks = later.par_chunks_mut(BLOCK).enumerate();
        let seen = blocks.map(|(k, block)| self.block(next, block, k * BLOCK));
        let Seen { passing, ends, size, steep } =
            seen.reduce_with(Seen::before).expect("a mesh has nodes");
        for passing in &passing {
            self.bend(later, passing);
        }
        let shifts = [2, 3].map(|lane| self.survival * now[0][lane]);
        std::mem::swap(now, later);
        functions.older = functions.offset;
        for (offset, shift) in functions.offset.iter_mut().zip(shifts) {
            let lost = chances.failure * offset.value();
            *offset = offset.plus(outward::<true>(-lost, lost)).plus(shift);
        }
        (functions.size, functions.steep) = (size, steep);
        Shown { passing, ends }
    }

    /// The unclipped difference at `node` from above and from below, for a step from `next`.
    pub(super) fn difference(&self, next: &[Four], node: usize) -> [f64; 2] {
        let seen = self.block(next, &mut [[0.0; 4]], node);
        [seen.ends[1][0], -seen.ends[1][1]]
    }

    /// Computes the nodes from `first` on.
    fn block(&self, next: &[Four], block: &mut [Four], first: usize) -> Seen {
        widest(Block { operator: self, next, block, first })
    }

    #[inline(always)]
    fn nodes(&self, next: &[Four], block: &mut [Four], first: usize) -> Seen {
        let mesh = self.mesh;
        let (from, end) = (first.saturating_sub(1), first + block.len());
        let cells = [from.saturating_sub(1), end.min(mesh.cells())];
        // Indexed by cell, starting with the cell before node `from`, if there is one.
        let mut rise = [[0.0; 4]; BLOCK + BESIDE];
        let mut mean = [[0.0; 4]; BLOCK + BESIDE];
        let own = &mut rise[1 + cells[0] - from..];
        for way in &mesh.ways {
            self.rise(way, next, cells, own);
            let places = way.cell[from..end].iter().zip(&way.weights[from..end]);
            for (mean, (cell, [start, stop])) in mean.iter_mut().zip(places) {
                let ends = &next[*cell as usize..*cell as usize + 2];
                let value = each(ends[0], ends[1], |a, b| a * start + b * stop);
                *mean = each(*mean, value, |a, b| a + b);
            }
        }
        let raw = &mut mean[..end - from];
        let [mut least, mut most] = [[f64::INFINITY; 4], [f64::NEG_INFINITY; 4]];
        for ((raw, rise), here) in raw.iter_mut().zip(rise.windows(2)).zip(&mesh.at[from..end]) {
            let raised = each(*raw, each(rise[0], rise[1], greater), |a, b| a + b);
            let line = each(self.start, self.tilt, |start, tilt| start + tilt * here);
            let value = each(raised, line, |a, b| a * self.survival + b);
            *raw = each(value, self.margin, |a, b| a + b);
            least = each(*raw, least, less);
            most = each(*raw, most, greater);
        }
        let mut passing = Vec::new();
        let (low, high) = (self.recursion.low, self.recursion.high);
        if sides(&least, low, high) != sides(&most, low, high) {
            for (k, ends) in raw.windows(2).enumerate() {
                if sides(&ends[0], low, high) != sides(&ends[1], low, high) {
                    passing.push(Passing { cell: from + k, ends: [ends[0], ends[1]] });
                }
            }
        }
        let ends = [raw[0], raw[raw.len() - 1]];
        let mut steep = [0.0; 4];
        let mut before = self.cut(&raw[0]);
        if first == from {
            block[0] = before;
        }
        let mut size = if first == from { before.map(f64::abs) } else { [0.0; 4] };
        let rest = raw[1..].iter().zip(&mut block[1 + from - first..]);
        for ((raw, found), reach) in rest.zip(&mesh.reach[from + 1..end]) {
            let cut = self.cut(raw);
            let slope = each(cut, before, |b, a| ((b - a) * reach).abs());
            steep = each(slope, steep, greater);
            size = each(cut, size, |own, most| greater(own.abs(), most));
            *found = cut;
            before = cut;
        }
        Seen { passing, ends, size, steep }
    }

    /// The functions at a node: the gains are subtracted from the value, then the difference is
    /// clipped.
    #[inline(always)]
    fn cut(&self, raw: &Four) -> Four {
        let (low, high) = (self.recursion.low, self.recursion.high);
        let least = [low, -high, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let most = [high, -low, f64::INFINITY, f64::INFINITY];
        let gains = [greater(raw[0] - high, 0.0), greater(-raw[1] - high, 0.0)];
        let value = [raw[0], raw[1], raw[2] - gains[1], raw[3] + gains[0]];
        each(each(value, least, greater), most, less)
    }

    /// Adds to each cell the bound on how far the image of an observation lies above its chord.
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

    /// Raises functions at one end of a cell in which they are clipped.
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
                // Either the function reaches the level at the node before, or it continues
                // straight beyond it.
                if level - below < above - level {
                    raise(under, lane, level);
                } else {
                    raise(over, lane, above);
                }
            }
        }
        // The gain is subtracted from where the lower function exceeds the level.
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

/// The computation of a block with vector instructions: a vector holds the four functions.
struct Block<'a> {
    operator: &'a Operator<'a>,
    next: &'a [Four],
    block: &'a mut [Four],
    first: usize,
}

impl WithSimd for Block<'_> {
    type Output = Seen;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Seen {
        let Block { operator, next, block, first } = self;
        operator.nodes(next, block, first)
    }
}

/// On which side of either level the bounds on the difference lie.
#[inline(always)]
fn sides(raw: &Four, low: f64, high: f64) -> [bool; 4] {
    [raw[0] > high, -raw[1] > high, raw[0] < low, -raw[1] < low]
}

/// Level crossings of the difference in a step, whose bounds are linear in every cell.
pub(super) struct Shown {
    passing: Vec<Passing>,
    ends: [Four; 2],
}

/// One of the two bounds on the difference.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Above,
    Below,
}

impl Side {
    /// Selects from a pair (above, below).
    pub(super) fn of(self, [above, below]: [f64; 2]) -> f64 {
        match self {
            Side::Above => above,
            Side::Below => below,
        }
    }

    /// The belief at which it crosses `level` within a cell with these end values, rounded to the
    /// safe side.
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
        let first = |side| self.place::<true>(mesh, side, recursion.high);
        let last = |side| self.place::<false>(mesh, side, recursion.low);
        [
            enclosed(first(Side::Above), first(Side::Below)),
            enclosed(last(Side::Above), last(Side::Below)),
        ]
    }

    /// The belief at which a bound first exceeds `level` (`FIRST`), or at which it is last below
    /// it.
    fn place<const FIRST: bool>(&self, mesh: &Mesh, side: Side, level: f64) -> f64 {
        let beyond = |four: &Four| {
            let value = side.value(four);
            if FIRST { value > level } else { value < level }
        };
        let [near, far] = if FIRST { [0, 1] } else { [1, 0] };
        let places = [0.0, 1.0];
        if beyond(&self.ends[near]) {
            return places[near];
        }
        let mut all = self.passing.iter();
        let reaches = |passing: &&Passing| beyond(&passing.ends[far]);
        let passing = if FIRST { all.find(reaches) } else { all.rfind(reaches) };
        passing.map_or(places[far], |passing| {
            let ends = passing.ends.map(|end| side.value(&end));
            side.place(mesh, passing.cell, ends, level)
        })
    }
}
