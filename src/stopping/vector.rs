//! Sums and maxima over long vectors, the same for any number of threads.

use rayon::prelude::*;

/// Entries a thread takes at a time; fixed, so that the order of additions is.
const CHUNK: usize = 1 << 12;

/// Shorter vectors are not worth a second thread.
const PARALLEL: usize = 1 << 15;

/// Numbers added side by side.
const LANES: usize = 8;

/// Relative error of [`sum`], in units of `f64::EPSILON`: fewer than 16 additions in a row, then a
/// tree over fewer than 2^58 of such sums.
pub(super) const SUM_ROUNDING: f64 = 64.0;

fn pairwise(n: usize, term: &impl Fn(usize) -> f64, start: usize) -> f64 {
    if n <= 8 * LANES {
        let mut lanes = [0.0; LANES];
        let whole = n / LANES;
        for row in 0..whole {
            let first = start + LANES * row;
            for (k, lane) in lanes.iter_mut().enumerate() {
                *lane += term(first + k);
            }
        }
        let rest: f64 = (start + LANES * whole..start + n).map(term).sum();
        lanes.iter().sum::<f64>() + rest
    } else {
        let half = n / 2 / LANES * LANES;
        pairwise(half, term, start) + pairwise(n - half, term, start + half)
    }
}

/// The sum of `term(0..n)`.
pub(super) fn sum(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let chunk = |chunk: usize| {
        let start = chunk * CHUNK;
        pairwise(CHUNK.min(n - start), &term, start)
    };
    let count = n.div_ceil(CHUNK);
    let chunks: Vec<f64> = if n < PARALLEL {
        (0..count).map(chunk).collect()
    } else {
        (0..count).into_par_iter().map(chunk).collect()
    };
    pairwise(chunks.len(), &|i| chunks[i], 0)
}

/// The componentwise maximum of `term(0..n)`, with 0.
pub(super) fn maxima<const K: usize>(
    n: usize,
    term: impl Fn(usize) -> [f64; K] + Sync,
) -> [f64; K] {
    let larger = |a: [f64; K], b: [f64; K]| {
        let larger = |k: usize| if b[k] > a[k] { b[k] } else { a[k] };
        std::array::from_fn(larger)
    };
    let lanes = |start: usize, end: usize| {
        let mut lanes = [[0.0; K]; LANES];
        let whole = (end - start) / LANES * LANES;
        for row in (start..start + whole).step_by(LANES) {
            for (k, lane) in lanes.iter_mut().enumerate() {
                *lane = larger(*lane, term(row + k));
            }
        }
        let rest = (start + whole..end).map(&term);
        lanes.into_iter().chain(rest).fold([0.0; K], larger)
    };
    if n < PARALLEL {
        return lanes(0, n);
    }
    let chunks = (0..n.div_ceil(CHUNK)).into_par_iter();
    let chunks = chunks.map(|chunk| lanes(chunk * CHUNK, n.min((chunk + 1) * CHUNK)));
    chunks.reduce(|| [0.0; K], larger)
}

/// `target[i] = term(i, target[i])`.
pub(super) fn update(target: &mut [f64], term: impl Fn(usize, f64) -> f64 + Sync) {
    if target.len() < PARALLEL {
        target.iter_mut().enumerate().for_each(|(i, x)| *x = term(i, *x));
    } else {
        let indexed = target.par_iter_mut().with_min_len(CHUNK).enumerate();
        indexed.for_each(|(i, x)| *x = term(i, *x));
    }
}
