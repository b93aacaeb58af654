//! Where every step differs: the width at hand says how coarse the next steps may be.
//!
//! What steps lose adds up until the phase has changed or the run has ended, so that widths follow slowly what functions are
//! like, and tell beforehand where they tend to.

use super::problem::Cycle;
use super::stationary::amplification;
use super::sweep::State;
use crate::Bounds;

/// Steps between two looks.
const EVERY: u64 = 64;

/// Part of the tolerance from which on functions become finer at once, however they tend.
const NEAR: f64 = 0.97;

/// How much finer or coarser functions become at one look, and what is not worth a change.
const CHANGES: [f64; 2] = [0.5, 1.25];
const ALIKE: std::ops::Range<f64> = 0.95..1.05;

/// What was seen at the last look.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    width: Option<f64>,
}

impl State<'_> {
    /// Sets how coarse the steps before `n` may be, so that widths come to the part of the tolerance that is aimed at.
    pub(super) fn keep_pace(&mut self, n: u64, cycle: &Cycle, bounds: Bounds) {
        let Some(aim) = self.coarseness.aim.filter(|_| n.is_multiple_of(EVERY)) else { return };
        let value = self.value_gap() / self.value().0.abs().max(1.0);
        let width = bounds.width().max(value) / self.coarseness.tolerance;
        let Some(before) = self.pace.width.replace(width) else { return };
        // What each step adds now is forgotten as what was there before it is.
        let ahead = amplification(cycle.killed(), n) / EVERY as f64;
        let tends_to = width + (width - before) * ahead;
        let [least, most] = CHANGES;
        let factor = if width > NEAR {
            least
        } else if tends_to > 0.0 {
            (aim / tends_to).clamp(least, most)
        } else {
            most
        };
        if !ALIKE.contains(&factor) {
            self.coarseness.merge *= factor;
        }
    }
}
