//! The value contributed by stationary steps on a mesh, once they leave the difference unchanged.
//!
//! With T the step and e = T V - V the value after k steps is
//!
//! ```text
//! V + sum over j < k of (s P)^j e
//! ```
//!
//! By then e is smooth. It is iterated on a coarse mesh until it is nearly linear; then the
//! remaining terms are summed in closed form. O(nodes x levels) a step.

use super::functions::Functions;
use super::mesh::Mesh;
use super::start::Start;
use super::step::Operator;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::recursion::{Chances, Recursion};
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::shifted::{Change, Shifted};
use crate::phase_switching::value_function::value::{Ahead, CLOSE};
use crate::rounding::{DoubleDouble, outward};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// Pairs (steps, factor): after so many steps e is smooth enough for a mesh coarser by the factor.
/// `LEAST` is the least number of cells.
const COARSER: [(u64, usize); 2] = [(16, 4), (64, 16)];
const LEAST: usize = 1 << 12;

/// Steps between two sums of the remaining terms, and the least relative progress between them.
const LOOK: u64 = 32;
const PROGRESS: f64 = 0.01;

/// The remaining steps, all alike.
#[derive(Clone, Copy)]
pub(super) struct Ending<'a> {
    pub(super) recursion: &'a Recursion,
    pub(super) chances: Chances,
    pub(super) steps: u64,
    pub(super) initial: f64,
    pub(super) tolerance: f64,
}

impl Ending<'_> {
    /// Bounds on the value at the initial belief after all steps. `before` bounds it before them,
    /// `above` and `below` enclose e on `mesh`.
    pub(super) fn value(
        &self,
        before: (f64, f64),
        [above, below]: [Polyline; 2],
        mesh: &Mesh,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, (f64, f64)> {
        let Ending { chances, steps, initial, tolerance, .. } = *self;
        // P alone: no switches, and cycles of cost 0.
        let Recursion { filter, scale, most_nodes, .. } = self.recursion;
        let means = Recursion {
            filter: filter.clone(),
            difference: [0.0; 2],
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            scale: *scale,
            most_nodes: *most_nodes,
        };
        let cells = mesh.cells();
        let Change { upper, lower } = Change::of(above, below);
        let mut functions = on(mesh, [upper, lower]);
        let mut mesh = mesh;
        let mut coarse;
        let [mut rise, mut fall] = [DoubleDouble::default(); 2];
        let mut best = (f64::NEG_INFINITY, f64::INFINITY);
        let mut looked = f64::INFINITY;
        for done in 0..=steps {
            if done == steps || done % LOOK == 0 {
                observer.check()?;
                let ahead = Ahead::new(self.recursion, chances, steps - done);
                let [up, down] = functions.lines(mesh);
                let total = |start: f64, sum: DoubleDouble, line: [f64; 2]| {
                    let left = line[0] + initial * (line[1] - line[0]);
                    let size = start.abs() + sum.value().abs() + line[0].abs() + line[1].abs();
                    (start + sum.value() + left, 8.0 * size)
                };
                let (low, size) = total(before.0, fall, ahead.sum::<false>(down));
                best.0 = best.0.max(outward::<false>(low, size));
                let (high, size) = total(before.1, rise, ahead.sum::<true>(up));
                best.1 = best.1.min(outward::<true>(high, size));
                let width = best.1 - best.0;
                if width <= CLOSE * tolerance * best.0.abs().max(1.0)
                    || width > looked * (1.0 - PROGRESS)
                {
                    break;
                }
                looked = width;
            }
            let (low, high) = functions.value(mesh, initial);
            (rise, fall) = (rise.plus(high), fall.plus(low));
            if let Some((_, coarser)) = COARSER.iter().find(|(smooth, _)| *smooth == done) {
                let next = Mesh::new(filter, (cells / coarser).max(LEAST));
                functions = on(&next, functions.around(mesh));
                coarse = next;
                mesh = &coarse;
            }
            let operator = Operator::new(mesh, &means, [0.0; 2], chances, &functions);
            operator.step(&mut functions, chances);
        }
        ControlFlow::Continue(best)
    }
}

/// An enclosure of e on `mesh`.
fn on(mesh: &Mesh, [upper, lower]: [Shifted; 2]) -> Functions {
    Start { difference: &Pair::constant(0.0), value: [&upper, &lower] }.on(mesh)
}
