//! The structure of J, and what it lacks.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn stopping_sets_shrink_and_cost_is_concave_and_lipschitz(
        model in model(), rho in 0.5..10.0f64, step in 0.1..3.0f64,
    ) {
        let at = |k: f64| model.solve(true, rho + k * step, AfterRemap::Stop, Method::Auto);
        let [low, middle, high] = [at(0.0), at(1.0), at(2.0)];
        let slack = 1e-8 * (rho + 2.0 * step);
        for s in 0..low.problem.states() {
            let [a, b, c] = [&low, &middle, &high].map(|solved| solved.solution.value(s));
            prop_assert!(a <= b + slack && b <= c + slack, "nondecreasing");
            prop_assert!(b - a <= step + slack && c - b <= step + slack, "Lipschitz");
            prop_assert!(b - a >= c - b - slack, "concave");
            let tie = low.is_tie(s) || middle.is_tie(s);
            prop_assert!(tie || middle.letter(s) != 'R' || low.letter(s) == 'R', "nested");
            prop_assert!(b <= middle.solution.remap_value + slack);
        }
    }

    #[test]
    fn states_that_stop_pay_more_than_balance_can_save(model in model(), rho in 0.5..10.0f64) {
        // The stopping set lies in {psi >= R P(balanced)}.
        let solved = model.solve(true, rho, AfterRemap::Stop, Method::Auto);
        let (_, operator) = model.states(true);
        let balanced = solved.problem.running().iter();
        let balanced: Vec<f64> =
            balanced.map(|&psi| if psi == 0.0 { 1.0 } else { 0.0 }).collect();
        let mut absorb = balanced.clone();
        operator.apply_into(&balanced, &mut absorb);
        for (s, absorb) in absorb.iter().enumerate() {
            if solved.letter(s) == 'R' && !solved.is_tie(s) {
                prop_assert!(solved.problem.running()[s] >= rho * absorb - 1e-9);
            }
        }
    }
}

#[test]
fn one_sweep_does_not_contract_in_the_maximum_norm() {
    // The Lipschitz modulus of the Bellman operator is exactly 1: far from balance, adding a
    // constant to J adds the same constant to its image.
    let (states, operator) = Model::paper().states(false);
    let unbalanced: Vec<f64> =
        (0..36).map(|s| if states.loads(s)[0] == states.loads(s)[1] { 0.0 } else { 1.0 }).collect();
    let mut image = vec![0.0; 36];
    operator.apply_into(&unbalanced, &mut image);
    assert_eq!(image[states.find(&[5, 0]).unwrap()], 1.0);
}

#[test]
fn cost_is_not_a_function_of_the_difference() {
    let solved = Model::paper().solve(false, 5.0, AfterRemap::Uniform, Method::Auto);
    let j = |i, j| solved.solution.value(solved.states.find(&[i, j]).unwrap());
    assert!((j(3, 0) - j(4, 1)).abs() > 1e-3);
}
