//! Bounds of the expected largest deviation where most positions are small and few are large.
//!
//! Gamma distributions of small shape are of this kind, and no grid suits them: it would have to be
//! fine near 0 and reach far. But the largest deviation is then nearly always that of the largest
//! position. With `A = max S_i - Q/N`, `B = Q/N - min S_i` and `Q = sum S_i`,
//!
//! ```text
//! E R = E max(A, B) = E A + E (B - A)^+,      (B - A)^+ = (2 Q/N - max S - min S)^+,
//! ```
//!
//! where `E A` is an order statistic, known up to quadrature. For nonnegative positions the
//! remainder is at most the minimum of
//!
//! * `(2/N) E sum of the places below the k largest`, `k = floor(N/2)`, as `Q` is at most `k max S`
//!   and those;
//! * `E (2 Q/N - c)^+ + E (c - max S)^+` for any `c`, the first by Chernoff's bound.
//!
//! Neither is needed for two processors, where `A = B`. Nor for three with one distribution, where
//! `R = (1/2) sum |S_i - Q/3|`: then `E R = (1/2) E |2 S - T|` with `T` the sum of two.

use super::sides::bounded;
use crate::distribution::extremes::{Extremes, Marginal, extremes};
use crate::distribution::gamma::gamma_tails;
use crate::distribution::quadrature::integrate_unless;
use crate::observer::Observer;
use crate::periodic::Approximation;

/// Above this number of processors the number beyond a position is bounded instead of convolved.
const FEW: usize = 100;

/// The shape and the scale of a gamma distribution.
#[derive(Clone, Copy)]
struct Gamma {
    count: usize,
    shape: f64,
    scale: f64,
}

/// Bounds of `E max_i |S_i - Q/N|` for independent positions with gamma distributions, `(count,
/// distribution)` each. It applies to two of any, to three of one, and to more if one has a shape
/// below 1; `None` for others. Meaningless after a halt.
pub fn max_deviation(laws: &[(usize, Marginal)], observer: &dyn Observer) -> Option<Approximation> {
    let gamma = |(count, law): &(usize, Marginal)| match *law {
        Marginal::Gamma { shape, scale } => Some(Gamma { count: *count, shape, scale }),
        _ => None,
    };
    let gammas: Vec<Gamma> = laws.iter().map(gamma).collect::<Option<_>>()?;
    let count: usize = gammas.iter().map(|law| law.count).sum();
    if let (3, [Gamma { shape, scale, .. }]) = (count, &gammas[..]) {
        let twice = Marginal::Gamma { shape: *shape, scale: 2.0 * scale };
        let two = Marginal::Gamma { shape: 2.0 * shape, scale: *scale };
        let Extremes { above, below, error } = extremes(&[(1, twice), (1, two)], observer);
        return Some(Approximation { value: 0.5 * (above + below), error });
    }
    if count > 2 && gammas.iter().all(|law| law.shape >= 1.0) {
        return None;
    }
    Some(bounded(laws, observer, |found| {
        let rest = lesser_half(&gammas, count, observer).min(split(laws, &gammas, count, observer));
        found.above + found.error + rest
    }))
}

/// Positions from 0 to beyond all relevant ones, with ratio 4.
fn places(gammas: &[Gamma]) -> Vec<f64> {
    let scale = gammas.iter().map(|law| law.scale).fold(0.0, f64::max);
    let shape = gammas.iter().map(|law| law.shape).fold(1.0, f64::max);
    let powers = (-20..=0).map(|power| scale * 4.0_f64.powi(power));
    let last = scale * (4.0 * shape + 60.0);
    std::iter::once(0.0).chain(powers).chain([4.0 * scale, 16.0 * scale, last]).collect()
}

/// `(2/N) E` of the sum of all but the `floor(N/2)` largest: an integral over `x` of the expected
/// excess over `floor(N/2)` of the number of positions beyond `x`.
fn lesser_half(gammas: &[Gamma], count: usize, observer: &dyn Observer) -> f64 {
    let half = count / 2;
    let more = |x: f64| {
        let beyond = |law: &Gamma| (law.count, gamma_tails(law.shape, x / law.scale).above);
        excess(&gammas.iter().map(beyond).collect::<Vec<_>>(), half)
    };
    let places = places(gammas);
    let scale = places[places.len() - 1];
    let parts = places.windows(2).map(|ends| {
        let halted = || observer.check().is_break();
        let found = integrate_unless(more, ends[0], ends[1], 1e-9 * scale, halted);
        found.value + found.error
    });
    // Bounded by the total mean.
    let mean: f64 = gammas.iter().map(|law| law.count as f64 * law.shape * law.scale).sum();
    (2.0 / count as f64) * parts.sum::<f64>().min(mean) * (1.0 + 1e-9)
}

/// `E (K - half)^+`, or an upper bound, for the number `K` of successes of independent trials.
fn excess(trials: &[(usize, f64)], half: usize) -> f64 {
    let count: usize = trials.iter().map(|trials| trials.0).sum();
    if count > FEW {
        let bound = |z: f64| {
            let moment = |&(n, p): &(usize, f64)| n as f64 * (p * (z - 1.0)).ln_1p();
            let log = trials.iter().map(moment).sum::<f64>() - half as f64 * z.ln();
            log.exp() / (std::f64::consts::E * z.ln())
        };
        let found = [1.1, 1.3, 2.0, 4.0, 1e1, 1e2, 1e3, 1e4].map(bound);
        return found.into_iter().fold((count - half) as f64, f64::min);
    }
    let mut law = vec![0.0; count + 1];
    law[0] = 1.0;
    let mut done = 0;
    for &(n, p) in trials {
        for _ in 0..n {
            for k in (0..=done).rev() {
                law[k + 1] += law[k] * p;
                law[k] *= 1.0 - p;
            }
            done += 1;
        }
    }
    law.iter().enumerate().skip(half + 1).map(|(k, p)| (k - half) as f64 * p).sum()
}

/// The least of `E (2 Q/N - c)^+ + E (c - max S)^+` over several `c`.
fn split(
    laws: &[(usize, Marginal)],
    gammas: &[Gamma],
    count: usize,
    observer: &dyn Observer,
) -> f64 {
    let n = count as f64;
    let mean: f64 = gammas.iter().map(|law| law.count as f64 * law.shape * law.scale).sum::<f64>();
    let twice = 2.0 * mean / n;
    let all_below = |x: f64| {
        let log = |(count, law): &(usize, Marginal)| *count as f64 * law.log_below(x);
        laws.iter().map(log).sum::<f64>().exp()
    };
    let largest = gammas.iter().map(|law| law.scale).fold(0.0, f64::max);
    // `(y - c)^+` is at most `exp(r (y - c)) / (e r)`.
    let beyond = |c: f64| {
        let bound = |share: f64| {
            let rate = share * n / (2.0 * largest);
            let log = |law: &Gamma| {
                -(law.count as f64) * law.shape * (-2.0 * rate * law.scale / n).ln_1p()
            };
            let log = gammas.iter().map(log).sum::<f64>() - rate * c;
            log.exp() / (std::f64::consts::E * rate)
        };
        (1..40).map(|k| bound(0.025 * f64::from(k))).fold(f64::INFINITY, f64::min)
    };
    let (mut best, mut short, mut before) = (f64::INFINITY, 0.0, 0.0);
    for factor in [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0] {
        let halted = || observer.check().is_break();
        if halted() {
            break;
        }
        let c = factor * twice;
        let found = integrate_unless(all_below, before, c, 1e-12 * c, halted);
        short += found.value + found.error;
        before = c;
        best = best.min(beyond(c) + short);
    }
    best * (1.0 + 1e-9)
}
