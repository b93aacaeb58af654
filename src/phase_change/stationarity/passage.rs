//! Bounds on all earlier steps for rare changes of phase, from the lower function alone.
//!
//! The comparison of [`super::stationary`] adds up the change of a step over all earlier steps,
//! about 1/h of them. But if a remap returns the program to p = 0, only differences to the function
//! at p = 0 matter. Those decay: after a change the belief soon passes the threshold.
//!
//! Let T be the step, the same from here on, L a lower function and U an upper one, x beyond all
//! thresholds. Odds o become o_r with probability P_r after the change. For a function g of the
//! odds let w(o) = o g(o) below x and x g(x) beyond, with g(o) = g(x) there. Let P g(o) = s sum P_r
//! g(o_r), times 1 + h/o unless o is small relative to h. Where T retains, it maps w to at most o P
//! g(o) + h z, with z the maximum of P g over small o. Where it remaps, it maps w to at most h z,
//! since that line moves as retaining at o = 0 does. Constants shrink by l.
//!
//! * If T L <= L + k + o e(o), g >= e + P g and U <= L + d + o (g(o) + t(o)), then the function j
//!   steps on lies below L + w + b_j. There w belongs to g + P^j t, b_0 = d and
//!   b_j = l b_(j-1) + k + h (z of g) + h (z of P^j t). P^j t is at most t* >= t with t* >= P t*,
//!   and the sum of all P^j t is at most t' >= t + P t'.
//! * If T L >= L + k' - a min(o, x), it lies above L - a w' - c_j with w' from g' >= 1 + P g' and
//!   c_j = l c_(j-1) - k' + a h z'. This holds unless retaining becomes cheaper again beyond x;
//!   there it is dearer by `worse` per unit of odds.
//!
//! e bounds the reduction of the lower function in a step. So U is not needed any more, and the
//! change k of a step is the same for both functions apart from rounding. All functions of the odds
//! are step functions on [`ODDS`] cells: O(rounds x cells x observations).

use super::stationary::Change;
use crate::phase_change::problem::{Cycle, Report};
use crate::rounding::{SLACK, UNIT, scaled};

/// Trajectories of the odds up to the time they pass the threshold, on cells of the odds.
pub(crate) struct Passage {
    /// x.
    end: f64,
    /// Left ends of the cells, ascending from 0; the last cell ends at x.
    odds: Vec<f64>,
    /// For each observation its probability after the change, and by cell the range of cells its
    /// images lie in. An index one past the last means beyond x.
    ways: Vec<(f64, Vec<(usize, usize)>)>,
    /// By cell s (1 + h / o), or s where the odds are small; and the number of small cells.
    kept: Vec<f64>,
    small: usize,
    /// g' by cell and beyond x.
    steps: Vec<f64>,
    /// Upper limit on a.
    pub(crate) steepest: f64,
}

/// Odds below this multiple of h count as small.
const SMALL: f64 = 1000.0;

/// x as a multiple of the largest kink or threshold.
const BEYOND: f64 = 1.01;

/// Number of cells of the odds.
const ODDS: usize = 1024;

/// Most iterations of each fixed point.
const MOST_ROUNDS: usize = 1024;

/// The gap g' - P g' that suffices; dividing g' by it restores a gap of 1.
const WORTH: f64 = 0.5;

/// Relative accuracy of the bounds g.
const CLOSE: f64 = 1e-3;

impl Passage {
    /// `kinks` is the largest kink, not below the odds of the threshold. `None` if the iteration
    /// takes too long.
    pub(crate) fn beyond(
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

    /// P g by cell, rounded up.
    fn ahead(&self, g: &[f64]) -> Vec<f64> {
        let most = |(from, to): (usize, usize)| g[from..=to].iter().copied().fold(0.0, f64::max);
        let sum = |k: usize| self.ways.iter().map(|(chance, to)| chance * most(to[k])).sum::<f64>();
        self.kept.iter().enumerate().map(|(k, kept)| kept * sum(k)).collect()
    }

    /// a g', for a change that decreases by at most a times the odds.
    pub(crate) fn followed_change(&self, a: f64) -> Vec<f64> {
        self.steps.iter().map(|steps| scaled::<true>(a * steps)).collect()
    }

    /// A function g >= e + P g that is nowhere below `least`; `None` if the iteration takes too
    /// long.
    pub(crate) fn followed(&self, e: &[f64], least: &[f64]) -> Option<Vec<f64>> {
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

    /// The a of a change: its greatest decrease per unit of odds.
    pub(crate) fn steepness(&self, change: &Change) -> f64 {
        most(&self.by_odds(change))
    }

    /// The constants that follow from g.
    pub(crate) fn errors(&self, g: &[f64]) -> Errors {
        let ahead = self.ahead(g);
        let ends = || self.odds[1..].iter().chain([&self.end]);
        let product = |g: &[f64]| ends().zip(g).map(|(end, g)| end * g).fold(0.0, f64::max);
        Errors {
            inflow: most(&ahead[..self.small.max(1)]),
            retaining: scaled::<true>(product(&ahead)),
            most: scaled::<true>(product(g).max(self.end * g[ODDS])),
        }
    }

    /// An upper bound on a change divided by the odds, by cell and beyond x.
    pub(crate) fn by_odds(&self, change: &Change) -> Vec<f64> {
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
        // The change is constant beyond its last knot.
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

/// The constants that follow from g.
pub(crate) struct Errors {
    /// z.
    pub(crate) inflow: f64,
    /// Bound on the image of w where T retains below x, without h z.
    pub(crate) retaining: f64,
    /// The maximum of w.
    pub(crate) most: f64,
}

/// The factor by which an observation multiplies the odds.
fn stretch(report: &Report) -> f64 {
    if report.ratio > 0.0 { 1.0 / report.ratio } else { f64::MAX }
}
