//! Expected value after a remap some steps ahead: the value function smoothed by a normal
//! distribution of the total.
//!
//! ```text
//! A_k(m, v) = E G_k(m + sqrt(v) Z),   Z standard normal
//! ```
//!
//! There is one table for each variance of a geometric sequence, computed from the previous one.
//! Wider distributions need fewer totals.

/// Expectations of a function of the total over normal distributions, by step.
pub struct Ahead {
    first: f64,
    grids: Vec<Grid>,
    /// By step: the values of all grids, one after another.
    values: Vec<Vec<f32>>,
}

struct Grid {
    variance: f64,
    spacing: f64,
    count: usize,
    begin: usize,
}

/// The least variance, relative to that of one step of all ranks, and the ratio of consecutive
/// variances.
const LEAST_VARIANCE: f64 = 0.35;
const RATIO: f64 = 1.35;
/// Distance of totals, in standard deviations.
const SPACING: f64 = 0.5;
/// Largest number of entries in all tables.
const MOST_NUMBERS: f64 = 6e7;
/// Truncation of the distribution, in standard deviations.
const END: f64 = 4.5;
/// A distribution with a smaller standard deviation is summed over integers.
const NARROW: f64 = 8.0;

impl Ahead {
    /// Tables for totals in a range, and for variances of up to `longest` steps of variance `one`.
    pub fn new([first, last]: [f64; 2], one: f64, longest: usize, steps: u64) -> Ahead {
        let mut variances = vec![LEAST_VARIANCE * one];
        while variances[variances.len() - 1] < one * longest as f64 && one > 0.0 {
            variances.push(RATIO * variances[variances.len() - 1]);
        }
        let mut scale = SPACING;
        let grids = loop {
            let mut begin = 0;
            let mut grids = Vec::new();
            for &variance in &variances {
                let spacing = (scale * variance.sqrt()).max(1.0);
                let count = ((last - first) / spacing).ceil() as usize + 1;
                grids.push(Grid { variance, spacing, count, begin });
                begin += count;
            }
            if begin as f64 * steps as f64 <= MOST_NUMBERS || scale > 4.0 {
                break grids;
            }
            scale *= 1.2;
        };
        Ahead { first, grids, values: vec![Vec::new(); steps as usize + 1] }
    }

    /// Stores a function at step k, piecewise linear between nodes in ascending order.
    pub fn fill(&mut self, k: u64, nodes: &[f64], function: &[f64]) {
        let count = self.grids.iter().map(|grid| grid.count).sum();
        let mut all: Vec<f32> = Vec::with_capacity(count);
        let mut here: Vec<f64> = Vec::new();
        for (i, grid) in self.grids.iter().enumerate() {
            here = match i {
                0 => grid.narrowest(self.first, nodes, function),
                _ => grid.wider(&self.grids[i - 1], &here),
            };
            all.extend(here.iter().map(|value| *value as f32));
        }
        self.values[k as usize] = all;
    }

    /// The expectation over a normal distribution; `None` if its variance is below
    /// [`least`](Self::least).
    pub fn at(&self, k: u64, mean: f64, variance: f64) -> Option<f64> {
        let least = self.grids[0].variance;
        if variance < least {
            return None;
        }
        let values = &self.values[k as usize];
        let last = self.grids.len() - 1;
        let place = ((variance / least).ln() / RATIO.ln()) as usize;
        let place = place.min(last.saturating_sub(1));
        let read = |grid: &Grid| {
            grid.read(
                &values[grid.begin..grid.begin + grid.count],
                (mean - self.first) / grid.spacing,
            )
        };
        let low = &self.grids[place];
        let Some(high) = self.grids.get(place + 1) else { return Some(read(low)) };
        let share = ((variance - low.variance) / (high.variance - low.variance)).clamp(0.0, 1.0);
        Some(read(low) * (1.0 - share) + read(high) * share)
    }

    /// The least variance of a table.
    pub fn least(&self) -> f64 {
        self.grids[0].variance
    }
}

impl Grid {
    /// Interpolation by a cubic through four points (Catmull-Rom).
    fn read<T: Into<f64> + Copy>(&self, values: &[T], place: f64) -> f64 {
        let end = values.len() as f64 - 1.0;
        let place = place.clamp(0.0, end);
        let i = (place as usize).min(values.len().saturating_sub(2));
        let t = place - i as f64;
        let get = |j: usize| -> f64 { values[j.min(values.len() - 1)].into() };
        let (a, b, c, d) = (get(i.saturating_sub(1)), get(i), get(i + 1), get(i + 2));
        let slope = 0.5 * (c - a);
        let (bend, twist) = (a - 2.5 * b + 2.0 * c - 0.5 * d, 0.5 * (d - a) + 1.5 * (b - c));
        b + t * (slope + t * (bend + t * twist))
    }

    fn narrowest(&self, first: f64, nodes: &[f64], function: &[f64]) -> Vec<f64> {
        let deviation = self.variance.sqrt();
        let between = |at: f64| interpolate(nodes, function, at);
        let point = |i: usize| {
            let mean = first + i as f64 * self.spacing;
            if deviation < NARROW {
                let weights = kernel(self.variance);
                let reach = weights.len() as i64 - 1;
                let weight = |by: i64| weights[by.unsigned_abs() as usize];
                return (-reach..=reach).map(|by| weight(by) * between(mean + by as f64)).sum();
            }
            // Exact integral of the piecewise-linear function, segment by segment.
            let (low, high) = (mean - END * deviation, mean + END * deviation);
            let inside = nodes.partition_point(|n| *n <= low)..nodes.partition_point(|n| *n < high);
            let law = |at: f64| {
                let z = (at - mean) / deviation;
                let below = 0.5 * (1.0 + libm::erf(z * std::f64::consts::FRAC_1_SQRT_2));
                (below, deviation * 0.398_942_280_401_432_7 * (-0.5 * z * z).exp())
            };
            let (mut sum, mut from, mut from_value) = (0.0, low, between(low));
            let (mut below, mut density) = (0.0, 0.0);
            let mut part = |to: f64, to_value: f64, (to_below, to_density): (f64, f64)| {
                if to > from {
                    let slope = (to_value - from_value) / (to - from);
                    sum += (from_value + slope * (mean - from)) * (to_below - below)
                        - slope * (to_density - density);
                }
                (from, from_value, below, density) = (to, to_value, to_below, to_density);
            };
            for at in inside {
                part(nodes[at], function[at], law(nodes[at]));
            }
            part(high, between(high), (1.0, 0.0));
            sum
        };
        (0..self.count).map(point).collect()
    }

    fn wider(&self, from: &Grid, values: &[f64]) -> Vec<f64> {
        let weights = kernel((self.variance - from.variance) / from.spacing.powi(2));
        let reach = weights.len();
        let last = values.len() - 1;
        let smooth = |i: usize| -> f64 {
            let mut sum = weights[0] * values[i];
            for by in 1..reach {
                sum += weights[by] * (values[i.saturating_sub(by)] + values[(i + by).min(last)]);
            }
            sum
        };
        let smoothed: Vec<f64> = (0..values.len()).map(smooth).collect();
        let ratio = self.spacing / from.spacing;
        (0..self.count).map(|i| from.read(&smoothed, i as f64 * ratio)).collect()
    }
}

/// A function that is linear between nodes in ascending order, and constant beyond them.
pub fn interpolate(nodes: &[f64], function: &[f64], at: f64) -> f64 {
    let above = nodes.partition_point(|node| *node < at);
    if above == 0 {
        return function[0];
    }
    if above == nodes.len() {
        return function[above - 1];
    }
    let share = (at - nodes[above - 1]) / (nodes[above] - nodes[above - 1]);
    function[above - 1] * (1.0 - share) + function[above] * share
}

/// Weights of the normal distribution of this variance at the integers 0, 1, ...
fn kernel(variance: f64) -> Vec<f64> {
    if variance < 0.6 {
        return vec![1.0 - variance, 0.5 * variance];
    }
    let reach = (END * variance.sqrt()).ceil() as usize;
    let mut weights: Vec<f64> =
        (0..=reach).map(|by| (-0.5 * (by * by) as f64 / variance).exp()).collect();
    let sum = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expectation of max(0, S) over a normal distribution has a closed form.
    #[test]
    fn a_bend_is_smoothed_as_the_normal_law_does() {
        for one in [3.0, 900.0, 360_000.0f64] {
            let wide = 40.0 * one.sqrt();
            let mut ahead = Ahead::new([-wide, wide], one, 20, 1);
            ahead.fill(0, &[-wide, 0.0, wide], &[0.0, 0.0, wide]);
            for variance in [0.4 * one, one, 2.7 * one, 11.0 * one, 20.0 * one] {
                let deviation = variance.sqrt();
                for z in [-2.0f64, -0.7, 0.0, 0.3, 1.9] {
                    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
                    let below = 0.5 * (1.0 + libm::erf(z / 2.0f64.sqrt()));
                    let exact = deviation * (z * below + density);
                    let found = ahead.at(0, z * deviation, variance).unwrap();
                    let most = if one < 10.0 { 0.05 } else { 0.01 } * deviation;
                    assert!((found - exact).abs() < most, "{one} {variance} {z}: {found} {exact}");
                }
            }
            assert!(ahead.at(0, 0.0, 0.3 * one).is_none());
        }
    }
}
