//! The recursion of the difference between the mappings, enclosed from both sides.

use super::operator::{Filter, Line};
use super::polyline::Polyline;
use super::problem::PhaseSwitching;
use crate::rounding::{nearest, outward};
use crate::threshold::Bounds;

/// Two functions around a third.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) upper: Polyline,
    pub(super) lower: Polyline,
}

impl Pair {
    /// Both the constant `value`.
    pub(super) fn constant(value: f64) -> Pair {
        Pair { upper: Polyline::constant(value), lower: Polyline::constant(value) }
    }

    /// How far the two are apart at most, at the nodes of the upper one.
    pub(super) fn gap(&self) -> f64 {
        self.upper.above(&self.lower)
    }

    pub(super) fn nodes(&self) -> usize {
        self.upper.nodes().max(self.lower.nodes())
    }

    /// The two sides, computed in two threads if there are `nodes` enough.
    pub(super) fn of(
        nodes: usize,
        upper: impl FnOnce() -> Polyline + Send,
        lower: impl FnOnce() -> Polyline + Send,
    ) -> Pair {
        let (upper, lower) =
            if nodes > MANY_NODES { rayon::join(upper, lower) } else { (upper(), lower()) };
        Pair { upper, lower }
    }
}

/// What one step back from a pair shows.
pub(super) struct Step {
    /// The difference, not yet cut.
    pub(super) raw: Pair,
    pub(super) to_second: Bounds,
    pub(super) to_first: Bounds,
}

impl Step {
    pub(super) fn width(&self) -> f64 {
        self.to_second.width().max(self.to_first.width())
    }
}

/// What is known of a threshold: nothing, where numbers were too great or too small to compute with.
fn enclosed(lower: f64, upper: f64) -> Bounds {
    if lower <= upper { Bounds { lower, upper } } else { Bounds { lower: 0.0, upper: 1.0 } }
}

/// Nodes from which on the two sides are worth two threads.
const MANY_NODES: usize = 1000;

/// Images of nodes a step back may have, which bounds its memory.
const MOST_IMAGES: usize = 1 << 19;

/// The recursion of the difference.
pub(super) struct Recursion {
    pub(super) filter: Filter,
    /// What a cycle loses under the first mapping against the second.
    difference: Line,
    /// -d and c.
    pub(super) low: f64,
    pub(super) high: f64,
    /// The greatest difference of a cycle: the unit of tolerances.
    pub(super) scale: f64,
    /// The most nodes a function may keep.
    pub(super) most_nodes: usize,
}

impl Recursion {
    pub(super) fn new(problem: &PhaseSwitching) -> Recursion {
        let cost = |m: usize| problem.switch[m].as_ref().map_or(f64::INFINITY, nearest);
        let difference = [nearest(&problem.gain(0)), nearest(&problem.gain(1))];
        let filter = Filter::new(problem);
        Recursion {
            most_nodes: (MOST_IMAGES / filter.reports().max(1)).max(3),
            filter,
            difference,
            low: -cost(1),
            high: cost(0),
            scale: nearest(&(problem.gain(1) - problem.gain(0))).max(f64::MIN_POSITIVE),
        }
    }

    /// One step back.
    pub(super) fn step(&self, next: &Pair, survival: f64) -> Step {
        let line = self.difference;
        let raw = Pair::of(
            next.nodes(),
            || self.filter.back::<true>(&next.upper, survival, line, &[]).rising::<true>(),
            || self.filter.back::<false>(&next.lower, survival, line, &[]).rising::<false>(),
        );
        let to_second = enclosed(
            raw.upper.first_above::<false>(self.high),
            raw.lower.first_above::<true>(self.high),
        );
        let to_first = enclosed(
            raw.upper.last_below::<false>(self.low),
            raw.lower.last_below::<true>(self.low),
        );
        Step { raw, to_second, to_first }
    }

    /// What the next step back needs of this one.
    pub(super) fn keep(&self, raw: &Pair, merge: f64) -> Pair {
        let (low, high, most) = (self.low, self.high, self.most_nodes);
        Pair::of(
            raw.nodes(),
            || raw.upper.cut::<true>(low, high).reduced_to::<true>(merge, most),
            || raw.lower.cut::<false>(low, high).reduced_to::<false>(merge, most),
        )
    }

    /// What switching to the second mapping gains at a step, (D - c)^+.
    pub(super) fn gains(&self, raw: &Pair) -> Pair {
        if self.high == f64::INFINITY {
            return Pair::constant(0.0);
        }
        Pair { upper: self.gain::<true>(&raw.upper), lower: self.gain::<false>(&raw.lower) }
    }

    fn gain<const UPPER: bool>(&self, raw: &Polyline) -> Polyline {
        let mut gain = raw.cut::<UPPER>(self.high, f64::INFINITY);
        for value in &mut gain.value {
            let beyond = *value > self.high;
            *value =
                if beyond { outward::<UPPER>(*value - self.high, *value).max(0.0) } else { 0.0 };
        }
        gain
    }

    /// Where the cut difference may be at worst within `cycles` cycles.
    ///
    /// With a way back and a way there these are the costs themselves. Without a way back D is the least
    /// mean of what the first mapping loses up to a switch, the switch included. What it loses in a cycle is
    /// g(p) = m + w(p) - (P w)(p), where m is the loss at the long-run share of the phases and w is linear of
    /// slope (g(1) - g(0)) / (a + b), so that a sum of it up to any step is at least
    /// w(p) - w(1) + min(m, 0) cycles; or simply min(g(0), 0) cycles. The other way round likewise.
    pub(super) fn extremes(&self, cycles: f64) -> Pair {
        let [calm, late] = self.difference;
        let changes = self.filter.changes();
        let mean = calm + (late - calm) * self.filter.share();
        // Rounded outward generously: this is only where an iteration starts.
        let outer = 1.0 + 1e-9;
        let slope = (late - calm) / changes * outer;
        let linear = |ends: [f64; 2], mean: f64, simple: f64| {
            let drift = mean * cycles * outer;
            let simple = simple * cycles * outer;
            if slope.is_finite() && slope + drift.abs() < simple.abs() {
                Polyline::line(ends.map(|end| end + drift))
            } else {
                Polyline::constant(simple)
            }
        };
        let margin = 1e-9 * (calm.abs() + late.abs());
        Pair {
            upper: if self.high.is_finite() {
                Polyline::constant(self.high)
            } else {
                linear([0.0, slope], (mean + margin).max(0.0), late.max(0.0))
            },
            lower: if self.low.is_finite() {
                Polyline::constant(self.low)
            } else {
                linear([-slope, 0.0], (mean - margin).min(0.0), calm.min(0.0))
            },
        }
    }
}
