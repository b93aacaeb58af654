//! Decides exactly whether remapping can pay at a step: pi_n < 1.
//!
//! Remapping at p = 1 pays iff d_n = D_d + D_r - G - s_n x_{n+1} < 0, with
//!
//! ```text
//! x_n = min(D_d + D_r, G + s_n x_{n+1}),   x_{M+1} = 0
//! ```
//!
//! Doubles decide all but near-ties. Those are decided in exact rationals, so that a tie D = K G is
//! recognized. If the rationals get too long the answer is marked as doubtful. O(1) a step, apart
//! from near-ties.

use crate::Rational;
use crate::lifetime::Lifetime;
use crate::rounding::SLACK;

/// The scalar recursion, run backward along with the belief recursion.
pub(crate) struct Onset<'a> {
    lifetime: &'a Lifetime,
    gain: Rational,
    delay: Rational,
    delay_nearest: f64,
    gain_nearest: f64,
    /// x_{n+1} in doubles, and a bound on its relative error.
    x: f64,
    error: f64,
    /// A step m at which x_m is known exactly, unless a doubtful answer followed.
    anchor: (u64, Rational),
    guessed: bool,
    /// Whether the answer just given is doubtful: a near-tie that was not decided exactly.
    pub(crate) doubtful: bool,
    x_is_delay: bool,
    steady: bool,
}

/// Limits of the exact recursion: steps, and the sum of squared word lengths, to which the time is
/// proportional. With a geometric distribution the numbers grow with every step.
const EXACT_STEPS: u64 = 1_000_000;
const EXACT_WORK: u64 = 1_000_000_000;

impl<'a> Onset<'a> {
    /// For the gain G and the delay D_d + D_r; `nearest` are the doubles of both, in any unit.
    pub(crate) fn new(
        lifetime: &'a Lifetime,
        [gain, delay]: [Rational; 2],
        nearest: [f64; 2],
    ) -> Onset<'a> {
        let [gain_nearest, delay_nearest] = nearest;
        Onset {
            lifetime,
            delay_nearest,
            gain_nearest,
            gain,
            delay,
            x: 0.0,
            error: 0.0,
            anchor: (lifetime.last() + 1, Rational::ZERO),
            guessed: false,
            doubtful: false,
            x_is_delay: false,
            steady: false,
        }
    }

    /// Whether remapping pays at p = 1 in step n. Call for n = M, M-1, ... in turn.
    pub(crate) fn pays(&mut self, n: u64) -> bool {
        let ahead = self.lifetime.continuation(n) * self.x;
        let retain = self.gain_nearest + ahead;
        let surplus = retain - self.delay_nearest;
        let magnitude = self.gain_nearest.abs() + ahead.abs();
        let blur = (self.error + SLACK) * magnitude + SLACK * self.delay_nearest;
        self.doubtful = false;
        let near = surplus.abs() <= blur;
        let found = if near { self.pays_exactly(n) } else { Some(surplus > 0.0) };
        self.doubtful = found.is_none();
        let pays = found.unwrap_or(surplus > 0.0);
        // If it pays now and x_{n+1} = D_d + D_r, the comparison repeats at every earlier step.
        self.steady = pays && self.x_is_delay;
        self.x_is_delay = pays;
        if pays {
            self.anchor = (n, self.delay.clone());
            self.guessed = self.doubtful;
            // A doubtful "pays" differs from "does not pay" by at most the error that makes it
            // doubtful.
            let error = if self.doubtful { 2.0 * self.error + 4.0 * SLACK } else { SLACK };
            (self.x, self.error) = (self.delay_nearest, error);
        } else {
            self.guessed |= self.doubtful;
            // The summands can have opposite signs only for G < 0, where remapping never pays and
            // precision is irrelevant.
            (self.x, self.error) = (retain, self.error + SLACK);
        }
        pays
    }

    /// Whether the answer for step n, just given, also holds for all earlier steps with the same
    /// continuation probability.
    pub(crate) fn is_settled(&self, n: u64, pays: bool) -> bool {
        if pays {
            return self.steady;
        }
        // x increases to G / (1 - s); while that is below D, remapping never pays.
        let failure = self.lifetime.failure_rate(n);
        self.gain_nearest <= 0.0 || self.gain_nearest * (1.0 + SLACK) < self.delay_nearest * failure
    }

    /// Continues below step `from`, after steps with the same answer as the last one.
    pub(crate) fn skip_to(&mut self, from: u64, pays: bool) {
        if pays {
            self.anchor = (from, self.delay.clone());
        } else if self.gain_nearest > 0.0 {
            // x is at most the fixed point G / (1 - s).
            let failure = self.lifetime.failure_rate(from);
            let highest = self.gain_nearest / failure;
            self.error += (highest - self.x) / self.x;
            self.x = highest;
        }
    }

    /// The answer in exact arithmetic; `None` if that would take too long.
    fn pays_exactly(&mut self, n: u64) -> Option<bool> {
        let lifetime = self.lifetime;
        let (mut step, mut x) = self.anchor.clone();
        if self.guessed {
            return None;
        }
        let (mut steps, mut work) = (0, 0);
        while step > n + 1 {
            let certain = lifetime.certain_from(step - 1).max(n + 1);
            if certain < step {
                // All these cycles follow with certainty.
                x += &self.gain * Rational::from(step - certain);
                step = certain;
                continue;
            }
            step -= 1;
            x = &self.gain + lifetime.continuation_exact(step) * x;
            steps += 1;
            let words = x.numerator().as_sign_words().1.len() + x.denominator().as_words().len();
            work += (words as u64).pow(2);
            if steps > EXACT_STEPS || work > EXACT_WORK {
                return None;
            }
        }
        let retain = &self.gain + lifetime.continuation_exact(n) * &x;
        let pays = retain > self.delay;
        self.anchor = (n, if pays { self.delay.clone() } else { retain });
        Some(pays)
    }
}
