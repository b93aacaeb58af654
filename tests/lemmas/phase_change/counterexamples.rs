//! Where the papers claim more, or less, than holds: each number is in docs/errata.md.

use super::problems::{binary, encloses, idle, ratio};
use crate::shared::holds;
use remapping::Rational;
use remapping::lifetime::Lifetime;
use remapping::phase_change::exact::{self as twin, ExactSolution};
use remapping::phase_change::{self, Accuracy, PhaseChange};

/// G = 1 on top of e_R = 1, e_F = 1.
fn unit_gain(
    lifetime: Lifetime,
    delay: Rational,
    error: Rational,
    hazard: Rational,
) -> PhaseChange {
    PhaseChange {
        before: Rational::ONE,
        after: Rational::from(2),
        remapped: Rational::ONE,
        test: delay,
        detector: binary(error.clone(), error),
        ..idle(lifetime, hazard)
    }
}

fn solved(problem: &PhaseChange) -> ExactSolution {
    encloses(problem, Accuracy { tolerance: 1e-12, segments: None }, usize::MAX, holds).unwrap();
    twin::solve(problem, usize::MAX, &()).unwrap()
}

fn thresholds(truth: &ExactSolution) -> Vec<String> {
    truth.steps.iter().map(|step| step.threshold.to_string()).collect()
}

fn pmf(weights: &[(u64, Rational)]) -> Lifetime {
    Lifetime::pmf(weights.to_vec()).unwrap()
}

/// [NR90, Lemma 1, claim 4] without an increasing failure rate: pi_0 = 1 although n0 = 5.
#[test]
fn thresholds_of_one_come_before_n0_if_the_failure_rate_falls() {
    let lifetime = pmf(&[(0, ratio(9, 10)), (6, ratio(1, 10))]);
    let truth = solved(&unit_gain(lifetime, Rational::from(2), ratio(1, 4), ratio(1, 10)));
    let expected = ["1", "313/588", "17/32", "13/23", "2/3", "1", "1"];
    assert_eq!(thresholds(&truth), expected);
    assert_eq!(truth.onset, 5);
}

/// The curve of [NR90, Fig. 3] rises towards the end; in general it need not.
#[test]
fn thresholds_are_not_monotone_in_n() {
    let truth = solved(&unit_gain(Lifetime::fixed(3), Rational::ONE, ratio(1, 3), ratio(1, 2)));
    assert_eq!(thresholds(&truth), ["8/17", "5/11", "1/2", "1"]);
}

/// [NR90, Lemma A-2] and [NR86, Lemma 4] average over N as if the policy knew it. With P(N = 0, 1,
/// 2) = 4/9, 3/9, 2/9 and D = 7/4 G the average of d(0 | N) is +1/36, so that n0 = 0; but d(0) =
/// -1/36.
#[test]
fn averaging_over_n_is_clairvoyant() {
    let weights = [ratio(4, 9), ratio(3, 9), ratio(2, 9)];
    let delay = ratio(7, 4);
    let excess = |lifetime| {
        let truth = solved(&unit_gain(lifetime, delay.clone(), ratio(1, 4), ratio(1, 10)));
        let step = &truth.steps[0];
        (step.remap.at_one.clone() - step.retain.value(&Rational::ONE), truth.onset)
    };
    let knowing = weights.iter().enumerate().fold(Rational::ZERO, |sum, (last, weight)| {
        sum + weight * excess(Lifetime::fixed(last as u64)).0
    });
    assert_eq!(knowing, ratio(1, 36));
    let lifetime = pmf(&[(0, ratio(4, 9)), (1, ratio(3, 9)), (2, ratio(2, 9))]);
    assert!(lifetime.has_increasing_failure_rate());
    assert_eq!(excess(lifetime), (ratio(-1, 36), 1));
}

/// The same lemmas give d(n | N = m) = -G for n <= m - K; at n = m - K it is D - (K + 1) G.
#[test]
fn the_conditional_difference_reaches_minus_the_gain_one_step_later() {
    let delay = ratio(3, 2); // K = 1
    let truth = solved(&unit_gain(Lifetime::fixed(4), delay, ratio(1, 4), ratio(1, 10)));
    let differences: Vec<_> = (truth.steps.iter())
        .map(|step| (&step.remap.at_one - step.retain.value(&Rational::ONE)).to_string())
        .collect();
    assert_eq!(differences, ["-1", "-1", "-1", "-1/2", "1/2"]);
}

/// "The number of linear segments is approximately twice that of the step after" [NR86, sec. VIII;
/// NR90, sec. IV]. With alpha = beta = .05, phi = .001 (or .1), D = 10 G it grows 1.45-fold (by
/// one).
#[test]
fn segments_do_not_double() {
    let counts = |error, hazard| {
        let problem = unit_gain(Lifetime::fixed(20), Rational::from(10), error, hazard);
        let steps = twin::solve(&problem, usize::MAX, &()).unwrap().steps;
        steps.iter().rev().map(|step| step.value.lines().len()).collect::<Vec<_>>()
    };
    let rare = counts(ratio(5, 100), ratio(1, 1000));
    assert_eq!(rare, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 6, 8, 11, 17, 25, 38, 56, 87]);
    let frequent = counts(ratio(5, 100), ratio(1, 10));
    assert!(frequent.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{frequent:?}");
    assert!(frequent[20] > 2, "{frequent:?}");
}

/// V falls with p when tests are dear and installing is free of surprises: at p = 1 the end of the
/// uncertainty is worth more than the cycles lost.
#[test]
fn value_may_fall_with_p() {
    let mut problem = unit_gain(Lifetime::fixed(20), Rational::ONE, ratio(1, 2), ratio(1, 2));
    problem.before = Rational::from(2);
    let direct = twin::solve(&problem, usize::MAX, &()).unwrap();
    let value = &direct.steps[0].value;
    assert!(value.value(&Rational::ZERO) > value.value(&Rational::ONE));
}

/// D = K G exactly, in decimals that are no doubles: at the tie remapping does not pay.
#[test]
fn ties_between_delay_and_gain_are_exact() {
    for last in [0u64, 1, 5, 40, 1000, 50_000] {
        for cycles in [0u64, 1, 2, 3, 7, 39, 40, 41, 100, 999, 1001, 1002, 30_000] {
            for (digits, sign) in [(0i64, 0), (1, 1), (-1, -1)] {
                let gain = ratio(1, 10);
                let mut problem = unit_gain(
                    Lifetime::fixed(last),
                    &gain * Rational::from(cycles),
                    ratio(1, 10),
                    ratio(1, 20),
                );
                problem.after = &problem.remapped + &gain;
                problem.test += ratio(digits, 1_000_000_000_000_000_000);
                if problem.test < Rational::ZERO {
                    continue;
                }
                // Least number of cycles left at which remapping pays.
                let needed = cycles + 1 - u64::from(sign < 0);
                let expected = (last + 2).saturating_sub(needed.max(1));
                let accuracy = Accuracy { tolerance: 1e-6, segments: None };
                let solution = phase_change::solve(&problem, accuracy, &()).unwrap();
                assert_eq!(solution.onset, expected, "M = {last}, K = {cycles}, {digits}");
                if last <= 5 {
                    assert_eq!(twin::solve(&problem, 9999, &()).unwrap().onset, expected);
                }
            }
        }
    }
}

/// A law that ends at any step with probability 1/1000, a cost next to the gain of 10,000 steps
/// before the last: the exact numbers have tens of thousands of digits, and the answer is one of
/// two.
#[test]
fn what_is_too_near_to_tell_is_not_told() {
    let (last, left) = (20_000u64, 10_000u64);
    let lifetime = || Lifetime::geometric(ratio(1, 1000), 0, last).unwrap();
    // The expected cycles left at step last - left.
    let power = (f64::from(left as u32 + 1) * (-0.001f64).ln_1p()).exp();
    let cycles = 1000.0 - (left + 1) as f64 * power / (1.0 - power);
    let accuracy = Accuracy { tolerance: 1e-3, segments: None };
    let solve = |factor: f64| {
        let delay = Rational::try_from(cycles * factor).unwrap();
        let problem = unit_gain(lifetime(), delay, ratio(1, 10), ratio(1, 20));
        let found = phase_change::solve(&problem, accuracy, &()).unwrap();
        (found.onset_least, found.onset)
    };
    let at = last - left;
    assert_eq!(solve(1.0), (at, at + 1));
    // Far enough away both are told.
    assert_eq!(solve(1.0 - 1e-8), (at + 1, at + 1));
    assert_eq!(solve(1.0 + 1e-8), (at, at));
}
