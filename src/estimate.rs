//! Estimates with confidence intervals.
//!
//! ```
//! use remapping::estimate::Estimate;
//!
//! let mean = Estimate::of(&[9.0, 10.0, 11.0, 10.0]);
//! assert!(mean.contains(10.0) && mean.half_width() > 1.0);
//! // Three alarms in twenty tests: the exact interval of a probability.
//! let alarms = Estimate::probability(3, 20);
//! assert!(alarms.contains(0.05) && !alarms.contains(0.5));
//! ```

use serde::ser::{Serialize, SerializeStruct, Serializer};
use statrs::function::beta::beta_reg;

/// Confidence level: the approximate fraction of samples whose interval contains the true value.
pub const LEVEL: f64 = 0.95;

/// Probability of an error at either end of an interval.
const TAIL: f64 = 0.5 * (1.0 - LEVEL);

/// Relative differences up to this are rounding errors.
const AGREE: f64 = 1e-13;

/// The 97.5 % quantile of the standard normal distribution.
pub const NORMAL: f64 = 1.959_963_984_540_054;

/// An estimate of an unknown number, with the ends of its 95 % confidence interval.
///
/// As a document: `mean` (the estimate), `half_width` (the larger distance of an end from it),
/// `lower`, `upper` and `level`; values that are not finite are `null`. A sample of equal numbers
/// has no interval: it does not show how far others may be. Both ends are then `null`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

impl Estimate {
    /// The expectation of independent, equally distributed numbers, by Student's t; exact for
    /// normal numbers. There is no interval for a single number, or if all are equal. O(count).
    pub fn of(values: &[f64]) -> Estimate {
        Estimate::of_sums(values, 0.0)
    }

    /// The same for sums and differences of numbers of magnitude `size`. Values that differ only by
    /// their rounding count as equal, with the first as estimate.
    pub fn of_sums(values: &[f64], size: f64) -> Estimate {
        let n = values.len() as f64;
        let first = values.first().copied().unwrap_or(f64::NAN);
        if values.iter().all(|value| (value - first).abs() <= AGREE * size) {
            let value = if first.abs() <= AGREE * size { 0.0 } else { first };
            return Estimate::around(value, f64::INFINITY);
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Estimate::from_moments(mean, squares, n)
    }

    /// The same from the mean of `count` numbers and the sum of their squared distances from it.
    pub fn from_moments(mean: f64, squares: f64, count: f64) -> Estimate {
        let differ = squares > count * (AGREE * mean).powi(2);
        let half_width = match count > 1.0 && differ {
            true => student(count - 1.0) * (squares / (count - 1.0) / count).sqrt(),
            false => f64::INFINITY,
        };
        Estimate::around(mean, half_width)
    }

    /// The same for numbers that lie between `least` and `most`, hence so does their expectation.
    pub fn between(values: &[f64], least: f64, most: f64) -> Estimate {
        Estimate::of(values).within(least, most)
    }

    /// The interval intersected with `least` to `most`, for a number known to lie there.
    pub fn within(self, least: f64, most: f64) -> Estimate {
        let Estimate { value, lower, upper } = self;
        if upper == f64::INFINITY {
            return Estimate { value, lower, upper };
        }
        Estimate { value, lower: lower.max(least).min(value), upper: upper.min(most).max(value) }
    }

    /// Whether the interval is bounded.
    pub fn is_bounded(&self) -> bool {
        self.lower.is_finite() && self.upper.is_finite()
    }

    /// An interval symmetric about the estimate.
    pub fn around(value: f64, half_width: f64) -> Estimate {
        Estimate { value, lower: value - half_width, upper: value + half_width }
    }

    /// A probability from `hits` of `count` independent trials: the relative frequency, and the
    /// exact interval (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934). Its coverage is at
    /// least the confidence level, however rare the hits are.
    pub fn probability(hits: u64, count: u64) -> Estimate {
        if count == 0 {
            return Estimate { value: 0.5, lower: 0.0, upper: 1.0 };
        }
        Estimate::share(hits as f64, count as f64)
    }

    /// The interval of a probability from numbers of hits and trials that need not be integers.
    /// Dependent trials count as fewer.
    pub fn share(hits: f64, count: f64) -> Estimate {
        let (rest, value) = (count - hits, hits / count);
        let lower = if hits > 0.0 { beta_quantile(hits, rest + 1.0, TAIL) } else { 0.0 };
        let upper = if rest > 0.0 { 1.0 - beta_quantile(rest, hits + 1.0, TAIL) } else { 1.0 };
        Estimate { value, lower: lower.min(value), upper: upper.max(value) }
    }

    /// The larger distance of an end from the estimate: the interval lies within this distance.
    pub fn half_width(&self) -> f64 {
        (self.value - self.lower).max(self.upper - self.value)
    }

    /// Whether the interval contains `value`.
    pub fn contains(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Whether `value` lies within `widths` half-widths of the estimate.
    pub fn agrees(&self, value: f64, widths: f64) -> bool {
        (value - self.value).abs() <= widths * self.half_width()
    }
}

impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Estimate", 5)?;
        fields.serialize_field("mean", &self.value)?;
        fields.serialize_field("half_width", &self.half_width())?;
        fields.serialize_field("lower", &self.lower)?;
        fields.serialize_field("upper", &self.upper)?;
        fields.serialize_field("level", &LEVEL)?;
        fields.end()
    }
}

/// The 97.5 % quantile of Student's t with `freedom` > 0 degrees of freedom.
pub fn student(freedom: f64) -> f64 {
    if freedom >= 1e5 {
        // The first terms of the expansion in powers of 1/freedom (Cornish and Fisher).
        let z = NORMAL;
        let first = (z.powi(3) + z) / 4.0;
        let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
        return z + (first + second / freedom) / freedom;
    }
    student_at(freedom, LEVEL)
}

/// The quantile of Student's t below which the absolute value lies with probability `level`, for
/// `freedom` > 0 degrees of freedom.
pub fn student_at(freedom: f64, level: f64) -> f64 {
    // t^2 / (freedom + t^2) has a beta distribution.
    let share = beta_quantile(0.5, 0.5 * freedom, level);
    (freedom * share / (1.0 - share)).sqrt()
}

/// The quantile of the beta distribution with parameters `a` and `b`, by bisection to the last bit.
/// The library's iteration does not terminate for some parameters.
fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if beta_reg(a, b, middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that differ by rounding in sums of this magnitude are equal, so there is no
    /// interval.
    #[test]
    fn sums_that_only_rounding_tells_apart_agree() {
        let costs: [f64; 3] = [1000.6, 2000.6, 1500.6];
        let above: Vec<f64> = costs.iter().map(|cost| cost - (cost - 0.6).round()).collect();
        assert!(above.iter().any(|other| *other != above[0]));
        let found = Estimate::of_sums(&above, 2000.0);
        assert!(!found.is_bounded() && (found.value - 0.6).abs() < 1e-12);
        let none = Estimate::of_sums(&[1e-13, -2e-13], 2000.0);
        assert_eq!((none.value, none.is_bounded()), (0.0, false));
        let apart = Estimate::of_sums(&[0.6, 0.7], 2000.0);
        assert!(apart.is_bounded() && apart.contains(0.65));
    }

    /// Equal values give no interval; bounded values give bounded ends.
    #[test]
    fn samples_that_agree_give_no_interval() {
        for values in [&[6.0, 6.0][..], &[0.0; 20], &[0.1 + 0.2, 0.3]] {
            let found = Estimate::between(values, 0.0, 10.0);
            assert!(
                !found.is_bounded()
                    && found.value == values.iter().sum::<f64>() / values.len() as f64
            );
            assert!(found.half_width() == f64::INFINITY);
        }
        let rare = Estimate::between(&[0.0, 0.0, 0.0, 1.0], 0.0, 10.0);
        assert!(rare.lower == 0.0 && rare.upper > 0.9, "{rare:?}");
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let table = [(1.0, 12.706_204_736_174_7), (2.0, 4.302_652_729_749_46)];
        let more = [(4.0, 2.776_445_105_197_80), (31.0, 2.039_513_446_396_41)];
        for (freedom, quantile) in table.into_iter().chain(more) {
            assert!((student(freedom) - quantile).abs() < 1e-9 * quantile, "{freedom}");
        }
        let mut last = f64::INFINITY;
        for step in 0..200 {
            let freedom = 0.5 * 1.15_f64.powi(step);
            let found = student(freedom);
            assert!(found <= last * (1.0 + 1e-9) && found >= NORMAL * (1.0 - 1e-9), "{freedom}");
            last = found;
        }
    }

    #[test]
    fn quantiles_of_other_levels_are_those_of_the_tables() {
        for (freedom, quantile) in [(1.0, 63.656_741), (7.0, 3.499_483), (30.0, 2.749_996)] {
            assert!((student_at(freedom, 0.99) - quantile).abs() < 1e-6 * quantile, "{freedom}");
        }
        assert!((student_at(4.0, LEVEL) - student(4.0)).abs() < 1e-12);
    }

    /// P(at most or at least so many hits) at the ends is 2.5 %, summed term by term.
    #[test]
    fn ends_of_probabilities_leave_their_tails() {
        let tail = |n: u64, range: std::ops::RangeInclusive<u64>, p: f64| -> f64 {
            let log = |k: u64| statrs::function::factorial::ln_factorial(k);
            let term = |k: u64| {
                let weight = log(n) - log(k) - log(n - k);
                (weight + k as f64 * p.ln() + (n - k) as f64 * (-p).ln_1p()).exp()
            };
            range.map(term).sum()
        };
        for n in [1, 2, 7, 20, 100, 4000] {
            for hits in [0, 1, 2, n / 3, n / 2, n - 1, n] {
                let hits = hits.min(n);
                let Estimate { value, lower, upper } = Estimate::probability(hits, n);
                assert!(lower <= value && value <= upper);
                if hits > 0 {
                    assert!((tail(n, hits..=n, lower) - TAIL).abs() < 1e-6, "{hits} of {n}");
                }
                if hits < n {
                    assert!((tail(n, 0..=hits, upper) - TAIL).abs() < 1e-6, "{hits} of {n}");
                }
            }
        }
        let rare = Estimate::probability(0, 10_000_000).upper;
        assert!((rare / (1.0 - TAIL.powf(1e-7)) - 1.0).abs() < 1e-6, "{rare}");
    }
}
