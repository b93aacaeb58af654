//! One backward pass over all steps at a given accuracy: D_n and V_n for n = M, ..., 0.
//!
//! Each step is enclosed by `recursion.rs` and `value.rs`. Runs of stationary steps are bounded at
//! once (`resting.rs`).

mod resting;
#[cfg(test)]
mod tests;

use crate::Bounds;
use crate::lifetime::Lifetime;
use crate::phase_change::Curve;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::recursion::{Chances, Recursion, Step};
use crate::phase_switching::polylines::merge::{ENOUGH, Merge};
use crate::phase_switching::polylines::nested::Quiet;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::problem::PhaseSwitching;
use crate::phase_switching::value_function::mixing::{Mixed, STEPS};
use crate::phase_switching::value_function::value::Value;
use crate::{Halt, Observer, Status};
use resting::Alike;
use std::ops::ControlFlow;

/// Most distinct thresholds of a curve.
const MAX_RUNS: usize = 1_000_001;

/// Horizon from which most steps of equal survival are expected to be stationary.
const MOSTLY_AT_REST: u64 = 100;

/// Whether most steps are expected to be stationary.
fn rests(lifetime: &Lifetime) -> bool {
    let last = lifetime.last();
    last >= MOSTLY_AT_REST && lifetime.constant_from(last - 1) <= last / 2
}

/// The widths a sweep aims at.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    pub(super) threshold: f64,
    pub(super) value: f64,
}

/// Pieces of the value from which the cost is estimated first, and the tolerance of that estimate.
const FEW: usize = 256;
const ROUGH: f64 = 1e-3;

/// Steps times nodes of a rough value from which its means (`mixing.rs`) are cheaper than iterating
/// it.
const WORTH: u64 = 50_000;

/// The state of a pass.
pub(super) struct Sweep<'a> {
    pub(super) problem: &'a PhaseSwitching,
    recursion: &'a Recursion,
    lifetime: &'a Lifetime,
    aim: Aim,
    tolerance: f64,
    merge: Merge,
    /// Enclosure of the difference at the latest step.
    pair: Pair,
    alike: Option<Alike>,
    pub(super) value: Value,
    pub(super) to_second: Curve,
    pub(super) to_first: Curve,
    pub(super) segments: usize,
    pub(super) steps: u64,
    /// Whether the cost of the program has been estimated.
    estimated: bool,
    /// In a rough pass: the gains with the greatest total change of slope.
    gains: Polyline,
    /// As `WORTH`; a field for tests.
    worth: u64,
    /// The thresholds, where they are known exactly.
    exact: Option<&'a [Curve; 2]>,
    /// Sums the value of steps at which the filter has mixed.
    mixed: Option<Mixed>,
    /// The last step of the pass.
    until: u64,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        problem: &'a PhaseSwitching,
        recursion: &'a Recursion,
        lifetime: &'a Lifetime,
        (aim, tolerance): (Aim, f64),
        exact: Option<&'a [Curve; 2]>,
    ) -> Sweep<'a> {
        Sweep {
            problem,
            recursion,
            lifetime,
            aim,
            tolerance,
            merge: Merge::new(aim.threshold * recursion.scale),
            pair: Pair::constant(0.0),
            alike: None,
            value: Value::new(problem, aim.value, lifetime.residual_mean(0), rests(lifetime)),
            to_second: Curve::default(),
            to_first: Curve::default(),
            segments: 1,
            steps: 0,
            estimated: false,
            gains: Polyline::constant(0.0),
            worth: WORTH,
            exact,
            mixed: None,
            until: 0,
        }
    }

    /// Replaces the thresholds by exact ones that are the same in steps `first` to `last`.
    fn known(&self, step: Step, first: u64, last: u64) -> Step {
        let Some(curves) = self.exact else { return step };
        let of = |curve: &Curve, found: Bounds| match (curve.at(first), curve.at(last)) {
            (Some(one), Some(other)) if one == other => one,
            _ => found,
        };
        let (to_second, to_first) = (of(&curves[0], step.to_second), of(&curves[1], step.to_first));
        Step { to_second, to_first, ..step }
    }

    /// Restricts the pass to the steps down to `until`, for thresholds only.
    pub(super) fn only_to(mut self, until: u64) -> Sweep<'a> {
        (self.until, self.estimated) = (until, true);
        self
    }

    /// Estimates the cost of the program by a rough pass, unless it is known.
    fn estimate(&mut self, observer: &dyn Observer) {
        if !self.estimated {
            self.estimated = true;
            let rough = self.roughly(observer);
            self.value.costs(rough.map_or(0.0, |rough| rough.bounds().0));
        }
    }

    /// Prepares the means of steps at which the filter has mixed, if most steps are such and are
    /// not stationary.
    fn mix(&mut self, observer: &dyn Observer) -> ControlFlow<Halt> {
        if self.estimated || rests(self.lifetime) || !STEPS.contains(&self.lifetime.last()) {
            return ControlFlow::Continue(());
        }
        self.estimated = true;
        let Some(rough) = self.roughly(observer) else { return ControlFlow::Continue(()) };
        self.value.costs(rough.bounds().0);
        let work = rough.value.nodes() as u64 * self.lifetime.last();
        if work < self.worth {
            return ControlFlow::Continue(());
        }
        let start = (self.value.running, self.value.initial);
        let width = (&rough.gains, self.value.allowance());
        self.mixed = Mixed::of(&self.recursion.filter, self.lifetime, start, width, observer)?;
        ControlFlow::Continue(())
    }

    /// Bounds on the value.
    pub(super) fn bounds(&self) -> (f64, f64) {
        let last = self.value.bounds();
        self.mixed.as_ref().map_or(last, |mixed| mixed.with(last))
    }

    /// A pass at low accuracy; `None` if it does not finish.
    fn roughly(&self, observer: &dyn Observer) -> Option<Sweep<'a>> {
        let aim = Aim { threshold: ROUGH, value: ROUGH };
        let (problem, recursion, lifetime) = (self.problem, self.recursion, self.lifetime);
        let mut sweep = Sweep::new(problem, recursion, lifetime, (aim, ROUGH), self.exact);
        sweep.estimated = true;
        (sweep.run(&Quiet(observer)) == Status::Converged).then_some(sweep)
    }

    /// Goes through all steps, or until it is halted.
    pub(super) fn run(&mut self, observer: &dyn Observer) -> Status {
        let last = self.lifetime.last();
        if let ControlFlow::Break(halt) = self.mix(observer) {
            return halt.into();
        }
        let mut next = Some(last);
        while let Some(n) = next.filter(|n| *n >= self.until) {
            if let ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
                return halt.into();
            }
            if self.to_second.runs().len().max(self.to_first.runs().len()) >= MAX_RUNS {
                return Status::IterationLimit;
            }
            self.steps += 1;
            let chances = Chances::at(self.lifetime, n);
            let finer = self.alike.as_ref().map_or(1.0, |alike| alike.finer);
            let step = self.known(self.recursion.step(&self.pair, chances.survival), n, n);
            let gains = self.recursion.gains(&step.raw);
            self.to_second.extend_down(n, n, step.to_second);
            self.to_first.extend_down(n, n, step.to_first);
            if self.value.nodes() > FEW {
                self.estimate(observer);
            }
            let mixed = self.mixed.as_mut().filter(|mixed| n >= mixed.from());
            let blurred = match mixed {
                Some(mixed) => mixed.take(n..n + 1, &gains),
                None => self.value.step(self.recursion, &gains, chances),
            };
            let load = (step.width() / self.aim.threshold).max(blurred);
            // Functions with a smaller reduction, made for convergence, keep it.
            self.merge.follow(if finer < 1.0 { load.max(ENOUGH) } else { load });
            let nodes = self.keep(&step.raw, self.merge.now * finer);
            self.segments = self.segments.max(nodes.max(self.value.nodes()) - 1);
            next = n.checked_sub(1);
            if self.aim.value >= ROUGH && gains.upper.turns() > self.gains.turns() {
                self.gains = gains.upper;
            }
            let rest = match self.rest_from(n, step, chances, observer) {
                ControlFlow::Break(halt) => return halt.into(),
                ControlFlow::Continue(rest) => rest,
            };
            if let Some((Step { raw, to_second, to_first }, reached)) = rest {
                self.to_second.extend_down(reached, n - 1, to_second);
                self.to_first.extend_down(reached, n - 1, to_first);
                let gains = self.recursion.gains(&raw);
                let (value, recursion) = (&mut self.value, self.recursion);
                if let Some(mixed) = self.mixed.as_mut().filter(|mixed| reached >= mixed.from()) {
                    mixed.take(reached..n, &gains);
                } else {
                    let settled = value.repeat(recursion, &gains, chances, n - reached, observer);
                    if let ControlFlow::Break(halt) = settled {
                        return halt.into();
                    }
                }
                self.keep(&raw, self.merge.now);
                next = reached.checked_sub(1);
            }
        }
        Status::Converged
    }

    /// Keeps the enclosure for the next step, reduced by `merge`. Returns its number of nodes.
    fn keep(&mut self, raw: &Pair, merge: f64) -> usize {
        self.pair = self.recursion.keep(raw, merge);
        self.pair.nodes()
    }
}
