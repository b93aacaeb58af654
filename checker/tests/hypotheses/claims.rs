//! Nothing else than what follows may be claimed.

use super::{STOP, WALK, phases, prove, steps, stopping, text, trivial, two};
use remap_checker::{Evidence, Grid, Proof, Refusal, certificate, check};
use std::path::Path;

/// All numbers in a proof.
fn numbers(proof: &mut Proof) -> Vec<&mut f64> {
    match proof {
        Proof::Value(own) | Proof::Average(own) => vec![&mut own.lower, &mut own.upper],
        Proof::Thresholds { steps, value } => {
            let lower = steps.iter_mut().map(|own| &mut own.threshold.lower);
            lower.chain([&mut value.upper]).collect()
        }
        Proof::Map { remap_value, value_gap, value_width, largest_value, classes, vectors } => {
            let vectors = vectors.as_mut().unwrap();
            vec![
                &mut remap_value.lower,
                value_gap,
                value_width,
                &mut largest_value.upper,
                &mut classes.either.upper,
                &mut classes.remap.lower,
                &mut vectors.balanced.upper,
                &mut vectors.continued.lower,
            ]
        }
        Proof::Periods(each) => each.iter_mut().flat_map(numbers).collect(),
        Proof::Cheapest { cost, .. } => vec![&mut cost.upper],
        Proof::Recurring { steps, .. } => {
            let each = steps.iter_mut();
            each.flat_map(|own| [&mut own.to_second.lower, &mut own.to_first.upper]).collect()
        }
        Proof::Longest { .. } => Vec::new(),
    }
}

/// All numbers of steps that a proof may lack.
fn steps_known(proof: &mut Proof) -> Vec<&mut Option<u64>> {
    match proof {
        Proof::Periods(each) => each.iter_mut().flat_map(steps_known).collect(),
        Proof::Cheapest { least, most, .. } => vec![least, most],
        Proof::Longest { kept, broken } => vec![kept, broken],
        _ => Vec::new(),
    }
}

/// Proofs that claim something else.
fn changed(proof: &Proof) -> Vec<Proof> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Proof)| {
        let mut other = proof.clone();
        change(&mut other);
        assert_ne!(other, *proof);
        all.push(other);
    };
    for i in 0..numbers(&mut proof.clone()).len() {
        for next in [f64::next_up, f64::next_down] {
            with(&|other| *numbers(other)[i] = next(*numbers(other)[i]));
        }
    }
    for i in 0..steps_known(&mut proof.clone()).len() {
        with(&|other| *steps_known(other)[i] = None);
        with(&|other| *steps_known(other)[i] = steps_known(other)[i].map(|steps| steps + 1));
    }
    match proof {
        Proof::Thresholds { steps, .. } => (0..steps.len()).for_each(|i| {
            with(&|other| {
                let Proof::Thresholds { steps, .. } = other else { panic!() };
                steps[i].last += 1;
            });
        }),
        Proof::Periods(_) => with(&|other| {
            let Proof::Periods(each) = other else { panic!() };
            each.pop();
        }),
        Proof::Recurring { .. } => with(&|other| {
            let Proof::Recurring { value, average, .. } = other else { panic!() };
            (*value, *average) = (*average, *value);
        }),
        _ => {}
    }
    all
}

#[test]
fn nothing_else_than_what_follows_may_be_claimed() {
    let restart = STOP.replace("Stop", "Restart");
    for (problem, evidence) in [
        (stopping(&two(WALK), STOP), trivial(6, 2)),
        (stopping(&two(WALK), &restart), trivial(6, 2)),
        (phases(("40", "40")), steps(40, Vec::new())),
        (
            format!(
                "LoadDrift(processors: 2, chain: {WALK}, initial_load: 1, steps: 5, remap_cost: 1)"
            ),
            Evidence::LoadDrift,
        ),
        (
            "Periodic(initial_load: 10, changes: Identical(count: 3, law: Steps({-1: 0.5, 1: 0.5})), \
             bound: MaxDeviation(0.2))"
                .to_owned(),
            Evidence::Periodic(1),
        ),
        (
            "Periodic(initial_load: 10, changes: Identical(count: 3, law: Steps({-1: 0.25, 2: 0.75})), \
             bound: MaxDeviation(0.1), periods: 2)"
                .to_owned(),
            Evidence::Periodic(1),
        ),
        (
            "Periodic(initial_load: 10, changes: Identical(count: 3, law: Steps({-1: 0.5, 1: 0.5})), remap_cost: 5)"
                .to_owned(),
            Evidence::Periodic(1),
        ),
        (stopping(&two(WALK), &format!("steps: 7, {STOP}")), Evidence::Stopping(40, Vec::new())),
        (
            stopping("Unbounded(count: 2, up: 0.25, down: 0.25, edge: Hold, shown: 3)", STOP),
            Evidence::Stopping(20, vec![(4, 0, 0), (10, 0, 2 << 20)]),
        ),
        (
            stopping(&two(WALK), &format!("{restart}, partial_remaps: true")),
            trivial(6, 2),
        ),
        (
            "ManyPhases(lifetime: Fixed(4), cycle: [[1, 2], [2, 1]], switch: [[0, 1], [1, 0]], transition: [[0.9, 0.1], \
             [0.1, 0.9]], detector: [[0.9, 0.1], [0.1, 0.9]])"
                .to_owned(),
            Evidence::ManyPhases(Grid { bits: 40, level: 3, sweeps: 0 }),
        ),
        (
            stopping(&two(WALK), "remap_cost: (fixed: 1, per_unit_moved: 0.5), after_remap: Stop"),
            trivial(6, 2),
        ),
    ] {
        let proof = prove(&problem, &evidence).unwrap();
        let sealed = |proof: &Proof| {
            check(&text(&problem), Path::new(""), &certificate(&text(&problem), &evidence, proof))
        };
        assert_eq!(sealed(&proof), Ok(proof.clone()));
        let refusal = Refusal::Unproved("what is claimed is not what follows");
        for other in changed(&proof) {
            assert_eq!(sealed(&other), Err(refusal.clone()), "{other:?}");
        }
        // What another kind of certificate proves.
        assert_eq!(sealed(&Proof::Value((7.0, 7.0).into())), Err(refusal));
    }
}
