//! Hypotheses of changes of phase, and of loads that drift.

use super::{WALK, is_model_error, phases, prove, steps};
use remap_checker::phase_change::Steps;
use remap_checker::{Evidence, Refusal};

#[test]
fn numbers_of_a_change_of_phase_must_be_what_they_stand_for() {
    for change in [
        ("false_alarm: 0.2", "false_alarm: 1.2"),
        ("false_alarm: 0.2", "false_alarm: -0.1"),
        ("missed: 0.1", "missed: -0.1"),
        ("Constant(0.05)", "Constant(1.05)"),
        ("Constant(0.05)", "Constant(-0.05)"),
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
    // Next to the end remapping does not pay even where the change is certain, and each step makes
    // it worse not to.
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
