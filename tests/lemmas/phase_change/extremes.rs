//! Numbers at the ends of the range of doubles, chances next to 0 and 1, costs far apart, detectors
//! of many levels: at every tolerance the exact thresholds and the exact value lie within the
//! bounds.

use super::problems::{assembled, binary, cases, encloses, idle, law_of, ratio};
use crate::shared::holds_or_is_open;
use proptest::prelude::*;
use remapping::Rational;
use remapping::belief::Levels;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{Accuracy, Hazard, PhaseChange};

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
    let masses = prop::collection::vec((0..=most, chance()), 2..4);
    prop_oneof![
        7 => law_of(most, chance()).prop_map(|(lifetime, _)| lifetime),
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
fn costs() -> impl Strategy<Value = [Rational; 6]> {
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
    let six = || prop::array::uniform6(digits());
    let alike = (six(), scale()).prop_map(|(list, scale)| list.map(|cost| cost * ten(scale)));
    let each = (digits(), scale()).prop_map(|(cost, scale)| cost * ten(scale));
    prop_oneof![2 => alike, 1 => prop::array::uniform6(each)]
}

fn problem(most: u64) -> impl Strategy<Value = PhaseChange> {
    let hazards = (any::<bool>(), prop::collection::vec(chance(), 8));
    (lifetime(most), hazards, costs(), detector(), any::<bool>()).prop_map(
        |(lifetime, hazards, costs, detector, keep)| {
            let [before, gain, remapped, test, install, regret] = costs;
            let costs = [before, &remapped + gain, remapped, test, install, regret];
            assembled(lifetime, hazards, costs, detector, keep)
        },
    )
}

fn all_enclose(problem: &PhaseChange) -> Result<(), TestCaseError> {
    for tolerance in TOLERANCES {
        encloses(problem, Accuracy { tolerance, segments: None }, MOST_LINES, holds_or_is_open)?;
    }
    Ok(())
}

/// The second of three odd reports has odds of 1e308 to one.
#[test]
fn odds_at_the_end_of_all_doubles() {
    let detector =
        binary(ratio(1, 100), ten(-308)).and(&binary(ratio(9, 1) * ten(-310), ratio(91, 100)));
    let lifetime = Lifetime::geometric(Rational::ONE - ten(-20), 0, 3).unwrap();
    let problem = PhaseChange {
        after: ratio(519, 100),
        test: ratio(53, 25),
        install: ratio(37, 100),
        hazard: Hazard::PerStep(vec![ratio(1, 50); 3]),
        detector,
        ..idle(lifetime, Rational::ZERO)
    };
    all_enclose(&problem).unwrap();
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn bounds_contain_the_exact_thresholds_of_extreme_models(problem in problem(4)) {
        all_enclose(&problem)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    #[ignore = "minutes; run with: cargo test --test lemmas extremes -- --ignored"]
    fn bounds_contain_the_exact_thresholds_of_ten_thousand_extreme_models(problem in problem(5)) {
        all_enclose(&problem)?;
    }
}
