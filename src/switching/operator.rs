//! The filter of recurring phases as an operator on functions of the belief.

use super::polyline::Polyline;
use super::problem::PhaseSwitching;
use crate::Rational;
use crate::belief::Likelihood;
use crate::rounding::{SLACK, nearest};

/// The parameters in doubles, each the nearest to its exact value.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    /// a, 1-a, b, 1-b and 1-a-b.
    begins: f64,
    calm: f64,
    ends: f64,
    lasts: f64,
    memory: f64,
    reports: Vec<Likelihood>,
}

/// Nodes below it change a function by less than the roundoff of any cost: they are left out, so that
/// slopes stay finite.
const LEAST: f64 = 1e-250;

/// A linear function of the belief, by its values at 0 and 1.
pub(super) type Line = [f64; 2];

/// A linear piece of a function, its value moved outward past what rounding may do to a mean of it.
struct Piece {
    at: f64,
    value: f64,
    slope: f64,
    /// What the place of an image may change, moved outward likewise.
    blur: f64,
    /// Where the next piece begins, and what the place of an image near that may change beside.
    next: f64,
    near: f64,
}

/// One report's way through the pieces of a function.
struct Way {
    report: Likelihood,
    /// The preimages of the nodes still ahead, the next one last.
    ahead: Vec<f64>,
    /// The next of them.
    next: f64,
    /// The piece the latest image lies in.
    piece: usize,
}

impl Way {
    /// Goes on to the next node whose preimage lies beyond `here`.
    fn advance(&mut self, here: f64) {
        while self.next <= here {
            self.piece += 1;
            self.next = self.ahead.pop().unwrap_or(f64::INFINITY);
        }
    }
}

/// A function that is subtracted, on the way from 0 to 1.
struct Gain<'a> {
    line: &'a Polyline,
    slopes: Vec<f64>,
    piece: usize,
}

impl<'a> Gain<'a> {
    fn new(line: &'a Polyline) -> Gain<'a> {
        Gain { line, slopes: line.slopes(), piece: 0 }
    }

    /// The value at `p`, rounded down (`UPPER`: what is left is rounded up) or up.
    fn at<const UPPER: bool>(&mut self, p: f64) -> f64 {
        let at = &self.line.at;
        while self.piece + 2 < at.len() && at[self.piece + 1] <= p {
            self.piece += 1;
        }
        let (start, slope) = (self.line.value[self.piece], self.slopes[self.piece]);
        let value = start + slope * (p - at[self.piece]);
        let margin = SLACK * (start.abs() + value.abs() + slope.abs() * p);
        if UPPER { value - margin } else { value + margin }
    }

    /// The next node, once the value at the present place is known.
    fn next(&self) -> f64 {
        self.line.at[self.piece + 1]
    }
}

impl Filter {
    pub(super) fn new(problem: &PhaseSwitching) -> Filter {
        let [a, b] = &problem.rates;
        Filter {
            begins: nearest(a),
            calm: nearest(&(Rational::ONE - a)),
            ends: nearest(b),
            lasts: nearest(&(Rational::ONE - b)),
            memory: nearest(&(Rational::ONE - a - b)),
            reports: problem.detector.likelihoods(),
        }
    }

    /// How many different reports there are.
    pub(super) fn reports(&self) -> usize {
        self.reports.len()
    }

    /// a + b.
    pub(super) fn changes(&self) -> f64 {
        self.begins + self.ends
    }

    /// a / (a + b), the long-run share of the second phase; 0 if the phases never change.
    pub(super) fn share(&self) -> f64 {
        if self.changes() > 0.0 { self.begins / self.changes() } else { 0.0 }
    }

    /// The way of `report` through the pieces between the places `at`, from belief 0 on.
    fn way(&self, report: Likelihood, at: &[f64]) -> Way {
        let last = at.len() - 2;
        let mut way = Way { report, ahead: Vec::new(), next: f64::INFINITY, piece: 0 };
        let Likelihood { before, after } = report;
        if before == 0.0 {
            way.piece = last;
        } else if after > 0.0 && self.memory == 0.0 {
            let (yes, no) = (self.begins * after, self.calm * before);
            let passed = at.partition_point(|at| *at <= yes / (yes + no));
            way.piece = passed.saturating_sub(1).min(last);
        } else if after > 0.0 {
            let times = 1.0 / self.memory;
            let preimage = |at: &f64| {
                let (no, yes) = (at * before, (1.0 - at) * after);
                (no / (no + yes) - self.begins) * times
            };
            way.ahead = at[1..=last].iter().rev().map(preimage).collect();
            way.next = way.ahead.pop().unwrap_or(f64::INFINITY);
            way.advance(LEAST);
        }
        way
    }

    /// `line` + `survival` P `next` - `gain`, rounded up (`UPPER`) or down, with nodes also at those of `gain`.
    ///
    /// Between two neighbouring nodes the function is linear but for what rounding does to their places;
    /// that and the rounding of values moves every value outward. A report adds v w + s (y - x w), where it
    /// has chance w, chance y together with the second phase, and leads into the piece v + s (q - x).
    /// O(reports x nodes) places, as many operations at each as there are reports.
    pub(super) fn back<const UPPER: bool>(
        &self,
        next: &Polyline,
        survival: f64,
        line: Line,
        gain: Option<&Polyline>,
    ) -> Polyline {
        let pieces = self.pieces::<UPPER>(next);
        let mut ways: Vec<Way> =
            self.reports.iter().map(|report| self.way(*report, &next.at)).collect();
        let room = ways.iter().map(|way| way.ahead.len()).sum::<usize>()
            + gain.map_or(0, Polyline::nodes)
            + 2;
        let mut result = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
        let margin = SLACK * (line[0].abs() + line[1].abs()) * 2.0 + f64::MIN_POSITIVE;
        let margin = if UPPER { margin } else { -margin };
        let mut gain = gain.map(Gain::new);
        let mut here = 0.0;
        loop {
            let second = here * self.lasts + (1.0 - here) * self.begins;
            let first = here * self.ends + (1.0 - here) * self.calm;
            let (mut sum, mut ahead) = (0.0, 1.0f64);
            for way in &mut ways {
                way.advance(here);
                ahead = ahead.min(way.next);
                let Likelihood { before, after } = way.report;
                let (yes, no) = (second * after, first * before);
                let weight = yes + no;
                let piece = &pieces[way.piece];
                let beyond = piece.slope * (yes - piece.at * weight);
                sum += (piece.value * weight + beyond) + piece.blur * before;
                if 2.0 * yes > piece.next * weight {
                    sum += piece.near * (weight + before);
                }
            }
            let own = (1.0 - here) * line[0] + here * line[1];
            result.at.push(here);
            let mut value = own + survival * sum + margin;
            if let Some(gain) = &mut gain {
                value -= gain.at::<UPPER>(here);
                ahead = ahead.min(gain.next());
            }
            result.value.push(value);
            if here >= 1.0 {
                return result;
            }
            here = ahead;
        }
    }

    /// The pieces of `unmoved`, moved up (`UPPER`) or down.
    fn pieces<const UPPER: bool>(&self, unmoved: &Polyline) -> Vec<Piece> {
        let slopes = unmoved.slopes();
        let last = slopes.len() - 1;
        let times = SLACK * (1.0 + self.reports.len() as f64 / 8.0);
        let times = if UPPER { times } else { -times };
        let piece = |k: usize| {
            let (at, next) = (unmoved.at[k], unmoved.at[k + 1]);
            let [before, own, beyond] =
                [k.saturating_sub(1), k, (k + 1).min(last)].map(|k| slopes[k].abs());
            let blur = times * 2.0 * (before * at).max(own * next);
            let size = unmoved.value[k].abs() + unmoved.value[k + 1].abs();
            let value = unmoved.value[k] + (times * size + blur);
            Piece { at, value, slope: slopes[k], blur, next, near: times * 2.0 * beyond * next }
        };
        (0..=last).map(piece).collect()
    }
}
