//! Sums and maxima over long vectors, bitwise equal for any number of threads.
//!
//! Chunks have a fixed size, and their sums are combined pairwise in a fixed order. O(n) time.

use crate::communicator::{Communicator, Shares};
use crate::machine::widest;
use crate::parallel;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Entries per chunk; fixed, so that the order of additions is.
const CHUNK: usize = 1 << 12;

/// Length from which a second thread pays.
pub(in crate::stopping) const PARALLEL: usize = 1 << 15;

/// Independent partial sums.
const LANES: usize = 8;

/// Terms of [`sum_of`] between two reductions.
const LEAF: usize = 16 * LANES;

/// Relative error bound of [`sum_of`] in units of `f64::EPSILON`, which is two roundings.
/// Consecutive additions: at most 16, 8, 1 and 32 in a chunk, 16 in a leaf of the tree, and a tree
/// over fewer than 2^46 chunks.
pub(in crate::stopping) const SUM_ROUNDING: f64 = 64.0;

fn pairwise(terms: &[f64]) -> f64 {
    if terms.len() <= 16 {
        return terms.iter().sum();
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    pairwise(left) + pairwise(right)
}

/// The result of `reduce` for each chunk of `0..n`, given its start.
fn by_chunk<T: Send + Sync>(n: usize, reduce: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let count = n.div_ceil(CHUNK);
    let chunk = |chunk: usize| reduce(chunk * CHUNK);
    if n < PARALLEL { (0..count).map(chunk).collect() } else { parallel::map(count, &chunk) }
}

/// The sum of `term` over the entries of vectors of equal length.
pub(in crate::stopping) fn sum_of<const K: usize>(
    from: [&[f64]; K],
    term: impl Fn([f64; K]) -> f64 + Sync + Copy,
) -> f64 {
    let n = from.first().map_or(0, |first| first.len());
    let chunk = |start: usize| {
        let from = from.map(|x| &x[start..n.min(start + CHUNK)]);
        widest(Sum { from, term })
    };
    if n <= CHUNK {
        return chunk(0);
    }
    pairwise(&by_chunk(n, chunk))
}

/// [`sum_of`] for terms distributed over ranks: bitwise equal to the sum on one rank.
pub(in crate::stopping) fn sum_shared(
    communicator: &dyn Communicator,
    shares: &Shares,
    terms: impl Fn(Range<usize>) -> Vec<f64> + Sync,
) -> f64 {
    let own = shares.own(communicator.rank());
    let mut parts = Vec::new();
    for part in parts_of(&own) {
        let terms = terms(part.start - own.start..part.end - own.start);
        match is_chunk(&part, shares.total()) {
            true => parts.push(sum_of([&terms], |[term]| term)),
            false => parts.extend(terms),
        }
    }
    let mut all = communicator.gather(&parts).into_iter();
    let (mut sums, mut open) = (Vec::new(), Vec::new());
    for rank in 0..shares.ranks() {
        for part in parts_of(&shares.own(rank)) {
            if is_chunk(&part, shares.total()) {
                sums.extend(all.next());
                continue;
            }
            open.extend(all.by_ref().take(part.len()));
            if part.end.is_multiple_of(CHUNK) || part.end == shares.total() {
                sums.push(sum_of([&open], |[term]| term));
                open.clear();
            }
        }
    }
    pairwise(&sums)
}

/// Splits a range of entries at chunk boundaries.
fn parts_of(own: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let (mut start, end) = (own.start, own.end);
    std::iter::from_fn(move || {
        let part = start..end.min((start / CHUNK + 1) * CHUNK);
        start = part.end;
        (!part.is_empty()).then_some(part)
    })
}

/// Whether a part is a whole chunk of `total` entries.
fn is_chunk(part: &Range<usize>, total: usize) -> bool {
    part.start.is_multiple_of(CHUNK) && (part.len() == CHUNK || part.end == total)
}

struct Sum<'a, const K: usize, F> {
    from: [&'a [f64]; K],
    term: F,
}

impl<const K: usize, F: Fn([f64; K]) -> f64> WithSimd for Sum<'_, K, F> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let n = self.from.first().map_or(0, |first| first.len());
        let leaf = |start: usize| {
            let end = n.min(start + LEAF);
            leaf(self.from.map(|x| &x[start..end]), &self.term)
        };
        (0..n).step_by(LEAF).map(leaf).sum()
    }
}

/// The sum of at most [`LEAF`] terms, in lanes.
#[inline(always)]
fn leaf<const K: usize>(from: [&[f64]; K], term: &impl Fn([f64; K]) -> f64) -> f64 {
    let split = from.map(|x| x.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for row in 0..split[0].0.len() {
        let rows = split.map(|(rows, _)| rows[row]);
        for (k, lane) in lanes.iter_mut().enumerate() {
            *lane += term(rows.map(|row| row[k]));
        }
    }
    let rest: f64 = (0..split[0].1.len()).map(|i| term(split.map(|(_, rest)| rest[i]))).sum();
    lanes.iter().sum::<f64>() + rest
}

/// The maximum of 0 and of `term` over the entries of vectors of equal length.
pub(in crate::stopping) fn maximum_of<const K: usize>(
    from: [&[f64]; K],
    term: impl Fn([f64; K]) -> f64 + Sync + Copy,
) -> f64 {
    let [maximum] = maxima_of(from, move |x| [term(x)]);
    maximum
}

/// The same for each component of `term`.
pub(in crate::stopping) fn maxima_of<const K: usize, const M: usize>(
    from: [&[f64]; K],
    term: impl Fn([f64; K]) -> [f64; M] + Sync + Copy,
) -> [f64; M] {
    let n = from.first().map_or(0, |first| first.len());
    let chunk = |start: usize| {
        let from = from.map(|x| &x[start..n.min(start + CHUNK)]);
        widest(Maxima { from, term })
    };
    if n <= CHUNK {
        return chunk(0);
    }
    by_chunk(n, chunk).into_iter().fold([0.0; M], all_larger)
}

#[inline(always)]
pub(in crate::stopping) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

#[inline(always)]
fn all_larger<const M: usize>(a: [f64; M], b: [f64; M]) -> [f64; M] {
    std::array::from_fn(|m| larger(a[m], b[m]))
}

struct Maxima<'a, const K: usize, F> {
    from: [&'a [f64]; K],
    term: F,
}

/// Entries with independent maxima: a loop long enough to be vectorized.
const BLOCK: usize = 64;

impl<const K: usize, const M: usize, F: Fn([f64; K]) -> [f64; M]> WithSimd for Maxima<'_, K, F> {
    type Output = [f64; M];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; M] {
        let Self { from, term } = self;
        let n = from[0].len();
        let mut maxima = [[0.0; BLOCK]; M];
        for start in (0..n).step_by(BLOCK) {
            let from = from.map(|x| &x[start..n.min(start + BLOCK)]);
            for k in 0..from[0].len() {
                let term = term(from.map(|x| x[k]));
                for (maximum, term) in maxima.iter_mut().zip(term) {
                    maximum[k] = larger(maximum[k], term);
                }
            }
        }
        maxima.map(|maxima| maxima.into_iter().fold(0.0, larger))
    }
}

/// `target[i] = term(i, target[i])`.
pub(in crate::stopping) fn update(target: &mut [f64], term: impl Fn(usize, f64) -> f64 + Sync) {
    if target.len() < PARALLEL {
        target.iter_mut().enumerate().for_each(|(i, x)| *x = term(i, *x));
    } else {
        parallel::pieces(target, CHUNK, &|chunk, target| {
            target.iter_mut().zip(chunk * CHUNK..).for_each(|(x, i)| *x = term(i, *x));
        });
    }
}

/// `target[i] = term(target[i], [from[0][i], from[1][i], ...])`, for vectors of equal length.
/// `term` should own its numbers: references might alias the target and prevent vectorization.
pub(in crate::stopping) fn update_from<const K: usize>(
    target: &mut [f64],
    from: [&[f64]; K],
    term: impl Fn(f64, [f64; K]) -> f64 + Sync + Copy,
) {
    let n = target.len();
    let part = |start: usize, target: &mut [f64]| {
        let from = from.map(|x| &x[start..n.min(start + target.len())]);
        widest(Update { target, from, term });
    };
    if n < PARALLEL {
        part(0, target);
    } else {
        parallel::pieces(target, CHUNK, &|chunk, target| part(chunk * CHUNK, target));
    }
}

struct Update<'a, const K: usize, F> {
    target: &'a mut [f64],
    from: [&'a [f64]; K],
    term: F,
}

impl<const K: usize, F: Fn(f64, [f64; K]) -> f64> WithSimd for Update<'_, K, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { target, from, term } = self;
        let from = from.map(|x| &x[..target.len()]);
        for (i, x) in target.iter_mut().enumerate() {
            *x = term(*x, from.map(|from| from[i]));
        }
    }
}
