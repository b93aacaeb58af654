//! One pass over all steps, from the last one back, at a given accuracy.

use super::fixed_mesh::{Outcome, Reached, Start, Task, continued};
use super::from_rest::AtRest;
use super::merge::{ENOUGH, Merge};
use super::problem::PhaseSwitching;
use super::quiet::Quiet;
use super::recursion::{Chances, Pair, Recursion, Step};
use super::rest::Room;
use super::value::{GAINS, Value};
use crate::lifetime::Lifetime;
use crate::rounding::outward;
use crate::threshold::{Bounds, Curve};
use crate::{Halt, Observer, Status};
use std::ops::ControlFlow;

/// Distinct thresholds a curve may have.
const MAX_RUNS: usize = 1_000_001;

/// Steps of the same kind from which on it is worth asking where they come to rest.
const LONG: u64 = 64;

/// Steps of the same kind most of which are probably at rest.
const MOSTLY_AT_REST: u64 = 100;

/// Whether most steps are probably at rest.
fn rests(lifetime: &Lifetime) -> bool {
    let last = lifetime.last();
    last >= MOSTLY_AT_REST && lifetime.constant_from(last - 1) <= last / 2
}

/// What the widths of a sweep should be.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    pub(super) threshold: f64,
    pub(super) value: f64,
}

/// Pieces of the value from which on it is asked what the program costs, and how roughly.
const FEW: usize = 256;
const ROUGH: f64 = 1e-3;

/// Pieces from which on nodes that stay where they are may do better.
const MANY_PIECES: usize = 1 << 15;

/// Steps that are all alike.
struct Alike {
    /// The first of them.
    from: u64,
    /// The step before, which is the later one.
    before: Option<Step>,
    /// Steps to come until it is asked again whether they are at rest, and after that.
    wait: u64,
    again: u64,
    /// How much less than elsewhere a function may be reduced.
    finer: f64,
    /// Whether they have been seen from rest in vain.
    tried: bool,
}

impl Alike {
    fn new(from: u64) -> Alike {
        Alike { from, before: None, wait: 0, again: FIRST_WAIT, finer: 1.0, tried: false }
    }
}

/// Steps between two attempts to find steps at rest, at first; how many more from attempt to attempt, and
/// how much less functions may be reduced: the fewer pieces they have, the less.
const FIRST_WAIT: u64 = 8;
const LONGER: f64 = 1.25;
const FINER: f64 = 0.25;
const FINEST: f64 = 1.0 / 256.0;
const FINEST_OF_FEW: f64 = 1e-12;

/// Functions that a step moves by no more than so many times what reducing does are at rest but for that.
const JITTER: f64 = 4.0;

/// Pieces of the difference from which on steps are seen from rest; how far reducing may move that in units of the
/// width of thresholds, and of what a step may add to the width of the value; what of the latter the way there
/// may use; and how long that is at most.
const MANY: usize = 1 << 13;
const LEVEL: f64 = 0.05;
const DIFFERENCE: f64 = 0.015;
const LEFT: f64 = 0.05;
const FAR: usize = 2000;

/// How much a step may move a threshold that is near rest, as a multiple of the tolerance.
const NEAR: f64 = 0.5;

/// What encloses all steps down to a later one.
struct Rest {
    /// The difference of each of them, but for what lies beside it on the way, and of the last of them if more follow.
    raw: Pair,
    last: Option<Pair>,
    /// The thresholds from the first of them on that are not known otherwise.
    thresholds: [Bounds; 2],
    first: u64,
    reached: u64,
    /// What the differences exceed `raw` by adds up to, above the value and below.
    beside: [f64; 2],
}

/// The state of a pass.
pub(super) struct Sweep<'a> {
    problem: &'a PhaseSwitching,
    recursion: &'a Recursion,
    lifetime: &'a Lifetime,
    aim: Aim,
    tolerance: f64,
    merge: Merge,
    pair: Pair,
    alike: Option<Alike>,
    pub(super) value: Value,
    pub(super) to_second: Curve,
    pub(super) to_first: Curve,
    pub(super) segments: usize,
    pub(super) steps: u64,
    /// Whether it is known what the program costs, roughly.
    estimated: bool,
    /// The first step from which on nodes that stay where they are may be tried; `None` if they have been.
    mesh_from: Option<u64>,
    /// The last of its steps.
    until: u64,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        problem: &'a PhaseSwitching,
        recursion: &'a Recursion,
        lifetime: &'a Lifetime,
        aim: Aim,
        tolerance: f64,
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
            mesh_from: Some(u64::MAX),
            until: 0,
        }
    }

    /// Goes back to step `until` alone, for thresholds.
    pub(super) fn only_to(mut self, until: u64) -> Sweep<'a> {
        (self.until, self.mesh_from, self.estimated) = (until, None, true);
        self
    }

    /// Takes in what the program costs, roughly, unless that is known: of few steps the value tells it badly.
    fn estimate(&mut self, observer: &dyn Observer) {
        if !self.estimated {
            self.estimated = true;
            self.value.costs(self.roughly(observer));
        }
    }

    /// What the program costs, from a sweep that takes few pieces.
    fn roughly(&self, observer: &dyn Observer) -> f64 {
        let aim = Aim { threshold: ROUGH, value: ROUGH };
        let mut sweep = Sweep::new(self.problem, self.recursion, self.lifetime, aim, ROUGH);
        sweep.estimated = true;
        match sweep.run(&Quiet(observer)) {
            Status::Converged => sweep.value.bounds().0,
            _ => 0.0,
        }
    }

    /// Goes through all steps, or until it is stopped.
    pub(super) fn run(&mut self, observer: &dyn Observer) -> Status {
        let last = self.lifetime.last();
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
            let step = self.recursion.step(&self.pair, chances.survival);
            let gains = self.recursion.gains(&step.raw);
            self.to_second.extend_down(n, n, step.to_second);
            self.to_first.extend_down(n, n, step.to_first);
            if self.value.nodes() > FEW {
                self.estimate(observer);
            }
            let blurred = self.value.step(self.recursion, &gains, chances);
            let finer = self.alike.as_ref().map_or(1.0, |alike| alike.finer);
            let load = (step.width() / self.aim.threshold).max(blurred);
            // Functions that are reduced less than need be, to come to rest, stay so.
            self.merge.follow(if finer < 1.0 { load.max(ENOUGH) } else { load });
            self.pair = self.recursion.keep(&step.raw, self.merge.now * finer);
            self.segments = self.segments.max(self.pair.nodes().max(self.value.nodes()) - 1);
            next = n.checked_sub(1);
            if let Some(first) = next
                && self.segments > MANY_PIECES
                && let Some(reached) = self.on_mesh(first, observer)
            {
                return self.taken(reached);
            }
            let rest = match self.rest_from(n, step, chances, observer) {
                ControlFlow::Break(halt) => return halt.into(),
                ControlFlow::Continue(rest) => rest,
            };
            if let Some(Rest {
                raw,
                last,
                thresholds: [to_second, to_first],
                first,
                reached,
                beside,
            }) = rest
            {
                self.to_second.extend_down(reached, first, to_second);
                self.to_first.extend_down(reached, first, to_first);
                let gains = self.recursion.gains(&raw);
                let (value, recursion) = (&mut self.value, self.recursion);
                value.widen(beside);
                let settled = value.repeat(recursion, &gains, chances, n - reached, observer);
                if let ControlFlow::Break(halt) = settled {
                    return halt.into();
                }
                self.pair = self.recursion.keep(&last.unwrap_or(raw), self.merge.now);
                next = reached.checked_sub(1);
            }
        }
        Status::Converged
    }

    /// Bounds on the steps from `first` on, if nodes that stay where they are do better.
    fn on_mesh(&mut self, first: u64, observer: &dyn Observer) -> Option<Reached> {
        let from = self.mesh_from.filter(|from| first <= *from)?;
        let once = from < u64::MAX;
        let task = Task {
            recursion: self.recursion,
            running: self.value.running(),
            initial: self.value.initial(),
            lifetime: self.lifetime,
            tolerance: self.tolerance,
        };
        let start = Start { difference: &self.pair, value: self.value.functions() };
        let outcome = continued(task, start, first, once, observer);
        self.mesh_from = match outcome {
            Outcome::After(step) => step.checked_sub(1),
            _ => None,
        };
        match outcome {
            Outcome::Reached(reached) => Some(reached),
            _ => None,
        }
    }

    /// Takes in what has been found on a mesh.
    fn taken(&mut self, reached: Reached) -> Status {
        let curves =
            [(&mut self.to_second, &reached.to_second), (&mut self.to_first, &reached.to_first)];
        for (curve, found) in curves {
            for run in found.runs().rev() {
                curve.extend_down(run.first, run.last, run.bounds);
            }
        }
        self.value.found(reached.value);
        self.segments = self.segments.max(reached.cells);
        self.steps += reached.steps;
        reached.halt.map_or(Status::Converged, Status::from)
    }

    /// Bounds on the steps below `step`, which is step `n`, down to step `from`, by way of one that is at rest.
    fn seen_from_rest(
        &mut self,
        n: u64,
        step: &Step,
        from: u64,
        chances: Chances,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Rest>> {
        let recursion = self.recursion;
        let allowance = self.value.allowance();
        let finest = (LEVEL * self.aim.threshold * recursion.scale).min(DIFFERENCE * allowance);
        let merges = [self.merge.now, finest];
        let rest = AtRest::of(recursion, &step.raw.upper, chances.survival, merges, observer)?;
        let Some(rest) = rest else { return ControlFlow::Continue(None) };
        let raw = rest.around();
        if !recursion.lasts_less(&recursion.gains(&raw), GAINS * allowance) {
            return ControlFlow::Continue(None);
        }
        let close = if from > 0 { self.aim.threshold } else { self.tolerance };
        let mut beside = rest.beside(&step.raw);
        let (mut above, mut below) = (0.0, 0.0);
        let mut thresholds: Vec<[Bounds; 2]> = Vec::new();
        for first in (from..n).rev() {
            observer.check()?;
            let [[over, under], _] = rest.excess(recursion, &beside);
            let lasting = rest.lasting(recursion, [over, under]);
            let shown = lasting.as_ref().map(|pair| rest.thresholds(recursion, pair));
            let enough = (over + under) * rest.steps() <= LEFT * self.value.width()
                && shown.is_some_and(|shown| shown.iter().all(|bounds| bounds.width() <= close));
            if enough && let (Some(lasting), Some(shown)) = (lasting, shown) {
                for (k, [to_second, to_first]) in (first + 1..n).rev().zip(&thresholds) {
                    self.to_second.extend_down(k, k, *to_second);
                    self.to_first.extend_down(k, k, *to_first);
                }
                let left = |sum: f64, rest_left: f64| sum + rest_left * rest.steps();
                return ControlFlow::Continue(Some(Rest {
                    raw,
                    last: (from > 0).then(|| rest.whole(&lasting)),
                    thresholds: shown,
                    first,
                    reached: from,
                    beside: [left(above, under), left(below, over)]
                        .map(|sum| outward::<true>(sum, sum)),
                }));
            }
            if thresholds.len() >= FAR {
                break;
            }
            beside = rest.step(recursion, &beside);
            let [_, [over, under]] = rest.excess(recursion, &beside);
            // Sums of thousands, rounded up.
            (above, below) = ((above + under).next_up(), (below + over).next_up());
            thresholds.push(rest.thresholds(recursion, &beside));
        }
        ControlFlow::Continue(None)
    }

    /// Takes in `step`, which is step `n`. If all steps below it down to one that is still far are at rest: a
    /// step that encloses all of those, and the last of them.
    fn rest_from(
        &mut self,
        n: u64,
        step: Step,
        chances: Chances,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Rest>> {
        let kept = self.alike.take().filter(|alike| alike.from < n);
        let mut alike = match kept {
            Some(alike) => alike,
            None => {
                let from =
                    if n < self.lifetime.last() { self.lifetime.constant_from(n) } else { n };
                if n - from < LONG {
                    return ControlFlow::Continue(None);
                }
                Alike::new(from)
            }
        };
        let mut found = None;
        alike.wait = alike.wait.saturating_sub(1);
        if let Some(before) = &alike.before
            && alike.wait == 0
            && step.moved(before) <= NEAR * self.tolerance
        {
            self.estimate(observer);
            let (recursion, left) = (self.recursion, (n - alike.from + 1) as f64);
            let room = Room::of(recursion, &step.raw, chances.survival, left, observer)?;
            let beyond = room.beyond(recursion, &before.raw, &step.raw);
            // Steps of another kind that follow magnify what they are given.
            let close = if alike.from > 0 { self.aim.threshold } else { self.tolerance };
            let shown = beyond.map(|pair| recursion.shown(pair)).filter(|shown| {
                let gains = recursion.gains(&shown.raw);
                shown.width() <= close
                    && recursion.lasts_less(&gains, GAINS * self.value.allowance())
            });
            found = shown.map(|Step { raw, to_second, to_first }| Rest {
                raw,
                last: None,
                thresholds: [to_second, to_first],
                first: n - 1,
                reached: alike.from,
                beside: [0.0; 2],
            });
            if found.is_none() {
                let changed = step.changed(before);
                let jitters = changed <= JITTER * alike.finer * self.merge.now;
                let many = !alike.tried && step.raw.nodes() > MANY;
                if many && (jitters || changed * room.most().powi(2) <= LEFT * self.value.width()) {
                    alike.tried = true;
                    found = self.seen_from_rest(n, &step, alike.from, chances, observer)?;
                } else if jitters {
                    let few = step.raw.nodes() < MANY;
                    let finest = if few { FINEST_OF_FEW } else { FINEST.min(alike.finer) };
                    alike.finer = (alike.finer * FINER).max(finest);
                    alike.again = FIRST_WAIT;
                }
                alike.wait = alike.again;
                alike.again = (alike.again as f64 * LONGER) as u64;
            }
        }
        alike.before = Some(step);
        self.alike = found.is_none().then_some(alike);
        ControlFlow::Continue(found)
    }
}
