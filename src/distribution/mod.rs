//! Distributions of the change of one processor's load in one step, their sums and order
//! statistics.
//!
//! After `t` steps processor `i` has load `w + S_i(t)`, where `S_i(t)` is the sum of `t`
//! independent changes that follow its [`Law`]. The submodules compute the distribution of
//! `S_i(t)`: exactly on a lattice ([`lattice`]), otherwise through the gamma and normal families
//! ([`mod@extremes`]). [`cells`] discretizes the latter on a lattice.
//!
//! ```
//! use remapping::distribution::{Law, Steps};
//!
//! let steps = Steps::new(vec![(-1.0, 0.25), (0.0, 0.5), (1.0, 0.25)])?;
//! let law = Law::Steps(steps);
//! assert_eq!((law.mean(), law.variance()), (0.0, 0.5));
//! # Ok::<(), remapping::distribution::LawError>(())
//! ```

pub mod cells;
pub mod extremes;
pub mod gamma;
pub mod lattice;
pub mod quadrature;
mod steps;

pub use cells::{Cells, Grid};
pub use extremes::{Extremes, extremes};
pub use lattice::{Lattice, LatticeLaw, Walk};
pub use steps::Steps;

/// Distribution of the change of one processor's load in one step [FXW03, section 3], in units of
/// load.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// Finitely many values, each with its probability.
    Steps(Steps),
    /// Exponential with the given mean, positive.
    Exponential {
        /// Mean change per step.
        mean: f64,
    },
    /// Gamma with the given shape (positive) and mean (positive).
    Gamma {
        /// Shape parameter, the squared ratio of mean to deviation.
        shape: f64,
        /// Mean change per step.
        mean: f64,
    },
    /// Normal.
    Normal {
        /// Mean change per step.
        mean: f64,
        /// Standard deviation of a change, not negative.
        deviation: f64,
    },
    /// Only the first two moments are known.
    Moments {
        /// Mean change per step.
        mean: f64,
        /// Variance of a change, not negative.
        variance: f64,
    },
}

/// Why parameters do not describe a distribution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LawError {
    /// A parameter is NaN or infinite.
    #[error("the {0} must be a finite number")]
    NotFinite(&'static str),
    /// A parameter that must be positive is not.
    #[error("the {0} must be positive, and is {1}")]
    NotPositive(&'static str, f64),
    /// A parameter that must not be negative is.
    #[error("the {0} must not be negative, and is {1}")]
    Negative(&'static str, f64),
    /// There is no value.
    #[error("a law of steps needs at least one value")]
    Empty,
    /// A value is named twice.
    #[error("the step {0} is named twice")]
    Repeated(f64),
    /// The weights sum to this instead of one.
    #[error("the weights sum to {0}, {amount:e} {side} 1", amount = (.0 - 1.0).abs(), side = if *.0 < 1.0 { "short of" } else { "above" })]
    WeightSum(f64),
}

fn finite(what: &'static str, value: f64) -> Result<f64, LawError> {
    if value.is_finite() { Ok(value) } else { Err(LawError::NotFinite(what)) }
}

fn positive(what: &'static str, value: f64) -> Result<(), LawError> {
    if finite(what, value)? > 0.0 { Ok(()) } else { Err(LawError::NotPositive(what, value)) }
}

fn not_negative(what: &'static str, value: f64) -> Result<(), LawError> {
    if finite(what, value)? >= 0.0 { Ok(()) } else { Err(LawError::Negative(what, value)) }
}

impl Law {
    /// Checks that the parameters describe a distribution.
    ///
    /// # Errors
    /// The first parameter outside its domain.
    pub fn check(&self) -> Result<(), LawError> {
        match *self {
            Law::Steps(_) => Ok(()),
            Law::Exponential { mean } => positive("mean", mean),
            Law::Gamma { shape, mean } => positive("shape", shape).and(positive("mean", mean)),
            Law::Normal { mean, deviation } => {
                finite("mean", mean).and(not_negative("deviation", deviation))
            }
            Law::Moments { mean, variance } => {
                finite("mean", mean).and(not_negative("variance", variance))
            }
        }
    }

    /// Mean change per step.
    pub fn mean(&self) -> f64 {
        match *self {
            Law::Steps(ref steps) => steps.mean(),
            Law::Exponential { mean }
            | Law::Gamma { mean, .. }
            | Law::Normal { mean, .. }
            | Law::Moments { mean, .. } => mean,
        }
    }

    /// Variance of the change per step.
    pub fn variance(&self) -> f64 {
        match *self {
            Law::Steps(ref steps) => steps.variance(),
            Law::Exponential { mean } => mean * mean,
            Law::Gamma { shape, mean } => mean * mean / shape,
            Law::Normal { deviation, .. } => deviation * deviation,
            Law::Moments { variance, .. } => variance,
        }
    }

    /// The cumulant generating function `ln E exp(theta X)` of a change. Infinite where it
    /// diverges; NaN where only moments are known.
    pub fn cumulant(&self, theta: f64) -> f64 {
        match *self {
            Law::Steps(ref steps) => steps.cumulant(theta),
            Law::Exponential { mean } => gamma_cumulant(1.0, mean, theta),
            Law::Gamma { shape, mean } => gamma_cumulant(shape, mean, theta),
            Law::Normal { mean, deviation } => theta * (mean + 0.5 * theta * deviation * deviation),
            Law::Moments { .. } => f64::NAN,
        }
    }

    /// The smallest possible change; negative infinity if there is none or none is known.
    pub fn least(&self) -> f64 {
        self.ends()[0]
    }

    /// The least and the largest possible change; infinite where there is none or none is known.
    pub(crate) fn ends(&self) -> [f64; 2] {
        match *self {
            Law::Steps(ref steps) => [steps.least(), steps.values()[steps.values().len() - 1]],
            Law::Exponential { .. } | Law::Gamma { .. } => [0.0, f64::INFINITY],
            Law::Normal { mean, deviation: 0.0 } | Law::Moments { mean, variance: 0.0 } => {
                [mean; 2]
            }
            Law::Normal { .. } | Law::Moments { .. } => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Whether the distribution of a sum of changes is known, and not only its moments.
    pub fn is_known(&self) -> bool {
        !matches!(self, Law::Moments { .. })
    }

    /// Whether sums of `t` changes are defined for every real `t > 0` (infinite divisibility within
    /// the family).
    pub fn is_divisible(&self) -> bool {
        matches!(self, Law::Exponential { .. } | Law::Gamma { .. } | Law::Normal { .. })
    }

    /// Distribution of the change divided by a capacity, positive.
    #[must_use]
    pub fn per_capacity(&self, capacity: f64) -> Law {
        match *self {
            Law::Steps(ref steps) => Law::Steps(steps.scaled(1.0 / capacity)),
            Law::Exponential { mean } => Law::Exponential { mean: mean / capacity },
            Law::Gamma { shape, mean } => Law::Gamma { shape, mean: mean / capacity },
            Law::Normal { mean, deviation } => {
                Law::Normal { mean: mean / capacity, deviation: deviation / capacity }
            }
            Law::Moments { mean, variance } => {
                Law::Moments { mean: mean / capacity, variance: variance / capacity / capacity }
            }
        }
    }
}

fn gamma_cumulant(shape: f64, mean: f64, theta: f64) -> f64 {
    let part = theta * mean / shape;
    if part < 1.0 { -shape * (-part).ln_1p() } else { f64::INFINITY }
}

/// A number of processors that follow the same distribution, independently.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// How many processors.
    pub count: usize,
    /// Their common distribution.
    pub law: Law,
}
