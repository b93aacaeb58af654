//! Windows on the lattice, and the probability of a distribution inside and outside of them.

use crate::distribution::LatticeLaw;
use crate::distribution::lattice::sums;

/// Probability of the omitted events.
pub const SMALL: f64 = 1e-17;

/// One center with the range of its windows that need work.
pub struct Centre {
    /// Twice the center.
    pub double: i64,
    /// Number of narrower windows, all of them empty.
    pub narrow: f64,
    pub widths: Widths,
}

/// The widths `start`, `start + 2`, .. up to `end`.
#[derive(Clone, Copy)]
pub struct Widths {
    pub start: i64,
    pub end: i64,
}

impl Widths {
    pub fn len(self) -> usize {
        ((self.end - self.start).div_euclid(2) + 1).max(0) as usize
    }
}

/// A class of processors: number, distribution of the position of each, and its origin.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// How many.
    pub count: usize,
    /// The distribution of the place.
    pub law: &'a LatticeLaw,
    /// For the sum of so many independent steps, their distribution and number.
    pub steps: Option<(&'a LatticeLaw, u64)>,
}

/// The same, with sums over the distribution from either end.
pub struct Part<'a> {
    pub count: u32,
    pub law: &'a LatticeLaw,
    pub steps: Option<(&'a LatticeLaw, u64)>,
    /// Total variation of the distribution.
    pub variation: f64,
    /// Total variation of its first, and of its last, k weights.
    rough_below: Vec<f64>,
    rough_above: Vec<f64>,
    below: Vec<f64>,
    above: Vec<f64>,
}

/// Total variation of the first 0, 1, 2, .. of some weights.
fn variations<'a>(weights: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let (mut sum, mut before) = (0.0, 0.0);
    let mut variations = vec![0.0];
    variations.extend(weights.map(|p| {
        sum += (p - before).abs();
        before = *p;
        sum + p
    }));
    variations
}

impl<'a> Part<'a> {
    pub fn new(places: &Places<'a>) -> Self {
        let law = places.law;
        let below = sums(law.weights().iter());
        let above = sums(law.weights().iter().rev());
        let rough_below = variations(law.weights().iter());
        let rough_above = variations(law.weights().iter().rev());
        Self {
            count: places.count as u32,
            law,
            steps: places.steps,
            variation: rough_below[law.weights().len()],
            rough_below,
            rough_above,
            below,
            above,
        }
    }

    /// Total variation outside the window.
    pub fn rough_outside(&self, a: i64, b: i64) -> f64 {
        let (first, end) = self.cut(a, b);
        self.rough_below[first] + self.rough_above[self.law.weights().len() - end]
    }

    /// Index range of the window from `a` to `b` among the weights.
    pub fn cut(&self, a: i64, b: i64) -> (usize, usize) {
        let length = self.law.weights().len() as i64;
        let first = (a - self.law.first()).clamp(0, length);
        let end = (b + 1 - self.law.first()).clamp(first, length);
        (first as usize, end as usize)
    }

    /// Probability outside the window.
    pub fn outside(&self, a: i64, b: i64) -> f64 {
        let (first, end) = self.cut(a, b);
        self.below[first] + self.above[self.law.weights().len() - end]
    }

    /// Logarithm of the probability that all the processors of the class are in the window.
    fn log_inside(&self, a: i64, b: i64) -> f64 {
        f64::from(self.count) * (-self.outside(a, b).min(1.0)).ln_1p()
    }
}

/// Chernoff's bound: the distance that `direction * (Q - E Q)` exceeds with probability `SMALL`, or
/// the width of the range of `Q`.
pub fn reach(parts: &[Part<'_>], direction: f64, variance: f64) -> f64 {
    let goal = -SMALL.ln();
    let width = |part: &Part<'_>| f64::from(part.count) * (part.law.weights().len() - 1) as f64;
    let range = parts.iter().map(width).sum();
    let first = (2.0 * goal / variance.max(1e-3)).sqrt();
    let cumulants = |rate: f64| -> f64 {
        let cumulant = |part: &Part<'_>| {
            let (mean, law) = (part.law.mean(), part.law);
            let place = |j: usize| direction * ((law.first() + j as i64) as f64 - mean);
            let terms = law.weights().iter().enumerate();
            let moment: f64 = terms.map(|(j, p)| p * (rate * place(j)).exp()).sum();
            f64::from(part.count) * moment.ln()
        };
        parts.iter().map(cumulant).sum()
    };
    (-3..6)
        .map(|power| first * 0.7_f64.powi(power))
        .map(|rate| (cumulants(rate) + goal) / rate)
        .filter(|reach| reach.is_finite())
        .fold(range, f64::min)
}

/// Finds the windows about `double / 2` that need work.
pub fn centre(parts: &[Part<'_>], double: i64) -> Centre {
    let odd = double.rem_euclid(2) == 0;
    let log_inside = |width: i64| {
        let (a, b) = window(double, width);
        parts.iter().map(|part| part.log_inside(a, b)).sum::<f64>()
    };
    let outside = |width: i64| {
        let (a, b) = window(double, width);
        parts.iter().map(|part| f64::from(part.count) * part.outside(a, b)).sum::<f64>()
    };
    // Both are monotone in the width: double, then bisect, in steps of two.
    let least = |holds: &dyn Fn(i64) -> bool| {
        let at = |j: i64| if odd { 2 * j + 1 } else { 2 * j + 2 };
        let mut high = 0;
        while !holds(at(high)) {
            high = 2 * high + 1;
        }
        at(first_that((high - 1) / 2, high, |j| holds(at(j))))
    };
    let start = least(&|width| log_inside(width) > SMALL.ln());
    let end = least(&|width| outside(width) < SMALL);
    // Narrower windows are empty: all widths of this parity below `start`; the width 0 counts half.
    Centre { double, narrow: 0.5 * (start - 1) as f64, widths: Widths { start, end } }
}

/// The window of `width` integers about a center.
pub fn window(double: i64, width: i64) -> (i64, i64) {
    ((double - width + 1) / 2, (double + width - 1) / 2)
}

/// The first `j` in `[low, high)` from which `holds` is true; `high` if there is none.
pub fn first_that(mut low: i64, mut high: i64, holds: impl Fn(i64) -> bool) -> i64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
