//! Remaps so dear that nobody makes one: what going on costs does not depend on them.

use super::*;
use crate::thorough::few_or_all;

/// The largest bounds of all states.
fn dearest(solution: &Solution, states: usize) -> [f64; 2] {
    let all = (0..states).map(|s| solution.bounds(s));
    all.fold([0.0; 2], |[low, high], b| [f64::max(low, b.lower), f64::max(high, b.upper)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(12, 64)))]

    #[test]
    fn what_going_on_costs_does_not_depend_on_a_remap_that_nobody_makes(
        levels in 2..12usize,
        moves in prop::collection::vec([0.05..0.5f64, 0.05..0.5], 2..4),
        digits in 5.0..28.0f64,
        method in prop_oneof![Just(Method::Auto), Just(Method::Policy)],
    ) {
        let walk = |&[up, down]: &[f64; 2]| shared::walk(levels, up, down, Edge::Hold);
        let model = Model::of(moves.iter().map(walk).collect());
        let cheap = 1e7;
        let known = model.solve(true, cheap, AfterRemap::Stop, Method::Value);
        let states = known.problem.states();
        let [least, most] = dearest(&known.solution, states);
        prop_assume!(known.solution.status == Status::Converged && most < cheap);
        let dear = 10f64.powf(digits).max(2.0 * most);
        let found = model.solve(true, dear, AfterRemap::Stop, method);
        prop_assert_eq!(found.solution.status, Status::Converged);
        prop_assert_eq!(found.solution.remap_value, dear);
        let [low, high] = dearest(&found.solution, states);
        prop_assert!(low <= most && least <= high, "{low} {high} {least} {most}");
        prop_assert!(high - low <= 1e-9 * dear);
        for s in 0..states {
            let decision = found.solution.decision(&found.problem, s);
            prop_assert!(decision != Decision::Remap && !found.is_tie(s));
        }
    }
}
