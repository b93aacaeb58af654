//! Remaps that come into force some steps after their decision, over all states.

use super::problems::{Plain, charged_problems, cheaper, figure, finish, prepared, same};
use crate::shared::walk as chain;
use approx::assert_abs_diff_eq;
use proptest::prelude::*;
use remapping::Bounds;
use remapping::chain::Edge;
use remapping::load_drift::{
    Backward, Carry, Control, IntervalOutcome, Intervals, LoadDrift, MapPolicy, Outcome, Ranks,
};
use remapping::overlap::Overlap;

pub fn walk(processors: usize, levels: usize, steps: u64) -> LoadDrift {
    let chain = chain(levels, 0.3, 0.2, Edge::Hold);
    LoadDrift { chain, initial: levels / 2, ..figure(processors, steps, 0.7) }
}

/// The recursion over all states, with that of its bounds.
pub fn found(
    problem: &LoadDrift,
    overlap: Overlap,
    control: Control,
    maps: Option<MapPolicy>,
) -> (Outcome, Bounds) {
    let (states, transition) = prepared(problem);
    let all = (&states, &transition);
    let mut backward = Backward::overlapping(problem, overlap, all, control, Carry::Outcome);
    if let Some(maps) = maps {
        backward = backward.playing(maps);
    }
    let backward = finish(backward);
    let outcome = backward.outcome().unwrap();
    assert_abs_diff_eq!(outcome.value, backward.value());
    (outcome, backward.value_bounds())
}

fn model() -> impl Strategy<Value = (LoadDrift, Overlap)> {
    let late = (0u64..5, prop_oneof![Just(0.0), Just(0.05), 0.0..0.5, Just(1e6)]);
    (charged_problems(), 1u64..9, late).prop_map(|(problem, steps, (late, slowdown))| {
        (LoadDrift { steps, ..problem }, Overlap { steps: late, slowdown })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// The optimal value, and value, work and remaps of rules, are those of the definition.
    #[test]
    fn late_remaps_over_all_states_are_those_of_the_definition(
        (problem, overlap) in model(),
        threshold in 0.0..2.0f64,
    ) {
        let what = format!("{problem:?} {overlap:?}");
        let plain = Plain::new(&problem, overlap);
        let (Outcome { value, .. }, Bounds { lower, upper }) = found(&problem, overlap, Control::Optimal, None);
        let defined = plain.play(&cheaper)[0];
        assert!((value - defined).abs() <= 1e-9 * defined.max(1.0), "{what}: {value} {defined}");
        assert!(lower <= value && value <= upper && upper - lower <= 1e-9 * (1.0 + overlap.slowdown) * value.max(1.0), "{what}");
        // The definition is rounded too.
        let slack = 1e-13 * defined.max(1.0);
        assert!(lower <= defined + slack && defined <= upper + slack, "{what}: {defined}");
        // No threshold is a value of max - mean, up to rounding.
        let threshold = (6.0 * threshold).floor() / 6.0 + 0.01;
        let rule = |_: u64, levels: &[usize], _: f64, _: f64| {
            let (max, mean) = plain.loads(levels);
            max - mean > threshold
        };
        let (given, _) = found(&problem, overlap, Control::Threshold(threshold), None);
        prop_assert!(same(&given, plain.play(&rule), problem.objective), "{what}: {given:?}");
        let (never, _) = found(&problem, overlap, Control::Threshold(f64::INFINITY), None);
        prop_assert!(same(&never, plain.play(&|_, _, _, _| false), problem.objective), "{what}: {never:?}");
    }

    /// Fixed intervals between decisions, by powers of one chain's matrix.
    #[test]
    fn intervals_of_late_remaps_are_those_of_the_definition((problem, overlap) in model()) {
        let what = format!("{problem:?} {overlap:?}");
        let (states, transition) = prepared(&problem);
        let all = (&states, &Ranks::alone());
        let found = Intervals::overlapping(&problem, overlap, all, &transition, 100, &());
        prop_assert_eq!(found.all().len() as u64, problem.steps);
        for IntervalOutcome { interval, outcome } in found.all() {
            let steps = (*interval).max(overlap.steps + 1);
            let defined = Plain::new(&problem, overlap).play(&|moment, _, _, _| moment.is_multiple_of(steps));
            prop_assert!(same(outcome, defined, problem.objective), "{interval} {what}: {outcome:?} {defined:?}");
        }
    }

    /// The maps are optimal: who follows them pays the value.
    #[test]
    fn maps_of_late_remaps_cost_the_value((problem, overlap) in model()) {
        let (states, transition) = prepared(&problem);
        let maps = MapPolicy::solve(&problem, overlap, (&states, &transition), &()).unwrap();
        let (value, what) = (maps.value(), format!("{problem:?} {overlap:?}"));
        let followed = found(&problem, overlap, Control::Optimal, Some(maps)).0.value;
        assert!((value - followed).abs() <= 1e-9 * value.max(1.0), "{what}: {value} {followed}");
    }
}
