//! Expected largest absolute deviation of standard normal values from their average.

use crate::distribution::quadrature::{composite, integrate};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::sync::{Mutex, PoisonError};

/// Largest value the deviation takes, up to probability 1e-20 for a million values.
const END: f64 = 11.0;

/// Relative size at which the terms of a Fourier series are left out.
const CUT: f64 = 1e-14;

/// `kappa = E max_i |Z_i - mean(Z)|` for `count >= 2` independent standard normal values.
///
/// The deviations are independent of the average, so `P(max|Z_i - Zbar| <= x)` is the density at 0
/// of the sum of the values cut to `[-x, x]`, divided by the same without cutting, `1/sqrt(2 pi
/// N)`. The cut density is convolved in closed form for up to four values and by a Fourier series
/// free of aliasing for more.
///
/// # Panics
/// If `count < 2`.
pub fn kappa(count: usize) -> f64 {
    assert!(count >= 2, "deviations need two values");
    if count == 2 {
        return 1.0 / PI.sqrt();
    }
    let mut table = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *table.entry(count).or_insert_with(|| evaluate(count))
}

/// Bound of the relative error of [`kappa`]: of its quadrature, and of a power of `count` factors.
pub fn kappa_error(count: usize) -> f64 {
    1e-11 + 1e-14 * count as f64
}

/// The values computed so far: each takes milliseconds.
static KNOWN: Mutex<BTreeMap<usize, f64>> = Mutex::new(BTreeMap::new());

fn evaluate(count: usize) -> f64 {
    let n = count as f64;
    let tail = |x: f64| 1.0 - (TAU * n).sqrt() * cut_density(count, x);
    let step = 0.5;
    // A power of so many factors carries noise.
    let tolerance = 1e-13 + 1e-15 * n;
    (0..(END / step) as usize)
        .map(|j| integrate(tail, j as f64 * step, (j + 1) as f64 * step, tolerance).value)
        .sum()
}

/// Density at 0 of the sum of `count` standard normal values, all within `[-x, x]`.
fn cut_density(count: usize, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let normal = |z: f64| (-0.5 * z * z).exp() / TAU.sqrt();
    // The two-fold convolution: given the sum s, half the difference is N(0, 1/2).
    let pair = |s: f64| (-0.25 * s * s).exp() / (4.0 * PI).sqrt() * libm::erf(x - 0.5 * s);
    match count {
        3 => 2.0 * integrate(|z| normal(z) * pair(z), 0.0, x, 1e-15).value,
        4 => 2.0 * integrate(|s| pair(s) * pair(s), 0.0, 2.0 * x, 1e-15).value,
        _ => {
            let n = count as f64;
            // Copies of the density one period away are zero, or below 1e-17 of its peak.
            let period = (n * x).min(9.5 * n.sqrt());
            let whole = libm::erf(x / std::f64::consts::SQRT_2);
            let mut sum = whole.powi(count as i32);
            let mut small = 0;
            let mut nodes = Vec::new();
            for k in 1.. {
                let frequency = TAU * f64::from(k) / period;
                let panels = 2 + (x + frequency * x / 4.0) as usize;
                if nodes.len() != 15 * panels {
                    nodes = composite(0.0, x, panels);
                    nodes.iter_mut().for_each(|node| node.1 *= 2.0 * normal(node.0));
                }
                let wave: f64 = nodes.iter().map(|(z, w)| w * (frequency * z).cos()).sum();
                sum += 2.0 * wave.powi(count as i32);
                // The waves oscillate under a falling envelope: stop below it, not at a zero.
                let envelope = wave.abs().max(2.0 * normal(x) / frequency);
                small = if (envelope / whole).powi(count as i32) < CUT { small + 1 } else { 0 };
                if small == 3 {
                    break;
                }
            }
            sum / period
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // By Gauss and Legendre's rule and the same series with a longer period.
        for (count, known) in [(64, 2.574_803_632_943), (5, 1.352_492_504_656)] {
            assert!((kappa(count) - known).abs() < 2e-12, "{count}: {}", kappa(count));
        }
        // Three: the largest |Z_i - Zbar| is 2/3 of the larger of the two outer gaps plus ...
        // checked against brute quadrature of the hexagon in polar coordinates.
        let hexagon = {
            // Deviations live in a plane; the norm max|.| at angle a of the unit circle.
            let axes = [0.0, TAU / 3.0, 2.0 * TAU / 3.0].map(|a: f64| a);
            let norm = |a: f64| {
                axes.iter()
                    .map(|b| (2.0_f64 / 3.0).sqrt() * (a - b).cos().abs())
                    .fold(0.0, f64::max)
            };
            let mean: f64 = (0..12)
                .map(|j| {
                    integrate(norm, TAU * f64::from(j) / 12.0, TAU * f64::from(j + 1) / 12.0, 1e-14)
                        .value
                })
                .sum::<f64>()
                / TAU;
            mean * (PI / 2.0).sqrt()
        };
        assert!((kappa(3) - hexagon).abs() < 1e-12, "{} {hexagon}", kappa(3));
    }
}
