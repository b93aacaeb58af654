//! Backward induction on a mesh, step by step until the steps are stationary.

use super::ending::Ending;
use super::functions::Functions;
use super::mesh::Mesh;
use super::recent::{RARE, Recent};
use super::rest::Rest;
use super::start::Start;
use super::step::Operator;
use crate::lifetime::Lifetime;
use crate::phase_change::Curve;
use crate::phase_switching::difference::operator::Line;
use crate::phase_switching::difference::recursion::{Chances, Recursion};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// The problem to be bounded.
#[derive(Clone, Copy)]
pub(in crate::phase_switching) struct Task<'a> {
    pub(in crate::phase_switching) recursion: &'a Recursion,
    /// Mean time of a cycle under the first mapping.
    pub(in crate::phase_switching) running: Line,
    pub(in crate::phase_switching) initial: f64,
    pub(in crate::phase_switching) lifetime: &'a Lifetime,
    pub(in crate::phase_switching) tolerance: f64,
}

/// Bounds on all steps before a start.
pub(in crate::phase_switching) struct Reached {
    pub(in crate::phase_switching) to_second: Curve,
    pub(in crate::phase_switching) to_first: Curve,
    /// Bounds on the value at the initial belief and step 0.
    pub(in crate::phase_switching) value: (f64, f64),
    pub(in crate::phase_switching) cells: usize,
    pub(in crate::phase_switching) steps: u64,
    /// Widths of the thresholds at every `LOOK`-th step.
    looked: Vec<f64>,
    /// Why steps are missing, if any are.
    pub(in crate::phase_switching) halt: Option<Halt>,
}

impl Reached {
    /// The greatest width of a threshold's bounds.
    pub(super) fn threshold_width(&self) -> f64 {
        self.to_second.width().max(self.to_first.width())
    }

    /// The width of the thresholds of step 0; infinite if it was not reached.
    pub(super) fn first_thresholds(&self) -> f64 {
        let width = |curve: &Curve| curve.at(0).map_or(f64::INFINITY, |bounds| bounds.width());
        width(&self.to_second).max(width(&self.to_first))
    }

    /// The greatest sampled width in the later half of the steps. The first steps are not
    /// representative, since kinks are close to their thresholds.
    pub(super) fn later_thresholds(&self) -> f64 {
        self.looked[self.looked.len() / 2..].iter().copied().fold(0.0, f64::max)
    }

    /// The width of the value's bounds, relative to max(1, |V|).
    pub(super) fn value_width(&self) -> f64 {
        (self.value.1 - self.value.0) / self.value.0.abs().max(1.0)
    }
}

/// When a pass ends or is abandoned.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// How much wider than the mesh alone a stationary step may make the bounds, as a factor.
    pub(super) enough: f64,
    /// Most width of a threshold, checked in the first `early` steps.
    pub(super) width: f64,
    pub(super) early: u64,
    /// Width of a threshold that need not be refined; and whether the thresholds of all steps are
    /// refined, or every `LOOK`-th.
    pub(super) sharp: f64,
    pub(super) all: bool,
    /// Most steps taken one by one.
    pub(super) steps: u64,
}

/// Steps between two tests of stationarity.
const LOOK: u64 = 8;

/// Most further move of the difference, as a fraction of the mesh's own widening per step.
const BESIDE: f64 = 0.1;

/// Equal steps from which the test pays.
pub(super) const LONG: u64 = 64;

impl Task<'_> {
    /// Goes from `start`, which is step `first` + 1, back to step 0. Steps count as stationary if
    /// their bounds are close enough, or hardly wider than the mesh makes them.
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
        let mut reached =
            Reached { to_second, to_first, value, cells, steps: 0, looked: Vec::new(), halt: None };
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
        let mut recent = Recent::new(mesh, recursion);
        let levels = [recursion.high, recursion.low];
        let rare = if limits.all { &RARE[..] } else { &RARE[..1] };
        let mut next = Some(first);
        while let Some(n) = next {
            observer.progress(last - n, last + 1)?;
            if !functions.finite() {
                return ControlFlow::Continue(());
            }
            let chances = Chances::at(lifetime, n);
            let operator = Operator::new(mesh, recursion, self.running, chances, functions);
            let mut thresholds = operator.step(functions, chances).thresholds(mesh, recursion);
            recent.push(chances.survival, functions);
            let looks = (reached.steps + 1).is_multiple_of(LOOK);
            if limits.all || looks {
                for (bounds, level) in thresholds.iter_mut().zip(levels) {
                    *bounds = recent.closer(*bounds, level, [0.0; 2], limits.sharp, rare);
                }
            }
            if looks {
                let width = thresholds[0].width().max(thresholds[1].width());
                reached.looked.push(width);
            }
            reached.to_second.extend_down(n, n, thresholds[0]);
            reached.to_first.extend_down(n, n, thresholds[1]);
            reached.steps += 1;
            next = n.checked_sub(1);
            let long = reached.steps >= limits.steps && next.is_some();
            let wide = thresholds.iter().any(|bounds| bounds.width() > limits.width);
            if long || wide && reached.steps <= limits.early {
                return ControlFlow::Continue(());
            }
            let from = lifetime.constant_from(n);
            if !looks || n - from < LONG {
                continue;
            }
            let steps = n - from + 1;
            let rest = Rest::of(recursion, &operator, functions, chances, steps, observer)?;
            let Some(mut rest) = rest else { continue };
            // If other steps follow, the functions themselves are needed, and the change of the
            // value must be linear.
            if rest.reach[0] + rest.reach[1] > BESIDE * rest.own
                || from > 0 && rest.apart > limits.enough * rest.own
            {
                continue;
            }
            if let Some(moved) = recent.moved() {
                let reach = [0, 1].map(|side: usize| (rest.reach[side] + moved[side]).next_up());
                for (bounds, level) in rest.thresholds.iter_mut().zip(levels) {
                    *bounds = recent.closer(*bounds, level, reach, limits.sharp, rare);
                }
            }
            let wide = |now: f64, than: f64| now > self.tolerance.max(limits.enough * than);
            let moved = rest.thresholds.iter().zip(&thresholds);
            let moving = moved.into_iter().any(|(rest, now)| wide(rest.width(), now.width()));
            if moving {
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
            recent.clear();
        }
        reached.value = functions.value(mesh, self.initial);
        ControlFlow::Continue(())
    }
}
