//! The distribution of the number of cycles N: how long the program continues to run.
//!
//! Cycle n (from 0) runs iff N >= n, so N = m means m + 1 cycles. The recursions need the
//! continuation probability s_n = P(N >= n+1 | N >= n) and its complement, the failure rate. Both
//! take O(1), or O(log values) for a given list of probabilities.
//!
//! ```
//! use remapping::decimal::decimal;
//! use remapping::lifetime::Lifetime;
//!
//! let lifetime = Lifetime::geometric(decimal("0.1")?, 0, 1000)?;
//! assert!((lifetime.continuation(5) - 0.9).abs() < 1e-12);
//! assert!(lifetime.has_increasing_failure_rate());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::Rational;
use crate::rounding::nearest;

/// Distribution of the number of cycles.
#[derive(Debug, Clone, PartialEq)]
pub struct Lifetime {
    law: Law,
}

#[derive(Debug, Clone, PartialEq)]
enum Law {
    Fixed { last: u64 },
    Uniform { first: u64, last: u64 },
    Geometric(Geometric),
    Pmf(Vec<Mass>),
}

/// P(N = m) proportional to (1 - rate)^(m - first) on `first..=last`, 0 < rate < 1.
#[derive(Debug, Clone, PartialEq)]
struct Geometric {
    rate: Rational,
    first: u64,
    last: u64,
    /// The rate, its complement and the logarithm of that, each accurate to full relative
    /// precision.
    rate_nearest: f64,
    survival: f64,
    log_survival: f64,
}

impl Geometric {
    fn new(rate: Rational, first: u64, last: u64) -> Geometric {
        let (rate_nearest, survival) = (nearest(&rate), nearest(&(Rational::ONE - &rate)));
        // Each branch avoids arguments at which the logarithm amplifies rounding errors.
        let log_survival = if rate_nearest < 0.5 { (-rate_nearest).ln_1p() } else { survival.ln() };
        Geometric { rate, first, last, rate_nearest, survival, log_survival }
    }

    /// 1 - (1 - rate)^`cycles`.
    fn ends_within(&self, cycles: f64) -> f64 {
        -(cycles * self.log_survival).exp_m1()
    }

    fn continuation(&self, n: u64) -> f64 {
        if n >= self.last {
            return 0.0;
        }
        let left = (self.last - n) as f64;
        self.survival * self.ends_within(left) / self.ends_within(left + 1.0)
    }

    fn failure_rate(&self, n: u64) -> f64 {
        if n >= self.last {
            return 1.0;
        }
        self.rate_nearest / self.ends_within((self.last - n) as f64 + 1.0)
    }
}

/// A value m of N with positive probability.
#[derive(Debug, Clone, PartialEq)]
struct Mass {
    value: u64,
    /// P(N >= m).
    tail: Rational,
    /// P(N > m).
    beyond: Rational,
    failure: f64,
    survival: f64,
}

/// Why a distribution of N is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LifetimeError {
    /// The range ends before it begins.
    #[error("the range of N ends before it begins")]
    EmptyRange,
    /// No value has positive probability.
    #[error("no value of N has positive probability")]
    NoMass,
    /// A probability is negative or above 1.
    #[error("a probability lies outside [0, 1]")]
    OutOfRange,
    /// A value is given twice.
    #[error("the value {0} of N is given twice")]
    Repeated(u64),
}

impl Lifetime {
    /// N = `last` with probability 1.
    pub fn fixed(last: u64) -> Lifetime {
        Lifetime { law: Law::Fixed { last } }
    }

    /// N uniform on `first..=last`.
    pub fn uniform(first: u64, last: u64) -> Result<Lifetime, LifetimeError> {
        if first > last {
            return Err(LifetimeError::EmptyRange);
        }
        let law = if first == last { Law::Fixed { last } } else { Law::Uniform { first, last } };
        Ok(Lifetime { law })
    }

    /// P(N = m) proportional to (1 - `rate`)^(m - `first`) on `first..=last`.
    pub fn geometric(rate: Rational, first: u64, last: u64) -> Result<Lifetime, LifetimeError> {
        if first > last {
            return Err(LifetimeError::EmptyRange);
        }
        if rate < Rational::ZERO || rate > Rational::ONE {
            return Err(LifetimeError::OutOfRange);
        }
        if rate == Rational::ZERO {
            return Lifetime::uniform(first, last);
        }
        if rate == Rational::ONE || first == last {
            return Ok(Lifetime::fixed(first));
        }
        Ok(Lifetime { law: Law::Geometric(Geometric::new(rate, first, last)) })
    }

    /// Given probabilities of given values. They are not normalized: only the ratios of their tail
    /// sums matter.
    pub fn pmf(mut weights: Vec<(u64, Rational)>) -> Result<Lifetime, LifetimeError> {
        weights.sort_by_key(|(value, _)| *value);
        if let Some(pair) = weights.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(LifetimeError::Repeated(pair[0].0));
        }
        if weights.iter().any(|(_, p)| *p < Rational::ZERO || *p > Rational::ONE) {
            return Err(LifetimeError::OutOfRange);
        }
        let mut masses = Vec::new();
        let mut beyond = Rational::ZERO;
        for (value, probability) in weights.into_iter().rev().filter(|(_, p)| *p > Rational::ZERO) {
            let tail = &beyond + &probability;
            let failure = nearest(&(&probability / &tail));
            let survival = nearest(&(&beyond / &tail));
            masses.push(Mass { value, tail: tail.clone(), beyond, failure, survival });
            beyond = tail;
        }
        masses.reverse();
        match masses.as_slice() {
            [] => Err(LifetimeError::NoMass),
            [only] => Ok(Lifetime::fixed(only.value)),
            _ => Ok(Lifetime { law: Law::Pmf(masses) }),
        }
    }

    /// The greatest possible value M of N.
    pub fn last(&self) -> u64 {
        match &self.law {
            Law::Fixed { last }
            | Law::Uniform { last, .. }
            | Law::Geometric(Geometric { last, .. }) => *last,
            Law::Pmf(masses) => masses[masses.len() - 1].value,
        }
    }

    /// s_n = P(N >= n+1 | N >= n), to a few units in the last place; 0 from M on.
    pub fn continuation(&self, n: u64) -> f64 {
        match &self.law {
            Law::Fixed { last } => f64::from(n < *last),
            Law::Uniform { first, last } if n >= *first => {
                let left = last.saturating_sub(n) as f64;
                left / (left + 1.0)
            }
            Law::Geometric(law) if n >= law.first => law.continuation(n),
            Law::Uniform { .. } | Law::Geometric(_) => 1.0,
            Law::Pmf(masses) => {
                self.mass_at(masses, n).map_or(f64::from(n < self.last()), |m| m.survival)
            }
        }
    }

    /// The expected sum of `cost(n)` over the cycles n = 0..=N, in doubles; `cost` is called for n
    /// = 0, 1, ..., M. O(M).
    pub fn expected_sum(&self, mut cost: impl FnMut(u64) -> f64) -> f64 {
        let mut running = 1.0;
        let mut sum = 0.0;
        for n in 0..=self.last() {
            sum += running * cost(n);
            running *= self.continuation(n);
        }
        sum
    }

    /// P(N = n | N >= n) = 1 - s_n, computed without cancellation.
    pub fn failure_rate(&self, n: u64) -> f64 {
        match &self.law {
            Law::Uniform { first, last } if n >= *first => {
                1.0 / (last.saturating_sub(n) as f64 + 1.0)
            }
            Law::Geometric(law) if n >= law.first => law.failure_rate(n),
            Law::Pmf(masses) => {
                self.mass_at(masses, n).map_or(f64::from(n >= self.last()), |m| m.failure)
            }
            _ => f64::from(n >= self.last()),
        }
    }

    /// s_n exactly. For geometric distributions the numbers grow with M - n.
    pub fn continuation_exact(&self, n: u64) -> Rational {
        if n >= self.last() {
            return Rational::ZERO;
        }
        match &self.law {
            Law::Uniform { first, last } if n >= *first => {
                Rational::from(last - n) / Rational::from(last - n + 1)
            }
            Law::Geometric(Geometric { rate, first, last, .. }) if n >= *first => {
                let survival = Rational::ONE - rate;
                let ends = |cycles: u64| Rational::ONE - survival.pow(cycles as isize);
                &survival * ends(last - n) / ends(last - n + 1)
            }
            Law::Pmf(masses) => {
                self.mass_at(masses, n).map_or(Rational::ONE, |m| &m.beyond / &m.tail)
            }
            _ => Rational::ONE,
        }
    }

    /// The least n with s_n < 1 that the distribution allows.
    fn first(&self) -> u64 {
        match &self.law {
            Law::Fixed { last } => *last,
            Law::Uniform { first, .. } | Law::Geometric(Geometric { first, .. }) => *first,
            Law::Pmf(masses) => masses[0].value,
        }
    }

    /// The least m such that s_m, ..., s_n are all exactly 1; n + 1 if s_n is not.
    pub(crate) fn certain_from(&self, n: u64) -> u64 {
        match &self.law {
            _ if n < self.first() => 0,
            Law::Pmf(masses) if n < self.last() => {
                masses[masses.partition_point(|mass| mass.value <= n) - 1].value + 1
            }
            _ => n + 1,
        }
    }

    /// The least m such that s_m, ..., s_n are equal to within two units in the last place, so that
    /// the recursion may treat those steps alike.
    pub fn constant_from(&self, n: u64) -> u64 {
        match &self.law {
            _ if n >= self.last() => n,
            _ if n < self.first() => 0,
            Law::Geometric(Geometric { log_survival, first, last, .. })
                if (last - n) as f64 * log_survival < -60.0 * std::f64::consts::LN_2 =>
            {
                *first
            }
            Law::Pmf(_) => self.certain_from(n).min(n),
            _ => n,
        }
    }

    /// The least nonzero value among all s_n and 1 - s_n, to within a factor of 2.
    pub(crate) fn least_chance(&self) -> f64 {
        match &self.law {
            Law::Fixed { .. } => 1.0,
            Law::Uniform { first, last } => 1.0 / ((last - first) as f64 + 1.0),
            Law::Geometric(law) => law.rate_nearest.min(law.survival),
            Law::Pmf(masses) => {
                let chances = masses.iter().flat_map(|mass| [mass.failure, mass.survival]);
                chances.filter(|chance| *chance > 0.0).fold(1.0, f64::min)
            }
        }
    }

    /// Whether the failure rate never decreases on 0..=M [NR90, Lemma 1, claim 4 needs it].
    pub fn has_increasing_failure_rate(&self) -> bool {
        match &self.law {
            Law::Fixed { .. } | Law::Uniform { .. } | Law::Geometric(_) => true,
            Law::Pmf(masses) => {
                let gapless = masses.windows(2).all(|pair| pair[1].value == pair[0].value + 1);
                let rate = |mass: &Mass| Rational::ONE - &mass.beyond / &mass.tail;
                gapless && masses.windows(2).all(|pair| rate(&pair[0]) <= rate(&pair[1]))
            }
        }
    }

    /// L_n = E\[N - n + 1 | N >= n\]: the mean number of remaining cycles at step n <= M, this one
    /// included.
    pub fn residual_mean(&self, n: u64) -> f64 {
        match &self.law {
            Law::Fixed { last } => (last - n) as f64 + 1.0,
            Law::Uniform { first, last } => {
                let from = n.max(*first);
                (from - n) as f64 + (last - from) as f64 / 2.0 + 1.0
            }
            Law::Geometric(Geometric { rate_nearest, log_survival, first, last, .. }) => {
                let from = n.max(*first);
                let values = (last - from) as f64 + 1.0;
                let ahead = (from - n) as f64;
                if values < 1e6 {
                    // The closed form below cancels badly when rate * values is small.
                    let mean =
                        (from..=*last).rev().fold(0.0, |l, m| 1.0 + self.continuation(m) * l);
                    return ahead + mean;
                }
                // A geometric variable truncated at K values has mean 1/rate - K q^K / (1 - q^K).
                let lost =
                    values * (values * log_survival).exp() / -(values * log_survival).exp_m1();
                ahead + 1.0 / rate_nearest - lost
            }
            Law::Pmf(masses) => {
                let mut left = Rational::ZERO;
                let from = masses.partition_point(|mass| mass.value < n);
                for mass in &masses[from..] {
                    left += Rational::from(mass.value - n + 1) * (&mass.tail - &mass.beyond);
                }
                nearest(&(left / &masses[from].tail))
            }
        }
    }

    fn mass_at<'a>(&self, masses: &'a [Mass], n: u64) -> Option<&'a Mass> {
        masses.binary_search_by_key(&n, |mass| mass.value).ok().map(|at| &masses[at])
    }
}
