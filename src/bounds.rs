//! Two numbers that a third lies between.

use serde::{Deserialize, Serialize};

/// A certified interval: of a threshold, as probabilities, or of a cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Not above the true value.
    pub lower: f64,
    /// Not below the true value.
    pub upper: f64,
}

impl Bounds {
    /// The point reported.
    pub fn middle(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }

    /// Width of the certificate: infinite if it is none, the lower bound not being below the upper one.
    pub fn width(&self) -> f64 {
        if self.lower <= self.upper { self.upper - self.lower } else { f64::INFINITY }
    }

    /// How far the point reported may be off.
    pub fn half_width(&self) -> f64 {
        0.5 * self.width()
    }

    /// By how much this cost exceeds `least`, which nothing falls below.
    pub fn above(self, least: Bounds) -> Bounds {
        let lower = (self.lower - least.upper).max(0.0);
        Bounds { lower, upper: (self.upper - least.lower).max(0.0) }
    }

    /// This as a percentage of `whole`, which is positive; unbounded where that may be nothing.
    pub fn percent_of(self, whole: Bounds) -> Bounds {
        let share = |part: f64, dearest: f64, cheapest: f64| {
            100.0 * part / if part < 0.0 { cheapest } else { dearest }
        };
        Bounds {
            lower: share(self.lower, whole.upper, whole.lower),
            upper: share(self.upper, whole.lower, whole.upper),
        }
    }
}
