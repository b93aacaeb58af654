//! Mean numbers of remaining cycles, x_n = 1 + l x_{n+1}: updated step by step, or in closed form
//! over many steps.
//!
//! O(1) per update. Sums are kept in double-double arithmetic, with a bound on their error.

use super::stationarity::stationary::amplification;
use crate::rounding::{DoubleDouble, SLACK};

/// A quantity x_n = 1 + l x_{n+1}.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Countdown {
    pub(super) value: DoubleDouble,
    growth: f64,
    /// Bound on the error of the value; l has a relative error of [`SLACK`].
    pub(super) error: f64,
}

impl Countdown {
    /// `kept` is l and `killed` is 1 - l. If most is killed the sum is recomputed: an increment
    /// would keep the rounding error of the old, larger sum.
    pub(super) fn step(&mut self, killed: f64, kept: f64) {
        let old = self.value.value();
        if killed > 0.5 {
            self.value = DoubleDouble::from(1.0 + kept * old);
            self.growth = self.value.value() - old;
        } else {
            self.growth = 1.0 - killed * old;
            self.value = self.value.plus(self.growth);
        }
        self.error = kept * self.error + SLACK * (1.0 + killed.min(kept) * old);
    }

    /// The increment of `steps` further steps like the last one.
    pub(super) fn ahead(&self, killed: f64, steps: u64) -> f64 {
        self.growth * (1.0 - killed) * amplification(killed, steps)
    }

    /// Takes `steps` further steps like the last one.
    pub(super) fn skip(&mut self, killed: f64, steps: u64) {
        let (old, cycles) = (self.value.value(), amplification(killed, steps));
        self.value = self.value.plus(self.ahead(killed, steps));
        let kept = (1.0 - killed * cycles).clamp(0.0, 1.0);
        self.error = (kept + SLACK) * self.error + 8.0 * SLACK * (old + cycles);
    }
}
