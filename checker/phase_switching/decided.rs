//! Facts about recurring phases that are exact and need no function of the belief.
//! docs/certificates.md has the proofs.

use crate::core::decimal::Listed;
use crate::core::span::UNIT;
use crate::lifetime::Lifetime;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// What is known of a program without an end.
pub(crate) enum Decided {
    /// Both thresholds, and the mean saving of a cycle relative to the first mapping.
    Thresholds([[u64; 2]; 2], BigRational),
    /// Upper bounds on the difference at beliefs 0 and 1, and on its negative, mirrored.
    Between([[BigRational; 2]; 2]),
    Nothing,
}

/// How useful a mapping is that never loses.
enum Better {
    Always,
    Never,
    /// Its total gain is at most this if it is known to be in its phase.
    AtMost(BigRational),
}

/// The usefulness of the second mapping; `None` if a cycle of the first phase loses by it.
fn better(
    [first, second]: [&BigRational; 2],
    [begins, ends]: [&BigRational; 2],
    cost: &BigRational,
) -> Option<Better> {
    let zero = BigRational::zero();
    Some(match () {
        () if *first < zero => return None,
        () if second.is_zero() => Better::Never,
        () if *first > zero || *begins > zero => Better::Always,
        () if second / ends <= *cost => Better::Never,
        () => Better::AtMost(second / ends),
    })
}

/// The thresholds if neither mapping is ever left.
const STAYS: [[u64; 2]; 2] = [[UNIT; 2], [0; 2]];

impl Decided {
    /// From the gain of a cycle by the second mapping in each phase, the rates, and the costs of
    /// switches.
    pub fn of(
        gains: &[BigRational; 2],
        [a, b]: &[BigRational; 2],
        [there, back]: [&BigRational; 2],
    ) -> Decided {
        let ([first, second], none) = (gains, BigRational::zero);
        let losses = [-second, -first];
        if let Some(better) = better([first, second], [a, b], there) {
            let saves = (b * first + a * second) / (a + b);
            return match better {
                Better::Always => Decided::Thresholds([[0; 2]; 2], saves),
                Better::Never => Decided::Thresholds(STAYS, none()),
                Better::AtMost(most) => Decided::Between([[none(), most], [none(), none()]]),
            };
        }
        if let Some(better) = better([&losses[0], &losses[1]], [b, a], back) {
            return match better {
                Better::Always => Decided::Thresholds([[UNIT; 2]; 2], none()),
                Better::Never => Decided::Thresholds(STAYS, none()),
                Better::AtMost(most) => Decided::Between([[none(), none()], [none(), most]]),
            };
        }
        let both = there + back;
        if (b * first + a * second).is_zero() && *second <= b * &both && losses[1] <= a * &both {
            return Decided::Thresholds(STAYS, none());
        }
        Decided::Nothing
    }
}

/// The exact difference of the mappings, step by step, where it does not depend on the belief.
#[derive(Clone)]
pub(crate) struct Equal {
    gain: BigRational,
    costs: [Option<BigRational>; 2],
    /// The clipped difference one step later, and P(N > n) in units of the tilt.
    next: BigRational,
    tail: BigRational,
}

/// Numbers with more binary digits than this end the exact computation.
const MOST_DIGITS: u64 = 1 << 12;

impl Equal {
    /// `None` unless the gains of both phases are equal.
    pub fn of(
        [first, second]: &[BigRational; 2],
        costs: [Option<BigRational>; 2],
    ) -> Option<Equal> {
        let zero = BigRational::zero;
        let gain = first.clone();
        (first == second).then(|| Equal { gain, costs, next: zero(), tail: zero() })
    }

    /// Both thresholds of step n; `None` once the numbers are too long.
    pub fn step(&mut self, law: &Lifetime, first: u64, n: u64) -> Option<[[u64; 2]; 2]> {
        let one = BigRational::one();
        let (weight, tilt) = match law {
            Lifetime::Pmf(Listed(law)) => {
                (law.get(&n).map_or_else(BigRational::zero, |p| p.0.clone()), one.clone())
            }
            Lifetime::Geometric { rate, .. } if !rate.0.is_one() => {
                (BigRational::from_integer(u64::from(n >= first).into()), &one - &rate.0)
            }
            _ => (BigRational::from_integer(u64::from(n >= first).into()), one.clone()),
        };
        let mut survival = one;
        if !weight.is_zero() {
            let later = &self.tail * tilt;
            self.tail = &later + weight;
            survival = later / &self.tail;
        }
        let (found, next) = self.before(&survival);
        self.next = next;
        let digits = self.next.denom().bits().max(self.tail.denom().bits());
        (digits <= MOST_DIGITS).then_some(found)
    }

    /// The thresholds that all earlier steps share, if they do. The last step must not be one of
    /// them.
    pub fn rest(&self) -> Option<[[u64; 2]; 2]> {
        let (now, next) = self.before(&BigRational::one());
        let limit = match self.gain > BigRational::zero() {
            true => self.costs[0].clone(),
            false => self.costs[1].clone().map(|cost| -cost),
        };
        let last = Equal { next: limit?, ..self.clone() };
        (next == self.next || last.before(&BigRational::one()).0 == now).then_some(now)
    }

    fn before(&self, survival: &BigRational) -> ([[u64; 2]; 2], BigRational) {
        let mut x = &self.gain + survival * &self.next;
        let mut both = STAYS;
        let [there, back] = &self.costs;
        if let Some(cost) = there.as_ref().filter(|cost| x > **cost) {
            (x, both[0]) = (cost.clone(), [0; 2]);
        }
        if let Some(cost) = back.as_ref().map(|cost| -cost).filter(|cost| x < *cost) {
            (x, both[1]) = (cost, [UNIT; 2]);
        }
        (both, x)
    }
}
