//! The expected largest deviation of two, three or four processors, by distances of sums.
//!
//! Deviations `d_i = S_i - Q/N` sum to zero. For two, both have the same size. For three, the
//! largest size is that of the other two together: half the sum of all. For four, let `u = d_1 +
//! d_2`, `v = d_1 + d_3` and `w = d_1 + d_4`. The deviations are `(u + v + w)/2`, `(u - v - w)/2`,
//! `(v - u - w)/2` and `(w - u - v)/2`. The largest size is half of `|u| + |v| + |w|`. So
//!
//! ```text
//! N = 2:  E R = 1/2 E |S_1 - S_2|
//! N = 3:  E R = 1/6 sum_i E |2 S_i - (S_j + S_k)|
//! N = 4:  E R = 1/4 sum over the three pairs of pairs of E |(S_i + S_j) - (S_k + S_l)|
//! ```
//!
//! and each term is the expected distance of two independent numbers, a sum of positive terms.
//! There is no such formula for five processors: the convex hull of the directions that
//! define `R` is then no zonotope.

use crate::distribution::LatticeLaw;
use crate::distribution::lattice::{Compensated, sums};
use crate::observer::Observer;
use crate::periodic::Approximation;

/// Largest number of processors.
pub const MOST_PROCESSORS: usize = 4;

/// `E max_i |S_i - Q/N|` for the distributions of two, three or four positions. The error bounds
/// the rounding beyond that of the distributions to first order; the number counts the terms.
/// Meaningless after a halt.
pub fn max_deviation(laws: &[&LatticeLaw], observer: &dyn Observer) -> (Approximation, u64) {
    let mut sum = Sum { distance: 0.0, error: 0.0, terms: 0 };
    let halted = || observer.check().is_break();
    let plus = |x: &LatticeLaw, y: &LatticeLaw| x.plus_unless(y, halted);
    let share = match laws {
        [x, y] => {
            sum.add(1.0, x, y);
            0.5
        }
        [x, y, z] => {
            for (times, [one, a, b]) in different([[x, y, z], [y, x, z], [z, x, y]]) {
                sum.convolved(a, b);
                sum.add(times, &twice(one), &plus(a, b));
            }
            1.0 / 6.0
        }
        [x, y, z, w] => {
            for (times, [a, b, c, d]) in different([[x, y, z, w], [x, z, y, w], [x, w, y, z]]) {
                sum.convolved(a, b);
                sum.convolved(c, d);
                sum.add(times, &plus(a, b), &plus(c, d));
            }
            0.25
        }
        _ => unreachable!("two, three or four places"),
    };
    (Approximation { value: share * sum.distance, error: share * sum.error }, sum.terms)
}

/// Each list once, with its multiplicity; equal distributions are recognized by address.
fn different<const K: usize>(lists: [[&LatticeLaw; K]; 3]) -> Vec<(f64, [&LatticeLaw; K])> {
    let mut found: Vec<(f64, [&LatticeLaw; K])> = Vec::new();
    for list in lists {
        let same = |other: &[&LatticeLaw; K]| {
            list.iter().zip(other).all(|(law, other)| std::ptr::eq(*law, *other))
        };
        match found.iter_mut().find(|(_, other)| same(other)) {
            Some((times, _)) => *times += 1.0,
            None => found.push((1.0, list)),
        }
    }
    found
}

/// The distribution of twice the position.
fn twice(law: &LatticeLaw) -> LatticeLaw {
    let mut weights = vec![0.0; 2 * law.weights().len() - 1];
    for (to, p) in weights.iter_mut().step_by(2).zip(law.weights()) {
        *to = *p;
    }
    LatticeLaw::new(2 * law.first(), weights)
}

/// A sum of expected distances.
struct Sum {
    distance: f64,
    error: f64,
    terms: u64,
}

impl Sum {
    fn convolved(&mut self, x: &LatticeLaw, y: &LatticeLaw) {
        self.terms += (x.weights().len() * y.weights().len()) as u64;
    }

    /// Adds `times` the expected distance of two positions. It is the sum over all lattice points
    /// of the probability that exactly one position is beyond the point.
    fn add(&mut self, times: f64, x: &LatticeLaw, y: &LatticeLaw) {
        let (first, last) = (x.first().min(y.first()), x.last().max(y.last()));
        let below = [x, y].map(|law| sums(law.weights().iter()));
        let above = [x, y].map(|law| sums(law.weights().iter().rev()));
        let tails = |of: usize, place: i64| {
            let law = [x, y][of];
            let length = law.weights().len() as i64;
            let within = (place + 1 - law.first()).clamp(0, length);
            (below[of][within as usize], above[of][(length - within) as usize])
        };
        let apart = |place: i64| {
            let ((x_below, x_above), (y_below, y_above)) = (tails(0, place), tails(1, place));
            x_below * y_above + y_below * x_above
        };
        let terms = (first..last).map(apart);
        let distance = times * terms.fold(Compensated::default(), Compensated::plus).value();
        // Rounding of the tails, their products and sums, and of the distributions.
        let rounding = x.rounding() + y.rounding() + 12.0 * f64::EPSILON;
        self.distance += distance;
        self.error += rounding * distance;
        self.terms += (last - first) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn law() -> impl Strategy<Value = LatticeLaw> {
        (-6..6_i64, prop::collection::vec(0.0..1.0, 1..6)).prop_map(|(first, mut weights)| {
            weights[0] += 0.1;
            let sum: f64 = weights.iter().sum();
            LatticeLaw::new(first, weights.iter().map(|p| p / sum).collect())
        })
    }

    /// The same by enumeration.
    fn enumerated(laws: &[&LatticeLaw]) -> f64 {
        let mut all = vec![(1.0, Vec::new())];
        for law in laws {
            let each = |(p, places): &(f64, Vec<i64>)| {
                let longer = |(q, place): (&f64, i64)| {
                    let places = places.iter().copied().chain([place]).collect::<Vec<_>>();
                    (p * q, places)
                };
                law.weights().iter().zip(law.first()..).map(longer).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(each).collect();
        }
        let deviation = |(p, places): &(f64, Vec<i64>)| {
            let mean = places.iter().sum::<i64>() as f64 / places.len() as f64;
            p * places.iter().map(|place| (*place as f64 - mean).abs()).fold(0.0, f64::max)
        };
        all.iter().map(deviation).sum()
    }

    proptest! {
        #[test]
        fn distances_of_sums_give_the_largest_deviation(
            laws in prop::collection::vec(law(), 2..=4),
            places in prop::collection::vec(0..4_usize, 2..=4),
        ) {
            // Some of them share a distribution.
            let laws: Vec<&LatticeLaw> = places.iter().map(|k| &laws[k % laws.len()]).collect();
            let (found, _) = max_deviation(&laws, &());
            let expected = enumerated(&laws);
            prop_assert!((found.value - expected).abs() <= found.error + 1e-13, "{found:?} {expected}");
        }
    }
}
