//! Bounds on all earlier steps on a mesh, once a step hardly moves the difference and moves the
//! value by a linear function.
//!
//! As in `../rest.rs`: let G be the clipped upper function of the difference, and let G + e exceed
//! the clipped image of G. With w and the range as there, every earlier clipped difference is at
//! most G + e w within the range. By induction: at the lower end of the range an earlier difference
//! is at most the unclipped image plus e w, which is below the low level. The difference increases,
//! so it stays there for smaller beliefs. Hence it is at most the unclipped image plus e w
//! everywhere. The lower bound is analogous.

use super::functions::{Four, Functions};
use super::mesh::Mesh;
use super::step::{Operator, Side};
use crate::phase_change::Bounds;
use crate::phase_switching::difference::operator::Line;
use crate::phase_switching::difference::recursion::{Chances, Recursion, enclosed};
use crate::phase_switching::difference::stationarity::{MARGIN, Room};
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::value_function::value::Ahead;
use crate::rounding::outward;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// An enclosure of all earlier steps.
pub(super) struct Rest {
    pub(super) thresholds: [Bounds; 2],
    /// How far the difference may still move, up and down.
    pub(super) reach: [f64; 2],
    /// Upper and lower bound on the change of the value in one step.
    pub(super) changes: [Polyline; 2],
    /// Linear upper and lower bounds on the sum of those changes.
    pub(super) value: [Line; 2],
    /// Widening of the bounds on the value per step, and the part of it that the mesh causes.
    pub(super) apart: f64,
    pub(super) own: f64,
}

impl Rest {
    /// After a step of `operator` to `functions`. `steps` counts the remaining steps, including
    /// that one. `None` if a step still changes too much.
    pub(super) fn of(
        recursion: &Recursion,
        operator: &Operator<'_>,
        functions: &Functions,
        chances: Chances,
        steps: u64,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Rest>> {
        let Functions { now, later, .. } = functions;
        let mut moved = [0.0f64; 2];
        for (now, later) in now.iter().zip(later) {
            moved = [0, 1].map(|lane: usize| moved[lane].max(now[lane] - later[lane]));
        }
        if moved.iter().any(|moved| *moved > MARGIN * recursion.scale) {
            return ControlFlow::Continue(None);
        }
        let find = Places { operator, next: later };
        let Recursion { low, high, .. } = *recursion;
        let [lowest, highest] = [find.ends(Side::Above)[0], find.ends(Side::Below)[1]];
        let margin = |beyond: f64| (0.5 * beyond).min(MARGIN * recursion.scale);
        let below = margin(low - lowest);
        let above = margin(highest - high);
        let start = if below > 0.0 { find.cell(Side::Above, low - below) } else { 0 };
        let last = operator.mesh.cells();
        let end = if above > 0.0 { find.cell(Side::Below, high + above) + 1 } else { last };
        let ends = [start, end].map(|node| operator.mesh.at[node]);
        let room = Room::between(recursion, ends, chances.survival, steps as f64, observer)?;
        let reach = moved.map(|moved| outward::<true>(moved * room.most(), moved * room.most()));
        let beneath = start == 0 || find.value(Side::Above, start) + reach[0] <= low;
        let beyond = end == last || find.value(Side::Below, end) - reach[1] >= high;
        if !(beneath && beyond) {
            return ControlFlow::Continue(None);
        }
        let thresholds = [high, low].map(|level| {
            let size = if level.is_finite() { level } else { 0.0 };
            let first = find.place(Side::Above, outward::<false>(level - reach[0], size));
            enclosed(first, find.place(Side::Below, outward::<true>(level + reach[1], size)))
        });
        let changes = [2, 3].map(|lane: usize| {
            let all = functions.offset[lane - 2].minus(functions.older[lane - 2]);
            let values = now.iter().zip(later).map(|(now, later)| now[lane] - later[lane]);
            // The loss beyond a switch changes with the difference.
            let beside = all + reach[3 - lane];
            let raised = values.map(|value| {
                outward::<true>(value + beside, 2.0 * (value.abs() + all.abs() + beside.abs()))
            });
            let sign = if lane == 2 { 1.0 } else { -1.0 };
            let value = raised.map(|value| sign * value).collect();
            Polyline { at: operator.mesh.at.clone(), value }
        });
        let [above, below] = [changes[0].beside::<true>(), changes[1].beside::<false>()];
        let gaps =
            changes[0].value.iter().zip(&changes[1].value).map(|(above, below)| above - below);
        let own = gaps.fold(f64::NEG_INFINITY, f64::max) - reach[0] - reach[1];
        let apart = (above[0] - below[0]).max(above[1] - below[1]);
        let ahead = Ahead::new(recursion, chances, steps);
        let value = [ahead.sum::<true>(above), ahead.sum::<false>(below)];
        ControlFlow::Continue(Some(Rest { thresholds, reach, changes, value, apart, own }))
    }

    /// Advances the functions to the last of the remaining steps.
    pub(super) fn pass(&self, mesh: &Mesh, functions: &mut Functions) {
        let [above, below] = self.value;
        let lines = [above, below.map(|end| -end)];
        let Functions { now, later, .. } = functions;
        for ((now, later), at) in now.iter_mut().zip(later).zip(&mesh.at) {
            for lane in 0..4 {
                now[lane] = later[lane]
                    + match lane {
                        0 | 1 => self.reach[lane],
                        _ => (lines[lane - 2][1] - lines[lane - 2][0]) * at,
                    };
            }
        }
        for (side, line) in lines.iter().enumerate() {
            functions.offset[side] = functions.older[side].plus(line[0]);
        }
        functions.measure(mesh);
        let blur = functions.blur();
        for value in &mut functions.now {
            (0..4).for_each(|lane| value[lane] += blur[lane]);
        }
    }
}

/// Level crossings of the unclipped difference, which increases.
struct Places<'a> {
    operator: &'a Operator<'a>,
    next: &'a [Four],
}

impl Places<'_> {
    fn value(&self, side: Side, node: usize) -> f64 {
        side.of(self.operator.difference(self.next, node))
    }

    fn ends(&self, side: Side) -> [f64; 2] {
        [0, self.operator.mesh.cells()].map(|node| self.value(side, node))
    }

    /// A cell that begins at or below `level` and ends above it, if there is one.
    fn cell(&self, side: Side, level: f64) -> usize {
        let (mut start, mut end) = (0, self.operator.mesh.cells());
        while end - start > 1 {
            let middle = start + (end - start) / 2;
            if self.value(side, middle) > level { end = middle } else { start = middle }
        }
        start
    }

    /// The belief at which the difference crosses `level`, rounded to the safe side; 0 or 1 if it
    /// does not.
    fn place(&self, side: Side, level: f64) -> f64 {
        let [first, last] = self.ends(side);
        if first > level {
            return 0.0;
        }
        if last <= level {
            return 1.0;
        }
        let cell = self.cell(side, level);
        let ends = [cell, cell + 1].map(|node| self.value(side, node));
        side.place(self.operator.mesh, cell, ends, level)
    }
}
