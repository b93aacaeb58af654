//! Expected largest deviation of loads most of which have vanished (level 0).
//!
//! Where level 0 is almost certain, terms that are negligible elsewhere are as large as the result.
//! With `A = max S_i - Q/N` and `B = Q/N - min S_i`, `R = max(A, B)`. `B > A` requires `2 Q/N > max
//! S_i + min S_i`, that is more than half of the processors above level 0. So
//!
//! ```text
//! E A <= E R <= E A + 2 top P(more than N/2 are above level 0),
//! ```
//!
//! where `E A` is an order statistic.

use crate::distribution::LatticeLaw;
use crate::distribution::extremes::{Extremes, Marginal, extremes};
use crate::periodic::Approximation;

/// Mean levels below this count as loads most of which have vanished.
pub const RARE: f64 = 1e-3;

/// Expected maximum and minimum of `count` independent places with one distribution on levels from
/// 0 on.
pub fn order_statistics(count: usize, law: &[f64]) -> Extremes {
    let law = LatticeLaw::new(0, law.to_vec());
    extremes(&[(count, Marginal::lattice(0.0, 1.0, law))], &())
}

/// Bounds of `E max_i |S_i - Q/N|` for `count` independent places with one distribution on levels
/// from 0 on.
pub fn max_deviation(count: usize, law: &[f64]) -> Approximation {
    let top = (law.len() - 1) as f64;
    let above_zero: f64 = law[1..].iter().sum();
    let found = order_statistics(count, law);
    // Over all choices of that many processors, of which there are fewer than of all subsets.
    let chosen = (count / 2 + 1) as f64;
    let many = (count as f64 * std::f64::consts::LN_2 + chosen * above_zero.ln()).exp();
    let beyond = top * many;
    Approximation { value: found.above + beyond, error: found.error + beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of five is above 0 with probability p, on one of two levels: by enumeration.
    #[test]
    fn few_loads_that_are_left_deviate_by_themselves() {
        for p in [1e-4_f64, 1e-9, 1e-100] {
            let law = [1.0 - p, 0.75 * p, 0.25 * p];
            // One: 4/5 of its level. Two, of levels a >= b: a - (a + b)/5. Three are out of
            // doubles.
            let one = 5.0 * (1.0 - p).powi(4) * (0.8 * 0.75 + 1.6 * 0.25);
            let pair = 0.5625 * 0.6 + 0.375 * 1.4 + 0.0625 * 1.2;
            let exact = p * (one + 10.0 * p * (1.0 - p).powi(3) * pair);
            let found = max_deviation(5, &law);
            let missing = 100.0 * p * p * p + 1e-14 * exact;
            assert!((found.value - exact).abs() <= found.error + missing, "{p}: {found:?} {exact}");
            assert!(found.error < (1e-13 + 200.0 * p * p) * exact, "{p}: {found:?}");
        }
    }
}
