//! Remaps that go on beside the steps: the new mapping comes into force some steps after the decision.

use serde::{Deserialize, Serialize};

/// How a remap overlaps the steps that follow the decision.
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
    /// Steps still made on the old mapping. The new one balances the loads of the step after which it was
    /// decided.
    pub steps: u64,
    /// By which share of their time these steps are slower.
    pub slowdown: f64,
}

impl Overlap {
    /// The program stands still while it remaps.
    pub const NONE: Overlap = Overlap { steps: 0, slowdown: 0.0 };

    /// Whether the program stands still while it remaps.
    pub fn is_none(&self) -> bool {
        self.steps == 0
    }

    /// What a remap costs in all if it stops the program for `stops` and steps take `step`.
    pub fn price(&self, stops: f64, step: f64) -> f64 {
        stops + self.steps as f64 * self.slowdown * step
    }
}

/// What a remap costs, and how it overlaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// For how long it stops the program.
    pub stops: f64,
    /// What it does to the steps that follow.
    pub overlap: Overlap,
}

impl From<f64> for Price {
    fn from(stops: f64) -> Price {
        Price { stops, overlap: Overlap::NONE }
    }
}
