//! Closed forms: intervals from means and variances alone.

use super::Crossing;

/// Real crossings nearer than this to an integer, relatively, count as that integer: the closed
/// forms carry a few roundings, and `d(t) <= D` keeps a tie.
const TIE: f64 = 1e-12;

/// First time at which the square root of `variance * t + drift * t^2` exceeds
/// `bound * (load + mean * t)`: the numerically sound root of [FXW03, (8), (12), (20), (23)].
///
/// `variance >= 0`, `drift >= 0`, `load > 0` and `bound >= 0`. With `c0 = bound^2 load^2`,
/// `c1 = variance - 2 bound^2 load mean`, `c2 = bound^2 mean^2 - drift` it is
/// `2 c0 / (c1 + sqrt(c1^2 - 4 c2 c0))`; [`Crossing::NEVER`] where the discriminant or the
/// denominator is not positive, or where no whole step lies between it and the other root, at which the bound is kept again. The
/// discriminant is computed as
/// `variance (variance - 4 bound^2 load mean) + 4 bound^2 load^2 drift`, without cancellation.
///
/// With neither variance nor drift the loads stay equal, and the interval ends only where a mean
/// load that falls reaches zero.
pub fn first_crossing(variance: f64, drift: f64, load: f64, mean: f64, bound: f64) -> Crossing {
    if variance == 0.0 && drift == 0.0 {
        return if mean < 0.0 { Crossing::before(load / -mean) } else { Crossing::NEVER };
    }
    if bound == 0.0 {
        return Crossing::at(0.0);
    }
    let square = bound * bound;
    let gain = 4.0 * square * load * mean;
    let spread = 4.0 * square * load * load * drift;
    let discriminant = variance * (variance - gain) + spread;
    let rounding = 8.0 * f64::EPSILON * (variance * variance + (variance * gain).abs() + spread);
    if discriminant <= rounding {
        return Crossing::NEVER;
    }
    let denominator = variance - 0.5 * gain + discriminant.sqrt();
    // Where c2 is not negative and c1 is negative, the denominator is a difference that may vanish
    // in rounding alone: both roots are then negative or at infinity.
    if denominator <= 8.0 * f64::EPSILON * (variance + gain.abs() + discriminant.sqrt()) {
        return Crossing::NEVER;
    }
    let first = Crossing::at(2.0 * square * load * load / denominator);
    // Where the means grow faster than what is around them, it is exceeded for a while only: between two roots, which may both lie
    // between two whole steps.
    let falls = square * mean * mean - drift;
    if mean > 0.0 && falls > 0.0 {
        let last = 0.5 * denominator / falls;
        if first.steps.is_some_and(|steps| (steps + 1) as f64 >= last * (1.0 - TIE)) {
            return Crossing::NEVER;
        }
    }
    first
}

/// `(N-1)/sqrt(2N-1)`: the expected largest of `count` independent, identically distributed values
/// exceeds their mean by at most this many standard deviations, whatever their law [FXW03, (7)].
pub fn distribution_free_factor(count: usize) -> f64 {
    let n = count as f64;
    (n - 1.0) / (2.0 * n - 1.0).sqrt()
}

/// `alpha(N)`: the extreme-value approximation to the expected largest of `count` standard normal
/// values [FXW03, (11)].
pub fn normal_extremes_factor(count: usize) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let log = (count as f64).ln();
    let root = (2.0 * log).sqrt();
    root - (log.ln() + (4.0 * std::f64::consts::PI).ln()) / (2.0 * root) + EULER / root
}

impl Crossing {
    /// The bound is never exceeded.
    pub const NEVER: Self = Self { steps: None, real: None };

    /// The interval that ends at a real crossing, where the bound is still kept.
    pub fn at(real: f64) -> Self {
        if real >= 9e15 {
            return Self { steps: Some(real as u64), real: Some(real) };
        }
        let near = real.round();
        let whole = if (real - near).abs() <= TIE * near.max(1.0) { near } else { real.floor() };
        Self { steps: Some(whole as u64), real: Some(real) }
    }

    /// The interval that ends before a real time, at which something stops to make sense.
    pub fn before(real: f64) -> Self {
        let near = real.round();
        let whole =
            if (real - near).abs() <= TIE * near.max(1.0) { near - 1.0 } else { real.floor() };
        Self { steps: Some(whole.max(0.0) as u64), real: Some(real) }
    }
}
