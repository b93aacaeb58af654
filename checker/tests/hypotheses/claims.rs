//! Nothing else than what follows may be claimed.

use super::{STOP, WALK, phases, prove, steps, stopping, text, trivial, two};
use remap_checker::{Evidence, Grid, Proof, Refusal, certificate, check};
use std::path::Path;

/// All numbers in a proof, changed one by one.
fn changed(proof: &Proof) -> Vec<Proof> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Proof)| {
        let mut other = proof.clone();
        change(&mut other);
        assert_ne!(other, *proof);
        all.push(other);
    };
    match proof {
        Proof::Value(_) | Proof::Average(_) => {
            for (end, by) in [(0, 1.0), (1, -1.0)] {
                with(&|other| {
                    let (Proof::Value(own) | Proof::Average(own)) = other else { panic!() };
                    *(if end == 0 { &mut own.lower } else { &mut own.upper }) += by;
                });
            }
        }
        Proof::Thresholds { steps, .. } => {
            for i in 0..steps.len() {
                with(&|other| {
                    let Proof::Thresholds { steps, .. } = other else { panic!() };
                    let own = &mut steps[i].threshold;
                    own.lower = own.lower.next_up();
                });
                with(&|other| {
                    let Proof::Thresholds { steps, .. } = other else { panic!() };
                    steps[i].last += 1;
                });
            }
            with(&|other| {
                let Proof::Thresholds { value, .. } = other else { panic!() };
                value.upper = value.upper.next_down();
            });
        }
        Proof::Map { .. } => {
            fn parts(proof: &mut Proof) -> [&mut f64; 8] {
                let Proof::Map {
                    remap_value,
                    value_gap,
                    value_width,
                    largest_value,
                    classes,
                    vectors,
                } = proof
                else {
                    panic!()
                };
                let vectors = vectors.as_mut().unwrap();
                [
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
            (0..8).for_each(|i| with(&|other| *parts(other)[i] += 1.0));
        }
        Proof::Periods(each) => {
            for i in 0..each.len() {
                for other in changed(&each[i]) {
                    with(&|proof| {
                        let Proof::Periods(each) = proof else { panic!() };
                        each[i] = other.clone();
                    });
                }
            }
            with(&|proof| {
                let Proof::Periods(each) = proof else { panic!() };
                each.pop();
            });
        }
        Proof::Cheapest { .. } => {
            for change in 0..3 {
                with(&|other| {
                    let Proof::Cheapest { least, most, cost } = other else { panic!() };
                    match change {
                        0 => *least = None,
                        1 => *most = most.map(|steps| steps - 1),
                        _ => cost.upper = cost.upper.next_down(),
                    }
                });
            }
        }
        Proof::Recurring { steps, .. } => {
            for i in 0..steps.len() {
                with(&|other| {
                    let Proof::Recurring { steps, .. } = other else { panic!() };
                    steps[i].to_second.lower = steps[i].to_second.lower.next_up();
                });
                with(&|other| {
                    let Proof::Recurring { steps, .. } = other else { panic!() };
                    steps[i].to_first.upper = steps[i].to_first.upper.next_down();
                });
            }
            with(&|other| {
                let Proof::Recurring { value, average, .. } = other else { panic!() };
                (*value, *average) = (*average, *value);
            });
        }
        Proof::Longest { .. } => {
            for change in 0..4 {
                with(&|other| {
                    let Proof::Longest { kept, broken } = other else { panic!() };
                    match change {
                        0 => *kept = kept.map(|steps| steps + 1),
                        1 => *kept = None,
                        2 => *broken = broken.map(|step| step - 1),
                        _ => *broken = None,
                    }
                });
            }
        }
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
