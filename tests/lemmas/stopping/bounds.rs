//! Bounds contain the exact solution, whatever the method.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn bounds_contain_the_exact_solution(model in model(), rho in 1..60u8, after in after()) {
        let rho = f64::from(rho) / 4.0;
        check_against_exact(&model, rho, after, Method::Auto);
    }

    #[test]
    fn all_methods_agree(model in model(), rho in 0.1..20.0f64, after in after()) {
        let all = [Method::Auto, Method::Value, Method::Policy];
        let solved = all.map(|method| model.solve(true, rho, after, method));
        for other in &solved[1..] {
            let scale = other.solution.remap_value.max(1.0);
            for s in 0..other.problem.states() {
                let difference = solved[0].solution.value(s) - other.solution.value(s);
                prop_assert!(difference.abs() <= 1e-9 * scale);
            }
        }
    }

    #[test]
    fn uniform_is_stop_at_its_total_cost(model in model(), rho in 0.1..10.0f64) {
        let uniform = model.solve(false, rho, AfterRemap::Uniform, Method::Auto);
        let total = uniform.solution.remap_value;
        let stop = model.solve(false, total, AfterRemap::Stop, Method::Auto);
        for s in 0..stop.problem.states() {
            let difference = stop.solution.value(s) - uniform.solution.value(s);
            prop_assert!(difference.abs() <= 1e-7 * total.max(1.0));
        }
    }
}

#[test]
fn the_paper_example_is_enclosed_exactly() {
    for rho in 1..=16 {
        for after in [AfterRemap::Stop, AfterRemap::Uniform] {
            for method in [Method::Auto, Method::Value, Method::Policy] {
                check_against_exact(&Model::paper(), f64::from(rho), after, method);
            }
        }
    }
}

/// Two walks on `levels` levels that drift apart, so that they balance about once in 2^(bits
/// levels) steps.
fn apart(levels: usize, bits: i32) -> Model {
    let walk = |up: f64, down: f64| shared::walk(levels, up, down, Edge::Hold);
    let rare = 0.5f64.powi(bits);
    Model::of(vec![walk(0.5, rare), walk(rare, 0.5)])
}

#[test]
fn costs_far_above_the_running_cost_are_enclosed() {
    // R / psi times the unit of rounding exceeds the tolerance: only a weighted proof will do.
    for (levels, bits, after, rho) in [
        (4, 10, AfterRemap::Stop, 1e6),
        (4, 10, AfterRemap::Stop, 1e7),
        (5, 10, AfterRemap::Stop, 1e8),
        (5, 10, AfterRemap::Stop, 1e9),
        (5, 12, AfterRemap::Stop, 1e10),
        (6, 10, AfterRemap::Stop, 1e10),
        (4, 8, AfterRemap::Uniform, 50.0),
        (5, 6, AfterRemap::Uniform, 9.0),
    ] {
        for method in [Method::Auto, Method::Policy] {
            check_against_exact(&apart(levels, bits), rho, after, method);
        }
    }
}

#[test]
fn a_remap_that_costs_nothing_is_always_taken() {
    let solved = Model::paper().solve(true, 0.0, AfterRemap::Uniform, Method::Auto);
    assert_eq!(solved.solution.remap_value, 0.0);
    assert!(solved.map().chars().all(|letter| letter != 'C'));
    assert!((0..solved.problem.states()).all(|s| solved.solution.value(s) == 0.0));
}

#[test]
fn dense_factors_give_the_answer_of_birth_death_ones() {
    let dense = BirthDeath::walk(6, 0.25, 0.25, Edge::Reflect).unwrap().rows();
    let dense = ProcessChain::Dense(Dense::new(&dense).unwrap());
    let mixed = Model::of(vec![walk(6), dense]);
    let a = mixed.solve(true, 5.0, AfterRemap::Uniform, Method::Auto);
    let b = Model::paper().solve(false, 5.0, AfterRemap::Uniform, Method::Auto);
    assert_eq!(a.map(), b.map());
}

#[test]
fn uniform_without_a_balanced_state_is_refused() {
    // Loads 1 or 2 on capacities 1 and 3 are never in proportion.
    let mut model = Model::new(vec![walk(2); 2], &[1, 3], RunningCost::MaxMinusMean);
    model.processes.iter_mut().for_each(|process| process.lowest = 1);
    let (states, operator) = model.states(false);
    let refused = Problem::new(&states, operator, &model.imbalance, 1.0, AfterRemap::Uniform);
    assert!(refused.is_err());
}
