//! Exact statements on endless programs: whether keeping a mapping is optimal, or leaving it at
//! every belief.
//!
//! The difference D of the mappings is the limit of D_n = g + P cut(D_{n+1}) from 0. The gains per
//! cycle from the second mapping in either phase are g_0 <= g_1. The phases end at the rates a and
//! b, and switches cost c and d.
//!
//! * g_0 >= 0: the second mapping never loses, so the D_n increase from 0 and leaving it never
//!   pays. If it also gains infinitely often (g_0 > 0, or a > 0 and g_1 > 0), then D >= c + g. The
//!   first mapping is then left at every belief; with g_0 = 0 a belief of 0 is a tie.
//! * g_0 = 0 = a: once the first phase is on there is no further gain. From a belief p the total
//!   gain is at most p g_1 / b, with equality if c is never reached. So c >= g_1 / b implies that
//!   leaving the first mapping never pays. Otherwise D lies between 0 and p g_1 / b, and iterates
//!   from these two functions enclose it.
//! * g_1 <= 0 is the same with phases and mappings exchanged.
//! * g_0 < 0 < g_1: an excursion to the second mapping saves the sum of the gains of its cycles.
//!   Suppose that the second mapping is not the better one on average. Then no excursion saves more
//!   than one through a whole second phase that is known to be on: g_1 / b, against the cost of
//!   both switches. If that is not more, no belief justifies a switch to the second mapping. The
//!   same holds with the mappings exchanged.
//!
//! If both mappings cost the same on average and neither excursion pays, D is determined up to a
//! constant only. Every constant that keeps D within [-d, c] gives a stationary function, and
//! iterates from different functions do not converge to the same limit. Then keeping the mapping is
//! optimal.

use crate::phase_switching::PhaseSwitching;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::{Bounds, Rational};

/// What is known exactly, without a recursion.
#[derive(Debug, Clone)]
pub(crate) struct OneMapping {
    /// By mapping: whether leaving it never pays.
    pub(crate) stays: [bool; 2],
    /// By mapping: whether leaving it pays at every belief.
    pub(crate) leaves: [bool; 2],
    /// An initial enclosure of the difference, where iterates from other functions would not
    /// converge to it.
    pub(crate) start: Option<Pair>,
    /// Bounds on the least average. Upper: the average of the better mapping. Lower: the smaller of
    /// that and of the average with the phase known and both switches paid for every pair of
    /// changes.
    average: Bounds,
}

impl OneMapping {
    /// Defined for problems whose phases change and that have both switches; otherwise `None`.
    pub(crate) fn of(problem: &PhaseSwitching) -> Option<OneMapping> {
        let [first, second] = [problem.average_under(0)?, problem.average_under(1)?];
        let [Some(there), Some(back)] = &problem.switch else { return None };
        let [a, b] = &problem.rates;
        let gains = [problem.gain(0), problem.gain(1)];
        let both = there + back;
        let (mut stays, mut leaves, mut start) = ([false; 2], [false; 2], None);
        let zero = Rational::ZERO;
        if gains == [zero.clone(), zero.clone()] {
            stays = [true; 2];
        } else if gains[0] >= zero {
            stays[1] = true;
            leaves[0] = gains[0] > zero || *a > zero;
            if !leaves[0] {
                let most = &gains[1] / b;
                stays[0] = most <= *there;
                start = Some([[0.0; 2], [0.0, enclosing(&most).upper]]);
            }
        } else if gains[1] <= zero {
            stays[0] = true;
            leaves[1] = gains[1] < zero || *b > zero;
            if !leaves[1] {
                let least = &gains[0] / a;
                stays[1] = -&least <= *back;
                start = Some([[enclosing(&least).lower, 0.0], [0.0; 2]]);
            }
        } else {
            stays = [
                first <= second && gains[1] <= &both * b,
                second <= first && -&gains[0] <= &both * a,
            ];
        }
        let followed =
            (b * &problem.cycle[0][0] + a * &problem.cycle[1][1] + a * b * both) / (a + b);
        let better = first.min(second);
        let upper = enclosing(&better).upper;
        let lower = enclosing(&better.min(followed)).lower;
        let start = start.map(|[below, above]| Pair {
            upper: Polyline::line(above),
            lower: Polyline::line(below),
        });
        Some(OneMapping { stays, leaves, start, average: Bounds { lower, upper } })
    }

    /// Whether both thresholds are known.
    pub(crate) fn is_decided(&self) -> bool {
        (0..2).all(|m| self.stays[m] || self.leaves[m])
    }

    /// Whether one threshold is known, and with it the average.
    pub(crate) fn is_half_decided(&self) -> bool {
        (0..2).any(|m| self.stays[m] || self.leaves[m])
    }

    /// The thresholds that are known exactly, and `found` for the others.
    pub(crate) fn known(&self, found: [Bounds; 2]) -> [Bounds; 2] {
        std::array::from_fn(|m| match (self.stays[m], self.leaves[m]) {
            (true, _) => [1.0 - m as f64; 2].into(),
            (_, true) => [m as f64; 2].into(),
            _ => found[m],
        })
    }

    /// The bounds `found` on the least average, intersected with those known exactly.
    pub(crate) fn average(&self, found: (f64, f64)) -> Bounds {
        let Bounds { lower, upper } = self.average;
        Bounds { lower: found.0.max(lower), upper: found.1.min(upper) }
    }
}

/// Adjacent doubles around an exact number; twice the same if it is a double.
fn enclosing(exact: &Rational) -> Bounds {
    let near = exact.to_f64().value();
    match Rational::try_from(near) {
        Ok(same) if same == *exact => [near; 2].into(),
        _ => Bounds { lower: near.next_down(), upper: near.next_up() },
    }
}
