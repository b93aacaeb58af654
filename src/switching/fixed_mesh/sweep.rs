//! The steps back on a mesh, one by one until they are at rest.

use super::ending::Ending;
use super::functions::Functions;
use super::mesh::Mesh;
use super::rest::Rest;
use super::start::Start;
use super::step::Operator;
use crate::lifetime::Lifetime;
use crate::switching::operator::Line;
use crate::switching::recursion::{Chances, Recursion};
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

    /// The widest bounds on a threshold of the steps before `step`.
    pub(super) fn threshold_width_before(&self, step: u64) -> f64 {
        let runs = self.to_second.runs().chain(self.to_first.runs());
        let widths = runs.filter(|run| run.first < step).map(|run| run.bounds.width());
        widths.fold(0.0, f64::max)
    }

    /// The width of the value's bounds, relative to max(1, |V|).
    pub(super) fn value_width(&self) -> f64 {
        (self.value.1 - self.value.0) / self.value.0.abs().max(1.0)
    }
}

/// When a pass is done, or given up.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// How many times as far as the mesh moves bounds apart a step at rest may.
    pub(super) enough: f64,
    /// How wide a threshold may be.
    pub(super) width: f64,
    /// Steps that are taken one by one.
    pub(super) steps: u64,
}

/// Steps between two looks at whether they are at rest.
const LOOK: u64 = 8;

/// What the difference may yet move, as a part of how far apart a step moves the bounds on the value.
const BESIDE: f64 = 0.1;

/// Steps of the same kind from which on it is worth asking.
pub(super) const LONG: u64 = 64;

impl Task<'_> {
    /// Goes from `start`, which is step `first` + 1, back to step 0. Steps are at rest where their bounds are close enough,
    /// or little farther apart than the mesh makes them anyway.
    pub(super) fn run(
        &self,
        mesh: &Mesh,
        start: Start<'_>,
        first: u64,
        limits: Limits,
        observer: &dyn Observer,
    ) -> Reached {
        let (to_second, to_first) = (Curve::default(), Curve::default());
        let value = (f64::NEG_INFINITY, f64::INFINITY);
        let cells = mesh.cells();
        let mut reached = Reached { to_second, to_first, value, cells, steps: 0, halt: None };
        let mut functions = start.on(mesh);
        if let ControlFlow::Break(halt) =
            self.back(mesh, &mut functions, first, limits, &mut reached, observer)
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
        limits: Limits,
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
            let long = reached.steps >= limits.steps && next.is_some();
            if long || thresholds.iter().any(|bounds| bounds.width() > limits.width) {
                return ControlFlow::Continue(());
            }
            let from = lifetime.constant_from(n);
            if !reached.steps.is_multiple_of(LOOK) || n - from < LONG {
                continue;
            }
            let steps = n - from + 1;
            let rest = Rest::of(recursion, &operator, functions, chances, steps, observer)?;
            let Some(rest) = rest else { continue };
            let wide = |now: f64, than: f64| now > self.tolerance.max(limits.enough * than);
            let moved = rest.thresholds.iter().zip(&thresholds);
            let moving = moved.into_iter().any(|(rest, now)| wide(rest.width(), now.width()));
            // Where other steps follow the functions themselves are needed, and what steps add to them must be linear.
            let moving = moving || rest.reach[0] + rest.reach[1] > BESIDE * rest.own;
            if moving || (from > 0 && rest.apart > limits.enough * rest.own) {
                continue;
            }
            reached.to_second.extend_down(from, n - 1, rest.thresholds[0]);
            reached.to_first.extend_down(from, n - 1, rest.thresholds[1]);
            next = from.checked_sub(1);
            if next.is_none() {
                let Task { initial, tolerance, .. } = *self;
                let ending = Ending { recursion, chances, steps, initial, tolerance };
                let before = functions.value_later(mesh, initial);
                functions.clear();
                reached.value = ending.value(before, rest.changes, mesh, observer)?;
                return ControlFlow::Continue(());
            }
            rest.pass(mesh, functions);
        }
        reached.value = functions.value(mesh, self.initial);
        ControlFlow::Continue(())
    }
}
