//! Piecewise-linear functions on [0, 1] with one-sided bounds: sums, clips, crossings, and
//! reductions to fewer nodes.
//!
//! All operations take O(nodes). `UPPER` selects the direction: results are upper bounds, otherwise
//! lower bounds.

use super::reducing::{Held, Reducing};
use crate::rounding::{SLACK, outward};
use std::borrow::Cow;

/// The function through (at\[k\], value\[k\]), linear in between. `at` ascends from 0 to 1.
#[derive(Debug, Clone)]
pub(crate) struct Polyline {
    pub(crate) at: Vec<f64>,
    pub(crate) value: Vec<f64>,
}

impl Polyline {
    pub(crate) fn constant(value: f64) -> Polyline {
        Polyline::line([value; 2])
    }

    /// The linear function with these values at 0 and 1.
    pub(crate) fn line(ends: [f64; 2]) -> Polyline {
        Polyline { at: vec![0.0, 1.0], value: ends.to_vec() }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.at.len()
    }

    /// The values at 0 and 1.
    pub(crate) fn ends(&self) -> [f64; 2] {
        [self.value[0], self.value[self.nodes() - 1]]
    }

    /// The value at `p`, searched from piece `piece` on; `piece` is advanced to the one that holds
    /// `p`.
    pub(crate) fn at_from(&self, piece: &mut usize, p: f64) -> f64 {
        let last = self.nodes() - 2;
        while *piece < last && self.at[*piece + 1] < p {
            *piece += 1;
        }
        let k = *piece;
        let share = ((p - self.at[k]) / (self.at[k + 1] - self.at[k])).clamp(0.0, 1.0);
        self.value[k] + share * (self.value[k + 1] - self.value[k])
    }

    /// The value at `p`.
    pub(crate) fn at(&self, p: f64) -> f64 {
        self.at_from(&mut 0, p)
    }

    /// `combine` of this function and another at the nodes of both, with the size of the numbers
    /// involved as third argument. `combine` must be linear in the first two, so that the result
    /// holds between nodes too. O(nodes).
    pub(crate) fn with(
        &self,
        other: &Polyline,
        combine: impl Fn(f64, f64, f64) -> f64,
    ) -> Polyline {
        let room = self.nodes() + other.nodes();
        let mut all = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
        let between = |line: &Polyline, next: usize, at: f64| {
            let (start, end) = (line.at[next - 1], line.at[next]);
            let (from, to) = (line.value[next - 1], line.value[next]);
            (from + (at - start) / (end - start) * (to - from), from.abs() + to.abs())
        };
        let (mut k, mut l) = (0, 0);
        while k < self.nodes() && l < other.nodes() {
            let (at, beside) = (self.at[k], other.at[l]);
            let own = if at <= beside {
                (self.value[k], self.value[k].abs())
            } else {
                between(self, k, beside)
            };
            let its = if beside <= at {
                (other.value[l], other.value[l].abs())
            } else {
                between(other, l, at)
            };
            all.at.push(at.min(beside));
            all.value.push(combine(own.0, its.0, own.1 + its.1));
            k += usize::from(at <= beside);
            l += usize::from(beside <= at);
        }
        all
    }

    /// This function minus another, rounded up (`UPPER`) or down.
    pub(crate) fn less<const UPPER: bool>(&self, other: &Polyline) -> Polyline {
        self.with(other, |own, its, size| outward::<UPPER>(own - its, size))
    }

    /// The greatest absolute value.
    pub(crate) fn size(&self) -> f64 {
        self.value.iter().fold(0.0, |most, value| value.abs().max(most))
    }

    /// The greatest value.
    pub(crate) fn most(&self) -> f64 {
        self.value.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The least value.
    pub(crate) fn least(&self) -> f64 {
        self.value.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The change of slope at every inner node.
    pub(crate) fn bends(&self) -> impl Iterator<Item = (f64, f64)> {
        let slope = |k: usize| (self.value[k + 1] - self.value[k]) / (self.at[k + 1] - self.at[k]);
        (1..self.nodes() - 1).map(move |k| (self.at[k], slope(k) - slope(k - 1)))
    }

    /// The sum of the absolute changes of slope.
    pub(crate) fn turns(&self) -> f64 {
        self.bends().map(|(_, bend)| bend.abs()).sum()
    }

    /// The lowest linear function above this one (`UPPER`; else the highest below) that is parallel
    /// to the chord of the ends.
    pub(crate) fn beside<const UPPER: bool>(&self) -> [f64; 2] {
        let [start, end] = self.ends();
        let mut beyond = 0.0f64;
        for (at, value) in self.at.iter().zip(&self.value) {
            let straight = start + at * (end - start);
            let over = if UPPER { value - straight } else { straight - value };
            beyond = beyond.max(over + SLACK * (value.abs() + start.abs() + end.abs()));
        }
        [start, end].map(|end| if UPPER { end + beyond } else { end - beyond })
    }

    /// The monotone envelope. It stays a valid bound: the bounded function increases, only rounding
    /// and reduction made this one decrease.
    pub(crate) fn rising<const UPPER: bool>(mut self) -> Polyline {
        if UPPER {
            let mut most = f64::NEG_INFINITY;
            for value in &mut self.value {
                most = most.max(*value);
                *value = most;
            }
        } else {
            let mut least = f64::INFINITY;
            for value in self.value.iter_mut().rev() {
                least = least.min(*value);
                *value = least;
            }
        }
        self
    }

    /// An upper bound (`UPPER`), otherwise a lower one, that is constant across nodes closer than
    /// `near` times their belief.
    ///
    /// Rounding moves a function outward in proportion to its slopes, and every step back brings
    /// nodes closer. Between nodes about 1e-16 apart a rounding error would grow tenfold a step.
    pub(crate) fn blunt<const UPPER: bool>(&self, near: f64) -> Cow<'_, Polyline> {
        let apart = |k: usize| self.at[k] - self.at[k - 1] > near * self.at[k];
        if (1..self.nodes()).all(apart) {
            return Cow::Borrowed(self);
        }
        let mut blunt = self.clone();
        let mut first = 0;
        for k in 1..=self.nodes() {
            if k == self.nodes() || apart(k) {
                let values = &mut blunt.value[first..k];
                let outer = values.iter().copied().reduce(if UPPER { f64::max } else { f64::min });
                values.fill(outer.expect("a group has a node"));
                first = k;
            }
        }
        Cow::Owned(blunt)
    }

    /// The least p beyond which some value exceeds `level`, rounded up or down; 1 if there is none.
    pub(crate) fn first_above<const UPPER: bool>(&self, level: f64) -> f64 {
        match self.value.iter().position(|value| *value > level) {
            None => 1.0,
            Some(0) => 0.0,
            Some(k) => self.crossing::<UPPER>(k - 1, level),
        }
    }

    /// The greatest p up to which some value is below `level`; 0 if there is none.
    pub(crate) fn last_below<const UPPER: bool>(&self, level: f64) -> f64 {
        match self.value.iter().rposition(|value| *value < level) {
            None => 0.0,
            Some(k) if k + 1 == self.nodes() => 1.0,
            Some(k) => self.crossing::<UPPER>(k, level),
        }
    }

    /// The belief at which piece `k` crosses `level`, rounded up or down.
    pub(crate) fn crossing<const UPPER: bool>(&self, k: usize, level: f64) -> f64 {
        let (start, end) = (self.at[k], self.at[k + 1]);
        let (rise, width) = (self.value[k + 1] - self.value[k], end - start);
        let exact = start + width * ((level - self.value[k]) / rise).clamp(0.0, 1.0);
        let magnitude = level.abs() + self.value[k].abs() + self.value[k + 1].abs();
        let blur = SLACK * (exact + magnitude * (width / rise.abs()));
        (if UPPER { exact + blur } else { exact - blur }).clamp(start, end)
    }

    /// This increasing function clipped to [low, high], rounded up (`UPPER`) or down.
    pub(crate) fn cut<const UPPER: bool>(&self, low: f64, high: f64) -> Polyline {
        let room = self.nodes() + 2;
        let mut cut = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
        self.visit_cut::<UPPER>([low, high], |at, value| {
            cut.at.push(at);
            cut.value.push(value);
        });
        cut
    }

    /// Calls `visit` with the nodes of [`Polyline::cut`]. Flat parts contribute only their ends.
    fn visit_cut<const UPPER: bool>(&self, [low, high]: [f64; 2], visit: impl FnMut(f64, f64)) {
        // All nodes below `low` clip to a flat part, and so do all above `high`.
        let first = self.value.partition_point(|value| *value < low).saturating_sub(1).max(1);
        let end = self.value.partition_point(|value| *value <= high);
        let last = self.nodes() - 1;
        let mut held = Held::new(self.value[0].clamp(low, high), visit);
        for k in (first..=end.min(last)).chain((end < last).then_some(last)) {
            let mut value = self.value[k].clamp(low, high);
            for level in [low, high] {
                if !(self.value[k - 1] < level && level < self.value[k]) {
                    continue;
                }
                // The kink is moved to the safe side: to the left for an upper bound.
                let at = if UPPER {
                    self.crossing::<false>(k - 1, level)
                } else {
                    self.crossing::<true>(k - 1, level)
                };
                if at >= self.at[k] {
                    // A lower bound stays at `low` up to this node.
                    if level == low {
                        value = low;
                    }
                } else if at > held.node.0 {
                    held.push(at, level);
                } else if UPPER && level == high {
                    // The upper bound is at `high` from the previous node on.
                    held.raise(high);
                }
            }
            held.push(self.at[k], value);
        }
        held.finish();
    }

    /// [`Polyline::cut`] followed by [`Polyline::reduced_to`].
    pub(crate) fn cut_and_reduced<const UPPER: bool>(
        &self,
        between: [f64; 2],
        tolerance: f64,
        most: usize,
    ) -> Polyline {
        self.short::<UPPER>(tolerance, most, |reducing| {
            self.visit_cut::<UPPER>(between, |at, value| reducing.add(at, value));
        })
    }

    /// Appends a node, unless it does not lie beyond the last one.
    pub(crate) fn push(&mut self, at: f64, value: f64) {
        if self.at.last().is_some_and(|last| at <= *last) {
            return;
        }
        self.at.push(at);
        self.value.push(value);
    }

    /// A function with fewer nodes that is nowhere below this one (`UPPER`, else nowhere above) and
    /// differs by at most `tolerance`, apart from rounding.
    ///
    /// The cone-intersection method (Williams 1978): from every kept node the piece extends as long
    /// as some line stays within the tolerance at all nodes it passes. Both functions are linear
    /// between nodes, so the bound holds everywhere. O(nodes).
    pub(crate) fn reduced<const UPPER: bool>(&self, tolerance: f64) -> Polyline {
        self.reduced_to::<UPPER>(tolerance, usize::MAX)
    }

    /// [`Polyline::reduced`], by more than `tolerance` where more than `most` > 2 nodes would be
    /// left.
    pub(crate) fn reduced_to<const UPPER: bool>(&self, tolerance: f64, most: usize) -> Polyline {
        self.short::<UPPER>(tolerance, most, |reducing| {
            self.at.iter().zip(&self.value).for_each(|(at, value)| reducing.add(*at, *value));
        })
    }

    /// The function whose nodes `add` feeds, reduced by `tolerance`. The reduction is larger if
    /// more than `most` nodes would stay; `most` exceeds 2.
    fn short<const UPPER: bool>(
        &self,
        tolerance: f64,
        most: usize,
        add: impl Fn(&mut Reducing<UPPER>),
    ) -> Polyline {
        let mut coarser = tolerance;
        loop {
            let mut reducing = Reducing::new(coarser, 0);
            add(&mut reducing);
            let short = reducing.finish();
            if short.nodes() <= most {
                return short;
            }
            coarser = 2.0 * coarser.max(SLACK * self.size());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Polyline;
    use crate::random::stream;
    use rand::RngExt;

    /// Nodes in groups 1e-15 apart, other nodes anywhere: groups take their outermost value, all
    /// other nodes keep theirs, and the result bounds the function everywhere.
    #[test]
    fn nodes_that_nearly_coincide_take_the_outermost_value() {
        const NEAR: f64 = 1e-13;
        for seed in 0..200 {
            let random = &mut stream(59, seed);
            let mut at = vec![0.0, 1.0];
            for _ in 0..random.random_range(0..9) {
                let first: f64 = random.random_range(0.01..0.99);
                let size = random.random_range(1..5);
                at.extend((0..size).map(|k| first * (1.0 + 1e-15 * f64::from(k))));
            }
            at.sort_by(f64::total_cmp);
            at.dedup();
            let value: Vec<f64> = at.iter().map(|_| random.random()).collect();
            let line = Polyline { at: at.clone(), value: value.clone() };
            let [upper, lower] = [line.blunt::<true>(NEAR), line.blunt::<false>(NEAR)];
            for (k, p) in at.iter().enumerate() {
                // Groups are far shorter than the distance of two random beliefs.
                let group = || (0..at.len()).filter(|j| (at[*j] - p).abs() < 1e-10 * p);
                let most = group().map(|j| value[j]).fold(value[k], f64::max);
                let least = group().map(|j| value[j]).fold(value[k], f64::min);
                assert_eq!((lower.value[k], upper.value[k]), (least, most), "seed {seed}, {p}");
            }
            for k in 0..=1000 {
                let p = f64::from(k) / 1000.0;
                let (low, own, high) = (lower.at(p), line.at(p), upper.at(p));
                assert!(low <= own + 1e-15 && own <= high + 1e-15, "seed {seed}, {p}");
            }
        }
    }
}
