//! The lower function alone: a step against exact fractions, and all steps against finer ones of both functions.

use super::alone::Found;
use super::problem::{Hazard, InDoubles, PhaseChange, Premature, Unit};
use super::sweep::{Coarseness, State, Sweep, sweep};
use super::tests::{exact, retained, weighed};
use crate::Rational;
use crate::belief::Levels;
use crate::concave::{Atom, PiecewiseLinear};
use crate::lifetime::Lifetime;
use crate::random::{Stream, stream};
use crate::rounding::DoubleDouble;
use rand::RngExt;

fn ratio(numerator: i64, denominator: u64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

fn program(last: u64, hazard: Hazard, reports: [Rational; 2], tenths: i64) -> PhaseChange {
    let [alarm, missed] = reports;
    PhaseChange {
        lifetime: Lifetime::fixed(last),
        hazard,
        before: Rational::ONE,
        after: Rational::from(2),
        remapped: Rational::ONE,
        test: ratio(tenths, 10),
        install: ratio(1, 10),
        detector: Levels::binary(alarm, missed).expect("probabilities"),
        premature: Premature::Revert,
    }
}

fn coarseness(merge: f64, tolerance: f64, alone_from: usize) -> Coarseness {
    Coarseness { merge, budget: None, tolerance, rest: tolerance, may_refine: false, alone_from }
}

/// Where a value function lies that is as far above the lower one as can be, or nowhere, what a step makes of it lies within the new bound, and its
/// threshold within the bounds.
#[test]
fn a_step_alone_bounds_what_lies_within() {
    let mut found_some = 0;
    for seed in 0..400 {
        let random = &mut stream(91, seed);
        // Complements of these are exact.
        let reports = [(); 2].map(|()| ratio(random.random_range(1..40), 64));
        let hazard = ratio(random.random_range(1..64), 512);
        let problem = program(20, Hazard::Constant(hazard), reports, random.random_range(1..90));
        let parameters = InDoubles::new(&problem);
        let merge = if seed % 2 == 0 { 1e-300 } else { 0.02 };
        let coarseness = coarseness(merge, 1e-300, 1);
        let mut state = State::new(&problem, (&parameters, Unit::of(&problem)), coarseness);
        let mut atoms: Vec<Atom> = (0..random.random_range(1..60))
            .map(|_| Atom {
                at: random.random_range(-7.0..1.5f64).exp(),
                drop: random.random_range(-7.0..0.5f64).exp(),
            })
            .collect();
        atoms.sort_by(|a, b| a.at.total_cmp(&b.at));
        let slope = parameters.delay;
        let lower = PiecewiseLinear { constant: DoubleDouble::from(9.0), slope, atoms };
        let above = random.random_range(-20.0..-2.0f64).exp();
        let constant = lower.constant.plus(above);
        let cycle = parameters.cycle(&problem.lifetime, 3);
        (state.lower, state.upper) = (lower.clone(), PiecewiseLinear { constant, ..lower.clone() });
        let far = random.random_range(0.4..0.9);
        state.go_alone(&cycle, (0.0, far).into());
        let mut alone = state.alone.take().expect("room for cells");
        // Not the same everywhere.
        for e in &mut alone.above.cells {
            *e *= random.random_range(0.0..1.0);
        }
        if seed % 3 == 0 {
            let node = |_| random.random_range(-7.0..1.0f64).exp();
            let mut nodes: Vec<f64> = (0..20).map(node).collect();
            nodes.sort_by(f64::total_cmp);
            alone.held = Some(nodes);
        }
        let Some(Found { cut, above, bounds, .. }) = state.find_alone(&mut alone, &cycle) else {
            continue;
        };
        found_some += 1;
        let e_at = |e: &[f64], odds: &Rational| {
            let beyond = |start: &f64| exact(*start) <= *odds;
            exact(e[alone.cells.starts.partition_point(beyond) - 1])
        };
        let [quiet, survival] = [cycle.quiet, cycle.survival].map(exact);
        let highest = |odds: &Rational| {
            let more = parameters.reports.iter().map(|report| {
                let [before, after] = [report.before, report.after].map(exact);
                let image = (odds + exact(cycle.hazard)) * after / (&before * &quiet);
                &survival * &quiet * before * e_at(&alone.above.cells, &image)
            });
            let more = more.fold(Rational::ZERO, |sum, more| sum + more);
            retained(&lower, &parameters, &cycle, odds) + more
        };
        let lowest = |odds: &Rational| retained(&lower, &parameters, &cycle, odds);
        let fresh = [lowest(&Rational::ZERO), highest(&Rational::ZERO)];
        let line = |fresh: &Rational, odds: &Rational| {
            fresh + exact(parameters.test) + exact(parameters.delay) * odds
        };
        let mut probes: Vec<f64> =
            (0..60).map(|_| random.random_range(-8.0..2.0f64).exp()).collect();
        probes.extend(cut.function.atoms.iter().flat_map(|atom| [atom.at, atom.at * 1.0001]));
        probes.push(0.0);
        for probe in probes {
            let odds = exact(probe);
            let found = weighed(&cut.function, &[Rational::ONE, odds.clone()]);
            let least = lowest(&odds).min(line(&fresh[0], &odds));
            let most = highest(&odds).min(line(&fresh[1], &odds));
            assert!(found <= least, "seed {seed} at {probe:e}");
            let room = e_at(&above.cells, &odds);
            let missing = (&most - &found - &room).to_f64().value();
            assert!(missing <= 0.0, "seed {seed} at {probe:e}: {missing:e} beyond {room}");
        }
        let [first, last] = [bounds.lower, bounds.upper].map(exact);
        for part in [0.2, 0.9, 0.999, 1.0] {
            let p = &first * exact(part);
            let odds = &p / (Rational::ONE - &p);
            assert!(highest(&odds) <= line(&fresh[0], &odds), "seed {seed}: {part} of {first}");
        }
        if last < Rational::ONE {
            let odds = &last / (Rational::ONE - &last);
            assert!(lowest(&odds) >= line(&fresh[1], &odds), "seed {seed}: before {last}");
        }
    }
    assert!(found_some > 200, "{found_some}");
}

fn assert_within(some: &Sweep, each: &Sweep, last: u64, case: &str) {
    let ((lower, upper), (low, high)) = (some.value.unwrap(), each.value.unwrap());
    assert!(lower <= high && low <= upper, "{case}: V {lower} {upper} {low} {high}");
    for n in 0..=last {
        let (found, truth) = (some.curve.at(n).unwrap(), each.curve.at(n).unwrap());
        let within = found.lower <= truth.upper && truth.lower <= found.upper;
        assert!(within, "{case}, step {n}: {found:?} {truth:?}");
    }
}

/// Coarse steps of the lower function alone, skipped ones too, lie around fine ones of both functions taken one by one.
#[test]
fn steps_alone_are_enclosed() {
    let (mut skipped, mut narrower) = (0, 0);
    let changing = |hazards: [i64; 3]| {
        let each = |hazard: i64| vec![ratio(hazard, 5000); 200];
        Hazard::PerStep(hazards.map(each).concat())
    };
    let hazards = [
        Hazard::Constant(ratio(1, 1000)),
        Hazard::Constant(ratio(1, 40)),
        changing([40, 4, 170]),
        changing([5, 900, 20]),
    ];
    let last = 600;
    for hazard in hazards {
        for percents in [[40, 40], [25, 25], [30, 10], [1, 20]] {
            for tenths in [3, 30, 150] {
                let problem = program(
                    last,
                    hazard.clone(),
                    percents.map(|percent| ratio(percent, 100)),
                    tenths,
                );
                let parameters = InDoubles::new(&problem);
                let bounds = |merge: f64, tolerance: f64, alone_from: usize| {
                    let coarseness = coarseness(merge, tolerance, alone_from);
                    let coarseness = Coarseness { may_refine: alone_from == 3, ..coarseness };
                    sweep(&problem, (&parameters, Unit::of(&problem)), coarseness, false, &())
                };
                let each = bounds(1e-6, 1e-300, usize::MAX);
                for (merge, tolerance) in [(1e-2, 1.0), (1e-3, 0.1), (1e-4, 1e-2), (1e-5, 1e-3)] {
                    for alone_from in [2, 3] {
                        let some = bounds(merge, tolerance, alone_from);
                        let case = format!(
                            "{percents:?} {tenths} {merge} {alone_from} {:?}",
                            problem.hazard_exact(1)
                        );
                        assert_within(&some, &each, last, &case);
                        skipped += usize::from(some.steps <= last / 2);
                        narrower += usize::from(some.curve.width() <= tolerance);
                    }
                }
            }
        }
    }
    assert!(skipped > 100, "{skipped}");
    assert!(narrower > 200, "{narrower}");
}

fn chance(random: &mut Stream) -> Rational {
    match random.random_range(0..6) {
        0 => ratio(random.random_range(1..100), 1_000_000),
        1 => Rational::ONE - ratio(random.random_range(1..100), 1000),
        2 => ratio(random.random_range(1..100), 100),
        _ => ratio(random.random_range(1..100), 10_000),
    }
}

fn shares(random: &mut Stream, count: usize) -> Vec<Rational> {
    let parts: Vec<i64> = (0..count).map(|_| random.random_range(0..50)).collect();
    let sum = parts.iter().sum::<i64>() as u64 + 1;
    let mut all: Vec<Rational> = parts.iter().map(|part| ratio(*part, sum)).collect();
    all[0] += ratio(1, sum);
    all
}

/// Any lifetime, hazards that change, two to four reports, costs of .001 to 300.
fn any_program(seed: u64, last: u64) -> PhaseChange {
    let random = &mut stream(92, seed);
    let begin = random.random_range(0..last);
    let lifetime = match random.random_range(0..5) {
        0 => Ok(Lifetime::fixed(last)),
        1 => Lifetime::uniform(begin, last),
        2 => Lifetime::geometric(ratio(random.random_range(1..200), 10_000), begin, last),
        _ => {
            let few = random.random_range(1..99);
            Lifetime::pmf(vec![(begin, ratio(few, 100)), (last, ratio(100 - few, 100))])
        }
    };
    let hazard = if random.random_bool(0.5) {
        Hazard::Constant(chance(random))
    } else {
        Hazard::PerStep([(); 6].map(|()| vec![chance(random); last as usize / 6]).concat())
    };
    let count = random.random_range(2..5);
    let detector = Levels::new(shares(random, count), shares(random, count)).expect("shares");
    let mut cost = || ratio(random.random_range(0..300), 10u64.pow(random.random_range(0..4)));
    let before = cost();
    PhaseChange {
        lifetime: lifetime.expect("a law"),
        hazard,
        after: &before + cost() + ratio(1, 1000),
        remapped: before.clone(),
        before,
        test: cost(),
        install: cost(),
        detector,
        premature: Premature::Revert,
    }
}

/// The same for programs of all kinds.
#[test]
fn steps_alone_are_enclosed_whatever_the_program() {
    let mut bounded = 0;
    for seed in 0..300 {
        let problem = any_program(seed, 300);
        let (parameters, unit) = (InDoubles::new(&problem), Unit::of(&problem));
        let bounds = |merge: f64, tolerance: f64, alone_from: usize| {
            let coarseness = Coarseness {
                may_refine: alone_from == 3,
                ..coarseness(merge * parameters.gain.abs(), tolerance, alone_from)
            };
            sweep(&problem, (&parameters, unit), coarseness, false, &())
        };
        let each = bounds(1e-6, 1e-300, usize::MAX);
        for (merge, tolerance) in [(1e-2, 1.0), (1e-3, 0.1), (1e-5, 1e-3)] {
            for alone_from in [2, 3] {
                let some = bounds(merge, tolerance, alone_from);
                if some.value.is_some() && each.value.is_some() {
                    bounded += 1;
                    let case = format!("{seed}: {merge} {alone_from} {problem:?}");
                    assert_within(&some, &each, problem.last_step(), &case);
                }
            }
        }
    }
    assert!(bounded > 1000, "{bounded}");
}
