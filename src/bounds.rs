//! Certified intervals: two numbers between which the true value lies.

use serde::{Deserialize, Serialize};

/// A certified interval: of a threshold, as probabilities, or of a cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Not above the true value.
    pub lower: f64,
    /// Not below the true value.
    pub upper: f64,
}

impl Bounds {
    /// The midpoint, which is reported.
    pub fn middle(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }

    /// The width; infinite if the bounds are inverted, which means that there is no certificate.
    pub fn width(&self) -> f64 {
        if self.lower <= self.upper { self.upper - self.lower } else { f64::INFINITY }
    }

    /// Greatest error of the midpoint.
    pub fn half_width(&self) -> f64 {
        0.5 * self.width()
    }

    /// Bounds on the excess of this cost over `least`, a lower bound on all costs; never negative.
    pub fn above(self, least: Bounds) -> Bounds {
        let lower = (self.lower - least.upper).max(0.0);
        Bounds { lower, upper: (self.upper - least.lower).max(0.0) }
    }

    /// This cost as a percentage of `whole`, which must be positive; unbounded if its lower bound
    /// is 0.
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
