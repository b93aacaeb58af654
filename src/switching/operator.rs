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

/// One report's way through the pieces of a function.
struct Way<'a> {
    report: Likelihood,
    next: &'a Polyline,
    slopes: &'a [f64],
    /// The piece the latest image lies in.
    piece: usize,
    /// The next node whose preimage is to come, and that preimage.
    node: usize,
    preimage: f64,
}

impl Way<'_> {
    /// Goes on to the next node that has a preimage inside (0, 1).
    fn advance(&mut self, filter: &Filter) {
        self.preimage = f64::INFINITY;
        while self.node + 1 < self.next.nodes() {
            let at = self.next.at[self.node];
            self.node += 1;
            let preimage = filter.preimage(at, &self.report);
            if preimage > LEAST {
                self.preimage = preimage;
                return;
            }
        }
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

    /// The belief from which `report` leads to `at`; infinite or NaN if there is none.
    fn preimage(&self, at: f64, report: &Likelihood) -> f64 {
        if self.memory == 0.0 || report.before == 0.0 || report.after == 0.0 {
            return f64::INFINITY;
        }
        let (no, yes) = (at * report.before, (1.0 - at) * report.after);
        (no / (no + yes) - self.begins) / self.memory
    }

    /// `line` + `survival` P `next`, rounded up (`UPPER`) or down, with nodes also at `more`.
    ///
    /// Between two neighbouring nodes the function is linear but for what rounding does to their places;
    /// that and the rounding of values moves every value outward. O(reports x nodes).
    pub(super) fn back<const UPPER: bool>(
        &self,
        next: &Polyline,
        survival: f64,
        line: Line,
        more: &[f64],
    ) -> Polyline {
        let slopes = next.slopes();
        let mut ways: Vec<Way<'_>> = self
            .reports
            .iter()
            .map(|report| Way {
                report: *report,
                next,
                slopes: &slopes,
                piece: 0,
                node: 1,
                preimage: 0.0,
            })
            .collect();
        ways.iter_mut().for_each(|way| way.advance(self));
        let room = ways.len() * next.nodes() + more.len() + 2;
        let mut result = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
        let mut more = more.iter().copied().peekable();
        let mut here = 0.0;
        loop {
            let value = self.value::<UPPER>(&mut ways, here, survival, line);
            result.push(here, value);
            if here >= 1.0 {
                return result;
            }
            let mut ahead = 1.0f64;
            while more.next_if(|at| *at <= here).is_some() {}
            if let Some(at) = more.peek() {
                ahead = ahead.min(*at);
            }
            for way in &mut ways {
                while way.preimage <= here {
                    way.advance(self);
                }
                ahead = ahead.min(way.preimage);
            }
            here = ahead;
        }
    }

    fn value<const UPPER: bool>(
        &self,
        ways: &mut [Way<'_>],
        p: f64,
        survival: f64,
        line: Line,
    ) -> f64 {
        let second = p * self.lasts + (1.0 - p) * self.begins;
        let first = p * self.ends + (1.0 - p) * self.calm;
        let (mut sum, mut blur) = (0.0, 0.0);
        for way in ways {
            let (yes, no) = (second * way.report.after, first * way.report.before);
            let weight = yes + no;
            if weight == 0.0 {
                continue;
            }
            let image = yes / weight;
            let (at, value) = (&way.next.at, &way.next.value);
            let last = at.len() - 2;
            while way.piece < last && at[way.piece + 1] < image {
                way.piece += 1;
            }
            let k = way.piece;
            let slopes = way.slopes;
            sum += weight * (value[k] + slopes[k] * (image - at[k]));
            let beside = slopes[k.saturating_sub(1)].abs().max(slopes[(k + 1).min(last)].abs());
            let steep = slopes[k].abs().max(beside);
            blur += weight * (value[k].abs() + value[k + 1].abs())
                + steep * image * (weight + way.report.before);
        }
        let own = (1.0 - p) * line[0] + p * line[1];
        let times = SLACK * (1.0 + self.reports.len() as f64 / 8.0);
        let margin = times * (survival * blur + line[0].abs() + line[1].abs()) + f64::MIN_POSITIVE;
        let value = own + survival * sum;
        if UPPER { value + margin } else { value - margin }
    }
}
