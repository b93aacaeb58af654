//! Expected largest deviation once different means have separated the processors.
//!
//! Let one deviation `D = s (S_i - Q/N)` have a larger mean `L t` than all others `D_j`. It is then
//! the largest, except where another exceeds it: `L t <= E max <= L t + sum_j E (D_j - D)^+`. By
//! Markov's inequality, and since `x <= e^(x - 1)`,
//!
//! ```text
//! E (D_j - D)^+ <= min_theta e^(t K_j(theta)) / (e theta),
//! ```
//!
//! with `K_j` the cumulant generating function of the change of `D_j - D` in one step. Its slope at
//! zero is negative, so it is negative somewhere, and the excess over `L t` decays exponentially.
//! This decides bounds at or near the limit of the imbalance, where evaluation is impossible: there
//! `T` may be 10^12 steps or infinite.

use super::difference::Difference;
use crate::Rational;
use crate::periodic::{Crossing, Processors};

/// Largest number of distributions for which a lead is computed.
const MOST_LAWS: usize = 100;

/// Uncertainty of a real crossing that does not affect six decimal places.
const SHOWN: f64 = 1e-6;

/// The side of the deviation that is considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The largest position minus the average.
    Above,
    /// Deviations of either sign. It also bounds the larger of the expected deviations above and
    /// below.
    Either,
}

/// The deviation whose mean grows fastest, and a bound of what others may add to it.
#[derive(Debug, Clone)]
pub struct Lead {
    /// Its growth per step.
    slope: Rational,
    /// For the others: number, `theta`, and a negative bound of `K(theta)`.
    others: Vec<(f64, f64, f64)>,
    /// Whether any of them can exceed it at all; `None` where rounding may decide.
    overtaken: Option<bool>,
}

/// What is known about the interval from some step on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decided {
    /// The interval.
    Interval(Crossing),
    /// The bound is met at the end of that step, up to less than doubles can distinguish.
    Tie(Crossing),
}

impl Lead {
    /// `None` where there is no such deviation, or it cannot be identified.
    pub fn new(processors: &Processors, side: Side) -> Option<Self> {
        let classes = processors.classes();
        if classes.len() > MOST_LAWS || !classes.iter().all(|class| class.law.is_known()) {
            return None;
        }
        let [above, below] = processors.farthest();
        let upward = side == Side::Above || above >= below;
        let (slope, sign) = if upward { (above, 1.0) } else { (below, -1.0) };
        let means = classes.iter().map(|class| sign * class.law.mean()).enumerate();
        let (leader, _) = means.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (mut others, mut overtaken) = (Vec::new(), Some(false));
        for (index, class) in classes.iter().enumerate() {
            let itself = usize::from(index == leader);
            let ahead = [(true, class.count - itself), (false, class.count)];
            for (same_side, count) in ahead {
                if count == 0 || (!same_side && side == Side::Above) {
                    continue;
                }
                let step = Difference::new(processors, [index, leader], sign, same_side);
                if step.is_zero() {
                    continue;
                }
                overtaken = match (overtaken, step.is_ever_ahead()) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
                let (theta, cumulant) = step.least()?;
                others.push((count as f64, theta, cumulant));
            }
        }
        Some(Self { slope: slope.clone(), others, overtaken })
    }

    /// Upper bound, from `time` on, of the expected largest deviation minus `slope` times the time.
    fn excess(&self, time: u64) -> f64 {
        if self.overtaken == Some(false) {
            return 0.0;
        }
        let time = time as f64;
        let of = |(count, theta, cumulant): &(f64, f64, f64)| {
            count * (time * cumulant - 1.0).exp() / theta
        };
        self.others.iter().map(of).sum::<f64>() * (1.0 + 1e-9)
    }

    /// The longest interval, if the bound holds before step `time` and that suffices to determine
    /// it.
    pub fn decides(&self, processors: &Processors, bound: &Rational, time: u64) -> Option<Decided> {
        let moments = processors.moments();
        let excess = self.excess(time);
        let allowed = bound * &moments.load;
        let room = &allowed - Rational::try_from(excess).ok()?;
        let gap = &self.slope - bound * &moments.mean;
        let last = moments.last_positive();
        if gap <= Rational::ZERO {
            let kept = &gap * Rational::from(time) <= room;
            return (kept && last.is_none()).then_some(Decided::Interval(Crossing::NEVER));
        }
        let whole = |steps: Rational| u64::try_from(steps.floor()).unwrap_or(u64::MAX);
        let end = &allowed / &gap;
        let (least, mut most) = (whole(&room / &gap), whole(end.clone()));
        let mut tie = self.overtaken.is_none() && end.is_int();
        // The contribution of others is positive, however small: where the bound is met without it,
        // it is exceeded.
        let exceeded = self.overtaken == Some(true) && end.is_int() && most < u64::MAX;
        most = most.saturating_sub(u64::from(exceeded));
        if exceeded && most.checked_add(1) == Some(time) {
            return Some(Decided::Interval(Crossing { steps: Some(most), real: None }));
        }
        if room < Rational::ZERO || least < time {
            return None;
        }
        tie |= least < most;
        if last.is_some_and(|last| last <= least) {
            return None;
        }
        let crossing = Crossing {
            steps: Some(most),
            real: self.crossed(processors, bound, most).filter(|_| !exceeded),
        };
        match tie {
            false if excess < SHOWN * gap.to_f64().value() => Some(Decided::Interval(crossing)),
            true if excess < f64::EPSILON * allowed.to_f64().value() => {
                Some(Decided::Tie(crossing))
            }
            _ => None,
        }
    }

    /// Interpolated position of the bound between the imbalances after `steps` steps and one more,
    /// with the others far behind.
    fn crossed(&self, processors: &Processors, bound: &Rational, steps: u64) -> Option<f64> {
        let ratio = |steps: Rational| {
            let moments = processors.moments();
            &self.slope * &steps / (&moments.load + &moments.mean * steps)
        };
        let [before, after] =
            [0, 1].map(|more| ratio(Rational::from(steps) + Rational::from(more)));
        let part = (bound - &before) / (after - before);
        let real = Rational::from(steps) + part.clamp(Rational::ZERO, Rational::ONE);
        (steps < u64::MAX).then(|| real.to_f64().value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::written;
    use crate::distribution::{Class, Law, Steps};
    use crate::observer::Status;
    use crate::periodic::{Bound, ExpectedImbalance, Guarantee, Kind, methods};
    use crate::thorough::samples;
    use proptest::prelude::*;

    fn walk(down: u32, up: u32) -> Law {
        let rest = 100 - down - up;
        let of = |value: f64, weight: u32| (value, f64::from(weight) / 100.0);
        Law::Steps(Steps::new(vec![of(-1.0, down), of(0.0, rest), of(1.0, up)]).expect("a law"))
    }

    fn laws() -> impl Strategy<Value = Vec<Class>> {
        let steps = (0_u32..50, 0_u32..50).prop_map(|(down, up)| walk(down, up));
        prop::collection::vec((1_usize..4, steps), 2..4)
            .prop_map(|laws| laws.into_iter().map(|(count, law)| Class { count, law }).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(samples(300)))]

        /// The excess is within its bound at all later times.
        #[test]
        fn excesses_are_within_their_bound(laws in laws(), time in 1_u64..200) {
            let Ok(processors) = Processors::new(10.0, laws) else { return Ok(()) };
            let mut imbalance = ExpectedImbalance::new(&processors).expect("known laws");
            for side in [Side::Either, Side::Above] {
                let Some(lead) = Lead::new(&processors, side) else { continue };
                let said = lead.excess(time);
                for time in [time, 2 * time, time + 50] {
                    let least = (&lead.slope * Rational::from(time)).to_f64().value();
                    let found = match side {
                        Side::Either => imbalance.max_deviation(time),
                        Side::Above => {
                            let found = imbalance.extremes(time as f64);
                            crate::periodic::Approximation { value: found.above, error: found.error }
                        }
                    };
                    let slack = found.error + 1e-12 * (1.0 + found.value);
                    prop_assert!(found.value >= least - slack, "{side:?} {time}: {found:?} {least}");
                    prop_assert!(found.value <= least + said + slack, "{side:?} {time}: {found:?} {least} {said}");
                }
            }
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(samples(60)))]

        /// Intervals agree with a search over every step.
        #[test]
        fn intervals_are_those_of_every_step(laws in laws(), load in 1_u32..40, bound in 1_u32..80) {
            let Ok(processors) = Processors::new(f64::from(load), laws) else { return Ok(()) };
            let bound = f64::from(bound) / 100.0;
            let found = methods(&processors, Bound::MaxDeviation(bound), &());
            let exact = found.iter().find(|method| method.kind == Kind::Exact).expect("known laws");
            let mut imbalance = ExpectedImbalance::new(&processors).expect("known laws");
            let kept = |time: &u64| {
                let load = processors.moments().mean_load(*time).to_f64().value();
                let found = imbalance.max_deviation(*time);
                load > 0.0 && found.value - found.error <= bound * load
            };
            let looked = (1..200).take_while(kept).count() as u64;
            if exact.status == Status::Converged {
                prop_assert_eq!(exact.interval.steps.unwrap_or(u64::MAX).min(199), looked);
            }
        }
    }

    /// Two processors whose loads separate by a fifth of their mean, and a bound of a tenth:
    /// exactly the limit.
    #[test]
    fn a_bound_that_is_the_limit_is_never_exceeded() {
        let law = |mean| Law::Gamma { shape: 4.0, mean };
        let steps = |a: u32, b: u32| {
            let of = |value: f64, weight: u32| (value, f64::from(weight) / 10.0);
            Law::Steps(
                Steps::new(vec![of(0.0, 10 - a - b), of(1.0, a), of(2.0, b)]).expect("a law"),
            )
        };
        for laws in [[law(0.9), law(1.1)], [steps(5, 2), steps(5, 3)]] {
            let classes = laws.map(|law| Class { count: 1, law });
            let processors = Processors::new(10.003, classes.to_vec()).expect("two");
            let limit = processors.farthest()[0].clone() / &processors.moments().mean;
            let bound = limit.to_f64().value();
            assert_eq!(written(bound), limit);
            for method in methods(&processors, Bound::MaxDeviation(bound), &()) {
                if method.kind.guarantee() == Guarantee::Exact {
                    assert_eq!((method.interval.steps, method.status), (None, Status::Converged));
                }
            }
            for digits in [6, 9, 12] {
                let less = limit.clone() - written(10f64.powi(-digits));
                let gap = &processors.farthest()[0] - &less * &processors.moments().mean;
                let right = (&less * &processors.moments().load / gap).floor();
                let found = methods(&processors, Bound::MaxDeviation(less.to_f64().value()), &());
                let steps = found[0].interval.steps.expect("it ends");
                let off = Rational::from(steps) / Rational::from(right) - Rational::ONE;
                assert!(off.to_f64().value().abs() < 1e-6, "{found:?}");
                assert_eq!(found[0].status, Status::Converged);
            }
            let one = processors.at_load(Rational::from(1)).expect("positive");
            let found = methods(&one, Bound::MaxDeviation(0.05), &())[0];
            assert_eq!((found.interval.steps, found.status), (Some(0), Status::Converged));
            let heavy = processors.at_load(written(1e300)).expect("positive");
            let found = methods(&heavy, Bound::MaxDeviation(0.099_999), &())[0];
            let known = (found.interval.steps, found.status);
            assert_eq!(known, (Some(u64::MAX), Status::IterationLimit));
            // Met exactly at the end of a step, up to less than a double shows: the other may be
            // ahead.
            let processors = processors.at_load(Rational::from(10)).expect("positive");
            let found = methods(&processors, Bound::MaxDeviation(0.099_999), &())[0];
            let known = (found.interval.steps, found.status, found.tie);
            assert_eq!(known, (Some(999_989), Status::Converged, false));
        }
    }

    /// A lead that cannot be overtaken: the bound holds at the end of the step at which it is met.
    #[test]
    fn a_lead_that_cannot_be_lost_is_exact() {
        let steps =
            |a: f64, b: f64| Law::Steps(Steps::new(vec![(a, 0.5), (b, 0.5)]).expect("a law"));
        let classes = [steps(2.0, 3.0), steps(0.0, 1.0)].map(|law| Class { count: 1, law });
        let processors = Processors::new(10.0, classes.to_vec()).expect("two");
        // d(t) = t / (10 + 1.5 t).
        for (bound, steps) in
            [(0.5, Some(20)), (0.4, Some(10)), (0.625, Some(100)), (2.0 / 3.0, None)]
        {
            let found = methods(&processors, Bound::MaxDeviation(bound), &())[0];
            assert_eq!(found.status, Status::Converged);
            match steps {
                Some(steps) => assert_eq!(found.interval.steps, Some(steps), "{bound}"),
                None => {
                    assert!(found.interval.steps.is_none_or(|steps| steps > 1 << 40), "{found:?}")
                }
            }
        }
    }
}
