//! Reduction of piecewise-linear concave functions with proved direction of the error.
//!
//! Replacing atoms by one atom at their barycenter can only raise the function. Moving an atom onto
//! two nodes around it (same total, same mean) can only lower it. Reducers take the atoms one by
//! one in ascending order. [`Merge`] and [`Split`] choose their spans so that no span changes the
//! function by more than `allowance`, and nothing changes outside it. Once a sequence of functions
//! has become stationary, [`super::held`] keeps the spans fixed instead. Time: linear in the number
//! of atoms.

use super::Atom;
use crate::rounding::{SLACK, UNIT};

/// Odds below which the allowed change is proportional to the odds.
const SMALL: f64 = 1e-3;

/// Allowed change of the function by a span whose first atom is at odds `at`. It is the geometric
/// mean of `tolerance` times the odds and a fixed `tolerance`. Errors at small odds count more,
/// because the belief is there most of the time and each of them shifts the constant. The geometric
/// mean needs the fewest segments for a given width of the thresholds (measured, see
/// docs/decisions/phase_change.md). For a tiny hazard the belief starts at odds of that size, where
/// errors count relative to the odds.
fn allowance(tolerance: f64, at: f64) -> f64 {
    let least = at.max(SMALL);
    tolerance * at * ((1.0 + least) / least).sqrt()
}

/// Origin of an image: the observation, and the index of the parent atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Index of the observation.
    pub report: usize,
    /// Index of the parent.
    pub parent: usize,
}

/// Takes ascending atoms and keeps fewer.
pub trait Reduce {
    /// The next atom: `at` not below the one before, `drop` > 0.
    fn push(&mut self, at: f64, drop: f64, origin: Origin);
    /// The next atoms, as by repeated [`push`](Self::push).
    fn push_all(&mut self, atoms: impl Iterator<Item = (f64, f64, Origin)>) {
        atoms.for_each(|(at, drop, origin)| self.push(at, drop, origin));
    }
    /// Completes the reduction; `end` is an atom beyond all others that will be added afterward, if
    /// there is one.
    fn finish(&mut self, end: Option<&mut Atom>);
}

/// Merges each span into its barycenter: an upper bound.
pub struct Merge<'a> {
    kept: Kept<'a>,
    span: Merged,
}

/// Output for atoms and for the abscissas between spans.
struct Kept<'a> {
    tolerance: f64,
    atoms: &'a mut Vec<Atom>,
    ends: &'a mut Vec<f64>,
}

/// The current span. It is copied into registers while atoms are processed.
#[derive(Debug, Clone, Copy, Default)]
struct Merged {
    count: u32,
    first: f64,
    last: f64,
    drop: f64,
    moment: f64,
    error: f64,
    /// How far the span may move the function.
    limit: f64,
}

impl<'a> Merge<'a> {
    /// Appends to `kept`; appends the abscissas between spans to `ends`.
    pub fn new(tolerance: f64, kept: &'a mut Vec<Atom>, ends: &'a mut Vec<f64>) -> Self {
        Merge { kept: Kept { tolerance, atoms: kept, ends }, span: Merged::default() }
    }
}

impl Merged {
    #[inline(always)]
    fn close(&mut self, kept: &mut Kept<'_>) {
        let (at, drop) = match self.count {
            0 => return,
            1 => (self.last, self.drop),
            count => {
                let up = 1.0 + UNIT * (4.0 + 2.0 * f64::from(count));
                // Drops and moments may be so small that their quotient is NaN.
                let at = (self.moment / self.drop * up).max(self.first).min(self.last);
                (at, self.drop * up)
            }
        };
        kept.atoms.push(Atom { at, drop });
        (self.count, self.drop, self.moment, self.error) = (0, 0.0, 0.0, 0.0);
    }

    #[inline(always)]
    fn take(&mut self, at: f64, drop: f64, kept: &mut Kept<'_>) {
        // Underflowed drops: their contribution is covered by the bounds.
        if drop == 0.0 {
            return;
        }
        if self.count > 0 {
            // Adding an atom to the barycenter raises the function by at most this much.
            let lift = drop * (at * self.drop - self.moment);
            let total = self.drop + drop;
            if lift > (self.limit - self.error) * total {
                kept.ends.push(0.5 * (self.last + at));
                self.close(kept);
            } else {
                self.error += lift / total;
            }
        }
        if self.count == 0 {
            self.limit = allowance(kept.tolerance, at);
            self.first = at;
        }
        self.count += 1;
        self.last = at;
        self.drop += drop;
        self.moment += drop * at;
    }
}

impl Reduce for Merge<'_> {
    #[inline]
    fn push(&mut self, at: f64, drop: f64, _: Origin) {
        self.span.take(at, drop, &mut self.kept);
    }

    #[inline]
    fn push_all(&mut self, atoms: impl Iterator<Item = (f64, f64, Origin)>) {
        let mut span = self.span;
        for (at, drop, _) in atoms {
            span.take(at, drop, &mut self.kept);
        }
        self.span = span;
    }

    fn finish(&mut self, _: Option<&mut Atom>) {
        self.span.close(&mut self.kept);
    }
}

/// Moves the atoms inside each span onto its two ends: a lower bound.
pub struct Split<'a> {
    kept: Kept<'a>,
    span: Inside,
}

/// The current span, and the atom where it could end; copied like [`Merged`].
#[derive(Debug, Clone, Copy)]
struct Inside {
    /// The node the span starts at (0 counts: an atom there contributes nothing).
    start: Atom,
    /// Sums over the atoms inside the span, of drop, drop * y and drop * y^2, y the distance to
    /// `start`.
    drop: f64,
    moment: f64,
    square: f64,
    /// Number of atoms inside.
    count: u32,
    /// The latest atom.
    candidate: Option<Atom>,
    /// How far the span may move the function.
    limit: f64,
}

impl<'a> Split<'a> {
    /// Appends to `kept`; appends the abscissas between spans to `ends`.
    pub fn new(tolerance: f64, kept: &'a mut Vec<Atom>, ends: &'a mut Vec<f64>) -> Self {
        let start = Atom { at: 0.0, drop: 0.0 };
        let (drop, moment, square) = (0.0, 0.0, 0.0);
        let span = Inside { start, drop, moment, square, count: 0, candidate: None, limit: 0.0 };
        Split { kept: Kept { tolerance, atoms: kept, ends }, span }
    }
}

impl Inside {
    /// Ends the span at `end`, which becomes the next start.
    #[inline(always)]
    fn close(&mut self, end: Atom, kept: &mut Kept<'_>) {
        let (drop, moment) = (self.drop, self.moment);
        (self.drop, self.moment, self.square) = (0.0, 0.0, 0.0);
        let mut next = end;
        if drop > 0.0 {
            let width = end.at - self.start.at;
            let share = moment / width;
            let count = std::mem::take(&mut self.count);
            let loss = 4.0 * SLACK + 4.0 * UNIT * f64::from(count);
            next.drop = (next.drop + share * (1.0 - loss)) * (1.0 - 2.0 * UNIT);
            self.start.drop += (drop - share - loss * drop).max(0.0);
            self.start.drop *= 1.0 - 2.0 * UNIT;
        }
        if self.start.at > 0.0 {
            kept.atoms.push(self.start);
        }
        self.start = next;
    }

    #[inline(always)]
    fn take_inside(&mut self, atom: Atom) {
        self.count += 1;
        if atom.at <= self.start.at {
            self.start.drop = (self.start.drop + atom.drop) * (1.0 - 2.0 * UNIT);
            return;
        }
        let y = atom.at - self.start.at;
        let moment = atom.drop * y;
        self.drop += atom.drop;
        self.moment += moment;
        self.square += moment * y;
    }

    #[inline(always)]
    fn take(&mut self, at: f64, drop: f64, kept: &mut Kept<'_>) {
        let Some(candidate) = self.candidate.replace(Atom { at, drop }) else {
            self.limit = allowance(kept.tolerance, at);
            return;
        };
        // Loss of a span from the start to the new atom, with the candidate inside.
        let y = candidate.at - self.start.at;
        let moment = self.moment + candidate.drop * y;
        let square = self.square + candidate.drop * y * y;
        let width = at - self.start.at;
        if y > 0.0 && moment * width - square > self.limit * width {
            self.close(candidate, kept);
            kept.ends.push(candidate.at);
            self.limit = allowance(kept.tolerance, at);
        } else {
            self.take_inside(candidate);
        }
    }
}

impl Reduce for Split<'_> {
    #[inline]
    fn push(&mut self, at: f64, drop: f64, _: Origin) {
        self.span.take(at, drop, &mut self.kept);
    }

    #[inline]
    fn push_all(&mut self, atoms: impl Iterator<Item = (f64, f64, Origin)>) {
        let mut span = self.span;
        for (at, drop, _) in atoms {
            span.take(at, drop, &mut self.kept);
        }
        self.span = span;
    }

    fn finish(&mut self, _: Option<&mut Atom>) {
        let Split { kept, span } = self;
        if let Some(last) = span.candidate.take() {
            if last.at > span.start.at {
                span.close(last, kept);
                kept.ends.push(last.at);
            } else {
                span.take_inside(last);
            }
        }
        if span.start.at > 0.0 && span.start.drop > 0.0 {
            kept.atoms.push(span.start);
        }
    }
}
