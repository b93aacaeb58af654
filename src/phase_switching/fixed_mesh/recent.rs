//! Thresholds from several steps at once.
//!
//! A mesh moves the kink of a cut to a node, which shows wherever a threshold some steps before lies next to an image of that
//! kink. Followed through all reports of some steps, the difference at a belief is a mean of differences that are cut
//! exactly; only those at the end are taken from the mesh. It rises with the belief, so that places are rounded like values.

use super::functions::{Four, Functions};
use super::mesh::Mesh;
use crate::phase_change::Bounds;
use crate::phase_switching::recursion::{Recursion, enclosed};
use crate::rounding::{SLACK, outward};
use std::collections::VecDeque;

/// How many steps are kept.
pub(super) const STEPS: usize = 16;

/// Chances of a course of reports below which it is not followed further: at first, and if that does not do.
pub(super) const RARE: [f64; 2] = [1.0 / 128.0, 1.0 / 4096.0];

/// A chance that is too small to say where its report leads.
const SMALL: f64 = 1e-250;

/// How closely a place is looked for, in units of the width that is wanted.
const CLOSELY: f64 = 1.0 / 32.0;

/// The latest steps back on a mesh.
pub(super) struct Recent<'a> {
    mesh: &'a Mesh,
    recursion: &'a Recursion,
    /// From the latest on.
    taken: VecDeque<Taken>,
}

/// A step back.
#[derive(Default)]
struct Taken {
    /// The chance that a cycle follows.
    survival: f64,
    /// What it was taken from: the functions around the difference, cut, the lower one with the other sign.
    from: Vec<[f64; 2]>,
}

impl<'a> Recent<'a> {
    pub(super) fn new(mesh: &'a Mesh, recursion: &'a Recursion) -> Recent<'a> {
        Recent { mesh, recursion, taken: VecDeque::new() }
    }

    /// Takes in the step that `functions` have just taken. O(nodes).
    pub(super) fn push(&mut self, survival: f64, functions: &Functions) {
        let full = self.taken.len() == STEPS;
        let oldest = if full { self.taken.pop_back() } else { None };
        let mut taken = oldest.unwrap_or_default();
        taken.from.clear();
        taken.from.extend(functions.later.iter().map(|&[above, below, ..]: &Four| [above, below]));
        taken.survival = survival;
        self.taken.push_front(taken);
    }

    /// How far the functions have moved outward since the oldest step at most, if all are alike. O(nodes). No difference of a
    /// step to come lies farther beyond those of the oldest than by this and what it may yet lie beyond the latest.
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

    /// Forgets all steps: those before the next are others.
    pub(super) fn clear(&mut self) {
        self.taken.clear();
    }

    /// Closer bounds on where the difference of the latest step passes `level`, if it may yet move up and down by `reach`,
    /// where `width` would do; `rare` is which chances of a course of reports are too small to be followed, one tried after the other.
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

    /// The difference so many steps after the latest, not cut, rounded up (`UPPER`) or down; `rare` is which chances are too
    /// small to be followed.
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

    /// The difference that this step was taken from, cut.
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
