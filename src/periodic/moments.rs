//! Exact rational means and variances of the changes, and the intervals that they determine.

use super::Crossing;
use crate::Rational;
use crate::decimal::written;
use dashu_int::IBig;

/// Moments of the changes of all processors together.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// Initial load of each processor, positive.
    pub load: Rational,
    /// Change of the average load in a step.
    pub mean: Rational,
    /// Growth per step of the expected sum of squared deviations from the average, without the
    /// contribution of the means. For independent changes it is `(N-1)` times their mean variance.
    pub variance: Rational,
    /// `sum mu_i^2 - N mubar^2` of the means; nonzero where they differ.
    pub drift: Rational,
}

impl Moments {
    /// Moments of independent changes, given as number of processors, mean and variance.
    ///
    /// # Panics
    /// If there is no processor.
    pub fn of(
        load: Rational,
        changes: impl IntoIterator<Item = (usize, [Rational; 2])>,
    ) -> Moments {
        let mut count = Rational::ZERO;
        let mut sums = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
        for (own, [mean, variance]) in changes {
            let own = Rational::from(own);
            sums[0] += &own * &mean;
            sums[1] += &own * &mean * &mean;
            sums[2] += &own * variance;
            count += own;
        }
        let [sum, squares, variances] = sums;
        let mean = sum / &count;
        let drift = squares - &count * &mean * &mean;
        let variance = (&count - Rational::ONE) * variances / &count;
        Moments { load, mean, variance, drift }
    }

    /// Mean and variance of a distribution of values and their weights, which are divided by their
    /// sum.
    ///
    /// # Panics
    /// If there is no weight.
    pub fn of_steps(steps: impl IntoIterator<Item = (Rational, Rational)>) -> [Rational; 2] {
        let mut sums = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
        for (value, weight) in steps {
            let moment = &weight * &value;
            sums[2] += &moment * value;
            sums[1] += moment;
            sums[0] += weight;
        }
        let [sum, mean, square] = sums;
        let mean = mean / &sum;
        let variance = square / sum - &mean * &mean;
        [mean, variance]
    }

    /// Mean load after so many steps.
    pub fn mean_load(&self, steps: u64) -> Rational {
        &self.load + &self.mean * Rational::from(steps)
    }

    /// The last step after which the mean load is above zero; `None` if it always is.
    pub fn last_positive(&self) -> Option<u64> {
        let falls = -self.mean.clone();
        (falls > Rational::ZERO).then(|| {
            let zero = (&self.load / falls).ceil() - IBig::ONE;
            u64::try_from(zero).unwrap_or(u64::MAX)
        })
    }

    /// The interval during which the square root of `variance t + drift t^2` is at most `bound`
    /// times the mean load, while that is positive. Its real crossing is rounded; `u64::MAX` stands
    /// for that many steps or more.
    pub fn crossing(&self, bound: &Rational) -> Crossing {
        let root = self.root(bound);
        let kept = self.kept(bound, root);
        let last = self.last_positive();
        let steps = match (kept, last) {
            (Some(kept), Some(last)) => kept.min(last),
            (kept, last) => match kept.or(last) {
                Some(steps) => steps,
                None => return Crossing::NEVER,
            },
        };
        let zero = float(&self.load) / -float(&self.mean);
        let real = if kept.is_some_and(|kept| kept <= steps) { root } else { zero };
        let within = |real: f64| match steps.checked_add(1) {
            Some(next) => real.clamp(steps as f64, next as f64),
            None => real,
        };
        let real = real.is_finite().then(|| within(real));
        Crossing { steps: Some(steps), real }
    }

    /// The last step before the square is exceeded; a guess reduces the work.
    fn kept(&self, bound: &Rational, guess: f64) -> Option<u64> {
        let Moments { load, mean, variance, drift } = self;
        let square = bound * bound;
        // It is exceeded where (curve t + slope) t is above this.
        let allowed = &square * load * load;
        let slope = variance - Rational::from(2) * &square * load * mean;
        let curve = drift - square * mean * mean;
        let falls = curve < Rational::ZERO;
        if curve <= Rational::ZERO && slope <= Rational::ZERO {
            return None;
        }
        let mut last = u64::MAX;
        if falls {
            // The left side rises up to this time, and may exceed the bound for a while around it.
            let top = (-&slope / (Rational::from(2) * &curve)).floor();
            last = u64::try_from(top).unwrap_or(u64::MAX);
        }
        // The same in integers.
        let scale = Rational::from(curve.denominator().clone())
            * Rational::from(slope.denominator().clone())
            * Rational::from(allowed.denominator().clone());
        let whole = |x: &Rational| (x * &scale).numerator().clone();
        let (curve, slope, allowed) = (whole(&curve), whole(&slope), whole(&allowed));
        let exceeded = |t: u64| (&curve * t + &slope) * t > allowed;
        let mut high = match [last, last.saturating_add(1)].into_iter().find(|t| exceeded(*t)) {
            Some(high) => high,
            None if falls && last < u64::MAX => return None,
            None => return Some(u64::MAX),
        };
        let mut low = 0;
        let guess = guess as u64;
        for near in [guess, guess.saturating_add(1)] {
            if low < near && near < high {
                *(if exceeded(near) { &mut high } else { &mut low }) = near;
            }
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            *(if exceeded(middle) { &mut high } else { &mut low }) = middle;
        }
        Some(low)
    }

    /// The numerically stable root of [FXW03, (8), (12), (20), (23)], rounded. With `c0 = bound^2
    /// load^2`, `c1 = variance - 2 bound^2 load mean` and `c2 = bound^2 mean^2 - drift` it is `2 c0
    /// / (c1 + sqrt(c1^2 - 4 c2 c0))`. The discriminant is computed as `variance (variance - 4
    /// bound^2 load mean) + 4 bound^2 load^2 drift`, without cancellation. NaN where there is no
    /// root.
    fn root(&self, bound: &Rational) -> f64 {
        let [load, mean, variance, drift, bound] =
            [&self.load, &self.mean, &self.variance, &self.drift, bound].map(float);
        let square = bound * bound;
        let gain = 4.0 * square * load * mean;
        let discriminant = variance * (variance - gain) + 4.0 * square * load * load * drift;
        let denominator = variance - 0.5 * gain + discriminant.max(0.0).sqrt();
        2.0 * square * load * load / denominator
    }
}

/// First time at which the square root of `variance * t + drift * t^2` exceeds `bound * (load +
/// mean * t)`. Each number is taken as the decimal by which it is written; see
/// [`Moments::crossing`].
///
/// `variance >= 0`, `drift >= 0`, `load > 0` and `bound >= 0`. [`Crossing::NEVER`] where the bound
/// is never exceeded, or where no integer step lies between this root and the other, from which the
/// bound holds again. With neither variance nor drift the loads stay equal; the interval then ends
/// only where a decreasing mean load reaches zero.
pub fn first_crossing(variance: f64, drift: f64, load: f64, mean: f64, bound: f64) -> Crossing {
    let [variance, drift, load, mean, bound] = [variance, drift, load, mean, bound].map(written);
    Moments { load, mean, variance, drift }.crossing(&bound)
}

/// The double nearest to an exact number.
pub(super) fn float(exact: &Rational) -> f64 {
    exact.to_f64().value()
}
