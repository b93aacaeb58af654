//! Numbers at the ends of the range of doubles, chances next to 0 and 1, costs far apart, detectors
//! of many levels: at every tolerance the exact thresholds and the exact value lie within the
//! bounds.

use super::problems::{binary, cases, exact, ratio};
use proptest::prelude::*;
use remapping::Bounds;
use remapping::belief::Levels;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{self, Accuracy, Hazard, PhaseChange, Premature, exact as twin};
use remapping::{Rational, Status};

const TOLERANCES: [f64; 4] = [1e-1, 1e-4, 1e-8, 1e-12];

/// The exact solution grows with the digits of its numbers, of which there are hundreds here.
const MOST_LINES: usize = 40;

/// 10^`power`.
fn ten(power: i64) -> Rational {
    let power_of_ten = Rational::from(10).pow(power.unsigned_abs() as isize);
    if power < 0 { Rational::ONE / power_of_ten } else { power_of_ten }
}

/// Next to 0: normal, subnormal, and below all doubles.
fn small() -> impl Strategy<Value = Rational> {
    let power = prop_oneof![
        3 => 1i64..=20,
        1 => 20i64..=300,
        2 => prop::sample::select(vec![305, 307, 308, 310, 316, 320, 323, 324, 330]),
    ];
    (1i64..10, power).prop_map(|(digit, power)| Rational::from(digit) * ten(-power))
}

/// Ordinary, next to 0 and next to 1, and now and then certain.
fn chance() -> impl Strategy<Value = Rational> {
    prop_oneof![
        4 => (1i64..100).prop_map(|k| ratio(k, 100)),
        3 => small(),
        3 => small().prop_map(|p| Rational::ONE - p),
        1 => prop::sample::select(vec![Rational::ZERO, Rational::ONE]),
    ]
}

fn lifetime(most: u64) -> impl Strategy<Value = Lifetime> {
    let range = || (0..=most).prop_flat_map(|last| (0..=last, Just(last)));
    let masses = prop::collection::vec((0..=most, chance()), 2..4);
    prop_oneof![
        2 => (0..=most).prop_map(Lifetime::fixed),
        1 => range().prop_map(|(first, last)| Lifetime::uniform(first, last).unwrap()),
        4 => (range(), chance())
            .prop_map(|((first, last), rate)| Lifetime::geometric(rate, first, last).unwrap()),
        3 => masses.prop_filter_map("a law", |mut masses| {
            masses.sort();
            masses.dedup_by_key(|(value, _)| *value);
            Lifetime::pmf(masses).ok()
        }),
    ]
}

/// Chances of so many levels, the last what the others leave.
fn shares(count: usize) -> impl Strategy<Value = Vec<Rational>> {
    prop::collection::vec(chance(), count - 1).prop_map(|list| {
        let mut left = Rational::ONE;
        let mut shares: Vec<Rational> = list
            .into_iter()
            .map(|share| {
                let share = share * &left;
                left -= &share;
                share
            })
            .collect();
        shares.push(left);
        shares
    })
}

fn detector() -> impl Strategy<Value = Levels> {
    let yes_or_no = || (chance(), chance()).prop_map(|(alarm, missed)| binary(alarm, missed));
    let levels = (1usize..5).prop_flat_map(|count| (shares(count), shares(count)));
    prop_oneof![
        3 => yes_or_no(),
        2 => levels.prop_map(|(before, after)| Levels::new(before, after).unwrap()),
        1 => (yes_or_no(), yes_or_no()).prop_map(|(one, other)| one.and(&other)),
    ]
}

/// Costs that share a scale, or do not.
fn costs() -> impl Strategy<Value = Vec<Rational>> {
    let digits = || (0i64..1000).prop_map(|k| ratio(k, 100));
    let scale = || {
        prop_oneof![
            4 => Just(0i64),
            2 => -330i64..=-290,
            1 => -290i64..=-1,
            1 => 1i64..=290,
            1 => 290i64..=304,
        ]
    };
    let alike = (prop::collection::vec(digits(), 6), scale())
        .prop_map(|(list, scale)| list.into_iter().map(|cost| cost * ten(scale)).collect());
    let each = (digits(), scale()).prop_map(|(cost, scale)| cost * ten(scale));
    prop_oneof![2 => alike, 1 => prop::collection::vec(each, 6)]
}

fn problem(most: u64) -> impl Strategy<Value = PhaseChange> {
    let hazards =
        prop_oneof![chance().prop_map(|h| vec![h; 8]), prop::collection::vec(chance(), 8),];
    (lifetime(most), hazards, costs(), detector(), any::<bool>(), any::<bool>()).prop_map(
        |(lifetime, hazards, costs, detector, constant, keep)| {
            let [before, gain, remapped, test, install, regret] = &costs[..] else {
                unreachable!()
            };
            let steps = lifetime.last() as usize;
            let hazard = match constant {
                true => Hazard::Constant(hazards[0].clone()),
                false => Hazard::PerStep(hazards[..steps].to_vec()),
            };
            let premature = match keep {
                true => Premature::Keep { before_remapped: before + regret },
                false => Premature::Revert,
            };
            PhaseChange {
                lifetime,
                hazard,
                before: before.clone(),
                after: remapped + gain,
                remapped: remapped.clone(),
                test: test.clone(),
                install: install.clone(),
                detector,
                premature,
            }
        },
    )
}

/// Whether an exact number lies between two doubles, which may be infinite.
fn lies(number: &Rational, lower: f64, upper: f64) -> bool {
    let above = lower == f64::NEG_INFINITY || lower.is_finite() && exact(lower) <= *number;
    above && (upper == f64::INFINITY || upper.is_finite() && *number <= exact(upper))
}

fn encloses(problem: &PhaseChange) -> Result<(), TestCaseError> {
    let Ok(truth) = twin::solve(problem, MOST_LINES, &()) else { return Ok(()) };
    for tolerance in TOLERANCES {
        let accuracy = Accuracy { tolerance, segments: None };
        let solution = phase_change::solve(problem, accuracy, &()).unwrap();
        prop_assert_eq!(solution.onset, truth.onset, "n0");
        let mut widest = 0.0f64;
        for (n, step) in truth.steps.iter().enumerate() {
            let bounds = solution.curve.at(n as u64).unwrap();
            let within = lies(&step.threshold, bounds.lower, bounds.upper);
            let near = step.threshold.to_f64().value();
            prop_assert!(within, "{tolerance}: pi_{n} = {near:e} is not in {bounds:?}");
            widest = widest.max(bounds.width());
        }
        let Bounds { lower, upper } = solution.value.unwrap();
        let value = truth.value();
        let near = value.to_f64().value();
        let within = lies(&value, lower, upper);
        prop_assert!(within, "{tolerance}: V = {near:e} is not in [{lower:e}, {upper:e}]");
        if !(lower.is_finite() && upper.is_finite()) {
            // Times so far apart that only their ratio is beyond the doubles, or the value itself.
            prop_assert_ne!(solution.status, Status::Converged);
            continue;
        }
        widest = widest.max((upper - lower) / lower.abs().max(1.0));
        if solution.status == Status::Converged {
            prop_assert!(widest <= tolerance, "{tolerance}: width {widest}");
        } else {
            prop_assert!(widest > tolerance, "{tolerance}: width {widest}");
        }
    }
    Ok(())
}

/// The second of three odd reports has odds of 1e308 to one.
#[test]
fn odds_at_the_end_of_all_doubles() {
    let detector =
        binary(ratio(1, 100), ten(-308)).and(&binary(ratio(9, 1) * ten(-310), ratio(91, 100)));
    let problem = PhaseChange {
        lifetime: Lifetime::geometric(Rational::ONE - ten(-20), 0, 3).unwrap(),
        hazard: Hazard::PerStep(vec![ratio(1, 50); 3]),
        before: Rational::ZERO,
        after: ratio(519, 100),
        remapped: Rational::ZERO,
        test: ratio(53, 25),
        install: ratio(37, 100),
        detector,
        premature: Premature::Revert,
    };
    encloses(&problem).unwrap();
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn bounds_contain_the_exact_thresholds_of_extreme_models(problem in problem(4)) {
        encloses(&problem)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    #[ignore = "minutes; run with: cargo test --test lemmas extremes -- --ignored"]
    fn bounds_contain_the_exact_thresholds_of_ten_thousand_extreme_models(problem in problem(5)) {
        encloses(&problem)?;
    }
}
