//! Backward induction on the difference function D_n = e_1 - e_2 + s_n P cut(D_{n+1}), enclosed
//! from both sides.
//!
//! One step takes O(pieces x levels) time. The bounds hold in exact arithmetic: every operation is
//! rounded outward.

use super::enclosure::Pair;
use super::operator::{Filter, Line};
use crate::lifetime::Lifetime;
use crate::phase_change::Bounds;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::problem::PhaseSwitching;
use crate::rounding::{nearest, outward};

/// The probability that another cycle follows, and that none does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chances {
    pub(crate) survival: f64,
    pub(crate) failure: f64,
}

impl Chances {
    /// After cycle `n`.
    pub(crate) fn at(lifetime: &Lifetime, n: u64) -> Chances {
        Chances { survival: lifetime.continuation(n), failure: lifetime.failure_rate(n) }
    }
}

/// One step back of an enclosure of the difference, with the thresholds it implies.
pub(crate) struct Step {
    /// Enclosure of the difference before clipping.
    pub(crate) raw: Pair,
    pub(crate) to_second: Bounds,
    pub(crate) to_first: Bounds,
}

impl Step {
    pub(crate) fn width(&self) -> f64 {
        self.to_second.width().max(self.to_first.width())
    }

    /// The greatest distance that either bound moved outward since the step `other`.
    pub(crate) fn changed(&self, other: &Step) -> f64 {
        let (own, its) = (&self.raw, &other.raw);
        let rise = own.upper.less::<true>(&its.upper).most();
        rise.max(its.lower.less::<true>(&own.lower).most())
    }

    /// The greatest distance that a threshold's midpoint moved since the step `other`.
    pub(crate) fn moved(&self, other: &Step) -> f64 {
        let moved = |own: Bounds, its: Bounds| (own.middle() - its.middle()).abs();
        moved(self.to_second, other.to_second).max(moved(self.to_first, other.to_first))
    }
}

/// Bounds on a threshold. Inverted bounds come from overflow or underflow and mean that nothing is
/// known.
pub(crate) fn enclosed(lower: f64, upper: f64) -> Bounds {
    if lower <= upper { Bounds { lower, upper } } else { Bounds { lower: 0.0, upper: 1.0 } }
}

/// Bounds memory: the most image nodes of one step back (nodes times observations).
const MOST_IMAGES: usize = 1 << 20;

/// Steps after which the filter counts as mixed, and the relative accuracy of a mean over them.
const MIXED: u32 = 1024;
const ROUGHLY: f64 = 1e-2;

/// Nodes of a mean closer than this fraction of their belief count as one.
const NEAR: f64 = 1e-10;

/// Node limit of a mean that is only tested against a small bound.
const MOST_OF_A_MEAN: usize = 1 << 16;

/// The recursion of the difference, with its parameters in doubles.
#[derive(Debug)]
pub(crate) struct Recursion {
    pub(crate) filter: Filter,
    /// e_1 - e_2: extra time of a cycle under the first mapping.
    pub(crate) difference: Line,
    /// -d and c.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// g_1 - g_0, the spread of e_1 - e_2 over the phases: the unit of tolerances.
    pub(crate) scale: f64,
    /// The most nodes a function may keep.
    pub(crate) most_nodes: usize,
}

impl Recursion {
    pub(crate) fn new(problem: &PhaseSwitching) -> Recursion {
        let cost = |m: usize| problem.switch[m].as_ref().map_or(f64::INFINITY, nearest);
        let difference = [nearest(&problem.gain(0)), nearest(&problem.gain(1))];
        let filter = Filter::new(problem);
        Recursion {
            most_nodes: (MOST_IMAGES / filter.reports.len().max(1)).max(3),
            filter,
            difference,
            low: -cost(1),
            high: cost(0),
            scale: nearest(&(problem.gain(1) - problem.gain(0))).max(f64::MIN_POSITIVE),
        }
    }

    /// One step back: e_1 - e_2 + s P `next`, where `next` is clipped already.
    pub(crate) fn step(&self, next: &Pair, survival: f64) -> Step {
        let line = self.difference;
        let raw = Pair::of(
            next.nodes(),
            || self.filter.back::<true>(&next.upper, survival, line, None).rising::<true>(),
            || self.filter.back::<false>(&next.lower, survival, line, None).rising::<false>(),
        );
        self.shown(raw)
    }

    /// The thresholds that an enclosure `raw` of the unclipped difference implies.
    pub(crate) fn shown(&self, raw: Pair) -> Step {
        let Pair { upper, lower } = &raw;
        let to_second =
            enclosed(upper.first_above::<false>(self.high), lower.first_above::<true>(self.high));
        let to_first =
            enclosed(upper.last_below::<false>(self.low), lower.last_below::<true>(self.low));
        Step { raw, to_second, to_first }
    }

    /// The input of the next step back: `raw` clipped to [-d, c] and reduced by at most `merge`.
    pub(crate) fn keep(&self, raw: &Pair, merge: f64) -> Pair {
        let (low, high, most) = (self.low, self.high, self.most_nodes);
        Pair::of(
            raw.nodes(),
            || raw.upper.cut_and_reduced::<true>([low, high], merge, most),
            || raw.lower.cut_and_reduced::<false>([low, high], merge, most),
        )
    }

    /// The greatest width of the enclosure within [-d, c]: only there does the difference matter to
    /// the step before.
    pub(crate) fn distance(&self, raw: &Pair) -> f64 {
        let Pair { upper, lower } = self.keep(raw, 0.0);
        upper.less::<true>(&lower).most()
    }

    /// The gain of switching to the second mapping at a step, (D - c)^+.
    pub(crate) fn gains(&self, raw: &Pair) -> Pair {
        if self.high == f64::INFINITY {
            return Pair::constant(0.0);
        }
        let Pair { upper, lower } = raw;
        Pair::of(upper.nodes(), || self.gain::<true>(upper), || self.gain::<false>(lower))
    }

    /// Whether the mean width of `pair` becomes at most `most` after some steps, from every initial
    /// belief. Tests at most [`MIXED`] steps and the stationary mean.
    pub(crate) fn lasts_less(&self, pair: &Pair, most: f64) -> bool {
        let mut gap = pair.upper.less::<true>(&pair.lower);
        for _ in 0..MIXED {
            let now = gap.most();
            let [start, end] = gap.beside::<true>();
            if now <= most || start + self.filter.share() * (end - start) <= most {
                return true;
            }
            let merge = ROUGHLY / f64::from(MIXED) * now;
            gap = self.later(gap, merge, MOST_OF_A_MEAN);
        }
        false
    }

    /// An upper bound on the mean of `function` one step later.
    fn later(&self, function: Polyline, merge: f64, most: usize) -> Polyline {
        let later = self.filter.back::<true>(&function.blunt::<true>(NEAR), 1.0, [0.0; 2], None);
        later.reduced_to::<true>(merge, most)
    }

    fn gain<const UPPER: bool>(&self, raw: &Polyline) -> Polyline {
        let cut = raw.cut::<UPPER>(self.high, f64::INFINITY);
        let beyond = |value: f64| {
            let beyond = value > self.high;
            if beyond { outward::<UPPER>(value - self.high, value).max(0.0) } else { 0.0 }
        };
        // Of the nodes before the gain becomes positive only the first and the last are kept.
        let begins = cut.value.iter().position(|value| *value > self.high).unwrap_or(cut.nodes());
        let mut gain = Polyline { at: vec![0.0], value: vec![beyond(cut.value[0])] };
        for k in begins.max(2) - 1..cut.nodes() {
            gain.push(cut.at[k], beyond(cut.value[k]));
        }
        gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;
    use crate::belief::Levels;

    /// Nearly coincident nodes with values that differ by rounding, as after a subtraction.
    #[test]
    fn means_of_nodes_next_to_each_other_do_not_grow() {
        let part = |all: u64| Rational::from(all) / Rational::from(1000u64);
        let problem = PhaseSwitching {
            cycle: [[part(0), part(227)], [part(125), part(0)]],
            switch: [Some(part(5350)), Some(part(612))],
            rates: [part(3), part(1)],
            detector: Levels::binary(part(198), part(243)).unwrap(),
            initial: Rational::ZERO,
        };
        let recursion = Recursion::new(&problem);
        let line = |value: f64| Polyline { at: vec![0.0], value: vec![value] };
        let [mut upper, mut lower] = [line(1e-10), line(0.0)];
        let mut at: f64 = 0.1;
        while at < 0.9 {
            for _ in 0..3 {
                let jump = if upper.nodes() % 2 == 0 { 1e-15 } else { 0.0 };
                upper.push(at, 1e-10 + jump);
                at = at.next_up();
            }
            at += 0.03;
        }
        upper.push(1.0, 1e-10);
        lower.push(1.0, 0.0);
        let gap = upper.less::<true>(&lower);
        let most = gap.most();
        let mean = (0..100).fold(gap, |now, _| recursion.later(now, 1e-15, recursion.most_nodes));
        assert!(mean.most() <= 1.01 * most, "{} {most}", mean.most());
        assert!(recursion.lasts_less(&Pair { upper, lower }, 1.01e-10));
    }
}
