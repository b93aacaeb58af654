//! Piecewise-linear concave functions: envelopes, sums, and the two reducers.

use crate::phase_change::problems::{cases, exact, point, ratio};
use proptest::prelude::*;
use remapping::Rational;
use remapping::concave::bracket::{Merge, Origin, Reduce, Split};
use remapping::concave::{Atom, Line, Lines};

fn line() -> impl Strategy<Value = Line> {
    (-12i64..12, -12i64..12, 1u64..4)
        .prop_map(|(a, b, d)| Line { at_zero: ratio(a, d), at_one: ratio(b, d) })
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    prop::collection::vec(line(), 1..12)
}

fn lowest(lines: &[Line], p: &Rational) -> Rational {
    lines.iter().map(|line| line.value(p)).min().unwrap()
}

/// A dense set of points, and every breakpoint.
fn probes(function: &Lines) -> Vec<Rational> {
    let mut probes: Vec<_> = (0..=48).map(|k| ratio(k, 48)).collect();
    probes.extend(function.breakpoints());
    probes
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn an_envelope_is_the_pointwise_minimum(lines in lines()) {
        let envelope = Lines::envelope(lines.clone());
        for p in probes(&envelope) {
            prop_assert_eq!(envelope.value(&p), lowest(&lines, &p));
        }
    }

    #[test]
    fn an_envelope_keeps_no_line_without_a_segment(lines in lines()) {
        let envelope = Lines::envelope(lines);
        let breaks = envelope.breakpoints();
        prop_assert_eq!(breaks.len() + 1, envelope.lines().len());
        let inside = |p: &Rational| *p > Rational::ZERO && *p < Rational::ONE;
        prop_assert!(breaks.iter().all(inside));
        prop_assert!(breaks.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_sum_is_pointwise(left in lines(), right in lines()) {
        let (left, right) = (Lines::envelope(left), Lines::envelope(right));
        let sum = left.plus(&right, &()).unwrap();
        for p in probes(&left).into_iter().chain(probes(&right)) {
            prop_assert_eq!(sum.value(&p), left.value(&p) + right.value(&p));
        }
    }

    /// Every change of slope of either function is among the points, so that chords between them
    /// are exact.
    #[test]
    fn a_difference_is_linear_between_its_points(left in lines(), right in lines(), p in point()) {
        let (left, right) = (Lines::envelope(left), Lines::envelope(right));
        let difference = left.minus(&right, &()).unwrap();
        let places: Vec<&Rational> = difference.iter().map(|(place, _)| place).collect();
        prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!([places[0], places[places.len() - 1]], [&Rational::ZERO, &Rational::ONE]);
        let after = difference.iter().position(|(place, _)| *place >= p).unwrap().max(1);
        let [(start, from), (end, to)] = [&difference[after - 1], &difference[after]];
        let chord = from + (&p - start) / (end - start) * (to - from);
        prop_assert_eq!(chord, left.value(&p) - right.value(&p));
    }

    #[test]
    fn scaling_and_minima_are_pointwise(lines in lines(), other in line(), factor in point()) {
        let function = Lines::envelope(lines);
        let scaled = function.scaled_plus(&factor, &other, &()).unwrap();
        let least = function.min_with([other.clone()], &()).unwrap();
        for p in probes(&function) {
            prop_assert_eq!(scaled.value(&p), &factor * function.value(&p) + other.value(&p));
            prop_assert_eq!(least.value(&p), function.value(&p).min(other.value(&p)));
        }
    }

    /// q V(p') for the Bayes update p -> p' of a report that comes with probability q.
    #[test]
    fn a_report_weighs_the_function_at_the_posterior(
        lines in lines(), yes in point(), no in point(), hazard in point(), p in point(),
    ) {
        let function = Lines::envelope(lines);
        let quiet = Rational::ONE - &hazard;
        let map = [[&quiet * &no, &hazard * &yes], [Rational::ZERO, yes.clone()]];
        let after = function.mapped(&map, &()).unwrap();
        let other = Rational::ONE - &p;
        let changed = (&p + &other * hazard) * yes;
        let total = &changed + other * quiet * no;
        let expected = if total == Rational::ZERO {
            Rational::ZERO
        } else {
            let posterior = &changed / &total;
            total * function.value(&posterior)
        };
        prop_assert_eq!(after.value(&p), expected);
    }
}

#[test]
fn lines_cross_inside_or_not_at_all() {
    let line =
        |at_zero: i64, at_one: i64| Line { at_zero: ratio(at_zero, 1), at_one: ratio(at_one, 1) };
    let crossing = |a: &Line, b: &Line| {
        assert_eq!(a.crossing(b), b.crossing(a));
        a.crossing(b)
    };
    assert_eq!(crossing(&line(0, 4), &line(1, 1)), Some(ratio(1, 4)));
    assert_eq!(crossing(&line(0, 0), &line(-1, 3)), Some(ratio(1, 4)));
    for other in [
        line(0, 2),
        line(1, 3),
        line(1, 2),
        line(-1, 1),
        line(-1, 0),
        line(0, 1),
        line(0, 3),
        line(2, 5),
    ] {
        assert_eq!(crossing(&line(0, 2), &other), None, "{other:?}");
    }
}

fn atoms() -> impl Strategy<Value = Vec<Atom>> {
    // Abscissas over many orders of magnitude, some equal, some close.
    let at = prop_oneof![
        3 => (-12.0..12.0f64).prop_map(f64::exp),
        3 => 1.0..1.01f64,
        2 => prop::sample::select(vec![1.0, 1.005, 3.0]),
    ];
    let drop = (-8.0..4.0f64).prop_map(f64::exp);
    prop::collection::vec((at, drop), 1..40).prop_map(|mut atoms| {
        atoms.sort_by(|a, b| a.0.total_cmp(&b.0));
        atoms.into_iter().map(|(at, drop)| Atom { at, drop }).collect()
    })
}

/// The sum of drop * min(o, at), exactly.
fn value(atoms: &[Atom], o: f64) -> Rational {
    atoms.iter().fold(Rational::ZERO, |sum, atom| sum + exact(atom.drop) * exact(o.min(atom.at)))
}

/// Where an atom comes from matters to neither reducer.
const ANY: Origin = Origin { report: 0, parent: 0 };

fn merged(atoms: &[Atom], tolerance: f64) -> (Vec<Atom>, Vec<f64>) {
    let (mut kept, mut ends) = (Vec::new(), Vec::new());
    let mut merge = Merge::new(tolerance, &mut kept, &mut ends);
    atoms.iter().for_each(|atom| merge.push(atom.at, atom.drop, ANY));
    merge.finish(None);
    (kept, ends)
}

fn split(atoms: &[Atom], tolerance: f64) -> (Vec<Atom>, Vec<f64>) {
    let (mut kept, mut ends) = (Vec::new(), Vec::new());
    let mut split = Split::new(tolerance, &mut kept, &mut ends);
    atoms.iter().for_each(|atom| split.push(atom.at, atom.drop, ANY));
    split.finish(None);
    (kept, ends)
}

/// Every abscissa, and points between and beyond them.
fn abscissas(atoms: &[Atom]) -> Vec<f64> {
    let mut points: Vec<f64> = atoms.iter().map(|atom| atom.at).collect();
    points.extend(atoms.windows(2).map(|pair| 0.5 * (pair[0].at + pair[1].at)));
    points.extend([0.0, 0.5 * atoms[0].at, 2.0 * atoms[atoms.len() - 1].at]);
    points
}

/// How far the span that covers `o` may move the function: by `tolerance` times the geometric mean
/// of its end and 1 + its end.
fn allowed(tolerance: f64, atoms: &[Atom], ends: &[f64], o: f64) -> f64 {
    let beyond = atoms[atoms.len() - 1].at;
    let end = ends.iter().copied().find(|end| *end >= o).unwrap_or(beyond);
    tolerance * (end * (1.0 + end)).sqrt()
}

/// Whether the atoms that are kept move the function up, or down, by no more than they may.
fn check_moved(
    atoms: &[Atom],
    (kept, ends): (Vec<Atom>, Vec<f64>),
    tolerance: f64,
    up: bool,
) -> Result<(), TestCaseError> {
    let slack = if up { 1.0 + 1e-14 } else { 1.0 };
    prop_assert!(kept.windows(2).all(|pair| pair[0].at <= pair[1].at * slack));
    for o in abscissas(atoms) {
        let (before, after) = (value(atoms, o), value(&kept, o));
        let moved = if up { &after - &before } else { &before - &after };
        prop_assert!(moved >= Rational::ZERO, "at {o}");
        let moved = moved.to_f64().value();
        let rounding = 1e-13 * before.to_f64().value();
        prop_assert!(moved <= allowed(tolerance, atoms, &ends, o) + rounding, "at {o}: {moved}");
    }
    Ok(())
}

/// Down to where what a span may cost is below what its rounding costs.
fn tolerance() -> impl Strategy<Value = f64> {
    (-80.0..2.0f64).prop_map(f64::exp)
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn merging_raises_within_the_tolerance(atoms in atoms(), tolerance in tolerance()) {
        check_moved(&atoms, merged(&atoms, tolerance), tolerance, true)?;
    }

    #[test]
    fn splitting_lowers_within_the_tolerance(atoms in atoms(), tolerance in tolerance()) {
        check_moved(&atoms, split(&atoms, tolerance), tolerance, false)?;
    }
}

/// Beside a drop of 1 the sum of tiny ones is lost, or doubles: every addition errs the same way.
#[test]
fn the_rounding_of_long_spans_is_allowed_for() {
    for tiny in [1.1e-16, 1.2e-16] {
        let later = (1..5000).map(|k| Atom { at: 1.0 + 1e-4 * f64::from(k), drop: tiny });
        let atoms: Vec<Atom> = std::iter::once(Atom { at: 1.0, drop: 1.0 }).chain(later).collect();
        let (above, below) = (merged(&atoms, 1e6).0, split(&atoms, 1e6).0);
        assert_eq!((above.len(), below.len()), (1, 1));
        for o in [0.5, 1.0, 1.25, 2.0] {
            let between = value(&atoms, o);
            assert!(value(&above, o) >= between && value(&below, o) <= between, "{tiny} at {o}");
        }
    }
}
