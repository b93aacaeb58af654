//! Distributions of the increments of loads, one for each class of ranks.

use crate::distribution::extremes::Marginal;
use crate::distribution::lattice::LatticeLaw;

/// Ranks whose loads have the same increment distribution. Ranks keep it over remaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Class {
    /// Number of ranks, >= 1.
    pub count: usize,
    /// Distribution of the increment of a load in a step.
    pub law: Increments,
    /// Additional deterministic increment in each step. Only differences between classes matter.
    pub drift: f64,
}

/// Distribution of the increment of a load in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Increments {
    /// Normal.
    Normal {
        /// Standard deviation.
        deviation: f64,
    },
    /// Gamma.
    Gamma {
        /// Shape parameter.
        shape: f64,
        /// Mean.
        mean: f64,
    },
    /// Student's t, times a scale.
    Student {
        /// Degrees of freedom, above 2.
        freedom: f64,
        /// Scale.
        scale: f64,
    },
    /// Zero with probability 1 - rate, otherwise a jump of exponential size.
    Jumps {
        /// Probability of a jump.
        rate: f64,
        /// Mean size of a jump.
        size: f64,
    },
}

impl Class {
    /// So many ranks with this distribution and no additional drift.
    pub fn of(count: usize, law: Increments) -> Class {
        Class { count, law, drift: 0.0 }
    }

    /// Mean increment of a load in a step.
    pub fn mean(&self) -> f64 {
        self.drift + self.law.mean()
    }

    pub(super) fn fault(&self) -> Option<&'static str> {
        let wrong = |why, right: bool| if right { None } else { Some(why) };
        wrong("a class has at least one rank", self.count >= 1)
            .or(wrong("drifts are finite", self.drift.is_finite()))
            .or(self.law.fault())
    }

    /// The distribution of a load `steps` steps after a remap, minus `reference` per step, with
    /// slopes and noise of these standard deviations. `None` if its tails have no closed form.
    pub(super) fn marginal(
        &self,
        steps: f64,
        reference: f64,
        slopes: f64,
        noise: f64,
    ) -> Option<Marginal> {
        let drift = self.drift - reference;
        match self.law {
            Increments::Normal { .. } => {
                let (mean, variance) = (drift * steps, self.variance(steps, slopes, noise));
                Some(match variance > 0.0 {
                    true => Marginal::Normal { mean, deviation: variance.sqrt() },
                    false => Marginal::lattice(mean, 1.0, LatticeLaw::certain(0)),
                })
            }
            Increments::Gamma { shape, mean } if slopes == 0.0 && noise == 0.0 && drift == 0.0 => {
                Some(Marginal::Gamma { shape: shape * steps, scale: mean / shape })
            }
            _ => None,
        }
    }

    /// The variance of such a load.
    pub(super) fn variance(&self, steps: f64, slopes: f64, noise: f64) -> f64 {
        self.law.deviation().powi(2) * steps + (slopes * steps).powi(2) + noise.powi(2)
    }
}

impl Increments {
    /// Standard deviation.
    pub fn deviation(&self) -> f64 {
        match *self {
            Increments::Normal { deviation } => deviation,
            Increments::Gamma { shape, mean } => mean / shape.sqrt(),
            Increments::Student { freedom, scale } => scale * (freedom / (freedom - 2.0)).sqrt(),
            Increments::Jumps { rate, size } => size * (rate * (2.0 - rate)).sqrt(),
        }
    }

    /// Mean.
    pub fn mean(&self) -> f64 {
        match *self {
            Increments::Normal { .. } | Increments::Student { .. } => 0.0,
            Increments::Gamma { mean, .. } => mean,
            Increments::Jumps { rate, size } => rate * size,
        }
    }

    fn fault(&self) -> Option<&'static str> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match *self {
            Increments::Normal { deviation } if !(deviation >= 0.0 && deviation.is_finite()) => {
                Some("the deviation of increments must not be negative")
            }
            Increments::Gamma { shape, mean } if !(positive(shape) && positive(mean)) => {
                Some("shape and mean of a gamma law must be positive")
            }
            Increments::Student { freedom, scale } if !(freedom > 2.0 && positive(scale)) => Some(
                "a law of Student must have more than 2 degrees of freedom and a positive scale",
            ),
            Increments::Jumps { rate, size } if !(rate > 0.0 && rate <= 1.0 && positive(size)) => {
                Some("jumps have a rate above 0, up to 1, and a positive size")
            }
            _ => None,
        }
    }
}
