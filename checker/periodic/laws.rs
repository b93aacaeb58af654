//! Numbers and distributions of changes, as model files state them.

use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::{Listed, Number, is_one};
use crate::core::written;
use crate::loads::signed::Signed;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed as _};

written! {
    pub enum Law {
        Steps(Listed<Signed, Number>),
        Exponential { mean: Number },
        Gamma { shape: Number, mean: Number },
        Normal { mean: Signed, deviation: Number },
        Moments { mean: Signed, variance: Number }
    }
}

/// A number is 0, or at most this many powers of ten from 1.
pub const SIZES: u32 = 40;

pub fn moderate(x: &BigRational, power: u32) -> bool {
    let most = BigRational::from(BigInt::from(10).pow(power));
    is_nothing(x) || x.abs() <= most && x.abs() >= most.recip()
}

/// Whether the nearest double is 0.
fn is_nothing(x: &BigRational) -> bool {
    x.abs() <= BigRational::new(BigInt::one(), BigInt::one() << 1075)
}

pub fn matters(x: &Number) -> bool {
    !is_nothing(&x.0)
}

impl Law {
    pub fn review(&self) -> Result<(), Refusal> {
        let size = |x: &BigRational| moderate(x, SIZES);
        let fits = match self {
            Law::Steps(Listed(points)) => {
                let one = BigRational::one();
                is_one(&points.values().map(|p| &p.0).sum())
                    && points.iter().all(|(x, p)| size(&x.0) && p.0 <= one)
            }
            Law::Exponential { mean } => matters(mean) && size(&mean.0),
            Law::Gamma { shape, mean } => [shape, mean].iter().all(|x| matters(x) && size(&x.0)),
            Law::Normal { mean, deviation } => size(&mean.0) && size(&deviation.0),
            Law::Moments { mean, variance } => size(&mean.0) && moderate(&variance.0, 2 * SIZES),
        };
        if fits { Ok(()) } else { model_error("a law of the changes is out of range") }
    }

    /// Mean and variance.
    pub fn moments(&self) -> [BigRational; 2] {
        match self {
            Law::Steps(Listed(points)) => {
                let sum = |power: i32| -> BigRational {
                    points.iter().map(|(x, p)| num_traits::Pow::pow(&x.0, power) * &p.0).sum()
                };
                // Dividing by the sum shares the missing probability among all values.
                let (all, mean) = (sum(0), sum(1) / sum(0));
                let variance = sum(2) / all - &mean * &mean;
                [mean, variance]
            }
            Law::Exponential { mean } => [mean.0.clone(), &mean.0 * &mean.0],
            Law::Gamma { shape, mean } => [mean.0.clone(), &mean.0 * &mean.0 / &shape.0],
            Law::Normal { mean, deviation } => [mean.0.clone(), &deviation.0 * &deviation.0],
            Law::Moments { mean, variance } => [mean.0.clone(), variance.0.clone()],
        }
    }

    /// The distribution of the load divided by a capacity.
    pub fn per(&self, capacity: &BigRational) -> Law {
        let by = |x: &BigRational| Number(x / capacity);
        let signed = |x: &Signed| Signed(&x.0 / capacity);
        match self {
            Law::Steps(Listed(points)) => {
                let points = points.iter().map(|(x, p)| (signed(x), p.clone()));
                Law::Steps(Listed(points.collect()))
            }
            Law::Exponential { mean } => Law::Exponential { mean: by(&mean.0) },
            Law::Gamma { shape, mean } => Law::Gamma { shape: shape.clone(), mean: by(&mean.0) },
            Law::Normal { mean, deviation } => {
                Law::Normal { mean: signed(mean), deviation: by(&deviation.0) }
            }
            Law::Moments { mean, variance } => {
                let variance = by(&(&variance.0 / capacity));
                Law::Moments { mean: signed(mean), variance }
            }
        }
    }
}
