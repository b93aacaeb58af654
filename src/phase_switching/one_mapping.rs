//! What is known exactly of a program that never ends: whether one of its mappings is best kept, or best left.
//!
//! The difference D of the mappings is the limit of D_n = g + P cut(D_{n+1}) from 0, with g_0 <= g_1 what a cycle of
//! either phase gains from the second mapping, a and b the rates at which the phases end, c and d the costs of switches.
//!
//! * g_0 >= 0: the second mapping never loses, so that the D_n rise from 0 and nobody leaves it. Where it also gains again
//!   and again (g_0 > 0, or a > 0 and g_1 > 0), D >= c + g: the first mapping is left at every belief; with g_0 = 0 a belief
//!   of 0 is a tie.
//! * g_0 = 0 = a: once the first phase is on nothing is gained any more. From a belief p at most p g_1 / b is gained in
//!   all, and exactly that where c is never reached. So c >= g_1 / b means that nobody leaves the first mapping; otherwise D lies
//!   between 0 and p g_1 / b, and steps from these two functions enclose it.
//! * g_1 <= 0 is the same with phases and mappings trading places.
//! * g_0 < 0 < g_1: what an excursion to the second mapping saves is the sum of what its cycles gain. Where the second mapping is
//!   not the better one on average, nobody can save more than by being there through one whole second phase, known
//!   to be on: g_1 / b, against both switches. If that is not more, no belief makes a switch to the second mapping worth
//!   while. The same holds with the mappings trading places.
//!
//! Where both mappings cost the same on average and neither excursion pays, the difference of the mappings is known up
//! to a constant only: every one that keeps it between -d and c is at rest, and steps back from different
//! functions never meet. Then the program may stay where it is.

use super::around::Pair;
use super::polyline::Polyline;
use crate::phase_switching::PhaseSwitching;
use crate::{Bounds, Rational};

/// What is known without a recursion.
#[derive(Debug, Clone)]
pub(super) struct OneMapping {
    /// Whether leaving either mapping never pays.
    pub(super) stays: [bool; 2],
    /// Whether leaving either mapping pays at every belief.
    pub(super) leaves: [bool; 2],
    /// Functions that enclose the difference, where steps from any others would not meet.
    pub(super) start: Option<Pair>,
    /// Around the least average: not more than that of the better mapping, and not less than what it is where the phase
    /// is always known, with the better mapping or both switches for every change there and back.
    average: Bounds,
}

impl OneMapping {
    /// Of a problem whose phases change and that has both switches; none of another.
    pub(super) fn of(problem: &PhaseSwitching) -> Option<OneMapping> {
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
    pub(super) fn is_decided(&self) -> bool {
        (0..2).all(|m| self.stays[m] || self.leaves[m])
    }

    /// Whether one threshold is known, and with it the average.
    pub(super) fn is_half_decided(&self) -> bool {
        (0..2).any(|m| self.stays[m] || self.leaves[m])
    }

    /// The thresholds that are known, and others as they were found.
    pub(super) fn known(&self, found: [Bounds; 2]) -> [Bounds; 2] {
        std::array::from_fn(|m| match (self.stays[m], self.leaves[m]) {
            (true, _) => [1.0 - m as f64; 2].into(),
            (_, true) => [m as f64; 2].into(),
            _ => found[m],
        })
    }

    /// Bounds on the least average, from those that were found another way.
    pub(super) fn average(&self, found: (f64, f64)) -> Bounds {
        let Bounds { lower, upper } = self.average;
        Bounds { lower: found.0.max(lower), upper: found.1.min(upper) }
    }
}

/// Doubles around an exact number; the same one twice where it is a double.
fn enclosing(exact: &Rational) -> Bounds {
    let near = exact.to_f64().value();
    match Rational::try_from(near) {
        Ok(same) if same == *exact => [near; 2].into(),
        _ => Bounds { lower: near.next_down(), upper: near.next_up() },
    }
}
