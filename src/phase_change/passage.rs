//! Rest where the phase hardly ever changes, from the lower function alone.
//!
//! The comparison of [`super::stationary`] counts what a step still changes at every step to come, 1/h times. But
//! where remapping takes the program back to p = 0 only differences to the function there count, and those wear off:
//! seen from a change that has occurred, the belief soon passes the threshold.
//!
//! Let T be the step, the same from here on, L a lower function and U an upper one, x beyond all thresholds, and
//! odds o become o_r with the chance P_r of a report after the change. For a function g of the odds let w(o) = o g(o) below
//! x and x g(x) beyond, g(o) = g(x) there, and P g(o) = s sum P_r g(o_r), times 1 + h/o where o is not small beside
//! h. Where it retains, T makes at most o P g(o) + h z of w, z the most of P g where o is small; where it remaps,
//! h z at most, since that line moves by what retaining at o = 0 does; and constants shrink by l.
//!
//! * If T L <= L + k + o e(o), g >= e + P g and U <= L + d + o (g(o) + t(o)), then the function j steps on lies below
//!   L + w + b_j, where w belongs to g + P^j t, b_0 = d and b_j = l b_(j-1) + k + h (z of g) + h (z of P^j t). P^j t is
//!   at most t* >= t with t* >= P t*, and the sum of all at most t' >= t + P t'.
//! * If T L >= L + k' - a min(o, x), it lies above L - a w' - c_j with w' from g' >= 1 + P g' and c_j = l c_(j-1) - k'
//!   plus a h z', unless retaining becomes the cheaper way again beyond x: there it is dearer by `worse` for every
//!   unit of odds.
//!
//! e is what reducing the lower function takes from it in a step, so that U is not needed any more, and what a
//! step changes in it, k, is the same for both but for rounding.

use super::problem::{Cycle, Report};
use super::stationary::Change;
use crate::rounding::{SLACK, UNIT, scaled};

/// The ways of the belief past the thresholds to come.
pub(super) struct Passage {
    /// x.
    end: f64,
    /// Ascending from 0; each stands for all up to the next, and the last for all up to the end.
    odds: Vec<f64>,
    /// For each report its chance after the change, and where it takes the odds, from and to; one past the last is
    /// beyond x.
    ways: Vec<(f64, Vec<(usize, usize)>)>,
    /// s (1 + h / o), and s where the odds are small: how many these are.
    kept: Vec<f64>,
    small: usize,
    /// g' at the odds and beyond.
    steps: Vec<f64>,
    /// The most that a may be.
    pub(super) steepest: f64,
}

/// Odds as multiples of h below which they are small beside it.
const SMALL: f64 = 1000.0;

/// x as a multiple of the odds of the threshold.
const BEYOND: f64 = 1.01;

/// Odds the passage is computed at.
const ODDS: usize = 1024;

/// Rounds after which the passage takes too long.
const MOST_ROUNDS: usize = 1024;

/// What one step less has to be worth for the numbers of steps to do.
const WORTH: f64 = 0.5;

/// How far the errors on the way are followed.
const CLOSE: f64 = 1e-3;

impl Passage {
    /// The way past `kinks`, which are not below the odds of the threshold. `None` if it is too long.
    pub(super) fn beyond(
        kinks: f64,
        worse: f64,
        cycle: &Cycle,
        reports: &[Report],
    ) -> Option<Passage> {
        let end = BEYOND * kinks;
        let seen = || reports.iter().filter(|report| report.after > 0.0);
        let least = 0.25 * cycle.hazard * seen().map(stretch).fold(1.0, f64::min);
        if !(end.is_finite() && least > 0.0 && least < end && cycle.quiet > 0.0 && worse > 0.0) {
            return None;
        }
        let factor = (end / least).powf(1.0 / ODDS as f64);
        let at = |k: i32| if k == 0 { 0.0 } else { least * factor.powi(k) };
        let odds: Vec<f64> = (0..ODDS as i32).map(at).collect();
        let hazard = cycle.hazard;
        let ways = seen()
            .map(|report| {
                let stretch = stretch(report) / cycle.quiet;
                let cell = |from: f64, stretch: f64| match stretch * (from + hazard) {
                    image if image >= end => ODDS,
                    image => odds.partition_point(|at| *at <= image) - 1,
                };
                let ends = odds[1..].iter().chain([&end]);
                let images = odds.iter().zip(ends).map(|(from, to)| {
                    (cell(*from, stretch * (1.0 - SLACK)), cell(*to, stretch * (1.0 + SLACK)))
                });
                (report.after, images.collect())
            })
            .collect();
        let small = odds.partition_point(|at| *at < SMALL * hazard);
        let up = cycle.survival * (1.0 + SLACK * (1.0 + reports.len() as f64 / 8.0));
        let large = odds[small..].iter().map(|at| up * (1.0 + hazard / at));
        let kept = std::iter::repeat_n(up, small).chain(large).collect();
        let steps = vec![1.0; ODDS + 1];
        let mut passage = Passage { end, odds, ways, kept, small, steps, steepest: 0.0 };
        for _ in 0..MOST_ROUNDS {
            let mut next = passage.ahead(&passage.steps);
            next.iter_mut().for_each(|next| *next += 1.0);
            let grown = next.iter().zip(&passage.steps).map(|(next, steps)| next - steps);
            let worth = 1.0 - grown.fold(0.0, f64::max) - SLACK * most(&next);
            if worth >= WORTH {
                passage.steps.iter_mut().for_each(|steps| *steps = scaled::<true>(*steps / worth));
                passage.steepest = 0.5 * worse * (end - kinks) / (end * most(&passage.steps));
                return Some(passage);
            }
            passage.steps[..ODDS].copy_from_slice(&next);
        }
        None
    }

    /// P g at the odds, rounded up.
    fn ahead(&self, g: &[f64]) -> Vec<f64> {
        let most = |(from, to): (usize, usize)| g[from..=to].iter().copied().fold(0.0, f64::max);
        let sum = |k: usize| self.ways.iter().map(|(chance, to)| chance * most(to[k])).sum::<f64>();
        self.kept.iter().enumerate().map(|(k, kept)| kept * sum(k)).collect()
    }

    /// a g' for a change that falls by a times the odds at most.
    pub(super) fn followed_change(&self, a: f64) -> Vec<f64> {
        self.steps.iter().map(|steps| scaled::<true>(a * steps)).collect()
    }

    /// g >= e + P g, and nowhere below `least`; `None` if it takes too long to find.
    pub(super) fn followed(&self, e: &[f64], least: &[f64]) -> Option<Vec<f64>> {
        let mut g = least.to_vec();
        for _ in 0..MOST_ROUNDS {
            let mut missing: f64 = 0.0;
            let next: Vec<f64> = self.ahead(&g).iter().zip(e).map(|(a, b)| a + b).collect();
            for (next, g) in next.iter().zip(&g) {
                missing = missing.max(next * (1.0 + SLACK) - g);
            }
            if missing * most(&self.steps) <= CLOSE * most(&g) {
                let all = g.iter().zip(&self.steps);
                return Some(all.map(|(g, steps)| scaled::<true>(g + missing * steps)).collect());
            }
            for (g, next) in g.iter_mut().zip(next) {
                *g = g.max(next);
            }
        }
        None
    }

    /// The a of a change.
    pub(super) fn steepness(&self, change: &Change) -> f64 {
        most(&self.by_odds(change))
    }

    /// What follows from g.
    pub(super) fn errors(&self, g: &[f64]) -> Errors {
        let ahead = self.ahead(g);
        let ends = || self.odds[1..].iter().chain([&self.end]);
        let product = |g: &[f64]| ends().zip(g).map(|(end, g)| end * g).fold(0.0, f64::max);
        Errors {
            inflow: most(&ahead[..self.small.max(1)]),
            retaining: scaled::<true>(product(&ahead)),
            most: scaled::<true>(product(g).max(self.end * g[ODDS])),
        }
    }

    /// An upper bound of a change over the odds, from each of these to the next and beyond.
    pub(super) fn by_odds(&self, change: &Change) -> Vec<f64> {
        let mut most = vec![0.0f64; ODDS + 1];
        let mut cell = 0;
        let (mut start, mut before) = (0.0, 0.0f64);
        for &(at, value, off) in &change.knots {
            let value = value + off;
            while let Some(end) = self.odds.get(cell + 1).filter(|end| **end < at) {
                let share = (end - start) / (at - start);
                let between = before + share * (value - before);
                let over = (between + 8.0 * UNIT * (before.abs() + value.abs())) / end;
                most[cell] = most[cell].max(over);
                most[cell + 1] = most[cell + 1].max(over);
                cell += 1;
            }
            most[cell] = most[cell].max(value / at);
            (start, before) = (at, value);
        }
        // Constant from there on.
        for (most, odds) in most.iter_mut().zip(&self.odds).skip(cell + 1) {
            *most = (before / odds).max(0.0);
        }
        most[ODDS] = (before / self.end).max(0.0);
        most.iter().map(|most| scaled::<true>(*most) + change.tilt).collect()
    }
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// What follows from g.
pub(super) struct Errors {
    /// z.
    pub(super) inflow: f64,
    /// The most that T makes of w where it retains below x, but for h z.
    pub(super) retaining: f64,
    /// The most of w.
    pub(super) most: f64,
}

/// By how much a report multiplies the odds.
fn stretch(report: &Report) -> f64 {
    if report.ratio > 0.0 { 1.0 / report.ratio } else { f64::MAX }
}
