//! The belief filter as a linear operator on piecewise-linear functions of the belief: (P f)(p) =
//! sum over observations r of w_r(p) f(p_r), with w_r its probability and p_r the updated belief.
//!
//! One application takes O(observations x nodes) nodes with O(observations) operations each. A
//! merge over the observations visits the nodes in increasing order, without sorting.

use crate::Rational;
use crate::belief::Likelihood;
use crate::phase_switching::polylines::gain::Gain;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::reducing::Reducing;
use crate::phase_switching::problem::PhaseSwitching;
use crate::rounding::{SLACK, nearest};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The parameters in doubles, each the nearest to its exact value.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    /// a, 1-a, b and 1-b.
    pub(crate) begins: f64,
    calm: f64,
    ends: f64,
    lasts: f64,
    /// 1 - a - b: factor of a belief's distance from the stationary share in a step.
    pub(crate) memory: f64,
    /// The distinct observations.
    pub(crate) reports: Vec<Likelihood>,
    work: Arc<AtomicU64>,
}

/// Nodes below it are left out, so that slopes stay finite. They change a function by less than the
/// rounding of any cost.
const LEAST: f64 = 1e-250;

/// Nodes closer than this fraction of their belief count as one in a step back that reduces.
const NEAR: f64 = 1e-13;

/// A linear function of the belief, by its values at 0 and 1.
pub(crate) type Line = [f64; 2];

/// A linear piece a + b q, moved outward by a bound on the rounding error of a mean of it.
#[derive(Clone, Copy)]
struct Piece {
    start: f64,
    slope: f64,
    /// Bound on the effect of a rounded image position, moved outward likewise.
    blur: f64,
    /// Where the next piece begins, and the additional bound for an image close to that node.
    next: f64,
    near: f64,
}

/// The pieces of a function in the order in which an observation's updated belief visits them.
#[derive(Clone)]
struct Way {
    report: Likelihood,
    /// Preimages of the nodes in increasing order, then infinity as a sentinel.
    places: Vec<f64>,
    /// Number of preimages passed, and the next one.
    passed: usize,
    next: f64,
    /// The first piece, and the piece that holds the latest image.
    first: usize,
    piece: Piece,
}

impl Way {
    /// Advances to the first node whose preimage lies beyond `here`.
    fn advance(&mut self, here: f64, pieces: &[Piece]) {
        // The common case is an advance by one or by none, without a branch that mispredicts.
        self.passed += usize::from(self.next <= here);
        self.next = self.places[self.passed];
        while self.next <= here {
            self.passed += 1;
            self.next = self.places[self.passed];
        }
        self.piece = pieces[self.first + self.passed];
    }
}

impl Filter {
    pub(crate) fn new(problem: &PhaseSwitching) -> Filter {
        let [a, b] = &problem.rates;
        Filter {
            begins: nearest(a),
            calm: nearest(&(Rational::ONE - a)),
            ends: nearest(b),
            lasts: nearest(&(Rational::ONE - b)),
            memory: nearest(&(Rational::ONE - a - b)),
            reports: problem.detector.likelihoods(),
            work: Arc::default(),
        }
    }

    /// Adds `nodes` to the count of evaluated nodes.
    pub(crate) fn worked(&self, nodes: usize) {
        self.work.fetch_add(nodes as u64, Relaxed);
    }

    /// Nodes evaluated so far by this filter and its clones.
    pub(crate) fn work(&self) -> u64 {
        self.work.load(Relaxed)
    }

    /// a + b.
    pub(crate) fn changes(&self) -> f64 {
        self.begins + self.ends
    }

    /// a / (a + b), the stationary probability of the second phase; 0 if the phases never change.
    pub(crate) fn share(&self) -> f64 {
        if self.changes() > 0.0 { self.begins / self.changes() } else { 0.0 }
    }

    /// The order in which `report` visits `pieces` between the nodes `at`, from belief 0 on.
    fn way(&self, report: Likelihood, at: &[f64], pieces: &[Piece]) -> Way {
        let last = at.len() - 2;
        let Likelihood { before, after } = report;
        let (mut first, mut places) = (0, Vec::new());
        if before == 0.0 {
            first = last;
        } else if after > 0.0 && self.memory == 0.0 {
            let (yes, no) = (self.begins * after, self.calm * before);
            let passed = at.partition_point(|at| *at <= yes / (yes + no));
            first = passed.saturating_sub(1).min(last);
        } else if after > 0.0 {
            places.reserve_exact(last + 1);
            let times = 1.0 / self.memory;
            places.extend(at[1..=last].iter().map(|at| self.preimage(report, *at, times)));
        }
        places.push(f64::INFINITY);
        let mut way =
            Way { report, next: places[0], places, passed: 0, first, piece: pieces[first] };
        way.advance(LEAST, pieces);
        way
    }

    /// The belief that `report` updates to `belief`, given 1 / (1 - a - b).
    fn preimage(&self, report: Likelihood, belief: f64, times: f64) -> f64 {
        let (no, yes) = (belief * report.before, (1.0 - belief) * report.after);
        (no / (no + yes) - self.begins) * times
    }

    /// The beliefs that one observation each updates to `belief`: where a function of the updated
    /// belief that bends there bends.
    pub(crate) fn preimages(&self, belief: f64) -> Vec<f64> {
        let times = 1.0 / self.memory;
        let all = self.reports.iter().map(|report| self.preimage(*report, belief, times));
        all.filter(|before| *before > 0.0 && *before < 1.0).collect()
    }

    /// `line` + `survival` P `next` - `gain`, rounded up (`UPPER`) or down. The nodes of `gain` are
    /// nodes of the result.
    ///
    /// Let an observation have probability w, jointly y with the second phase, and let it lead into
    /// the piece v + s (q - x). It adds v w + s (y - x w), which is linear in the belief. So the
    /// result is linear between adjacent nodes, apart from rounded node positions. That and the
    /// rounding of values move every value outward. O(observations x nodes) nodes, O(observations)
    /// operations at each.
    pub(crate) fn back<const UPPER: bool>(
        &self,
        next: &Polyline,
        survival: f64,
        line: Line,
        gain: Option<&Polyline>,
    ) -> Polyline {
        let room = self.reports.len() * next.nodes() + gain.map_or(0, Polyline::nodes) + 2;
        let mut result = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
        self.follow::<UPPER>(next, survival, line, gain, |at, value| {
            result.at.push(at);
            result.value.push(value);
            true
        });
        result
    }

    /// As [`Filter::back`], reduced by `merge`, or by more to have at most `most` nodes.
    pub(crate) fn back_reduced<const UPPER: bool>(
        &self,
        next: &Polyline,
        survival: f64,
        line: Line,
        gain: Option<&Polyline>,
        (merge, most): (f64, usize),
    ) -> Polyline {
        let next = &*next.blunt::<UPPER>(NEAR);
        let mut coarser = merge;
        loop {
            let mut reducing = Reducing::<UPPER>::new(coarser, next.nodes().min(most));
            let whole = self.follow::<UPPER>(next, survival, line, gain, |at, value| {
                reducing.add(at, value);
                reducing.nodes() < most
            });
            if whole {
                return reducing.finish();
            }
            coarser = 2.0 * coarser.max(SLACK * next.size());
        }
    }

    /// Relative outward move that covers the rounding of a mean.
    fn blur(&self) -> f64 {
        SLACK * (1.0 + self.reports.len() as f64 / 8.0)
    }

    /// Calls `visit` with the nodes of `back` until it returns false; returns whether 1 was
    /// reached.
    fn follow<const UPPER: bool>(
        &self,
        next: &Polyline,
        survival: f64,
        line: Line,
        gain: Option<&Polyline>,
        visit: impl FnMut(f64, f64) -> bool,
    ) -> bool {
        self.worked(next.nodes() * self.reports.len());
        let pieces = self.pieces::<UPPER>(next);
        let way = |report: &Likelihood| self.way(*report, &next.at, &pieces);
        let ways: Vec<Way> = self.reports.iter().map(way).collect();
        let gain = Gain::new::<UPPER>(gain);
        // Binary detectors are the common case, so a loop of length two is compiled separately.
        match <[Way; 2]>::try_from(ways) {
            Ok(mut two) => self.pass::<UPPER>(&mut two, &pieces, survival, line, gain, visit),
            Err(mut all) => self.pass::<UPPER>(&mut all, &pieces, survival, line, gain, visit),
        }
    }

    #[inline(always)]
    fn pass<const UPPER: bool>(
        &self,
        ways: &mut (impl AsMut<[Way]> + ?Sized),
        pieces: &[Piece],
        survival: f64,
        line: Line,
        mut gain: Gain,
        mut visit: impl FnMut(f64, f64) -> bool,
    ) -> bool {
        let margin = SLACK * (line[0].abs() + line[1].abs()) * 2.0 + f64::MIN_POSITIVE;
        let margin = if UPPER { margin } else { -margin };
        let mut here = 0.0;
        loop {
            let second = here * self.lasts + (1.0 - here) * self.begins;
            let first = here * self.ends + (1.0 - here) * self.calm;
            let (mut sum, mut ahead) = (0.0, 1.0);
            for way in ways.as_mut() {
                way.advance(here, pieces);
                ahead = if way.next < ahead { way.next } else { ahead };
                let Likelihood { before, after } = way.report;
                let (yes, no) = (second * after, first * before);
                let Piece { start, slope, blur, next, near } = way.piece;
                let weight = yes + no;
                sum += (start * weight + slope * yes) + blur * before;
                sum += if 2.0 * yes > next * weight { near * (weight + before) } else { 0.0 };
            }
            let own = (1.0 - here) * line[0] + here * line[1];
            let ([start, slope], end) = gain.reach(here);
            ahead = if end < ahead { end } else { ahead };
            let value = (own + survival * sum + margin) - (start + slope * here);
            if !visit(here, value) {
                return false;
            }
            if here >= 1.0 {
                return true;
            }
            here = ahead;
        }
    }

    /// The pieces of `unmoved`, moved up (`UPPER`) or down.
    fn pieces<const UPPER: bool>(&self, unmoved: &Polyline) -> Vec<Piece> {
        let (at, value) = (&unmoved.at, &unmoved.value);
        let last = unmoved.nodes() - 2;
        let times = self.blur();
        let times = if UPPER { times } else { -times };
        let slope = |k: usize| (value[k + 1] - value[k]) / (at[k + 1] - at[k]);
        let mut slopes = [slope(0), slope(0), slope(last.min(1))];
        let mut pieces = Vec::with_capacity(last + 1);
        for k in 0..=last {
            let [before, own, beyond] = slopes;
            let blur = times * 2.0 * (before.abs() * at[k]).max(own.abs() * at[k + 1]);
            let near = times * 2.0 * beyond.abs() * at[k + 1];
            let size = value[k].abs() + value[k + 1].abs();
            let start = (value[k] - own * at[k]) + (times * size + blur);
            pieces.push(Piece { start, slope: own, blur, next: at[k + 1], near });
            slopes = [own, beyond, if k + 2 <= last { slope(k + 2) } else { beyond }];
        }
        pieces
    }
}
