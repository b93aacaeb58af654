//! Keeping a concave function short, with a proof: replacing neighbouring atoms by one atom at their
//! barycentre can only raise the function, and moving an atom onto two neighbouring nodes (same total,
//! same mean) can only lower it; neither changes it outside the span it touches.
//!
//! Both reducers take the atoms one by one in ascending order. In search mode they choose the spans so
//! that no span changes the function by more than `tolerance * (1 + o)`; in held mode they reuse the
//! spans of an earlier function, so that a converging sequence of functions converges to the last bit.

use super::Atom;
use crate::rounding::{SLACK, UNIT};

/// Takes ascending atoms and keeps fewer.
pub trait Reduce {
    /// The next atom: `at` not below the one before.
    fn push(&mut self, at: f64, drop: f64);
    /// All atoms are in.
    fn finish(&mut self);
}

/// Where a reducer ends its spans.
#[derive(Debug, Clone, Copy)]
pub enum Spans<'a> {
    /// Wherever the function would otherwise move by more than this, times (1 + o).
    Search(f64),
    /// At these ascending abscissas, and wherever it would move by more than twice this.
    Held(&'a [f64], f64),
}

impl Spans<'_> {
    fn limit(&self) -> f64 {
        match self {
            Spans::Search(tolerance) => *tolerance,
            Spans::Held(_, tolerance) => 2.0 * tolerance,
        }
    }

    /// The end number `index`, if it is held and not beyond `at`.
    fn passed(&self, index: usize, at: f64) -> Option<f64> {
        match self {
            Spans::Search(_) => None,
            Spans::Held(ends, _) => ends.get(index).copied().filter(|end| *end <= at),
        }
    }
}

/// Merges each span into its barycentre: an upper bound.
pub struct Merge<'a> {
    spans: Spans<'a>,
    next_end: usize,
    kept: &'a mut Vec<Atom>,
    ends: &'a mut Vec<f64>,
    count: u32,
    last: f64,
    drop: f64,
    moment: f64,
    error: f64,
}

impl<'a> Merge<'a> {
    /// Appends to `kept`; appends the abscissas between spans to `ends`.
    pub fn new(spans: Spans<'a>, kept: &'a mut Vec<Atom>, ends: &'a mut Vec<f64>) -> Self {
        Merge {
            spans,
            next_end: 0,
            kept,
            ends,
            count: 0,
            last: 0.0,
            drop: 0.0,
            moment: 0.0,
            error: 0.0,
        }
    }

    fn close(&mut self) {
        let (at, drop) = match self.count {
            0 => return,
            1 => (self.last, self.drop),
            count => {
                let up = 1.0 + UNIT * (4.0 + 2.0 * f64::from(count));
                (self.moment / self.drop * up, self.drop * up)
            }
        };
        self.kept.push(Atom { at, drop });
        (self.count, self.drop, self.moment, self.error) = (0, 0.0, 0.0, 0.0);
    }
}

impl Reduce for Merge<'_> {
    fn push(&mut self, at: f64, drop: f64) {
        while let Some(end) = self.spans.passed(self.next_end, at) {
            self.close();
            self.ends.push(end);
            self.next_end += 1;
        }
        if self.count > 0 {
            // Joining a new atom to the barycentre lifts the function by at most this much.
            let lift = drop * (at * self.drop - self.moment) / (self.drop + drop);
            if self.error + lift > self.spans.limit() * (1.0 + at) {
                self.ends.push(0.5 * (self.last + at));
                self.close();
            } else {
                self.error += lift;
            }
        }
        self.count += 1;
        self.last = at;
        self.drop += drop;
        self.moment += drop * at;
    }

    fn finish(&mut self) {
        self.close();
    }
}

/// Moves the atoms inside each span onto its two ends: a lower bound.
pub struct Split<'a> {
    spans: Spans<'a>,
    next_end: usize,
    kept: &'a mut Vec<Atom>,
    ends: &'a mut Vec<f64>,
    /// The node the current span starts at (0 counts: an atom there contributes nothing).
    start: Atom,
    /// Sums over the atoms inside the span, of drop, drop * y and drop * y^2, y the distance to `start`.
    inside: [f64; 3],
    /// The latest atom, where the span could end.
    candidate: Option<Atom>,
}

impl<'a> Split<'a> {
    /// Appends to `kept`; appends the abscissas between spans to `ends`.
    pub fn new(spans: Spans<'a>, kept: &'a mut Vec<Atom>, ends: &'a mut Vec<f64>) -> Self {
        let start = Atom { at: 0.0, drop: 0.0 };
        Split { spans, next_end: 0, kept, ends, start, inside: [0.0; 3], candidate: None }
    }

    /// Ends the span at `end`, which becomes the next start.
    fn close(&mut self, end: Atom) {
        let [drop, moment, _] = std::mem::take(&mut self.inside);
        let mut next = end;
        if drop > 0.0 {
            let share = moment / (end.at - self.start.at);
            next.drop += share * (1.0 - 4.0 * SLACK);
            self.start.drop += (drop - share - 4.0 * SLACK * drop).max(0.0);
        }
        if self.start.at > 0.0 {
            self.kept.push(self.start);
        }
        self.start = next;
    }

    fn take_inside(&mut self, atom: Atom) {
        if atom.at <= self.start.at {
            self.start.drop += atom.drop;
            return;
        }
        let y = atom.at - self.start.at;
        let moment = atom.drop * y;
        self.inside[0] += atom.drop;
        self.inside[1] += moment;
        self.inside[2] += moment * y;
    }
}

impl Reduce for Split<'_> {
    fn push(&mut self, at: f64, drop: f64) {
        while let Some(end) = self.spans.passed(self.next_end, at) {
            if let Some(candidate) = self.candidate.take() {
                self.take_inside(candidate);
            }
            self.close(Atom { at: end, drop: 0.0 });
            self.ends.push(end);
            self.next_end += 1;
        }
        let Some(candidate) = self.candidate.replace(Atom { at, drop }) else { return };
        // What a span from the start to the new atom would cost, the candidate inside it.
        let y = candidate.at - self.start.at;
        let moment = self.inside[1] + candidate.drop * y;
        let square = self.inside[2] + candidate.drop * y * y;
        let (width, limit) = (at - self.start.at, self.spans.limit() * (1.0 + at));
        if y > 0.0 && moment * width - square > limit * width {
            self.close(candidate);
            self.ends.push(candidate.at);
        } else {
            self.take_inside(candidate);
        }
    }

    fn finish(&mut self) {
        if let Some(last) = self.candidate.take() {
            if last.at > self.start.at {
                self.close(last);
            } else {
                self.start.drop += last.drop;
            }
        }
        if self.start.at > 0.0 && self.start.drop > 0.0 {
            self.kept.push(self.start);
        }
    }
}
