//! Loads of a rank that walk with a slope, seen through noise: what its times say of them (Kalman
//! filter), a sample of them (backward sampling; Carter and Kohn 1994, Fruehwirth-Schnatter 1994),
//! and how likely the times are. O(steps).

use crate::random::Stream;
use rand_distr::{Distribution, StandardNormal};

/// Dynamics of the load of a rank relative to the mean over the ranks: variances, and mean and
/// variance of the slope.
#[derive(Clone, Copy)]
pub struct Law {
    pub walk: f64,
    pub noise: f64,
    pub slope: (f64, f64),
}

/// Filtered state of load and slope: means, variances, and the covariance.
#[derive(Clone, Copy)]
pub struct Known {
    load: f64,
    pub slope: f64,
    variance: f64,
    both: f64,
    pub of_slope: f64,
}

impl Law {
    /// A sample of the loads at the steps of a stretch, given these times. After a remap the
    /// stretch begins one step from balance.
    pub fn loads(&self, times: &[f64], after_remap: bool, random: &mut Stream) -> Vec<f64> {
        let known = self.filtered(times, after_remap);
        let mut normal = |mean: f64, variance: f64| -> f64 {
            let one: f64 = StandardNormal.sample(random);
            mean + variance.max(0.0).sqrt() * one
        };
        let Some(last) = known.last() else { return Vec::new() };
        let slope = normal(last.slope, last.of_slope);
        let mut loads = vec![0.0; times.len()];
        let mut next = None;
        for (place, known) in known.iter().enumerate().rev() {
            let Known { mut load, mut variance, .. } = *known;
            if known.of_slope > 0.0 {
                load += known.both / known.of_slope * (slope - known.slope);
                variance -= known.both * known.both / known.of_slope;
            }
            if let Some(next) = next {
                let before = next - slope;
                let variance_of_both = variance.max(0.0) + self.walk;
                let gain =
                    if variance_of_both > 0.0 { variance.max(0.0) / variance_of_both } else { 0.0 };
                load += gain * (before - load);
                variance = gain * self.walk;
            }
            loads[place] = normal(load, variance);
            next = Some(loads[place]);
        }
        loads
    }

    /// Twice the negative logarithm of the likelihood of these times, but for a constant, in two
    /// parts: the logarithms of their variances in units of the noise, given the times before
    /// them, and the squares of their distances from what is expected, in units of these.
    pub fn surprise(&self, times: &[f64], after_remap: bool) -> [f64; 2] {
        let known = self.filtered(times, after_remap);
        let (slope, of_slope) = self.slope;
        let balanced = Known { load: 0.0, slope, variance: 0.0, both: 0.0, of_slope };
        let mut sums = [0.0; 2];
        for (place, time) in times.iter().enumerate() {
            let last = match place {
                0 if !after_remap => continue,
                0 => balanced,
                _ => known[place - 1],
            };
            let variance = last.variance + 2.0 * last.both + last.of_slope + self.walk + self.noise;
            let off = time - last.load - last.slope;
            sums[0] += (variance / self.noise).ln();
            sums[1] += off * off / variance;
        }
        sums
    }

    /// Kalman filter: the state after each time, given those up to it.
    pub fn filtered(&self, times: &[f64], after_remap: bool) -> Vec<Known> {
        let (slope, of_slope) = self.slope;
        let balanced = Known { load: 0.0, slope, variance: 0.0, both: 0.0, of_slope };
        let mut known = Vec::with_capacity(times.len());
        let mut last = balanced;
        for (place, time) in times.iter().enumerate() {
            if place == 0 && !after_remap {
                last = Known { load: *time, variance: self.noise, ..balanced };
            } else {
                let Known { load, slope, variance, both, of_slope } = last;
                let variance = variance + 2.0 * both + of_slope + self.walk;
                let (load, both) = (load + slope, both + of_slope);
                let (gain, of_slopes) =
                    (variance / (variance + self.noise), both / (variance + self.noise));
                let off = time - load;
                last = Known {
                    load: load + gain * off,
                    slope: slope + of_slopes * off,
                    variance: (1.0 - gain) * variance,
                    both: (1.0 - gain) * both,
                    of_slope: (of_slope - of_slopes * both).max(0.0),
                };
            }
            known.push(last);
        }
        known
    }
}
