//! One step of the recursion, against the same step in exact fractions.

use super::Hazard;
use super::problem::{Cycle, InDoubles, PhaseChange, Premature, Unit};
use super::step::{Cut, Reduction, RemapLine, cut, retain};
use super::sweep::{Coarseness, Solution, sweep};
use super::{Accuracy, solve};
use crate::Rational;
use crate::belief::Levels;
use crate::concave::held::Cells;
use crate::concave::{Atom, PiecewiseLinear};
use crate::lifetime::Lifetime;
use crate::rounding::{DoubleDouble, Grain};
use crate::thorough::{few_or_all, some};
use proptest::prelude::*;

fn exact(value: f64) -> Rational {
    Rational::try_from(value).expect("finite")
}

fn whole(constant: DoubleDouble) -> Rational {
    let high = constant.value();
    exact(high) + exact(constant.minus(DoubleDouble::from(high)))
}

/// x_0 F(x_1 / x_0) of a function in odds.
fn weighed(function: &PiecewiseLinear, [none, one]: &[Rational; 2]) -> Rational {
    let kink = |atom: &Atom| exact(atom.drop) * one.min(&(exact(atom.at) * none)).clone();
    let kinks = function.atoms.iter().map(kink).fold(Rational::ZERO, |sum, kink| sum + kink);
    whole(function.constant) * none + exact(function.slope) * one + kinks
}

/// G o + s sum_o V(M_o (1, o)), docs/certificates.md.
fn retained(
    next: &PiecewiseLinear,
    parameters: &InDoubles,
    cycle: &Cycle,
    odds: &Rational,
) -> Rational {
    let reports = parameters.reports.iter().map(|report| {
        let none = exact(report.before) * exact(cycle.quiet);
        let one = exact(report.after) * (exact(cycle.hazard) + odds);
        weighed(next, &[none, one])
    });
    let later = reports.fold(Rational::ZERO, |sum, report| sum + report);
    exact(parameters.gain) * odds + exact(cycle.survival) * later
}

/// Multiples of 2^-12, so that complements are exact.
fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0..=4096u32, 1 => Just(0), 1 => Just(4096)].prop_map(|p| f64::from(p) / 4096.0)
}

fn function() -> impl Strategy<Value = PiecewiseLinear> {
    let at = prop_oneof![
        8 => (-9.0..9.0f64).prop_map(f64::exp),
        3 => 1.0..1.01f64,
        1 => prop::sample::select(vec![1e149, 1e152]),
    ];
    let drop = (-9.0..3.0f64).prop_map(f64::exp);
    let atoms = prop::collection::vec((at, drop), 0..72);
    (0.0..50.0f64, 0.0..3.0f64, atoms).prop_map(|(constant, slope, mut atoms)| {
        atoms.sort_by(|a, b| a.0.total_cmp(&b.0));
        let atoms = atoms.into_iter().map(|(at, drop)| Atom { at, drop }).collect();
        PiecewiseLinear { constant: DoubleDouble::from(constant), slope, atoms }
    })
}

fn parameters(gain: f64, alarm: f64, missed: f64) -> InDoubles {
    InDoubles::new(&PhaseChange {
        lifetime: Lifetime::fixed(1),
        hazard: Hazard::Constant(Rational::ZERO),
        before: Rational::ZERO,
        after: exact(gain),
        remapped: Rational::ZERO,
        test: Rational::ONE,
        install: Rational::ZERO,
        detector: Levels::binary(exact(alarm), exact(missed)).expect("probabilities"),
        premature: Premature::Revert,
    })
}

/// Odds at which functions are compared.
fn probes(list: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut probes: Vec<f64> =
        list.filter(|o| o.is_finite()).chain([0.0, 1e-6, 1e6, 1e154]).collect();
    probes.sort_by(f64::total_cmp);
    probes.extend(probes.clone().windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
    probes
}

/// The upper or the lower function of a step, compared with the exact one.
fn check<const UPPER: bool>(
    next: &PiecewiseLinear,
    parameters: &InDoubles,
    cycle: &Cycle,
    line: &RemapLine,
    reduction: Reduction<'_>,
    close: bool,
) -> Result<(), TestCaseError> {
    let found = retain::<UPPER>(next, parameters, cycle);
    let Cut { function, odds, .. } =
        cut::<UPPER>(next, parameters, cycle, &found, line, reduction, Vec::new());
    let remapped =
        |offset: f64, o: &Rational| whole(found.constant) + exact(offset) + exact(line.delay) * o;
    let offset = if UPPER { line.offset.1 } else { line.offset.0 };
    // Drops beyond odds of 1e150 are ignored.
    let close = close && next.atoms.iter().all(|atom| atom.at < 1e100);
    for o in probes(function.atoms.iter().map(|atom| atom.at)) {
        let o = exact(o);
        let kept = weighed(&function, &[Rational::ONE, o.clone()]);
        let mut truth = retained(next, parameters, cycle, &o);
        if line.pays {
            truth = truth.min(remapped(offset, &o));
        }
        let error = (&kept - &truth).to_f64().value() * if UPPER { 1.0 } else { -1.0 };
        prop_assert!(error >= 0.0, "{UPPER} at {}: {error:e}", o.to_f64().value());
        let size = truth.to_f64().value().abs() + o.to_f64().value() + 1.0;
        prop_assert!(!close || error <= 1e-12 * size, "{UPPER}: {error:e} of {size}");
    }
    if odds.is_finite() && odds > 0.0 {
        let o = exact(odds);
        let ahead = retained(next, parameters, cycle, &o) - remapped(line.certified_offset, &o);
        let ahead = ahead.to_f64().value() * if UPPER { -1.0 } else { 1.0 };
        prop_assert!(ahead >= 0.0, "{UPPER}: threshold {odds:e} by {ahead:e}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(few_or_all(48, 256)) })]

    #[test]
    fn a_step_is_bounded_by_its_two_sides(
        next in function(), alarm in probability(), missed in probability(), hazard in probability(),
        survival in probability(), gain in 0.0..4.0f64, offset in -1.0..20.0f64, wider in 0.0..0.1f64,
        delay in 0.0..4.0f64, near in prop::option::of((-20.0..-1.0f64).prop_map(f64::exp)),
        ends in prop::collection::vec((-9.0..9.0f64).prop_map(f64::exp), 1..8),
    ) {
        let parameters = parameters(gain, alarm, missed);
        let cycle = Cycle { survival, failure: 1.0 - survival, hazard, quiet: 1.0 - hazard };
        // A line of almost equal slope crosses far out, where rounding errors are large.
        let slope = gain + survival * next.slope;
        let delay = near.map_or(delay, |near| slope * (1.0 - near));
        let pays = delay < slope * (1.0 - 1e-9);
        let offsets = (offset, offset + 1e-9);
        let line = RemapLine { offset: offsets, certified_offset: offset + wider, delay, pays };
        let lines = [line, RemapLine { pays: false, ..line }];
        let mut ends = ends;
        ends.sort_by(f64::total_cmp);
        for line in &lines {
            check::<true>(&next, &parameters, &cycle, line, Reduction::Search(1e-300), true)?;
            check::<true>(&next, &parameters, &cycle, line, Reduction::Search(0.1), false)?;
            let mut cells = Cells::new(ends.clone());
            let cells = Reduction::Cells(&mut cells, Grain::FINE);
            check::<true>(&next, &parameters, &cycle, line, cells, false)?;
            let line = RemapLine { certified_offset: offset - wider, ..*line };
            check::<false>(&next, &parameters, &cycle, &line, Reduction::Search(1e-300), true)?;
            check::<false>(&next, &parameters, &cycle, &line, Reduction::Search(0.1), false)?;
            check::<false>(&next, &parameters, &cycle, &line, Reduction::Nodes(&ends, Grain::FINE), false)?;
        }
    }
}

/// A block has drops of 1 and others that rounding removes or doubles.
#[test]
fn the_rounding_of_long_sums_is_allowed_for() {
    for tiny in [1.1e-16, 1.2e-16] {
        let drop = |k: usize| if k.is_multiple_of(256) { 1.0 } else { tiny };
        let atom = |k: usize| Atom { at: 1.0 + 1e-9 * k as f64, drop: drop(k) };
        let next = PiecewiseLinear {
            constant: DoubleDouble::default(),
            slope: 0.0,
            atoms: (0..5120).map(atom).collect(),
        };
        let parameters = parameters(1.0, 0.5, 0.0);
        let line = RemapLine { offset: (0.0, 0.0), certified_offset: 0.0, delay: 9.0, pays: false };
        // Images above zero, and below.
        for hazard in [0.125, 0.875] {
            let cycle = Cycle { survival: 1.0, failure: 0.0, hazard, quiet: 1.0 - hazard };
            let all = || Reduction::Search(1e6);
            check::<true>(&next, &parameters, &cycle, &line, all(), false).unwrap();
            check::<false>(&next, &parameters, &cycle, &line, all(), false).unwrap();
        }
    }
}

fn ratio(numerator: i64, denominator: i64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

/// A program of 100 steps, with a different hazard in either half, both in units of 1/5000.
fn program(hazards: [i64; 2], report: [i64; 2], delay: i64, regret: Option<i64>) -> PhaseChange {
    let each = |hazard: i64| vec![ratio(hazard, 5000); 50];
    let [alarm, missed] = report.map(|percent| ratio(percent, 100));
    PhaseChange {
        lifetime: Lifetime::fixed(100),
        hazard: Hazard::PerStep(hazards.map(each).concat()),
        before: Rational::ONE,
        after: Rational::from(2),
        remapped: Rational::ONE,
        test: ratio(delay, 10),
        install: ratio(1, 10),
        detector: Levels::binary(alarm, missed).expect("probabilities"),
        premature: regret.map_or(Premature::Revert, |tenths| Premature::Keep {
            before_remapped: Rational::ONE + ratio(tenths, 10),
        }),
    }
}

/// The same with a constant hazard, over steps up to `last`.
fn lasting(hazard: Rational, last: u64, report: [i64; 2], delay: i64) -> PhaseChange {
    PhaseChange {
        hazard: Hazard::Constant(hazard),
        lifetime: Lifetime::fixed(last),
        ..program([1, 1], report, delay, None)
    }
}

fn coarseness(merge: f64, tolerance: f64) -> Coarseness {
    Coarseness { merge, budget: None, tolerance, rest: tolerance, may_refine: false }
}

fn swept(problem: &PhaseChange, coarseness: Coarseness) -> Solution {
    sweep(problem, (&InDoubles::new(problem), Unit::of(problem)), coarseness, false, &())
}

/// Bounds on the value and on all thresholds overlap those of a sweep with high accuracy.
fn enclose(found: &Solution, each: &Solution, case: &str) {
    let (own, its) = (found.value.expect("step 0"), each.value.expect("step 0"));
    assert!(own.lower <= its.upper && its.lower <= own.upper, "{case}: V {own:?} {its:?}");
    for n in 0..=each.curve.runs().next_back().expect("a step").last {
        let (own, its) = (found.curve.at(n).expect("a step"), each.curve.at(n).expect("a step"));
        let within = own.lower <= its.upper && its.lower <= own.upper;
        assert!(within, "{case}, step {n}: {own:?} {its:?}");
    }
}

/// Skipped steps are enclosed, however early they are skipped. The functions are almost exact, so
/// errors are visible.
#[test]
fn steps_that_are_skipped_are_enclosed() {
    let mut skipped = [0; 2];
    for hazards in [[1, 1], [170, 170], [1700, 1700], [1, 1700], [1700, 1]] {
        for report in [[0, 0], [5, 5], [10, 2], [2, 15], [95, 98]] {
            for delay in some(2, [0, 3, 12, 150]) {
                for regret in some(2, [None, Some(12), Some(1)]) {
                    let problem = program(hazards, report, delay, regret);
                    let each = swept(&problem, coarseness(1e-13, 1e-300));
                    for tolerance in [1e-1, 1e-2, 1e-4] {
                        let some = swept(&problem, coarseness(1e-13, tolerance));
                        if some.steps == 101 {
                            continue;
                        }
                        skipped[usize::from(regret.is_some())] += 1;
                        let case = format!("{hazards:?} {report:?} {delay} {regret:?} {tolerance}");
                        enclose(&some, &each, &case);
                    }
                }
            }
        }
    }
    let least = few_or_all(30, 100);
    assert!(skipped[0] > least && skipped[1] > least, "{skipped:?}");
}

/// The same for rare changes of phase, where only the lower function converges, with functions so
/// coarse that reductions dominate the bounds. Steps computed one by one with high accuracy lie
/// within.
#[test]
fn what_reducing_takes_is_enclosed() {
    let mut skipped = 0;
    for (hazard, last) in [(4, 2000), (1, 3000)] {
        for report in some(2, [[10, 2], [25, 25], [0, 20], [35, 25]]) {
            for delay in [12, 150] {
                let problem = lasting(ratio(hazard, 10_000), last, report, delay);
                let each = swept(&problem, coarseness(1e-5, 1e-300));
                for (merge, tolerance) in [(1e-2, 0.3), (1e-3, 0.1), (1e-3, 1e-2), (1e-4, 1e-3)] {
                    let some = swept(&problem, coarseness(merge, tolerance));
                    if some.steps == last + 1 {
                        continue;
                    }
                    skipped += 1;
                    let case = format!("{hazard} {report:?} {delay} {merge} {tolerance}");
                    enclose(&some, &each, &case);
                }
            }
        }
    }
    assert!(skipped > few_or_all(20, 40), "{skipped}");
}

/// Functions that prove too coarse are refined during the sweep. One sweep then certifies what it
/// did not without that, and accurate steps lie within its bounds.
#[test]
fn what_is_too_coarse_is_made_finer_on_the_way() {
    let last = 6000;
    for (report, delay) in some(1, [([30, 15], 50), ([25, 25], 100), ([20, 35], 100)]) {
        let problem = lasting(ratio(1, 100_000), last, report, delay);
        let each = swept(&problem, coarseness(1e-7, 1e-300));
        for tolerance in [1e-4, 1e-5] {
            let plain = coarseness(0.1 * tolerance * InDoubles::new(&problem).gain, tolerance);
            let once = swept(&problem, plain);
            let finer = swept(&problem, Coarseness { may_refine: true, ..plain });
            assert!(once.steps > last / 2, "{report:?} {tolerance}: at rest as it was");
            assert!(finer.steps < last / 4, "{report:?} {tolerance}: {}", finer.steps);
            assert!(finer.curve.width() <= tolerance, "{report:?}: {}", finer.curve.width());
            enclose(&finer, &each, &format!("{report:?} {tolerance}"));
        }
    }
}

/// The number of discarded steps never exceeds the number of steps, however slowly functions
/// converge.
#[test]
fn steps_in_vain_are_no_more_than_others() {
    for (report, hazard) in [([40, 40], 1000), ([42, 38], 700), ([35, 40], 1500)] {
        let problem = lasting(ratio(1, hazard), 1000, report, 100);
        for tolerance in [1e-4, 1e-5] {
            let found =
                solve(&problem, Accuracy { tolerance, segments: None }, &()).expect("valid");
            assert_eq!(found.status, crate::Status::Converged);
            assert!(found.steps <= 2 * 1001, "{report:?} {tolerance}: {}", found.steps);
        }
    }
}

/// With distinct steps a trial on the last ones determines the reduction. The bounds enclose those
/// of very fine plain steps, have the requested width, and need fewer segments.
#[test]
fn laws_that_differ_at_every_step_are_enclosed() {
    let last = 41_000;
    let laws = [
        Lifetime::uniform(0, last).expect("a law"),
        Lifetime::geometric(ratio(1, 9000), 0, last).expect("a law"),
    ];
    for (lifetime, regret) in laws.into_iter().zip([None, Some(3)]) {
        let hazard = Hazard::Constant(ratio(1, 200));
        let problem = PhaseChange { hazard, lifetime, ..program([1, 1], [5, 10], 30, regret) };
        let each = swept(&problem, coarseness(1e-8, 1e-300));
        for tolerance in [1e-1, 1e-4, 1e-6] {
            let some = solve(&problem, Accuracy { tolerance, segments: None }, &()).expect("valid");
            assert_eq!(some.status, crate::Status::Converged, "{tolerance}");
            assert!(some.curve.width() <= tolerance && some.segments <= each.segments);
            enclose(&some, &each, &tolerance.to_string());
        }
    }
}
