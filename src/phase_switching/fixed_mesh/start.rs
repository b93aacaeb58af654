//! Transfer of piecewise-linear functions with adaptive nodes to a mesh.

use super::functions::{Four, Functions};
use super::mesh::Mesh;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::recursion::Recursion;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::shifted::Shifted;

/// Relative accuracy for the effect of an earlier width.
const ROUGHLY: f64 = 1e-2;

/// Enclosure of the clipped difference and of the value at a step.
#[derive(Clone, Copy)]
pub(in crate::phase_switching) struct Start<'a> {
    pub(in crate::phase_switching) difference: &'a Pair,
    pub(in crate::phase_switching) value: [&'a Shifted; 2],
}

impl Start<'_> {
    /// Approximate width of the value at `initial` after `steps` further backward steps, as far as
    /// it stems from the width here.
    pub(super) fn apart(&self, recursion: &Recursion, steps: u64, initial: f64) -> f64 {
        let [upper, lower] = self.value;
        let constant = upper.offset.minus(lower.offset);
        let gap = upper.shape.less::<true>(&lower.shape);
        let size = constant.abs() + gap.size();
        constant + recursion.mean_after(gap, steps, ROUGHLY * size).at(initial)
    }

    /// The enclosure on `mesh`. O(nodes).
    pub(super) fn on(&self, mesh: &Mesh) -> Functions {
        let [upper, lower] = self.value;
        let mut all = vec![[0.0; 4]; mesh.at.len()];
        let lines = [&self.difference.upper, &self.difference.lower, &upper.shape, &lower.shape];
        for (lane, line) in lines.into_iter().enumerate() {
            let sign = if lane % 2 == 0 { 1.0 } else { -1.0 };
            sample(line, sign, mesh, |node, value| all[node][lane] = value);
        }
        let mut functions = Functions::new(mesh, all, [upper.offset, lower.offset.negated()]);
        let blur = functions.blur();
        let raise = |value: &mut Four| (0..4).for_each(|lane| value[lane] += blur[lane]);
        functions.now.iter_mut().for_each(raise);
        functions.measure(mesh);
        functions
    }
}

/// The values at the nodes of an upper bound on `sign` times `line`. Where the slope falls within a
/// cell, both ends of the cell are raised by its distance from the chord.
fn sample(line: &Polyline, sign: f64, mesh: &Mesh, mut found: impl FnMut(usize, f64)) {
    let slope = |piece: usize| {
        (line.value[piece + 1] - line.value[piece]) / (line.at[piece + 1] - line.at[piece])
    };
    let (mut piece, mut before) = (0, 0.0f64);
    for (node, here) in mesh.at.iter().enumerate() {
        let value = sign * line.at_from(&mut piece, *here);
        let mut above = 0.0;
        if let Some(end) = mesh.at.get(node + 1) {
            let within = (piece + 1..line.nodes() - 1).take_while(|k| line.at[*k] < *end);
            for k in within.filter(|k| line.at[*k] > *here) {
                let fall = (sign * (slope(k - 1) - slope(k))).max(0.0);
                above += fall * (line.at[k] - here) * (end - line.at[k]) * mesh.inverse[node];
            }
        }
        found(node, value + before.max(above));
        before = above;
    }
}
