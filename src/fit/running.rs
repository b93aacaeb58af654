//! Statistics of step times in constant memory for a running program, and the remap interval they
//! suggest.
//!
//! Every rank keeps its own [`Running`] and on request returns a [`Summary`] of a few numbers;
//! summaries of all ranks are merged into one. Times are used as deviations from the mean over the
//! ranks. A step adds x_t to the deviation of a rank: a drift of its own, a permanent part of
//! deviation s, and noise of deviation n that the next step removes. For the changes within a rank
//!
//! ```text
//! var x_t = s^2 + 2 n^2        cov(x_t, x_t+1) = -n^2
//! ```
//!
//! If the drifts d of the ranks are normal, too, the imbalance t steps after a remap is that of R
//! normal numbers with variance t^2 var d + t s^2. Noise is present whether one remaps or not.
//!
//! ```
//! use remapping::fit::running::{Running, Summary};
//!
//! // Two ranks, one of which gains a tenth of a second a step.
//! let mut ranks = [Running::default(), Running::default()];
//! for step in 0..50 {
//!     let gained = 0.1 * f64::from(step);
//!     let mean = 1.0 + gained / 2.0;
//!     ranks[0].observe(1.0, mean)?;
//!     ranks[1].observe(1.0 + gained, mean)?;
//! }
//! let all = ranks[0].summary().merged(&ranks[1].summary());
//! assert_eq!((all.ranks(), all.interval(2.0)), (2, Some(10)));
//! # Ok::<(), remapping::fit::running::NotATime>(())
//! ```

use crate::record::{MOST_SECONDS, MOST_SQUARES};
use serde::{Deserialize, Serialize};

/// Count, mean and sum of squared deviations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn push(&mut self, value: f64) {
        self.count += 1.0;
        let step = value - self.mean;
        self.mean += step / self.count;
        self.squares += step * (value - self.mean);
    }

    /// The moments of both samples together.
    fn joined(&self, other: &Moments) -> Moments {
        let count = self.count + other.count;
        if count == 0.0 {
            return *self;
        }
        let step = other.mean - self.mean;
        let squares = self.squares + other.squares + step * step * self.count * other.count / count;
        Moments { count, mean: self.mean + step * other.count / count, squares }
    }

    fn variance(&self) -> f64 {
        if self.count > 1.0 { self.squares / (self.count - 1.0) } else { 0.0 }
    }
}

/// A time, or a cost, that is negative, not finite, or above [`MOST_SECONDS`].
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{0:e} is {why}", why = if *.0 > MOST_SECONDS && .0.is_finite() { "too large" } else { "negative or not finite" })]
pub struct NotATime(pub f64);

fn checked(seconds: f64) -> Result<f64, NotATime> {
    if (0.0..=MOST_SECONDS).contains(&seconds) { Ok(seconds) } else { Err(NotATime(seconds)) }
}

/// State of one rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Running {
    times: Moments,
    /// Changes of the deviation from the mean.
    changes: Moments,
    /// Consecutive changes: number, sums of the first, of the second, and of their products.
    pairs: [f64; 4],
    remaps: f64,
    costs: Moments,
    deviation: Option<f64>,
    change: Option<f64>,
}

impl Running {
    /// Processes the time of this rank for a step, and the mean over the ranks.
    ///
    /// # Errors
    /// If one is negative, not finite or too large; the step is then ignored.
    pub fn observe(&mut self, time: f64, mean: f64) -> Result<(), NotATime> {
        let (time, mean) = (checked(time)?, checked(mean)?);
        self.times.push(time);
        let deviation = time - mean;
        if let Some(before) = self.deviation.replace(deviation) {
            let change = deviation - before;
            self.changes.push(change);
            if let Some(last) = self.change.replace(change) {
                let more = [1.0, last, change, last * change];
                self.pairs.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }
        Ok(())
    }

    /// Records a remap, with its cost if it was measured. The next step is compared with none
    /// before.
    ///
    /// # Errors
    /// If the cost is negative, not finite or too large; the remap is then ignored.
    pub fn remapped(&mut self, cost: Option<f64>) -> Result<(), NotATime> {
        if let Some(cost) = cost {
            self.costs.push(checked(cost)?);
        }
        self.remaps += 1.0;
        (self.deviation, self.change) = (None, None);
        Ok(())
    }

    /// Whether it can result from times; deserialized values may not.
    pub fn is_valid(&self) -> bool {
        let mut last = [self.deviation, self.change].into_iter().flatten();
        self.summary().is_valid()
            && self.pairs.iter().all(|sum| sum.abs() <= MOST_SQUARES)
            && last.all(|value| value.abs() <= 4.0 * MOST_SECONDS)
    }

    /// Summary of the steps so far.
    pub fn summary(&self) -> Summary {
        let [count, first, second, products] = self.pairs;
        let drift = self.changes.mean;
        let covariance = products - drift * (first + second) + count * drift * drift;
        let mut drifts = Moments::default();
        if self.changes.count > 0.0 {
            drifts.push(drift);
        }
        Summary {
            ranks: 1.0,
            times: self.times,
            changes: self.changes.count,
            squares: self.changes.squares,
            pairs: count,
            products: covariance,
            drifts,
            remaps: self.remaps,
            costs: self.costs,
        }
    }
}

/// Merged statistics of some ranks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    ranks: f64,
    times: Moments,
    /// Number of changes, and the sum of their squared distances from the drift of their rank.
    changes: f64,
    squares: f64,
    /// Number of consecutive changes, and the sum of the products of such distances.
    pairs: f64,
    products: f64,
    /// Moments of the drifts of the ranks.
    drifts: Moments,
    remaps: f64,
    costs: Moments,
}

/// Upper bound on any count.
const MOST_COUNTED: f64 = 1e18;

/// Longest interval that is searched for.
const LONGEST: u64 = 1 << 20;

impl Summary {
    /// Number of values of a summary.
    pub const NUMBERS: usize = 15;

    /// As plain numbers, to be sent to another rank.
    pub fn numbers(&self) -> [f64; Summary::NUMBERS] {
        let Summary { ranks, times, changes, squares, pairs, products, drifts, remaps, costs } =
            self;
        [
            *ranks,
            times.count,
            times.mean,
            times.squares,
            *changes,
            *squares,
            *pairs,
            *products,
            drifts.count,
            drifts.mean,
            drifts.squares,
            *remaps,
            costs.count,
            costs.mean,
            costs.squares,
        ]
    }

    /// Whether it can result from times; deserialized values may not.
    pub fn is_valid(&self) -> bool {
        Summary::from_numbers(&self.numbers()).is_some()
    }

    /// From such numbers; `None` if they are not a summary.
    pub fn from_numbers(numbers: &[f64; Summary::NUMBERS]) -> Option<Summary> {
        let counts = [0, 1, 4, 6, 8, 11, 12].map(|at| numbers[at]);
        let means = [2, 9, 13].map(|at| numbers[at]);
        let squares = [3, 5, 10, 14].map(|at| numbers[at]);
        // Bounds of what steps can produce, so that merged values stay finite: a change consists of
        // four times.
        let valid = counts.iter().all(|count| (0.0..=MOST_COUNTED).contains(count))
            && means.iter().all(|mean| mean.abs() <= 4.0 * MOST_SECONDS)
            && squares.iter().all(|squares| (0.0..=MOST_SQUARES).contains(squares))
            && numbers[7].abs() <= MOST_SQUARES
            && numbers[0] >= 1.0;
        let moments = |at: usize| Moments {
            count: numbers[at],
            mean: numbers[at + 1],
            squares: numbers[at + 2],
        };
        valid.then(|| Summary {
            ranks: numbers[0],
            times: moments(1),
            changes: numbers[4],
            squares: numbers[5],
            pairs: numbers[6],
            products: numbers[7],
            drifts: moments(8),
            remaps: numbers[11],
            costs: moments(12),
        })
    }

    /// Merges the summaries of disjoint sets of ranks. Remaps are those of the program, counted by
    /// every rank.
    pub fn merged(&self, other: &Summary) -> Summary {
        Summary {
            ranks: self.ranks + other.ranks,
            times: self.times.joined(&other.times),
            changes: self.changes + other.changes,
            squares: self.squares + other.squares,
            pairs: self.pairs + other.pairs,
            products: self.products + other.products,
            drifts: self.drifts.joined(&other.drifts),
            remaps: self.remaps.max(other.remaps),
            costs: self.costs.joined(&other.costs),
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u64 {
        self.ranks as u64
    }

    /// Steps processed, over all ranks together.
    pub fn steps(&self) -> u64 {
        self.times.count as u64
    }

    /// Mean time of a step.
    pub fn mean(&self) -> f64 {
        self.times.mean
    }

    /// Correction factor: deviations from the mean of R numbers have 1 - 1 / R of their variance.
    fn centred(&self) -> f64 {
        if self.ranks > 1.0 { self.ranks / (self.ranks - 1.0) } else { 1.0 }
    }

    fn noise_variance(&self) -> f64 {
        let covariance = if self.pairs > 0.0 { self.products / self.pairs } else { 0.0 };
        (-covariance).max(0.0) * self.centred()
    }

    /// Standard deviation of the noise, which the next step removes.
    pub fn noise(&self) -> f64 {
        self.noise_variance().sqrt()
    }

    /// Standard deviation of what a step adds permanently, around the drift of the rank.
    pub fn deviation(&self) -> f64 {
        let degrees = self.changes - self.drifts.count;
        if degrees <= 0.0 {
            return 0.0;
        }
        let variance = self.squares / degrees * self.centred();
        (variance - 2.0 * self.noise_variance()).max(0.0).sqrt()
    }

    /// Standard deviation of the ranks' drifts.
    pub fn drift_deviation(&self) -> f64 {
        self.drifts.variance().sqrt()
    }

    /// Number of remaps.
    pub fn remaps(&self) -> u64 {
        self.remaps as u64
    }

    /// Mean cost of remaps; `None` before one was measured.
    pub fn mean_remap_cost(&self) -> Option<f64> {
        (self.costs.count > 0.0).then_some(self.costs.mean)
    }

    /// The expected imbalance `steps` steps after a remap.
    pub fn growth(&self, steps: u64) -> f64 {
        let t = steps as f64;
        let variance = t * t * self.drifts.variance() + t * self.deviation().powi(2);
        largest_normal(self.ranks) * variance.sqrt()
    }

    /// As a model file: normal changes, whose variance is that of the permanent part and of the
    /// drifts over the steps between two remaps.
    pub fn model(&self, remap_cost: f64) -> String {
        let every = self.interval(remap_cost).unwrap_or(1) as f64;
        let variance = self.deviation().powi(2) + every * self.drifts.variance();
        format!(
            "Model(\n    title: \"Fitted in a running program\",\n    problem: Periodic(\n        \
             initial_load: {},\n        changes: Identical(count: {}, law: Normal(mean: 0, deviation: {})),\n        \
             remap_cost: {remap_cost},\n    ),\n)\n",
            self.mean(),
            self.ranks(),
            variance.sqrt()
        )
    }

    /// The interval n that minimizes (C + u_1 + ... + u_n) / n for a remap of cost C and the
    /// expected growth u. `None` (never) if nothing grows, or the minimum lies beyond a million
    /// steps.
    pub fn interval(&self, remap_cost: f64) -> Option<u64> {
        let (drifts, deviation) = (self.drifts.variance(), self.deviation().powi(2));
        let most = largest_normal(self.ranks);
        let (mut spent, mut before) = (remap_cost, f64::INFINITY);
        for n in 1..=LONGEST {
            let t = n as f64;
            spent += most * (t * t * drifts + t * deviation).sqrt();
            let average = spent / t;
            // The growth increases, so the average decreases and then increases for good.
            if average >= before {
                return (n > 1 && spent > remap_cost).then_some(n - 1);
            }
            before = average;
        }
        None
    }
}

/// E max of `count` independent standard normal numbers minus their mean: the integral of 1 -
/// F^count - (1 - F)^count over the positive half-line, by Simpson's rule.
fn largest_normal(count: f64) -> f64 {
    if count < 2.0 {
        return 0.0;
    }
    const CELLS: usize = 4000;
    const END: f64 = 40.0;
    let law = |x: f64| {
        let above = 0.5 * libm::erfc(x / std::f64::consts::SQRT_2);
        let power = (count * (-above).ln_1p()).exp();
        let other = if above > 0.0 { (count * above.ln()).exp() } else { 0.0 };
        1.0 - power - other
    };
    let step = END / CELLS as f64;
    let inner: f64 =
        (1..CELLS).map(|k| law(k as f64 * step) * if k % 2 == 1 { 4.0 } else { 2.0 }).sum();
    step / 3.0 * (law(0.0) + inner + law(END))
}
