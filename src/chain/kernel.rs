//! Inner loops of birth–death factors (SIMD).

use super::{BirthDeath, Finish};
use crate::machine::widest;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Final operation on each entry of an image.
trait Last: Copy {
    /// The same for `n` states from `start` on.
    fn part(self, start: usize, n: usize) -> Self;

    fn of(self, state: usize, image: f64) -> f64;
}

#[derive(Clone, Copy)]
struct Keep;

impl Last for Keep {
    #[inline(always)]
    fn part(self, _: usize, _: usize) -> Self {
        self
    }

    #[inline(always)]
    fn of(self, _: usize, image: f64) -> f64 {
        image
    }
}

#[derive(Clone, Copy)]
struct Less<'a>(&'a [f64]);

impl Last for Less<'_> {
    #[inline(always)]
    fn part(self, start: usize, n: usize) -> Self {
        Less(&self.0[start..start + n])
    }

    #[inline(always)]
    fn of(self, state: usize, image: f64) -> f64 {
        image - self.0[state]
    }
}

#[derive(Clone, Copy)]
struct Least<'a> {
    costs: &'a [f64],
    bound: f64,
}

impl Last for Least<'_> {
    #[inline(always)]
    fn part(self, start: usize, n: usize) -> Self {
        Least { costs: &self.costs[start..start + n], bound: self.bound }
    }

    #[inline(always)]
    fn of(self, state: usize, image: f64) -> f64 {
        let cost = self.costs[state];
        let sum = cost + image;
        let least = if sum < self.bound { sum } else { self.bound };
        if cost == 0.0 { 0.0 } else { least }
    }
}

impl Finish<'_> {
    /// Finishes the image of the states from `start` on.
    pub(super) fn finish(self, start: usize, image: &mut [f64]) {
        let n = image.len();
        match self {
            Finish::Keep => {}
            Finish::Less(costs) => widest(Each { image, last: Less(costs).part(start, n) }),
            Finish::Least { costs, bound } => {
                widest(Each { image, last: Least { costs, bound }.part(start, n) });
            }
            Finish::Parts(finish) => finish(start, image),
        }
    }
}

struct Each<'a, L> {
    image: &'a mut [f64],
    last: L,
}

impl<L: Last> WithSimd for Each<'_, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let last = self.last.part(0, self.image.len());
        for (state, image) in self.image.iter_mut().enumerate() {
            *image = last.of(state, *image);
        }
    }
}

/// Shorter runs do not pay for a call.
const SHORT: usize = 64;

/// The probabilities of moving from a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub down: f64,
    pub stay: f64,
    pub up: f64,
}

impl Row {
    pub fn mean(self, below: f64, here: f64, above: f64) -> f64 {
        self.down * below + self.stay * here + self.up * above
    }

    /// `out = down * below + stay * here + up * above`, for the first entries.
    #[inline(always)]
    pub fn means(self, below: &[f64], here: &[f64], above: &[f64], out: &mut [f64]) {
        if out.len() < SHORT {
            means(self, below, here, above, out);
        } else {
            widest(Means { row: self, below, here, above, out });
        }
    }
}

/// [`Row::means`] for short runs, without a call. With vectors no longer than a register, few
/// entries remain for a scalar loop.
#[inline(always)]
pub(super) fn short_means<S: Simd>(
    simd: S,
    row: Row,
    below: &[f64],
    here: &[f64],
    above: &[f64],
    out: &mut [f64],
) {
    let n = out.len();
    let from = [&below[..n], &here[..n], &above[..n]];
    let [p, q, r] = [row.down, row.stay, row.up].map(|p| simd.splat_f64s(p));
    if n < S::F64_LANES {
        let [below, here, above] = from;
        for (((mean, &below), &here), &above) in out.iter_mut().zip(below).zip(here).zip(above) {
            *mean = row.mean(below, here, above);
        }
        return;
    }
    // The last vector may overlap the previous one.
    for start in [0, n - S::F64_LANES] {
        let [(below, _), (here, _), (above, _)] = from.map(|x| S::as_simd_f64s(&x[start..]));
        let (means, _) = S::as_mut_simd_f64s(&mut out[start..]);
        for (((mean, &below), &here), &above) in means.iter_mut().zip(below).zip(here).zip(above) {
            let lower = simd.add_f64s(simd.mul_f64s(p, below), simd.mul_f64s(q, here));
            *mean = simd.add_f64s(lower, simd.mul_f64s(r, above));
        }
    }
}

#[inline(always)]
fn means(row: Row, below: &[f64], here: &[f64], above: &[f64], out: &mut [f64]) {
    let n = out.len();
    let (below, here, above) = (&below[..n], &here[..n], &above[..n]);
    for (((out, &below), &here), &above) in out.iter_mut().zip(below).zip(here).zip(above) {
        *out = row.mean(below, here, above);
    }
}

struct Means<'a> {
    row: Row,
    below: &'a [f64],
    here: &'a [f64],
    above: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Means<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        means(self.row, self.below, self.here, self.above, self.out);
    }
}

/// The first rows of a birth–death chain, level by level.
#[derive(Clone, Copy)]
pub(super) struct Levels<'a> {
    pub down: &'a [f64],
    pub stay: &'a [f64],
    pub up: &'a [f64],
    /// The common row of all levels between the lowest and the highest, if there is one.
    pub between: Option<Row>,
}

impl Levels<'_> {
    #[inline(always)]
    pub fn row(self, level: usize) -> Row {
        Row { down: self.down[level], stay: self.stay[level], up: self.up[level] }
    }

    /// The rows from this one of the list on.
    pub fn from(self, first: usize) -> Self {
        let Self { down, stay, up, between } = self;
        Self { down: &down[first..], stay: &stay[first..], up: &up[first..], between }
    }

    /// Rows 0..`out.len()` of the operator, for a function given as `padded`: an arbitrary number,
    /// the values at these levels, and that at the level above (also arbitrary if there is no such
    /// level). All must be finite.
    #[inline(always)]
    pub fn padded_into<S: Simd>(self, simd: S, padded: &[f64], out: &mut [f64]) {
        let n = out.len();
        match self.between {
            None => self.padded_then(padded, out, Keep),
            Some(row) => {
                let [below, here, above] = [0, 1, 2].map(|k| &padded[k..n + k]);
                short_means(simd, row, below, here, above, out);
                self.edges(padded, out, Keep);
            }
        }
    }

    /// The lowest and the highest row.
    #[inline(always)]
    fn edges(self, padded: &[f64], out: &mut [f64], last: impl Last) {
        for edge in [0, out.len() - 1] {
            let [below, here, above] = [0, 1, 2].map(|k| padded[edge + k]);
            out[edge] = last.of(edge, self.row(edge).mean(below, here, above));
        }
    }

    #[inline(always)]
    fn padded_then(self, padded: &[f64], out: &mut [f64], last: impl Last) {
        inner(self, padded, out, last);
        if self.between.is_some() {
            self.edges(padded, out, last);
        }
    }

    /// The same where the lowest and the highest level are not among these rows.
    pub fn apply(self, padded: &[f64], out: &mut [f64]) {
        if out.len() < SHORT {
            inner(self, padded, out, Keep);
        } else {
            widest(Inner { levels: self, padded, out });
        }
    }
}

#[inline(always)]
fn inner(levels: Levels<'_>, padded: &[f64], out: &mut [f64], last: impl Last) {
    let n = out.len();
    let last = last.part(0, n);
    let (below, here, above) = (&padded[..n], &padded[1..n + 1], &padded[2..n + 2]);
    if let Some(row) = levels.between {
        for (i, out) in out.iter_mut().enumerate() {
            *out = last.of(i, row.mean(below[i], here[i], above[i]));
        }
        return;
    }
    let (down, stay, up) = (&levels.down[..n], &levels.stay[..n], &levels.up[..n]);
    for (i, out) in out.iter_mut().enumerate() {
        *out = last.of(i, down[i] * below[i] + stay[i] * here[i] + up[i] * above[i]);
    }
}

struct Inner<'a> {
    levels: Levels<'a>,
    padded: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Inner<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        inner(self.levels, self.padded, self.out, Keep);
    }
}

/// A function on rows, one for each level; the rows next to a range may be stored separately.
#[derive(Clone, Copy)]
pub(super) struct Rows<'v> {
    /// The levels stored in `here`.
    first: usize,
    end: usize,
    below: &'v [f64],
    here: &'v [f64],
    above: &'v [f64],
}

impl<'v> Rows<'v> {
    /// All rows in one slice.
    #[inline(always)]
    pub fn all(v: &'v [f64]) -> Self {
        Self { first: 0, end: usize::MAX, below: &[], here: v, above: &[] }
    }

    /// The rows of some levels, and the rows below and above them, if there are any.
    pub fn some(levels: Range<usize>, [below, here, above]: [&'v [f64]; 3]) -> Self {
        Self { first: levels.start, end: levels.end, below, here, above }
    }

    /// All rows, of a function stored in one slice.
    pub fn whole(self) -> &'v [f64] {
        self.here
    }

    /// The row of a level.
    #[inline(always)]
    pub fn at(self, level: usize, width: usize) -> &'v [f64] {
        if level < self.first {
            self.below
        } else if level >= self.end {
            self.above
        } else {
            &self.here[(level - self.first) * width..][..width]
        }
    }
}

/// Two factors, the second of which varies fastest, on some levels of the first and all of the
/// second.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub first: &'a BirthDeath,
    pub second: &'a BirthDeath,
    /// The first of these levels.
    pub level: usize,
    /// The function, by levels of the first.
    pub v: Rows<'a>,
}

impl Pair<'_> {
    /// Computes the image of the states from `start` on and finishes it. `padded` has room for a
    /// row of the second factor and one number on either side.
    pub fn apply(self, out: &mut [f64], padded: &mut [f64], start: usize, finish: Finish<'_>) {
        let (pair, n) = (self, out.len());
        match finish {
            Finish::Keep => widest(Finished { pair, out, padded, last: Keep }),
            Finish::Less(costs) => {
                widest(Finished { pair, out, padded, last: Less(costs).part(start, n) });
            }
            Finish::Least { costs, bound } => {
                let last = Least { costs, bound }.part(start, n);
                widest(Finished { pair, out, padded, last });
            }
            Finish::Parts(finish) => {
                widest(Finished { pair, out, padded, last: Keep });
                finish(start, out);
            }
        }
    }
}

struct Finished<'a, L> {
    pair: Pair<'a>,
    out: &'a mut [f64],
    padded: &'a mut [f64],
    last: L,
}

impl<L: Last> WithSimd for Finished<'_, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { pair, out, padded, last } = self;
        let width = pair.second.levels();
        let levels = pair.second.rows_by_level();
        let padded = &mut padded[..width + 2];
        (padded[0], padded[width + 1]) = (0.0, 0.0);
        for (k, out) in out.chunks_exact_mut(width).enumerate() {
            let (row, [below, here, above]) = pair.first.neighbours(pair.level + k);
            let at = |level: usize| pair.v.at(level, width);
            means(row, at(below), at(here), at(above), &mut padded[1..=width]);
            levels.padded_then(padded, out, last.part(k * width, width));
        }
    }
}
