//! Bounds of the expected largest deviation from order statistics, for any distributions.
//!
//! With `A = max S_i - Q/N` and `B = Q/N - min S_i`, both nonnegative, `R = max(A, B)`. So `E R` is
//! at least `E A` and `E B`, which are order statistics, and at most their sum. It is also at most
//! the root mean square deviation. For two processors `A = B`.

use crate::distribution::extremes::{Extremes, Marginal, extremes};
use crate::observer::Observer;
use crate::periodic::Approximation;

/// Bounds of `E max_i |S_i - Q/N|` for independent positions, `(count, law)` each. Meaningless
/// after a halt.
pub fn max_deviation(laws: &[(usize, Marginal)], observer: &dyn Observer) -> Approximation {
    bounded(laws, observer, |found| found.above + found.below + 2.0 * found.error)
}

/// The same with another upper bound for more than two processors, from the order statistics.
pub fn bounded(
    laws: &[(usize, Marginal)],
    observer: &dyn Observer,
    most: impl FnOnce(&Extremes) -> f64,
) -> Approximation {
    let count: usize = laws.iter().map(|(count, _)| count).sum();
    let found = extremes(laws, observer);
    let Extremes { above, below, error } = found;
    if count == 2 {
        return Approximation { value: above, error };
    }
    let lower = above.max(below) - error;
    let upper = most(&found).min(root_mean_square(laws, count)).max(lower);
    Approximation::between(lower, upper)
}

/// `v = sqrt(E sum (S_i - Q/N)^2)`, an upper bound of `E R`.
fn root_mean_square(laws: &[(usize, Marginal)], count: usize) -> f64 {
    let n = count as f64;
    let sum = |f: &dyn Fn(&Marginal) -> f64| -> f64 {
        laws.iter().map(|(count, law)| *count as f64 * f(law)).sum()
    };
    let mean = sum(&Marginal::mean) / n;
    let square =
        sum(&|law| (1.0 - 1.0 / n) * law.deviation().powi(2) + (law.mean() - mean).powi(2));
    square.sqrt() * (1.0 + 1e-12)
}
