//! One forged certificate for each hypothesis of docs/certificates.md: it breaks that one alone, and would prove
//! something false if nobody looked.

use remap_checker::phase_change::Steps;
use remap_checker::{Evidence, Grid, Model, Proof, Refusal, certificate, check};
use std::path::Path;

fn text(problem: &str) -> String {
    format!("Model(title: \"t\", problem: {problem})")
}

fn prove(problem: &str, evidence: &Evidence) -> Result<Proof, Refusal> {
    Model::read(&text(problem), Path::new(""))?.prove(evidence)
}

fn stopping(processes: &str, more: &str) -> String {
    format!("Stopping(processes: {processes}, {more})")
}

const STOP: &str = "remap_cost: 2, after_remap: Stop";
const UNIFORM: &str = "remap_cost: 2, after_remap: Uniform";
const WALK: &str = "Walk(levels: 3, up: 0.25, down: 0.25, edge: Hold)";

/// Nothing is below 0 and nothing above the cost of a remap: that holds in any number of states.
fn trivial(states: u64, most: u64) -> Evidence {
    Evidence::Stopping(20, vec![(states, 0, most << 20)])
}

fn two(chain: &str) -> String {
    format!("Identical(count: 2, chain: {chain})")
}

#[track_caller]
fn is_model_error(problem: &str) {
    let found = Model::read(&text(problem), Path::new(""));
    assert!(matches!(found, Err(Refusal::Model(_))), "{problem}");
}

// Models.

#[test]
fn probabilities_and_rows_must_be_some() {
    let matrix = |rows: &str| stopping(&two(&format!("Matrix(rows: [{rows}])")), STOP);
    assert!(prove(&matrix("[0.5, 0.5], [0.5, 0.5]"), &trivial(3, 2)).is_ok());
    for rows in [
        "[1.5, -0.5], [0.5, 0.5]",
        "[0.5, 0.5000001], [0.5, 0.5]",
        "[0.5, 0.4999999], [0.5, 0.5]",
        "[0.5, 0.5], [0.5, 0.5, 0]",
        "[0.5, 0.5], [1]",
        "[1]",
    ] {
        is_model_error(&matrix(rows));
    }
    for (up, down) in [("[1, 0.5]", "[0, 1]"), ("[1, 0]", "[0.5, 1]"), ("[0.7, 0]", "[0, 1.5]")] {
        is_model_error(&stopping(&two(&format!("BirthDeath(up: {up}, down: {down})")), STOP));
    }
}

#[test]
fn capacities_must_be_positive_and_joint_loads_as_many() {
    is_model_error(&stopping(&two(WALK), &format!("capacities: [1, 0], {STOP}")));
    is_model_error(&stopping(&two(WALK), &format!("capacities: [1], {STOP}")));
    let joint = |loads: &str| {
        stopping(
            &format!("Joint(loads: [{loads}], transition: Dense([[0.5, 0.5], [0.5, 0.5]]))"),
            STOP,
        )
    };
    assert!(prove(&joint("[0, 1], [1, 1]"), &trivial(2, 2)).is_ok());
    is_model_error(&joint("[0, 1], [0, 1, 1]"));
}

// Equal processes: what is lumped has fewer states.

#[test]
fn processes_that_are_not_equal_are_not_lumped() {
    let capacities = |list: &str| stopping(&two(WALK), &format!("capacities: {list}, {STOP}"));
    let distinct = |other: &str| stopping(&format!("Distinct([{WALK}, {other}])"), STOP);
    assert!(prove(&capacities("[1, 1]"), &trivial(6, 2)).is_ok());
    assert!(prove(&distinct(WALK), &trivial(6, 2)).is_ok());
    for problem in [capacities("[1, 2]"), distinct(&WALK.replace("up: 0.25", "up: 0.2500001"))] {
        assert_eq!(prove(&problem, &trivial(6, 2)), Err(Refusal::Malformed), "{problem}");
        assert!(prove(&problem, &trivial(9, 2)).is_ok(), "{problem}");
    }
}

#[test]
fn processes_that_move_further_or_whose_rows_miss_one_are_not_lumped() {
    let matrix = |rows: &str| stopping(&two(&format!("Matrix(rows: [{rows}])")), STOP);
    let near = "[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]";
    assert!(prove(&matrix(near), &trivial(6, 2)).is_ok());
    for rows in [
        near.replace("[0.5, 0.5, 0]", "[0.5, 0, 0.5]"),
        near.replace("[0.5, 0.5, 0]", "[0.5, 0.4999999999, 0]"),
        near.replace("[0.5, 0.5, 0]", "[0.5, 0.5000000001, 0]"),
    ] {
        assert_eq!(prove(&matrix(&rows), &trivial(6, 2)), Err(Refusal::Malformed), "{rows}");
        assert!(prove(&matrix(&rows), &trivial(9, 2)).is_ok(), "{rows}");
    }
}

// Optimal stopping.

#[test]
fn lower_and_upper_values_must_be_moved_towards_each_other() {
    let problem = stopping(&two(WALK), STOP);
    let unproved = Err(Refusal::Unproved("the values do not enclose the optimal cost"));
    // More than a remap costs, and less than nothing is lost.
    assert_eq!(prove(&problem, &Evidence::Stopping(20, vec![(6, 3 << 20, 0)])), unproved);
    assert_eq!(prove(&problem, &Evidence::Stopping(20, vec![(6, 0, 0)])), unproved);
    // Something where the loads are balanced: the first state.
    let runs = vec![(1, 1 << 19, 2 << 20), (5, -(1 << 19), 2 << 20)];
    assert_eq!(prove(&problem, &Evidence::Stopping(20, runs)), unproved);
}

#[test]
fn costs_of_free_remaps_that_never_end_are_nothing() {
    // Loads 0 or 1 beside loads 5 or 6 are never balanced; where a remap leads to random ones at no cost, any
    // lower bound that is the same everywhere is its own image.
    let chain = |lowest: i64| {
        format!("Walk(lowest: {lowest}, levels: 2, up: 0.25, down: 0.25, edge: Hold)")
    };
    let problem = |lowest: i64, more: &str| {
        stopping(&format!("Distinct([{}, {}])", chain(0), chain(lowest)), more)
    };
    let free = "remap_cost: 0, after_remap: Uniform";
    let equal = |value: i64| Evidence::Stopping(20, vec![(4, value << 20, 0)]);
    assert!(prove(&problem(5, free), &equal(1)).is_err());
    assert!(prove(&problem(5, free), &equal(0)).is_ok());
    // Where it costs something, nothing ends it.
    is_model_error(&problem(5, UNIFORM));
    // Where loads may be balanced, the values of those are 0.
    let lumped = Evidence::Stopping(20, vec![(3, 1 << 20, 0)]);
    assert!(prove(&problem(0, free), &lumped).is_err());
}

/// Nothing is paid where loads are balanced, and integers decide where that is.
#[test]
fn loads_that_are_nearly_balanced_cost_something() {
    let balanced = |capacities: &str, states: u64| {
        let problem = stopping(&two(WALK), &format!("capacities: {capacities}, {STOP}"));
        let Proof::Map { classes, .. } = prove(&problem, &trivial(states, 2)).unwrap() else {
            panic!()
        };
        classes.balanced.upper
    };
    assert_eq!(balanced("[1, 1]", 6), 3.0);
    assert_eq!(balanced("[1, 2]", 9), 2.0);
    for near in ["[1, 1.000000001]", "[0.1, 0.1000000000000001]"] {
        assert_eq!(balanced(near, 9), 1.0, "{near}");
    }
    // That nothing is paid there proves nothing.
    let problem = stopping(&two(WALK), &format!("capacities: [1, 1.000000001], {STOP}"));
    let free = Evidence::Stopping(50, vec![(1, 0, 0), (3, 0, 2 << 50), (1, 0, 0), (4, 0, 2 << 50)]);
    assert!(matches!(prove(&problem, &free), Err(Refusal::Unproved(_))));
}

// Regions.

#[test]
fn regions_need_rows_that_sum_to_one() {
    let region = |chain: &str| {
        let balanced = (0..2).map(|level| (vec![level; 2], 2 << 20, 4));
        let rest = [(vec![0, 1], 2 << 20, 2 << 20)];
        prove(&stopping(&two(chain), STOP), &Evidence::Region(20, balanced.chain(rest).collect()))
    };
    assert!(region("Matrix(rows: [[0.5, 0.5], [0.5, 0.5]])").is_ok());
    for rows in ["[0.5, 0.4999999999], [0.5, 0.5]", "[0.5, 0.5], [0.5000000001, 0.5]"] {
        assert_eq!(region(&format!("Matrix(rows: [{rows}])")), Err(Refusal::Malformed), "{rows}");
    }
}

// Phase change.

fn phases(change: (&str, &str)) -> String {
    let problem = "PhaseChange(lifetime: Fixed(40), cycle: (before: 1, after: 2, remapped: 1), remap: (test: 3, \
                   install: 1), detector: (false_alarm: 0.2, missed: 0.1), hazard: Constant(0.05), premature: Revert)";
    assert!(problem.contains(change.0));
    problem.replace(change.0, change.1)
}

fn steps(last: usize, more: Vec<Steps>) -> Evidence {
    let on = Steps::On(vec![(1 << 44) / 512; 511]);
    let all = [vec![on], vec![Steps::On(Vec::new()); last], more].concat();
    Evidence::PhaseChange(50, all)
}

#[test]
fn steps_that_are_not_alike_are_not_taken_at_once() {
    let rest = || steps(20, vec![Steps::Rest(20)]);
    assert!(prove(&phases(("40", "40")), &rest()).is_ok());
    let hazards = |other: &str| {
        let list = [vec!["0.05"; 10], vec![other], vec!["0.05"; 29]].concat().join(", ");
        phases(("Constant(0.05)", &format!("PerStep([{list}])")))
    };
    assert!(prove(&hazards("0.05"), &rest()).is_ok());
    let unlike = Err(Refusal::Unproved("the steps are not alike"));
    for problem in [
        hazards("0.06"),
        phases(("Fixed(40)", "Uniform(first: 10, last: 40)")),
        phases(("Fixed(40)", "Pmf({10: 0.5, 40: 0.5})")),
        phases(("Revert", "Keep(before_remapped: 1.5)")),
    ] {
        assert_eq!(prove(&problem, &rest()), unlike, "{problem}");
    }
}

#[test]
fn numbers_of_a_change_of_phase_must_be_what_they_stand_for() {
    for change in [
        ("false_alarm: 0.2", "false_alarm: 1.2"),
        ("missed: 0.1", "missed: -0.1"),
        ("Constant(0.05)", "Constant(1.05)"),
        ("before: 1", "before: -1"),
        ("test: 3", "test: -3"),
        ("install: 1", "install: -1"),
        ("Revert", "Keep(before_remapped: 0.9)"),
        (
            "(false_alarm: 0.2, missed: 0.1)",
            "Levels([(before: 0.5, after: 0.5), (before: 0.5, after: 0.6)])",
        ),
        (
            "(false_alarm: 0.2, missed: 0.1)",
            "Levels([(before: 1.5, after: 0.5), (before: -0.5, after: 0.5)])",
        ),
        ("Fixed(40)", "Pmf({10: 0.5, 40: 0.6})"),
    ] {
        is_model_error(&phases(change));
    }
}

#[test]
fn lines_that_become_steeper_are_not_at_rest() {
    // Next to the end remapping does not pay even where the change is certain, and each step makes it worse not to.
    let problem = phases(("40", "40"));
    let rest = |held: u64| prove(&problem, &steps(held as usize, vec![Steps::Rest(40 - held)]));
    assert_eq!(rest(0), Err(Refusal::Unproved("the upper function changes its slope")));
    assert!(rest(30).is_ok());
}

// Drifting loads.

#[test]
fn loads_that_drift_are_not_negative_and_begin_within_the_levels() {
    let drift = |chain: &str, initial: i64| {
        format!(
            "LoadDrift(processors: 2, chain: {chain}, initial_load: {initial}, steps: 5, remap_cost: 1)"
        )
    };
    assert!(prove(&drift(WALK, 1), &Evidence::LoadDrift).is_ok());
    for initial in [-1, 3] {
        is_model_error(&drift(WALK, initial));
    }
    is_model_error(&drift("Walk(lowest: -1, levels: 3, up: 0.25, down: 0.25, edge: Hold)", 0));
}

// Claims.

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
