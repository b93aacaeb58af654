//! Closer thresholds on a mesh by expanding several steps at once.
//!
//! A mesh moves the kink of a clip to a node. The error is visible where a later threshold is close
//! to an image of that kink. Expanded over all observation sequences of several steps, the
//! difference at a belief is a mean of exactly clipped differences. Only the innermost ones are
//! interpolated on the mesh. The difference increases with the belief, so rounding a belief upward
//! is safe for upper bounds.
//!
//! Cost: O(stored steps x observations / `rare`) terms per evaluation, O(nodes) memory per stored
//! step.

use super::functions::{Four, Functions};
use super::mesh::Mesh;
use crate::phase_change::Bounds;
use crate::phase_switching::difference::recursion::{Recursion, enclosed};
use crate::rounding::{SLACK, outward};
use std::collections::VecDeque;

/// Number of stored steps.
pub(super) const STEPS: usize = 16;

/// Probability of an observation sequence below which it is not expanded: first attempt, and
/// second.
pub(super) const RARE: [f64; 2] = [1.0 / 128.0, 1.0 / 4096.0];

/// Probability too small to compute an update from.
const SMALL: f64 = 1e-250;

/// Bisection accuracy, in units of the requested width.
const CLOSELY: f64 = 1.0 / 32.0;

/// The latest backward steps on a mesh.
pub(super) struct Recent<'a> {
    mesh: &'a Mesh,
    recursion: &'a Recursion,
    /// The latest first.
    taken: VecDeque<Taken>,
}

/// One stored step.
#[derive(Default)]
struct Taken {
    /// The probability that a cycle follows.
    survival: f64,
    /// Its input: the clipped enclosure of the difference, the lower function with opposite sign.
    from: Vec<[f64; 2]>,
}

impl<'a> Recent<'a> {
    pub(super) fn new(mesh: &'a Mesh, recursion: &'a Recursion) -> Recent<'a> {
        Recent { mesh, recursion, taken: VecDeque::new() }
    }

    /// Stores the step that `functions` have just taken. O(nodes).
    pub(super) fn push(&mut self, survival: f64, functions: &Functions) {
        let full = self.taken.len() == STEPS;
        let oldest = if full { self.taken.pop_back() } else { None };
        let mut taken = oldest.unwrap_or_default();
        taken.from.clear();
        taken.from.extend(functions.later.iter().map(|&[above, below, ..]: &Four| [above, below]));
        taken.survival = survival;
        self.taken.push_front(taken);
    }

    /// Bound on the outward move of the functions since the oldest stored step, if all steps are
    /// alike. O(nodes). Added to the possible move beyond the latest functions, it bounds the move
    /// of every earlier difference beyond the oldest.
    pub(super) fn moved(&self) -> Option<[f64; 2]> {
        let latest = self.taken.front()?;
        let alike = self.taken.iter().all(|taken| taken.survival == latest.survival);
        if !alike {
            return None;
        }
        let mut sum = [0.0f64; 2];
        for (newer, older) in self.taken.iter().zip(self.taken.iter().skip(1)) {
            let mut moved = [0.0f64; 2];
            for (now, before) in newer.from.iter().zip(&older.from) {
                moved = [0, 1].map(|side: usize| moved[side].max(now[side] - before[side]));
            }
            sum = [0, 1].map(|side: usize| {
                outward::<true>(sum[side] + moved[side], sum[side] + moved[side])
            });
        }
        Some(sum)
    }

    /// Discards all stored steps: the next ones are of another kind.
    pub(super) fn clear(&mut self) {
        self.taken.clear();
    }

    /// Closer bounds on the belief at which the latest difference crosses `level`. The difference
    /// may still move up and down by `reach`; a width of `width` suffices. `rare` lists probability
    /// limits of expanded sequences, tried in order.
    pub(super) fn closer(
        &self,
        bounds: Bounds,
        level: f64,
        reach: [f64; 2],
        width: f64,
        rare: &[f64],
    ) -> Bounds {
        let size = level.abs();
        let beneath = outward::<false>(level - reach[0], size + reach[0]);
        let beyond = outward::<true>(level + reach[1], size + reach[1]);
        if self.taken.is_empty() || bounds.width() <= width || !level.is_finite() {
            return bounds;
        }
        let search = |bounds: Bounds, holds: &dyn Fn(f64) -> bool| {
            let [mut start, mut end] = [bounds.lower, bounds.upper];
            while end - start > CLOSELY * width {
                let middle = start + 0.5 * (end - start);
                if middle <= start || middle >= end {
                    break;
                }
                if holds(middle) { start = middle } else { end = middle }
            }
            [start, end]
        };
        let mut bounds = bounds;
        for &rare in rare {
            if bounds.width() > width {
                let beneath = |p| self.difference::<true>(p, 0, rare) < beneath;
                let within = |p| self.difference::<false>(p, 0, rare) <= beyond;
                bounds = enclosed(search(bounds, &beneath)[0], search(bounds, &within)[1]);
            }
        }
        bounds
    }

    /// The unclipped difference `step` steps after the latest, rounded up (`UPPER`) or down.
    /// Sequences of probability below `rare` are not expanded.
    fn difference<const UPPER: bool>(&self, p: f64, step: usize, rare: f64) -> f64 {
        let Recursion { filter, difference, .. } = self.recursion;
        let (mut sum, mut size) = (0.0, 0.0);
        for report in filter.likelihoods() {
            let [first, second] = filter.chances(*report, p);
            let chance = first + second;
            let image = if chance < SMALL {
                if UPPER { 1.0 } else { 0.0 }
            } else {
                let image = second / chance;
                outward::<UPPER>(image, 2.0 * image)
            };
            let value =
                chance * self.cut::<UPPER>(image.clamp(0.0, 1.0), step, rare / chance.max(SMALL));
            sum += value;
            size += value.abs();
        }
        let line = (1.0 - p) * difference[0] + p * difference[1];
        let size =
            2.0 * (size + difference[0].abs() + difference[1].abs()) + f64::MIN_POSITIVE / SLACK;
        outward::<UPPER>(line + self.taken[step].survival * sum, size)
    }

    /// The clipped difference from which this step was taken.
    fn cut<const UPPER: bool>(&self, p: f64, step: usize, rare: f64) -> f64 {
        let Recursion { low, high, .. } = *self.recursion;
        if step + 1 < self.taken.len() && rare < 1.0 {
            return self.difference::<UPPER>(p, step + 1, rare).clamp(low, high);
        }
        let Mesh { at, inverse, .. } = self.mesh;
        let cell = self.mesh.cell(p);
        let share = ((p - at[cell]) * inverse[cell]).clamp(0.0, 1.0);
        let ends = [&self.taken[step].from[cell], &self.taken[step].from[cell + 1]];
        let [start, end] = ends.map(|[above, below]| if UPPER { *above } else { -below });
        outward::<UPPER>(start + share * (end - start), start.abs() + end.abs()).clamp(low, high)
    }
}
