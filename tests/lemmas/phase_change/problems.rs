//! Random phase-change problems, small enough for exact arithmetic and awkward on purpose: certain
//! and impossible events, exact ties, reversed detectors, gains of either sign.

use crate::shared::{double, holds};
use proptest::prelude::*;
use remapping::belief::Levels;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{self, Accuracy, Hazard, PhaseChange, Premature, exact as twin};
use remapping::{Bounds, Rational, Status};

/// `cases` cases, or that share of PROPTEST_CASES, which is 256 unless set.
pub fn cases(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let share = u64::from(cases) * u64::from(default.cases) / 256;
    ProptestConfig { cases: share.max(1) as u32, failure_persistence: None, ..default }
}

pub fn ratio(numerator: i64, denominator: u64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

/// The exact value of a double.
pub fn exact(value: f64) -> Rational {
    Rational::try_from(value).expect("finite")
}

/// 0, 1, tiny ones, decimals, fractions.
pub fn probability() -> impl Strategy<Value = Rational> {
    prop_oneof![
        1 => Just(Rational::ZERO),
        1 => Just(Rational::ONE),
        1 => (1i64..10).prop_map(|k| ratio(k, 1_000_000)),
        4 => (1i64..100).prop_map(|k| ratio(k, 100)),
        3 => (1u64..8).prop_flat_map(|d| (0..=d as i64).prop_map(move |k| ratio(k, d))),
    ]
}

/// A law of N on 0..=`most`, with its probabilities (or multiples of them) listed from 0 on.
pub fn law(most: u64) -> impl Strategy<Value = (Lifetime, Vec<Rational>)> {
    law_of(most, probability())
}

/// The same, with rates like these.
pub fn law_of(
    most: u64,
    rate: impl Strategy<Value = Rational>,
) -> impl Strategy<Value = (Lifetime, Vec<Rational>)> {
    let range = (0..=most).prop_flat_map(|last| (0..=last, Just(last)));
    let fixed = (0..=most).prop_map(|last| {
        let mut weights = vec![Rational::ZERO; last as usize];
        weights.push(Rational::ONE);
        (Lifetime::fixed(last), weights)
    });
    let uniform = range.clone().prop_map(|(first, last)| {
        let weights = (0..=last).map(|m| if m < first { Rational::ZERO } else { Rational::ONE });
        (Lifetime::uniform(first, last).unwrap(), weights.collect())
    });
    let geometric = (range, rate).prop_map(|((first, last), rate)| {
        let survival = Rational::ONE - &rate;
        let weights = (0..=last).map(|m| match m.checked_sub(first) {
            None => Rational::ZERO,
            Some(0) => Rational::ONE,
            Some(after) => survival.pow(after as isize),
        });
        let weights = weights.collect();
        (Lifetime::geometric(rate, first, last).unwrap(), weights)
    });
    let weight = prop_oneof![2 => Just(0i64), 3 => 1..10i64];
    let pmf = prop::collection::vec(weight, 1..=most as usize + 1)
        .prop_filter("no mass", |weights| weights.iter().any(|w| *w > 0))
        .prop_map(|weights| {
            let total = weights.iter().sum::<i64>() as u64;
            let weights: Vec<_> = weights.iter().map(|w| ratio(*w, total)).collect();
            let entries = weights.iter().cloned().enumerate();
            (Lifetime::pmf(entries.map(|(m, w)| (m as u64, w)).collect()).unwrap(), weights)
        });
    prop_oneof![3 => fixed, 2 => uniform, 2 => geometric, 3 => pmf]
}

/// e_F, e_B, e_R, D_d, D_r and e_P - e_F.
fn costs() -> impl Strategy<Value = [Rational; 6]> {
    let tenths = |range: std::ops::Range<i64>| range.prop_map(|k| ratio(k, 10));
    let gain = prop_oneof![8 => tenths(1..30), 1 => Just(Rational::ZERO), 1 => tenths(-10..0)];
    // Delays of their own, or a whole number of gains: a tie.
    let delay = prop_oneof![
        1 => Just((None, Rational::ZERO)),
        4 => tenths(0..40).prop_map(|delay| (None, delay)),
        3 => (0u64..9).prop_map(|gains| (Some(gains), Rational::ZERO)),
    ];
    let share = prop_oneof![2 => Just(ratio(1, 1)), 1 => Just(ratio(0, 1)), 2 => Just(ratio(2, 5))];
    let regret = prop_oneof![1 => Just(Rational::ZERO), 3 => tenths(0..20)];
    (tenths(0..30), tenths(10..30), gain, delay, share, regret).prop_map(
        |(before, remapped, gain, (gains, delay), share, regret)| {
            let delay = match gains {
                Some(gains) if gain > Rational::ZERO => &gain * Rational::from(gains),
                _ => delay,
            };
            let install = (Rational::ONE - &share) * &delay;
            [before, &remapped + gain, remapped, delay * share, install, regret]
        },
    )
}

/// The two-level detector with these errors.
pub fn binary(false_alarm: Rational, missed: Rational) -> Levels {
    Levels::binary(false_alarm, missed).unwrap()
}

/// Weights, some zero, as probabilities.
fn shares(count: usize) -> impl Strategy<Value = Vec<Rational>> {
    let weight = prop_oneof![1 => Just(0i64), 4 => 1..8i64];
    prop::collection::vec(weight, count)
        .prop_filter("no mass", |w| w.iter().any(|w| *w > 0))
        .prop_map(|weights| {
            let total = weights.iter().sum::<i64>() as u64;
            weights.iter().map(|weight| ratio(*weight, total)).collect()
        })
}

/// Mostly binary; sometimes up to four levels.
pub fn detector() -> impl Strategy<Value = Levels> {
    let levels = (1usize..5).prop_flat_map(|count| (shares(count), shares(count)));
    prop_oneof![
        3 => (probability(), probability()).prop_map(|(alarm, miss)| binary(alarm, miss)),
        1 => levels.prop_map(|(before, after)| Levels::new(before, after).unwrap()),
    ]
}

/// A problem with M <= `most`, of either kind.
pub fn problem(most: u64) -> impl Strategy<Value = PhaseChange> {
    let hazards = prop_oneof![
        probability().prop_map(|hazard| (true, vec![hazard])),
        prop::collection::vec(probability(), 1..8).prop_map(|hazards| (false, hazards)),
    ];
    (law(most), hazards, costs(), detector(), any::<bool>()).prop_map(
        |((lifetime, _), hazards, costs, detector, keep)| {
            assembled(lifetime, hazards, costs, detector, keep)
        },
    )
}

/// A problem of costs e_F, e_B, e_R, D_d, D_r and e_P - e_F, and of one constant hazard or a list of
/// them that is repeated.
pub fn assembled(
    lifetime: Lifetime,
    (constant, hazards): (bool, Vec<Rational>),
    [before, after, remapped, test, install, regret]: [Rational; 6],
    detector: Levels,
    keep: bool,
) -> PhaseChange {
    let steps = lifetime.last() as usize;
    let hazard = match constant {
        true => Hazard::Constant(hazards[0].clone()),
        false => Hazard::PerStep(hazards.into_iter().cycle().take(steps).collect()),
    };
    let premature = match keep {
        true => Premature::Keep { before_remapped: &before + regret },
        false => Premature::Revert,
    };
    PhaseChange { lifetime, hazard, before, after, remapped, test, install, detector, premature }
}

/// Zero costs, a detector without errors; callers override fields.
pub fn idle(lifetime: Lifetime, hazard: Rational) -> PhaseChange {
    let costs = [const { Rational::ZERO }; 6];
    let detector = binary(Rational::ZERO, Rational::ZERO);
    assembled(lifetime, (true, vec![hazard]), costs, detector, false)
}

/// Whether the bounds of a solution enclose the exact one, where that has few enough lines, and are
/// as wide as its status says. `value_within` says whether bounds of the value may be infinite.
pub fn encloses(
    problem: &PhaseChange,
    accuracy: Accuracy,
    most_lines: usize,
    value_within: fn(Bounds, &Rational) -> bool,
) -> Result<Option<Status>, TestCaseError> {
    let Ok(truth) = twin::solve(problem, most_lines, &()) else { return Ok(None) };
    let solution = phase_change::solve(problem, accuracy, &()).unwrap();
    let (status, tolerance) = (solution.status, accuracy.tolerance);
    prop_assert_eq!(solution.onset, truth.onset, "n0");
    let mut widest = 0.0f64;
    for (n, step) in truth.steps.iter().enumerate() {
        let (bounds, near) = (solution.curve.at(n as u64).unwrap(), double(&step.threshold));
        let within = holds(bounds, &step.threshold);
        prop_assert!(within, "{tolerance}: pi_{n} = {near:e} is not in {bounds:?}");
        prop_assert!((0.0..=1.0).contains(&bounds.lower) && (0.0..=1.0).contains(&bounds.upper));
        widest = widest.max(bounds.width());
    }
    let (bounds, value) = (solution.value.unwrap(), truth.value());
    let near = double(&value);
    prop_assert!(value_within(bounds, &value), "{tolerance}: V = {near:e} is not in {bounds:?}");
    if !(bounds.lower.is_finite() && bounds.upper.is_finite()) {
        // Times so far apart that only their ratio is beyond the doubles, or the value itself.
        prop_assert_ne!(status, Status::Converged);
        return Ok(Some(status));
    }
    widest = widest.max((bounds.upper - bounds.lower) / bounds.lower.abs().max(1.0));
    let close = widest <= tolerance;
    prop_assert_eq!(status == Status::Converged, close, "{:?} at width {}", status, widest);
    Ok(Some(status))
}

/// A problem whose premature remappings are undone.
pub fn reverting(most: u64) -> impl Strategy<Value = PhaseChange> {
    problem(most).prop_map(|problem| PhaseChange { premature: Premature::Revert, ..problem })
}

/// A point of [0, 1], ends included.
pub fn point() -> impl Strategy<Value = Rational> {
    (0i64..=24).prop_map(|k| ratio(k, 24))
}
