//! Exact thresholds if a cycle gains the same from the second mapping in either phase, ties
//! included.
//!
//! The difference then does not depend on the belief: it is a number x_n = g + s_n cut(x_{n+1}). A
//! switch pays at every belief or at none; a tie, x_n = c, means no switch. Numbers are exact
//! rationals until they have too many digits, then intervals. O(distinct steps) time and memory.

use crate::lifetime::Lifetime;
use crate::phase_change::Curve;
use crate::phase_switching::problem::PhaseSwitching;
use crate::{Bounds, Rational};
use dashu_base::BitTest;
use dashu_int::UBig;

/// Most steps that are computed one by one.
const MOST_STEPS: u64 = 1 << 15;

/// Binary digits of a denominator from which a number is rounded to an interval, and the fractional
/// digits of its ends.
const MOST_DIGITS: usize = 1 << 11;
const DIGITS: usize = 1 << 9;

/// An interval with rational ends, equal if the number is known exactly.
struct Enclosed {
    low: Rational,
    high: Rational,
}

impl Enclosed {
    fn of(&self, each: impl Fn(&Rational) -> Rational) -> Enclosed {
        Enclosed { low: each(&self.low), high: each(&self.high) }
    }

    /// The interval with ends of few digits.
    fn shortened(self) -> Enclosed {
        let digits = |x: &Rational| x.denominator().bit_len();
        if digits(&self.low).max(digits(&self.high)) <= MOST_DIGITS {
            return self;
        }
        let unit = Rational::from(UBig::ONE << DIGITS);
        Enclosed {
            low: Rational::from((self.low * &unit).floor()) / &unit,
            high: Rational::from((self.high * &unit).ceil()) / &unit,
        }
    }

    /// The threshold of an action that pays at every belief if the number exceeds `level`: `all` in
    /// that case, otherwise `none`.
    fn beyond(&self, level: Option<&Rational>, [none, all]: [f64; 2]) -> Bounds {
        match level {
            Some(level) if self.low > *level => [all; 2].into(),
            Some(level) if self.high > *level => Bounds { lower: 0.0, upper: 1.0 },
            _ => [none; 2].into(),
        }
    }
}

/// The thresholds of all steps; `None` if the gains differ or too many steps are distinct.
pub(in crate::phase_switching) fn thresholds(
    problem: &PhaseSwitching,
    lifetime: &Lifetime,
) -> Option<[Curve; 2]> {
    let gain = problem.gain(0);
    if gain != problem.gain(1) {
        return None;
    }
    let [there, back] = &problem.switch;
    let cut = |x: &Rational| {
        let above = there.iter().fold(x.clone(), |x, cost| x.min(cost.clone()));
        back.iter().fold(above, |x, cost| x.max(-cost.clone()))
    };
    let mut curves = [Curve::default(), Curve::default()];
    let mut x = Enclosed { low: Rational::ZERO, high: Rational::ZERO };
    let mut next = Some(lifetime.last());
    for _ in 0..MOST_STEPS {
        let Some(n) = next else { return Some(curves) };
        let survival = lifetime.continuation_exact(n);
        let raw = x.of(|x| &gain + &survival * x).shortened();
        let bounds = [
            raw.beyond(there.as_ref(), [1.0, 0.0]),
            Enclosed { low: -raw.high.clone(), high: -raw.low.clone() }
                .beyond(back.as_ref(), [0.0, 1.0]),
        ];
        let now = raw.of(cut);
        let mut first = n;
        if survival == Rational::ONE {
            // Takes all steps of probability 1 at once, up to the step at which the number reaches
            // a cost.
            let from = lifetime.certain_from(n);
            let room = match (gain > Rational::ZERO, gain < Rational::ZERO) {
                (true, _) => there.as_ref().map(|cost| (cost - &now.high) / &gain),
                (_, true) => back.as_ref().map(|cost| (&now.low + cost) / -&gain),
                _ => None,
            };
            let steps = room.and_then(|room| u64::try_from(room.floor()).ok()).unwrap_or(u64::MAX);
            let still = now.low == x.low && now.high == x.high;
            first = from.max(n - steps.min(n)).min(n);
            if still {
                first = from;
            }
            let taken = Rational::from(if still { 0 } else { n - first });
            x = now.of(|x| x + &gain * &taken);
        } else {
            x = now;
        }
        for (curve, bounds) in curves.iter_mut().zip(bounds) {
            curve.extend_down(first, n, bounds);
        }
        next = first.checked_sub(1);
    }
    None
}
