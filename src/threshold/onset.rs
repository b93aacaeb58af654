//! Whether remapping can ever pay at a step: pi_n < 1, decided exactly.
//!
//! Remapping at p = 1 pays iff d_n = D_d + D_r - G - s_n x_{n+1} < 0, with x_n = min(D_d + D_r, G + s_n
//! x_{n+1}) and x_{M+1} = 0. Doubles settle all but near-ties; those are settled in exact rationals, so
//! that the tie D = K G comes out as a tie.

use super::problem::{InDoubles, PhaseChange};
use crate::Rational;
use crate::rounding::SLACK;

/// The scalar recursion, run backward with the belief recursion.
pub(crate) struct Onset<'a> {
    problem: &'a PhaseChange,
    gain: Rational,
    delay: Rational,
    delay_nearest: f64,
    gain_nearest: f64,
    /// x_{n+1} in doubles, and the bound on its relative error.
    x: f64,
    error: f64,
    /// A step m at which x_m is known exactly.
    anchor: (u64, Rational),
    x_is_delay: bool,
    steady: bool,
}

/// Steps an exact geometric tail is followed; its numbers grow with every step.
const EXACT_STEPS: u64 = 20_000;

impl<'a> Onset<'a> {
    /// `parameters` are those of the problem, in any unit of cost.
    pub(crate) fn new(problem: &'a PhaseChange, parameters: &InDoubles) -> Onset<'a> {
        let (gain, delay) = (problem.gain(), &problem.test + &problem.install);
        Onset {
            problem,
            delay_nearest: parameters.delay,
            gain_nearest: parameters.gain,
            gain,
            delay,
            x: 0.0,
            error: 0.0,
            anchor: (problem.last_step() + 1, Rational::ZERO),
            x_is_delay: false,
            steady: false,
        }
    }

    /// Whether remapping pays at p = 1 in step n. Call for n = M, M-1, ... in turn.
    pub(crate) fn pays(&mut self, n: u64) -> bool {
        let ahead = self.problem.lifetime.continuation(n) * self.x;
        let retain = self.gain_nearest + ahead;
        let surplus = retain - self.delay_nearest;
        let magnitude = self.gain_nearest.abs() + ahead.abs();
        let blur = (self.error + SLACK) * magnitude + SLACK * self.delay_nearest;
        let pays = if surplus.abs() > blur { surplus > 0.0 } else { self.pays_exactly(n, surplus) };
        // Paying now with x_{n+1} = D_d + D_r: the same comparison comes back at every step below.
        self.steady = pays && self.x_is_delay;
        self.x_is_delay = pays;
        if pays {
            self.anchor = (n, self.delay.clone());
            (self.x, self.error) = (self.delay_nearest, SLACK);
        } else {
            // Signs may differ only for G < 0, where nothing ever pays and precision does not matter.
            (self.x, self.error) = (retain, self.error + SLACK);
        }
        pays
    }

    /// Whether the answer for step n, just given, also holds for the steps below it that share its
    /// continuation probability.
    pub(crate) fn is_settled(&self, n: u64, pays: bool) -> bool {
        if pays {
            return self.steady;
        }
        // x rises to G / (1 - s); while that stays below D it never pays.
        let failure = self.problem.lifetime.failure_rate(n);
        self.gain_nearest <= 0.0 || self.gain_nearest * (1.0 + SLACK) < self.delay_nearest * failure
    }

    /// Goes on below step `from`, after steps that all had the last answer.
    pub(crate) fn skip_to(&mut self, from: u64, pays: bool) {
        if pays {
            self.anchor = (from, self.delay.clone());
        } else if self.gain_nearest > 0.0 {
            // x has risen at most to G / (1 - s), the fixed point.
            let failure = self.problem.lifetime.failure_rate(from);
            let highest = self.gain_nearest / failure;
            self.error += (highest - self.x) / self.x;
            self.x = highest;
        }
    }

    fn pays_exactly(&mut self, n: u64, surplus: f64) -> bool {
        let (mut step, mut x) = self.anchor.clone();
        if step - n > EXACT_STEPS {
            return surplus > 0.0;
        }
        while step > n + 1 {
            step -= 1;
            x = &self.gain + self.problem.lifetime.continuation_exact(step) * x;
        }
        let retain = &self.gain + self.problem.lifetime.continuation_exact(n) * &x;
        let pays = retain > self.delay;
        self.anchor = (n, if pays { self.delay.clone() } else { retain });
        pays
    }
}
