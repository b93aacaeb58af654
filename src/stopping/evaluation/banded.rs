//! Banded LU factorization of `I - P` on the states that continue. Each of them must lead only to
//! states close to it in their order, as for two processes that move by one level each.
//!
//! The matrix is diagonally dominant as far as the chain ends, so no pivoting is needed. With n
//! states and band b: O(n b^2) time for the factors, O(n b) for each right-hand side, O(n b)
//! memory.

use crate::stopping::operator::substochastic::Killed;
use crate::stopping::operator::vector;

/// Most multiplications of a factorization.
const MOST_WORK: usize = 2_000_000_000;

/// Initial band: number of entries on either side of the diagonal.
pub(in crate::stopping) const LEAST_BAND: usize = 16;

/// The factors, row by row, with `band` entries on either side of the diagonal.
pub(in crate::stopping) struct Banded {
    pub band: usize,
    rows: Vec<f64>,
}

impl Banded {
    /// The factors, if their cost and that of `right_sides` solutions is within the limit; and the
    /// number of applications of the chain. `band` is the first band tried.
    pub fn factors(
        chain: &mut Killed<'_>,
        right_sides: usize,
        mut band: usize,
    ) -> (Option<Banded>, u64) {
        let n = chain.count();
        let mut applications = 1;
        // Test vector without a pattern (multiples of the golden ratio, modulo 1).
        let test: Vec<f64> = (1..=n).map(|j| (j as f64 * 0.618_033_988_75).fract()).collect();
        let mut expected = vec![0.0; n];
        chain.apply(&test, &mut expected);
        while n * band.min(n) * (band.min(n) + right_sides) <= MOST_WORK {
            let mut found = Banded::within(chain, band);
            applications += n.min(2 * band + 1) as u64;
            let image = found.times(&test);
            if vector::maximum_of([&image, &expected], |[a, b]| (a - b).abs()) <= 1e-12 {
                return (found.factorise().then_some(found), applications);
            }
            band += band / 2;
        }
        (None, applications)
    }

    /// The entries within the band, assuming that no others differ from 0.
    fn within(chain: &mut Killed<'_>, band: usize) -> Banded {
        let (n, width) = (chain.count(), 2 * band + 1);
        let mut rows = vec![0.0; n * width];
        let (mut units, mut image) = (vec![0.0; n], vec![0.0; n]);
        for first in 0..width.min(n) {
            units.fill(0.0);
            units.iter_mut().skip(first).step_by(width).for_each(|unit| *unit = 1.0);
            chain.apply(&units, &mut image);
            for (i, x) in image.iter().enumerate() {
                // Exactly one of these columns lies within the band of the row.
                let place = (first + width - (i + width - band) % width) % width;
                let column = i + place;
                if (band..n + band).contains(&column) {
                    rows[i * width + place] = *x;
                }
            }
        }
        Banded { band, rows }
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let (n, band, width) = (x.len(), self.band, 2 * self.band + 1);
        let row = |i: usize| {
            let columns = i.saturating_sub(band)..n.min(i + band + 1);
            let row = &self.rows[i * width + columns.start + band - i..];
            row.iter().zip(&x[columns]).map(|(a, x)| a * x).sum()
        };
        (0..n).map(row).collect()
    }

    /// Factorizes in place; false if a pivot vanishes.
    fn factorise(&mut self) -> bool {
        let (band, width) = (self.band, 2 * self.band + 1);
        let n = self.rows.len() / width;
        for k in 0..n {
            let (above, below) = self.rows.split_at_mut((k + 1) * width);
            let pivots = &above[k * width + band..];
            if pivots[0].abs() < f64::MIN_POSITIVE {
                return false;
            }
            for (row, ahead) in below.chunks_exact_mut(width).zip(1..=band) {
                let factor = row[band - ahead] / pivots[0];
                if factor == 0.0 {
                    continue;
                }
                row[band - ahead] = factor;
                let rest = row[band - ahead + 1..].iter_mut().zip(&pivots[1..]);
                rest.for_each(|(x, pivot)| *x -= factor * pivot);
            }
        }
        true
    }

    /// Replaces right-hand sides, `count` numbers per state, by their solutions.
    pub fn solve(&self, sides: &mut [f64], count: usize) {
        let (band, width) = (self.band, 2 * self.band + 1);
        let n = sides.len() / count;
        for i in 0..n {
            let (before, after) = sides.split_at_mut(i * count);
            for k in i.saturating_sub(band)..i {
                let factor = self.rows[i * width + k + band - i];
                subtract(&mut after[..count], factor, &before[k * count..]);
            }
        }
        for i in (0..n).rev() {
            let (before, after) = sides.split_at_mut((i + 1) * count);
            let own = &mut before[i * count..];
            for k in i + 1..n.min(i + band + 1) {
                let factor = self.rows[i * width + k + band - i];
                subtract(own, factor, &after[(k - i - 1) * count..]);
            }
            own.iter_mut().for_each(|x| *x /= self.rows[i * width + band]);
        }
    }
}

/// `x -= factor y`.
fn subtract(x: &mut [f64], factor: f64, y: &[f64]) {
    if factor != 0.0 {
        x.iter_mut().zip(y).for_each(|(x, y)| *x -= factor * y);
    }
}
