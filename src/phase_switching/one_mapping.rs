//! Whether a program that never ends is best kept under one of its mappings, decided in exact numbers.
//!
//! What an excursion to the second mapping saves is the sum of what its cycles gain. Where the second mapping is not the
//! better one on average, nobody can save more than by being there through one whole second phase, known to be
//! on: gain / b, against both switches. If that is not more, no belief makes a switch to the second mapping worth while.
//! The same holds with the mappings trading places.
//!
//! Where both mappings cost the same on average and neither excursion pays, the difference of the mappings is known up
//! to a constant only: every one that keeps it between -d and c is at rest, and steps back from different
//! functions never meet. Then the program may stay where it is.

use super::problem::PhaseSwitching;
use crate::{Bounds, Rational};

/// What is known without a recursion.
#[derive(Debug, Clone)]
pub(super) struct OneMapping {
    /// Whether leaving either mapping never pays.
    pub(super) stays: [bool; 2],
    /// Around the least average: not more than that of the better mapping, and not less than what it is where the phase
    /// is always known, with the better mapping or both switches for every change there and back.
    average: Bounds,
}

impl OneMapping {
    /// Of a problem whose phases change and that has both switches; none of another.
    pub(super) fn of(problem: &PhaseSwitching) -> Option<OneMapping> {
        let [first, second] = [problem.average_under(0)?, problem.average_under(1)?];
        let [Some(there), Some(back)] = &problem.switch else { return None };
        let both = there + back;
        // What an excursion saves in a cycle at most, and the chance that each is the last that does.
        let pays = |gain: Rational, ends: &Rational| gain > &both * ends;
        let stays = [
            first <= second && !pays(problem.gain(1), &problem.rates[1]),
            second <= first && !pays(-problem.gain(0), &problem.rates[0]),
        ];
        let [a, b] = &problem.rates;
        let followed =
            (b * &problem.cycle[0][0] + a * &problem.cycle[1][1] + a * b * both) / (a + b);
        let better = first.min(second);
        let upper = enclosing(&better).upper;
        let lower = enclosing(&better.min(followed)).lower;
        Some(OneMapping { stays, average: Bounds { lower, upper } })
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
