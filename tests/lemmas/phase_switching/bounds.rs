//! Bounds of recurring phases on random models against exact arithmetic.

use super::values::recurring;
use crate::phase_change::problems::{binary, ratio};
use crate::shared::{double, holds};
use crate::thorough::{few_or_all, some};

use rand::RngExt;
use remapping::belief::Levels;
use remapping::decimal::decimal;
use remapping::lifetime::Lifetime;
use remapping::phase_change::Bounds;
use remapping::phase_switching::{PhaseSwitching, Solution, exact as twin, long_run, solve};
use remapping::simulate::{Stream, stream};
use remapping::{Rational, Status};

fn hundredths(random: &mut Stream, most: i64) -> Rational {
    ratio(random.random_range(0..=most), 100)
}

/// 10^-9 to 10^-4.
fn small(random: &mut Stream) -> Rational {
    ratio(random.random_range(1..10), 10u64.pow(random.random_range(5..10)))
}

fn detector(random: &mut Stream) -> Levels {
    match random.random_range(0..8) {
        0 => {
            // Reports that say nothing.
            let alarm = hundredths(random, 100);
            binary(alarm.clone(), Rational::ONE - alarm)
        }
        1 => binary(small(random), small(random)),
        2 => {
            let cells = |random: &mut Stream| {
                let weights: Vec<i64> = (0..3).map(|_| random.random_range(1..20)).collect();
                let sum = weights.iter().sum::<i64>() as u64;
                weights.into_iter().map(|weight| ratio(weight, sum)).collect()
            };
            Levels::new(cells(random), cells(random)).unwrap()
        }
        3 => {
            let one = binary(hundredths(random, 50), hundredths(random, 50));
            one.and(&binary(ratio(3, 10), ratio(2, 5)))
        }
        _ => binary(hundredths(random, 100), hundredths(random, 100)),
    }
}

fn problem(random: &mut Stream) -> PhaseSwitching {
    let cost = |random: &mut Stream| match random.random_range(0..8) {
        0 => None,
        1 => Some(Rational::ZERO),
        2 | 3 => Some(small(random)),
        _ => Some(hundredths(random, 300)),
    };
    let first = hundredths(random, 300);
    let second = hundredths(random, 300);
    let times = if random.random_bool(0.1) { 100_000 } else { 1 };
    let gain = hundredths(random, 400) * Rational::from(times) - hundredths(random, 50);
    let more = hundredths(random, 400);
    let rates = match random.random_range(0..6) {
        0 => {
            let begins = hundredths(random, 100);
            [begins.clone(), Rational::ONE - begins]
        }
        1 => [small(random), small(random)],
        2 => [Rational::ZERO, hundredths(random, 100)],
        _ => [hundredths(random, 50), hundredths(random, 50)],
    };
    // Positive gains in both phases, in either order of size.
    let (low, high) = if &more - &gain > Rational::ZERO {
        (Rational::ZERO, &more - &gain)
    } else {
        (&gain - &more, Rational::ZERO)
    };
    PhaseSwitching {
        cycle: [[first.clone(), &first + &gain + low], [&second + &more + high, second]],
        switch: [cost(random), cost(random)],
        rates,
        detector: detector(random),
        initial: if random.random_bool(0.5) { Rational::ZERO } else { hundredths(random, 100) },
    }
}

fn lifetime(random: &mut Stream, most: u64) -> Lifetime {
    let last = random.random_range(0..=most);
    let first = random.random_range(0..=last);
    match random.random_range(0..6) {
        0 => Lifetime::uniform(first, last).unwrap(),
        1 => Lifetime::geometric(ratio(random.random_range(1..10), 10), first, last).unwrap(),
        2 => {
            let weights: Vec<u64> = (0..=last).map(|_| random.random_range(1..10)).collect();
            let sum = weights.iter().sum::<u64>();
            let share = |(m, weight): (usize, &u64)| (m as u64, ratio(*weight as i64, sum));
            Lifetime::pmf(weights.iter().enumerate().map(share).collect()).unwrap()
        }
        _ => Lifetime::fixed(last),
    }
}

const TOLERANCES: [f64; 4] = [1e-1, 1e-4, 1e-9, 1e-12];

/// Whether the bounds are as close as asked; that they enclose the exact solution is asserted.
pub(super) fn encloses(
    problem: &PhaseSwitching,
    lifetime: &Lifetime,
    truth: &twin::ExactSolution,
    tolerance: f64,
) -> Solution {
    let solution = solve(problem, lifetime, tolerance, &()).unwrap();
    let say = |what: &str| format!("tolerance {tolerance}: {what}\n{problem:?}\n{lifetime:?}");
    let check = |bounds: Bounds, number: &Rational, what: &str| {
        let near = double(number);
        assert!(holds(bounds, number), "{}", say(&format!("{what}: {near} {bounds:?}")));
    };
    check(solution.value.unwrap(), &truth.value, "value");
    for (curve, all) in
        [(&solution.to_second, &truth.to_second), (&solution.to_first, &truth.to_first)]
    {
        for (n, threshold) in all.iter().enumerate() {
            check(curve.at(n as u64).unwrap(), threshold, &format!("step {n}"));
        }
    }
    if solution.status == Status::Converged {
        assert!(solution.threshold_width() <= tolerance, "{}", say("wide thresholds"));
        assert!(solution.value_width() <= tolerance, "{}", say("wide value"));
    }
    solution
}

fn bounds_enclose(seeds: std::ops::Range<u64>) {
    let mut converged = [0; TOLERANCES.len()];
    for seed in seeds.clone() {
        let random = &mut stream(19, seed);
        let problem = problem(random);
        let many = problem.detector.levels().len() > 2;
        let lifetime = lifetime(random, if many { 3 } else { 5 });
        let truth = twin::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        for (count, tolerance) in converged.iter_mut().zip(TOLERANCES) {
            let solution = encloses(&problem, &lifetime, &truth, tolerance);
            *count += i32::from(solution.status == Status::Converged);
        }
    }
    // Ties along a whole interval and tolerances at the limit of doubles are what is left.
    let share = |count: i32| f64::from(count) / (seeds.end - seeds.start) as f64;
    let shares = converged.map(share);
    let enough = shares.iter().zip([0.999, 0.999, 0.97, 0.9]).all(|(share, least)| *share > least);
    assert!(enough, "{shares:?}");
}

#[test]
fn bounds_of_random_models_enclose_the_exact_ones() {
    bounds_enclose(0..400);
}

#[test]
#[ignore = "minutes; run with: cargo test --test lemmas bounds_of_ten_thousand -- --ignored"]
fn bounds_of_ten_thousand_random_models_enclose_the_exact_ones() {
    bounds_enclose(0..10_000);
}

/// Detectors that are always right, or say nothing, leave the exact functions short over many
/// steps, most of which are at rest.
fn long_bounds_enclose(seeds: std::ops::Range<u64>) {
    let mut rested = 0;
    for seed in seeds.clone() {
        let random = &mut stream(20, seed);
        let mut problem = problem(random);
        let alarm = hundredths(random, 100);
        // Few digits, of which every step adds some.
        problem.rates = [0, 1].map(|_| ratio(random.random_range(0..=5), 10));
        problem.detector = match random.random_bool(0.5) {
            true => binary(Rational::ZERO, Rational::ZERO),
            false => binary(alarm.clone(), Rational::ONE - alarm),
        };
        let last = random.random_range(68..=80);
        let lifetime = match random.random_range(0..3) {
            0 => Lifetime::pmf(vec![(last / 4, ratio(1, 3)), (last, ratio(2, 3))]).unwrap(),
            _ => Lifetime::fixed(last),
        };
        let truth = twin::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        for tolerance in [1e-1, 1e-3, 1e-6, 1e-9] {
            let solution = encloses(&problem, &lifetime, &truth, tolerance);
            rested += usize::from(solution.steps <= last);
        }
    }
    assert!(rested as u64 > seeds.end - seeds.start, "{rested}");
}

/// Steps at rest, of thresholds that are "never" throughout, hand on to steps of another kind what
/// no threshold shows. The value is that of value iteration on 24,001 beliefs.
#[test]
fn stretches_that_hand_on_a_difference_keep_the_value_close() {
    let hundredths = |all: [i64; 2]| all.map(|all| ratio(all, 100));
    let problem = PhaseSwitching {
        cycle: [hundredths([300, 94]), hundredths([219, 0])],
        switch: hundredths([30_000, 418]).map(Some),
        rates: [ratio(912, 10_000), ratio(19, 100)],
        detector: binary(ratio(1, 2), ratio(999_999, 1_000_000)),
        initial: ratio(93, 100),
    };
    let shares = [(56, 467), (189, 186), (282, 196), (412, 151)];
    let lifetime =
        Lifetime::pmf(shares.map(|(m, share)| (m, ratio(share, 1000))).to_vec()).unwrap();
    for tolerance in [1e-2, 1e-3, 1e-6, 1e-9] {
        let solution = solve(&problem, &lifetime, tolerance, &()).unwrap();
        assert_eq!(solution.status, Status::Converged, "{tolerance}");
        let Bounds { lower, upper } = solution.value.unwrap();
        assert!(lower <= 392.1696 && 392.1695 <= upper, "{tolerance}: {lower} {upper}");
        assert!(upper - lower <= tolerance * upper, "{tolerance}: {lower} {upper}");
    }
}

#[test]
fn bounds_of_long_programs_enclose_the_exact_ones() {
    long_bounds_enclose(0..10);
}

#[test]
#[ignore = "minutes; run with: cargo test --test lemmas bounds_of_a_thousand_long -- --ignored"]
fn bounds_of_a_thousand_long_programs_enclose_the_exact_ones() {
    long_bounds_enclose(0..1000);
}

/// Where nothing exact is known: what a coarse solution leaves out no finer one may find.
#[test]
fn bounds_of_all_tolerances_overlap() {
    for seed in 0..few_or_all(3, 12) {
        let random = &mut stream(21, seed);
        let problem = problem(random);
        let last = random.random_range(80..400);
        let lifetime = match random.random_range(0..3) {
            0 => Lifetime::pmf(vec![(last / 3, ratio(1, 3)), (last, ratio(2, 3))]).unwrap(),
            1 => Lifetime::geometric(ratio(1, 50), 0, last).unwrap(),
            _ => Lifetime::fixed(last),
        };
        let all = [1e-1, 1e-2, 1e-4, 1e-6]
            .map(|tolerance| solve(&problem, &lifetime, tolerance, &()).unwrap());
        let meet = |bounds: [Bounds; 4], what: &str| {
            let lower = bounds.iter().fold(f64::NEG_INFINITY, |most, one| most.max(one.lower));
            let upper = bounds.iter().fold(f64::INFINITY, |least, one| least.min(one.upper));
            assert!(lower <= upper, "seed {seed}, {what}: {bounds:?}\n{problem:?}\n{lifetime:?}");
        };
        meet(all.each_ref().map(|one| one.value.unwrap()), "value");
        for n in 0..=last {
            meet(all.each_ref().map(|one| one.to_second.at(n).unwrap()), &format!("there, {n}"));
            meet(all.each_ref().map(|one| one.to_first.at(n).unwrap()), &format!("back, {n}"));
        }
        if let Ok(first) = long_run(&problem, 1e-1, &()) {
            let [second, third] = [1e-3, 1e-6].map(|t| long_run(&problem, t, &()).unwrap());
            let all = [&first, &second, &third, &third];
            meet(all.map(|one| one.average), "average");
            meet(all.map(|one| one.to_second), "there");
            meet(all.map(|one| one.to_first), "back");
        }
    }
}

/// Weak detectors over many steps: nothing exact is known, but what a step at rest may use must not
/// make finer solutions leave what coarser ones enclose, nor take pieces without end.
#[test]
fn weak_detectors_take_few_pieces() {
    let problem = PhaseSwitching {
        cycle: [[ratio(1, 1), ratio(3, 1)], [ratio(2, 1), ratio(1, 1)]],
        switch: [Some(ratio(5, 1)), Some(ratio(5, 1))],
        rates: [ratio(1, 100), ratio(5, 1000)],
        detector: binary(ratio(40, 100), ratio(45, 100)),
        ..recurring()
    };
    for last in some(2, [200, 1500, 1_000_000_000, 10_000]) {
        for (tolerance, found) in nested(&problem, last, &[1e-4, 1e-5, 1e-6, 1e-7]) {
            assert!(found.segments < 50_000, "{last} to {tolerance}: {} pieces", found.segments);
        }
    }
}

/// Solutions to finer and finer tolerances, of which none leaves what coarser ones enclose.
fn nested(problem: &PhaseSwitching, last: u64, tolerances: &[f64]) -> Vec<(f64, Solution)> {
    let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
    let solved = tolerances.iter().map(|&tolerance| {
        let found = solve(problem, &Lifetime::fixed(last), tolerance, &()).unwrap();
        assert_eq!(found.status, Status::Converged, "{last} cycles to {tolerance}");
        assert!(found.threshold_width().max(found.value_width()) <= tolerance);
        let Bounds { lower, upper } = found.value.unwrap();
        (least, most) = (least.max(lower), most.min(upper));
        assert!(least <= most, "{last} cycles to {tolerance}: {lower} {upper}");
        (tolerance, found)
    });
    solved.collect()
}

/// Phases that last for hundreds of steps: what reducing adds at each of them must not hide for
/// good that steps are at rest.
#[test]
fn slow_phases_come_to_rest() {
    // Of both phases: cycles on their own mapping, on the other, costs of a switch, rates; and the
    // errors of the detector.
    let models = [
        // Kinks of many steps come next to each other, where rounding made functions steep without
        // end.
        ("1 1.8  1.1 2  0 0.2  0.001 0  0.2 0.2", 3000),
        ("1 1.8  1.1 2  0.1 0.2  0.001 0  0.3 0.3", 3000),
        ("0.663 0  0.768 1.89  3.74 78.3  0.167 0.0033  0.353 0.0253", 30_423_357),
        ("0 0  1.42 0.159  0.0137 0.302  0.000181 0.131  0.0386 0.243", 10_000),
        ("0 0  0.65 4.54  0.325 1.92  0.0006 0.000192  0.121 0.401", 256_663),
        ("0 0  0.227 0.125  5.35 0.612  0.00313 0.000741  0.198 0.243", 167_766_896),
    ];
    for (numbers, last) in some(3, models) {
        let numbers: Vec<_> =
            numbers.split_whitespace().map(|text| decimal(text).unwrap()).collect();
        let two = |pair: usize| [numbers[2 * pair].clone(), numbers[2 * pair + 1].clone()];
        let [own, other, switch, rates, detector] = [0, 1, 2, 3, 4].map(two);
        let ([own_first, own_second], [other_first, other_second]) = (own, other);
        let [false_alarm, missed] = detector;
        let problem = PhaseSwitching {
            cycle: [[own_first, other_first], [other_second, own_second]],
            switch: switch.map(Some),
            rates,
            detector: binary(false_alarm, missed),
            ..recurring()
        };
        for (tolerance, found) in nested(&problem, last, &[1e-5, 1e-7, 1e-9]) {
            assert!(found.steps < 500, "{last} cycles to {tolerance}: {} steps", found.steps);
        }
    }
}

/// A kink between two nodes that are kept, beside the flat part of a function that is cut.
#[test]
fn a_reduced_function_is_not_pulled_across() {
    let problem = PhaseSwitching {
        cycle: [[ratio(1, 1), ratio(11, 1)], [ratio(21, 10), ratio(11, 10)]],
        switch: [Some(ratio(1, 100)), Some(Rational::ZERO)],
        rates: [ratio(1, 10), ratio(5, 10)],
        ..recurring()
    };
    for tolerance in [0.1, 1e-2, 1e-3] {
        let solution = solve(&problem, &Lifetime::fixed(1), tolerance, &()).unwrap();
        for (n, threshold) in [(1, ratio(1001, 1100)), (0, ratio(91, 100))] {
            let bounds = solution.to_second.at(n).unwrap();
            assert!(holds(bounds, &threshold), "{n}: {bounds:?}");
        }
    }
}
