//! Sums and maxima over long vectors, the same for any number of threads.

use rayon::prelude::*;

/// Entries a thread takes at a time; fixed, so that the order of additions is.
const CHUNK: usize = 1 << 12;

/// Relative error of [`sum`], in units of `f64::EPSILON`: 64 additions in a row, then a tree over
/// fewer than 2^58 of such sums.
pub(super) const SUM_ROUNDING: f64 = 64.0;

fn pairwise(n: usize, term: &impl Fn(usize) -> f64, start: usize) -> f64 {
    if n <= 64 {
        (start..start + n).map(term).sum()
    } else {
        let half = n / 2;
        pairwise(half, term, start) + pairwise(n - half, term, start + half)
    }
}

/// The sum of `term(0..n)`.
pub(super) fn sum(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    if n <= CHUNK {
        return pairwise(n, &term, 0);
    }
    let chunks = (0..n.div_ceil(CHUNK)).into_par_iter().map(|chunk| {
        let start = chunk * CHUNK;
        pairwise(CHUNK.min(n - start), &term, start)
    });
    let chunks: Vec<f64> = chunks.collect();
    pairwise(chunks.len(), &|i| chunks[i], 0)
}

/// The componentwise maximum of `term(0..n)`, with 0.
pub(super) fn maxima<const K: usize>(
    n: usize,
    term: impl Fn(usize) -> [f64; K] + Sync,
) -> [f64; K] {
    let larger = |a: [f64; K], b: [f64; K]| std::array::from_fn(|k| a[k].max(b[k]));
    if n <= CHUNK {
        return (0..n).map(term).fold([0.0; K], larger);
    }
    let indices = (0..n).into_par_iter().with_min_len(CHUNK);
    indices.map(&term).reduce(|| [0.0; K], larger)
}

/// `target[i] = term(i, target[i])`.
pub(super) fn update(target: &mut [f64], term: impl Fn(usize, f64) -> f64 + Sync) {
    if target.len() <= CHUNK {
        target.iter_mut().enumerate().for_each(|(i, x)| *x = term(i, *x));
    } else {
        let indexed = target.par_iter_mut().with_min_len(CHUNK).enumerate();
        indexed.for_each(|(i, x)| *x = term(i, *x));
    }
}
