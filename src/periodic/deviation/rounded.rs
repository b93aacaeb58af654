//! Two-sided bounds of the expected largest deviation for any distributions, by discretization on a
//! lattice.
//!
//! Let `R = max_i |S_i - sum S/N|`, a convex function, and take the distributions of [`Cells`].
//! `M_i` is the mean of the cell of `S_i`. `Z_i`, on the lattice, is `M_i` moved to the ends of its
//! cell with its mean kept. Then
//!
//! ```text
//! E R(M) <= E R(S) <= E R(Z).
//! ```
//!
//! The upper bound is evaluated by [`exact`](super::exact). The lower one needs no second
//! distribution. As `R` is convex, `R(M) >= R(Z) + g(Z).(M - Z)` for a subgradient `g`. It is
//! `+-(e_j - 1/N)` where the deviation of `j` is the largest. Given `Z`, `M - Z` has expectation
//! `-pull`. For any number `a`, by `g(z).z = R(z)` and with the remainder `r_i = pull_i - a Z_i`,
//!
//! ```text
//! E R(M) >= (1 - a) E R(Z) - (1 - 1/N) E[max r - min r].
//! ```
//!
//! The pull is of the order of the squared span, times the logarithmic derivative of the density,
//! which is linear for normal distributions. With the best `a = E (Z - M)^2 / Var Z`, about
//! `(span/deviation)^2 / 4`, the remainder is small. Rounding to the nearest point would cost `span
//! (1 - 1/N)`, the first power. As `R` changes by at most `1 - 1/N` with every position, the
//! distances of the distributions from those of exact arithmetic add up.

use super::exact;
use crate::distribution::extremes::Marginal;
use crate::distribution::{Cells, Grid};
use crate::observer::Observer;
use crate::periodic::{Approximation, Places};

/// Allowed change by omitted centers, in spans.
const LEFT_OUT: f64 = 1e-6;

/// Bounds of `E max_i |S_i - sum S/N|` for independent positions, `(count, law)` each, on a grid.
/// The value is the mean of both bounds, the error half their difference. The number counts the
/// terms of the sum. `None` if the distributions take more than a million points. Meaningless after
/// a halt.
pub fn max_deviation(
    laws: &[(usize, Marginal)],
    grid: Grid,
    observer: &dyn Observer,
) -> Option<(Approximation, u64)> {
    let count: f64 = laws.iter().map(|(count, _)| *count as f64).sum();
    let mut classes = Vec::with_capacity(laws.len());
    for (count, law) in laws {
        classes.push((*count, Cells::new(law, *count, grid, observer)?));
        if observer.check().is_break() {
            return None;
        }
    }
    let places = classes.iter().map(|(count, Cells { law, .. })| Places {
        count: *count,
        law,
        steps: Some((law, 1)),
    });
    let places: Vec<_> = places.collect();
    let (found, terms) = exact::max_deviation(&places, LEFT_OUT, observer);
    let total = |f: &dyn Fn(&Cells) -> f64| -> f64 {
        classes.iter().map(|(count, cells)| *count as f64 * f(cells)).sum()
    };
    let square = total(&|cells| cells.law.variance() + cells.law.mean().powi(2));
    let part = if square > 0.0 { (total(&|cells| cells.spread) / square).min(1.0) } else { 0.0 };
    let rests = classes.iter().map(|(count, cells)| {
        let weights = cells.law.weights().iter().zip(&cells.pull);
        let rest = |((weight, pull), k): ((&f64, &f64), i64)| (pull - part * k as f64, *weight);
        (*count as f64, weights.zip(cells.law.first()..).map(rest).collect())
    });
    let side = 1.0 - 1.0 / count;
    let rest = side * expected_range(&rests.collect::<Vec<_>>());
    let distance = side * total(&|cells| cells.distance) + 1e-14 * (found.value + rest);
    let upper = found.value + found.error + distance;
    let lower = (1.0 - part) * (found.value - found.error) - rest - distance;
    let (lower, upper) = (grid.span * lower.max(0.0), grid.span * upper);
    Some((Approximation::between(lower, upper), terms))
}

/// `E[max - min]` of independent numbers, so many of each class, with values and their weights.
fn expected_range(classes: &[(f64, Vec<(f64, f64)>)]) -> f64 {
    let mut points: Vec<(f64, usize, f64)> = Vec::new();
    for (class, (_, law)) in classes.iter().enumerate() {
        points.extend(law.iter().filter(|point| point.1 > 0.0).map(|(v, p)| (*v, class, *p)));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Per class the probability of at most the current value, and of more.
    let mut tails = vec![(0.0_f64, 1.0_f64); classes.len()];
    let mut above: Vec<f64> = vec![0.0; points.len()];
    let mut sums = vec![0.0; classes.len()];
    for (sum, (_, class, p)) in above.iter_mut().zip(&points).rev() {
        *sum = sums[*class];
        sums[*class] += p;
    }
    let mut range = 0.0;
    for (j, &(value, class, p)) in points.iter().enumerate() {
        tails[class] = (tails[class].0 + p, above[j]);
        let Some((next, _, _)) = points.get(j + 1) else { break };
        if *next > value {
            let (mut all_below, mut all_above) = (0.0, 0.0);
            for ((count, _), (below, above)) in classes.iter().zip(&tails) {
                all_below += count * (-above.min(1.0)).ln_1p();
                all_above += count * (-below.min(1.0)).ln_1p();
            }
            let apart: f64 = 1.0 - all_below.exp() - all_above.exp();
            range += (next - value) * apart.clamp(0.0, 1.0);
        }
    }
    range * (1.0 + 1e-9)
}
