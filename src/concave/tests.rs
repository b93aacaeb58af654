//! Reducers with fixed spans: bounds to the last bit, checked in exact fractions.

use super::Atom;
use super::bracket::{Origin, Reduce};
use super::held::{Cells, Gather, Spread};
use crate::Rational;
use crate::rounding::Grain;
use proptest::prelude::*;

fn exact(value: f64) -> Rational {
    Rational::try_from(value).expect("finite")
}

/// The sum of drop * min(o, at), exactly.
fn value(atoms: &[Atom], o: f64) -> Rational {
    atoms.iter().fold(Rational::ZERO, |sum, atom| sum + exact(atom.drop) * exact(o.min(atom.at)))
}

/// Totals of drop, and of drop times abscissa.
fn totals(atoms: &[Atom]) -> [f64; 2] {
    let drop = atoms.iter().map(|atom| atom.drop).sum();
    [drop, atoms.iter().map(|atom| atom.drop * atom.at).sum()]
}

/// Ascending abscissas, some equal.
fn abscissas(most: usize) -> impl Strategy<Value = Vec<f64>> {
    let at = prop_oneof![
        3 => (-9.0..9.0f64).prop_map(f64::exp),
        2 => 1.0..1.01f64,
        2 => prop::sample::select(vec![1.0, 1.005, 3.0]),
    ];
    prop::collection::vec(at, 1..most).prop_map(|mut list| {
        list.sort_by(f64::total_cmp);
        list
    })
}

fn atoms(most: usize) -> impl Strategy<Value = Vec<Atom>> {
    let drops = prop::collection::vec((-8.0..4.0f64).prop_map(f64::exp), most);
    (abscissas(most), drops).prop_map(|(list, drops)| {
        list.into_iter().zip(drops).map(|(at, drop)| Atom { at, drop }).collect()
    })
}

fn grain() -> impl Strategy<Value = Grain> {
    prop_oneof![Just(Grain::FINE), Just(Grain::of(1e-12)), Just(Grain::of(1e-6))]
}

/// Every abscissa, and points between and beyond them.
fn probes(atoms: &[Atom]) -> Vec<f64> {
    let mut list: Vec<f64> = atoms.iter().map(|atom| atom.at).collect();
    list.sort_by(f64::total_cmp);
    list.extend(list.clone().windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
    list.extend([1e-9, 1e9]);
    list
}

fn origin(parent: usize) -> Origin {
    Origin { report: 0, parent }
}

fn close_to(one: [f64; 2], other: [f64; 2], relative: f64) -> bool {
    one.iter().zip(&other).all(|(a, b)| (a - b).abs() <= relative * a.abs().max(b.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// For any movement of the atoms since their cells were assigned.
    #[test]
    fn gathering_never_lowers(
        atoms in atoms(30), ends in abscissas(8), grain in grain(), farther in 1.0..9.0f64,
        drift in prop::collection::vec(0.5..2.0f64, 30), drifts: bool,
    ) {
        let mut cells = Cells::new(ends.clone());
        cells.assign(1, atoms.len(), |_, parent| atoms[parent].at);
        let mut before = atoms.clone();
        if drifts {
            before.iter_mut().zip(drift).for_each(|(atom, factor)| atom.at *= factor);
        }
        let mut kept = vec![Atom { at: 1e-3, drop: 1.0 }];
        let mut gather = Gather::new(&cells, grain, &mut kept);
        before.iter().enumerate().for_each(|(i, atom)| gather.push(atom.at, atom.drop, origin(i)));
        let last = before.iter().fold(0.0, |last: f64, atom| last.max(atom.at));
        let end = Atom { at: farther * last, drop: 0.3 };
        let mut raised = end;
        gather.finish(Some(&mut raised));
        // Existing atoms remain; cells keep their positions, full or empty.
        prop_assert_eq!(kept.remove(0), Atom { at: 1e-3, drop: 1.0 });
        prop_assert_eq!(kept.len(), ends.len() + 1);
        kept.push(raised);
        before.push(end);
        prop_assert!(kept.is_sorted_by(|a, b| a.at <= b.at));
        for o in probes(&before) {
            prop_assert!(value(&kept, o) >= value(&before, o), "at {o}");
        }
        prop_assert!(close_to(totals(&kept), totals(&before), 1e-5));
        if grain == Grain::FINE {
            prop_assert!(close_to(totals(&kept), totals(&before), 1e-13));
        }
    }

    #[test]
    fn spreading_never_raises(
        atoms in atoms(30), nodes in abscissas(8), grain in grain(), farther in 1.0..9.0f64, ends: bool,
    ) {
        let mut nodes = nodes;
        nodes.dedup();
        let mut kept = Vec::new();
        let mut spread = Spread::new(&nodes, grain, &mut kept);
        atoms.iter().enumerate().for_each(|(i, atom)| spread.push(atom.at, atom.drop, origin(i)));
        let mut before = atoms.clone();
        if ends {
            let end = Atom { at: farther * atoms[atoms.len() - 1].at, drop: 0.3 };
            let mut lowered = end;
            spread.finish(Some(&mut lowered));
            kept.push(lowered);
            before.push(end);
        } else {
            spread.finish(None);
        }
        prop_assert!(kept.is_sorted_by(|a, b| a.at <= b.at));
        for o in probes(&before) {
            prop_assert!(value(&kept, o) <= value(&before, o), "at {o}");
        }
        // Drops lose only what moves to 0; the moment loses what ends at no node.
        if ends {
            let relative = if grain == Grain::FINE { 1e-13 } else { 1e-5 };
            let [_, moment] = totals(&before);
            prop_assert!((totals(&kept)[1] - moment).abs() <= relative * moment);
        }
    }
}

/// Relative to a drop of 1 the tiny ones are lost or doubled: every addition errs in the same
/// direction.
#[test]
fn the_rounding_of_full_cells_is_allowed_for() {
    for tiny in [1.1e-16, 1.2e-16] {
        let later = (1..5000).map(|k| Atom { at: 1.0 + 1e-4 * f64::from(k), drop: tiny });
        let before: Vec<Atom> = std::iter::once(Atom { at: 1.0, drop: 1.0 }).chain(later).collect();
        let mut cells = Cells::new(Vec::new());
        cells.assign(1, before.len(), |_, parent| before[parent].at);
        let mut kept = Vec::new();
        let mut gather = Gather::new(&cells, Grain::FINE, &mut kept);
        before.iter().enumerate().for_each(|(i, atom)| gather.push(atom.at, atom.drop, origin(i)));
        gather.finish(None);
        for o in [0.5, 1.0, 1.25, 2.0] {
            assert!(value(&kept, o) >= value(&before, o), "{tiny} at {o}");
        }
    }
}
