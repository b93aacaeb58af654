//! The four functions of a step by their values at the nodes of a mesh.
//!
//! Lower bounds are stored with the opposite sign, so that all four are upper functions.

use super::mesh::Mesh;
use crate::phase_switching::difference::operator::Line;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::shifted::Shifted;
use crate::rounding::{DoubleDouble, SLACK, outward};

/// Values at a node: the difference from above, minus the difference from below, and likewise for
/// the value.
pub(super) type Four = [f64; 4];

#[inline(always)]
pub(super) fn each(a: Four, b: Four, combine: impl Fn(f64, f64) -> f64) -> Four {
    [combine(a[0], b[0]), combine(a[1], b[1]), combine(a[2], b[2]), combine(a[3], b[3])]
}

/// The four functions at all nodes, at a step and at the step after it.
pub(super) struct Functions {
    pub(super) now: Vec<Four>,
    pub(super) later: Vec<Four>,
    /// Constants taken out of the bounds on the value, at this step and at the one after it.
    pub(super) offset: [DoubleDouble; 2],
    pub(super) older: [DoubleDouble; 2],
    /// The greatest absolute value, and the greatest slope times its belief.
    pub(super) size: Four,
    pub(super) steep: Four,
}

impl Functions {
    pub(super) fn new(mesh: &Mesh, now: Vec<Four>, offset: [DoubleDouble; 2]) -> Functions {
        let later = vec![[0.0; 4]; now.len()];
        let [size, steep] = [[0.0; 4]; 2];
        let mut functions = Functions { now, later, offset, older: offset, size, steep };
        functions.measure(mesh);
        functions
    }

    /// Updates `size` and `steep` after values were changed from outside.
    pub(super) fn measure(&mut self, mesh: &Mesh) {
        let larger = |most: Four, value: &Four| each(most, *value, |most, own| most.max(own.abs()));
        self.size = self.now.iter().fold([0.0; 4], larger);
        let slope = |(ends, reach): (&[Four], &f64)| each(ends[1], ends[0], |b, a| (b - a) * reach);
        let slopes = self.now.windows(2).zip(&mesh.reach[1..]).map(slope);
        self.steep = slopes.fold([0.0; 4], |most, slope| larger(most, &slope));
    }

    /// Frees the memory; the functions must not be used afterwards.
    pub(super) fn clear(&mut self) {
        (self.now, self.later) = (Vec::new(), Vec::new());
    }

    /// Bound on the rounding of values and of node positions.
    pub(super) fn blur(&self) -> Four {
        each(self.size, self.steep, |size, steep| 2.0 * SLACK * (size + 4.0 * steep))
    }

    /// Whether all values are finite.
    pub(super) fn finite(&self) -> bool {
        self.size.iter().chain(&self.steep).all(|size| size.is_finite())
    }

    /// Bounds on the value at `p`; `value_later` bounds that of the step after.
    pub(super) fn value(&self, mesh: &Mesh, p: f64) -> (f64, f64) {
        self.between(mesh, &self.now, self.offset, p)
    }

    pub(super) fn value_later(&self, mesh: &Mesh, p: f64) -> (f64, f64) {
        self.between(mesh, &self.later, self.older, p)
    }

    fn between(&self, mesh: &Mesh, all: &[Four], offset: [DoubleDouble; 2], p: f64) -> (f64, f64) {
        let cell = mesh.cell(p);
        let share = ((p - mesh.at[cell]) * mesh.inverse[cell]).clamp(0.0, 1.0);
        let blur = self.blur();
        let [above, below] = [2, 3].map(|lane: usize| {
            let own = all[cell][lane] * (1.0 - share) + all[cell + 1][lane] * share;
            let constant = offset[lane - 2].value();
            outward::<true>(own + constant, 8.0 * (constant.abs() + own.abs())) + blur[lane]
        });
        (-below, above)
    }

    /// Functions above and below the value, linear between the nodes of the mesh.
    pub(super) fn around(&self, mesh: &Mesh) -> [Shifted; 2] {
        let blur = self.blur();
        [2, 3].map(|lane: usize| {
            let sign = if lane == 2 { 1.0 } else { -1.0 };
            let value = self.now.iter().map(|value| sign * (value[lane] + blur[lane])).collect();
            let offset = self.offset[lane - 2];
            let offset = if lane == 2 { offset } else { offset.negated() };
            Shifted { shape: Polyline { at: mesh.at.clone(), value }, offset }
        })
    }

    /// Linear functions above and below the value.
    pub(super) fn lines(&self, mesh: &Mesh) -> [Line; 2] {
        let [above, below] = [2, 3].map(|lane: usize| {
            let ends = [self.now[0][lane], self.now[mesh.cells()][lane]];
            let tilt = ends[1] - ends[0];
            let places = self.now.iter().zip(&mesh.at);
            let beyond = places.map(|(value, at)| value[lane] - tilt * at);
            let most = beyond.fold(f64::NEG_INFINITY, f64::max) + self.offset[lane - 2].value();
            let size = 3.0 * self.size[lane] + most.abs();
            [most, most + tilt].map(|end| outward::<true>(end, size))
        });
        [above, below.map(|end| -end)]
    }
}
