//! Hypotheses of stopping: models, bounds on values, regions.

use super::{STOP, UNIFORM, WALK, is_model_error, prove, stopping, trivial, two};
use remap_checker::{Evidence, Proof, Refusal};

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
    // Loads 0 or 1 and loads 5 or 6 are never balanced; where a remap leads to random ones at no
    // cost, any lower bound that is the same everywhere is its own image.
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
