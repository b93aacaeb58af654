//! Nodes that arrive one by one: with flat parts joined, or reduced to fewer nodes on the way.

use super::polyline::Polyline;
use crate::rounding::SLACK;

/// A stream of nodes with a delay of one: the latest node may still change. Flat parts keep only
/// their ends.
pub(super) struct Held<V> {
    pub(super) node: (f64, f64),
    /// Whether the function is flat before the latest node.
    flat: bool,
    visit: V,
}

impl<V: FnMut(f64, f64)> Held<V> {
    pub(super) fn new(start: f64, visit: V) -> Held<V> {
        Held { node: (0.0, start), flat: false, visit }
    }

    /// Appends a node, unless it does not lie beyond the latest one.
    #[inline(always)]
    pub(super) fn push(&mut self, at: f64, value: f64) {
        let (latest, before) = self.node;
        if at <= latest {
            return;
        }
        let flat = value == before;
        if !(flat && self.flat) {
            (self.visit)(latest, before);
        }
        (self.node, self.flat) = ((at, value), flat);
    }

    /// Raises the value of the latest node.
    pub(super) fn raise(&mut self, value: f64) {
        self.flat &= self.node.1 == value;
        self.node.1 = value;
    }

    pub(super) fn finish(mut self) {
        (self.visit)(self.node.0, self.node.1);
    }
}

/// [`Polyline::reduced`] for nodes that arrive one by one.
pub(crate) struct Reducing<const UPPER: bool> {
    tolerance: f64,
    short: Polyline,
    /// The last kept node, and the interval of slopes from it that stay within the tolerance up to
    /// the latest node.
    start: (f64, f64),
    least: f64,
    most: f64,
    latest: f64,
}

impl<const UPPER: bool> Reducing<UPPER> {
    /// `nodes` is the expected number of kept nodes, a capacity.
    pub(crate) fn new(tolerance: f64, nodes: usize) -> Reducing<UPPER> {
        let short = Polyline { at: Vec::with_capacity(nodes), value: Vec::with_capacity(nodes) };
        let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
        Reducing { tolerance, short, start: (0.0, 0.0), least, most, latest: 0.0 }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.short.nodes()
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, at: f64, value: f64) {
        // The interval in which the new function may lie here.
        let pad = SLACK * (value.abs() + self.start.1.abs());
        let far = pad + if self.tolerance > pad { self.tolerance } else { pad };
        let (low, high) =
            if UPPER { (value + pad, value + far) } else { (value - far, value - pad) };
        if self.short.at.is_empty() {
            self.stay(at, 0.5 * (low + high));
            self.latest = at;
            return;
        }
        if at <= self.start.0 {
            return;
        }
        let run = at - self.start.0;
        let end = self.end();
        if low > self.start.1 + self.most * run || high < self.start.1 + self.least * run {
            self.stay(self.latest, end);
            let per = 1.0 / (at - self.start.0);
            (self.least, self.most) = ((low - self.start.1) * per, (high - self.start.1) * per);
        } else {
            let per = 1.0 / run;
            let (least, most) = ((low - self.start.1) * per, (high - self.start.1) * per);
            self.least = if least > self.least { least } else { self.least };
            self.most = if most < self.most { most } else { self.most };
        }
        self.latest = at;
    }

    /// The value at the latest node.
    #[inline(always)]
    fn end(&self) -> f64 {
        self.start.1 + 0.5 * (self.least + self.most) * (self.latest - self.start.0)
    }

    #[inline(always)]
    fn stay(&mut self, at: f64, value: f64) {
        self.start = (at, value);
        self.short.at.push(at);
        self.short.value.push(value);
    }

    /// Closes the last piece at the latest node.
    pub(crate) fn finish(mut self) -> Polyline {
        let end = self.end();
        self.short.push(self.latest, end);
        self.short
    }
}
