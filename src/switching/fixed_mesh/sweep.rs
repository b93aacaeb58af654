//! The steps back on a mesh, one by one until they are at rest.

use super::mesh::Mesh;
use super::rest::Rest;
use super::start::Start;
use super::step::{Functions, Operator};
use crate::lifetime::Lifetime;
use crate::rounding::outward;
use crate::switching::operator::Line;
use crate::switching::recursion::{Chances, Recursion};
use crate::switching::value::CLOSE;
use crate::threshold::Curve;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// What is to be bounded.
#[derive(Clone, Copy)]
pub(in crate::switching) struct Task<'a> {
    pub(in crate::switching) recursion: &'a Recursion,
    /// Mean time of a cycle under the first mapping.
    pub(in crate::switching) running: Line,
    pub(in crate::switching) initial: f64,
    pub(in crate::switching) lifetime: &'a Lifetime,
    pub(in crate::switching) tolerance: f64,
}

/// What the steps before a start are bounded by.
pub(in crate::switching) struct Reached {
    pub(in crate::switching) to_second: Curve,
    pub(in crate::switching) to_first: Curve,
    /// Bounds on the value at the initial belief and step 0.
    pub(in crate::switching) value: (f64, f64),
    pub(in crate::switching) cells: usize,
    pub(in crate::switching) steps: u64,
    /// Why the rest is missing.
    pub(in crate::switching) halt: Option<Halt>,
}

impl Reached {
    /// The widest bounds on a threshold.
    pub(super) fn threshold_width(&self) -> f64 {
        self.to_second.width().max(self.to_first.width())
    }

    /// The width of the value's bounds, relative to max(1, |V|).
    pub(super) fn value_width(&self) -> f64 {
        (self.value.1 - self.value.0) / self.value.0.abs().max(1.0)
    }
}

/// Steps between two looks at whether they are at rest.
const LOOK: u64 = 8;

/// Steps of the same kind from which on it is worth asking.
const LONG: u64 = 64;

impl Task<'_> {
    /// Goes from `start`, which is step `first` + 1, back to step 0. Steps are at rest where their bounds are close enough,
    /// or no more than `enough` times as far apart as the mesh makes them anyway.
    pub(super) fn run(
        &self,
        mesh: &Mesh,
        start: Start<'_>,
        first: u64,
        enough: f64,
        observer: &dyn Observer,
    ) -> Reached {
        let (to_second, to_first) = (Curve::default(), Curve::default());
        let value = (f64::NEG_INFINITY, f64::INFINITY);
        let cells = mesh.cells();
        let mut reached = Reached { to_second, to_first, value, cells, steps: 0, halt: None };
        let mut functions = start.on(mesh);
        if let ControlFlow::Break(halt) =
            self.back(mesh, &mut functions, first, enough, &mut reached, observer)
        {
            reached.halt = Some(halt);
        }
        reached
    }

    fn back(
        &self,
        mesh: &Mesh,
        functions: &mut Functions,
        first: u64,
        enough: f64,
        reached: &mut Reached,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt> {
        let Task { recursion, lifetime, .. } = *self;
        let last = lifetime.last();
        let mut next = Some(first);
        while let Some(n) = next {
            observer.progress(last - n, last + 1)?;
            if !functions.finite() {
                return ControlFlow::Continue(());
            }
            let chances = Chances::at(lifetime, n);
            let operator = Operator::new(mesh, recursion, self.running, chances, functions);
            let thresholds = operator.step(functions, chances).thresholds(mesh, recursion);
            reached.to_second.extend_down(n, n, thresholds[0]);
            reached.to_first.extend_down(n, n, thresholds[1]);
            reached.steps += 1;
            next = n.checked_sub(1);
            let from = lifetime.constant_from(n);
            if !reached.steps.is_multiple_of(LOOK) || n - from < LONG {
                continue;
            }
            let steps = n - from + 1;
            let rest = Rest::of(recursion, &operator, functions, chances, steps, observer)?;
            let Some(rest) = rest else { continue };
            let value = self.value(mesh, functions, Some(&rest));
            let wide = |now: f64, than: f64| now > self.tolerance.max(enough * than);
            let moved = rest.thresholds.iter().zip(&thresholds);
            let moving = moved.into_iter().any(|(rest, now)| wide(rest.width(), now.width()));
            let far = value.1 - value.0 > CLOSE * self.tolerance * value.0.abs().max(1.0);
            if moving || (far && rest.apart > enough * rest.own) {
                continue;
            }
            reached.to_second.extend_down(from, n - 1, rest.thresholds[0]);
            reached.to_first.extend_down(from, n - 1, rest.thresholds[1]);
            next = from.checked_sub(1);
            if next.is_none() {
                reached.value = value;
                return ControlFlow::Continue(());
            }
            rest.pass(mesh, functions);
        }
        reached.value = self.value(mesh, functions, None);
        ControlFlow::Continue(())
    }

    /// Bounds on the value at the initial belief: now, or after all steps at rest.
    fn value(&self, mesh: &Mesh, functions: &Functions, rest: Option<&Rest>) -> (f64, f64) {
        let p = self.initial;
        let cell = mesh.at.partition_point(|at| *at <= p).clamp(1, mesh.cells()) - 1;
        let share = ((p - mesh.at[cell]) * mesh.inverse[cell]).clamp(0.0, 1.0);
        let Functions { now, later, offset, older, .. } = functions;
        let (all, offset) = if rest.is_some() { (later, older) } else { (now, offset) };
        let ends = [&all[cell], &all[cell + 1]];
        let blur = functions.blur();
        let [above, below] = [2, 3].map(|lane| {
            let own = ends[0][lane] * (1.0 - share) + ends[1][lane] * share;
            let line = rest.map_or([0.0; 2], |rest| rest.value[lane - 2]);
            let added = line[0] + p * (line[1] - line[0]);
            let added = if lane == 2 { added } else { -added };
            let constant = offset[lane - 2].value();
            let size = line[0].abs() + line[1].abs() + constant.abs() + own.abs();
            outward::<true>(own + constant + added, 8.0 * size) + blur[lane]
        });
        (-below, above)
    }
}
