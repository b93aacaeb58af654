//! Delayed (asynchronous) remaps: the new mapping takes effect some steps after the decision.
//!
//! A remap costs `stops + steps * slowdown * time of a step` in total.

use serde::{Deserialize, Serialize};

/// How a remap overlaps the steps after the decision.
///
/// ```
/// use remapping::overlap::Overlap;
///
/// // It comes into force three steps later; until then steps take a tenth longer.
/// let overlap = Overlap { steps: 3, slowdown: 0.1 };
/// assert!((overlap.price(2.0, 10.0) - 5.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlap {
    /// Steps that still run on the old mapping. The new one balances the loads of the step after
    /// which it was decided.
    pub steps: u64,
    /// Relative slowdown of those steps.
    pub slowdown: f64,
}

impl Overlap {
    /// The program stops while it remaps.
    pub const NONE: Overlap = Overlap { steps: 0, slowdown: 0.0 };

    /// Whether the program stops while it remaps.
    pub fn is_none(&self) -> bool {
        self.steps == 0
    }

    /// Total cost of a remap that stops the program for `stops`, if a step takes `step`.
    pub fn price(&self, stops: f64, step: f64) -> f64 {
        stops + self.steps as f64 * self.slowdown * step
    }
}

/// The cost of a remap and its overlap with the steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// How long it stops the program.
    pub stops: f64,
    /// Its effect on the steps that follow.
    pub overlap: Overlap,
}

impl From<f64> for Price {
    fn from(stops: f64) -> Price {
        Price { stops, overlap: Overlap::NONE }
    }
}
