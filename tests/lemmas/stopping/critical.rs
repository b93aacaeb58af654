//! Remap costs at which decisions switch.

use super::*;
use crate::thorough::few_or_all;
use approx::abs_diff_eq;
use remapping::stopping::CriticalCost;

fn in_rationals(model: &Model, problem: &Problem) -> Vec<Option<CriticalCost<Rational>>> {
    let running: Vec<Rational> = problem.running().iter().map(|&x| rational(x)).collect();
    critical_costs(&running, &model.rows(), &vec![Rational::ONE; running.len()])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(24, 48)))]

    #[test]
    fn decisions_switch_at_the_critical_costs(model in model(), after in after()) {
        let (_, problem) = model.problem(false, 1.0, AfterRemap::Stop);
        prop_assume!(problem.running().contains(&0.0));
        let critical = in_rationals(&model, &problem);
        for s in [1, problem.states() / 2, problem.states() - 2] {
            let Some(costs) = &critical[s] else { continue };
            let cost = match after {
                AfterRemap::Stop => double(&costs.total),
                AfterRemap::Uniform => double(&costs.uniform),
            };
            let below = model.solve(false, cost * (1.0 - 1e-4), after, Method::Auto);
            let above = model.solve(false, cost * (1.0 + 1e-4), after, Method::Auto);
            prop_assert_eq!((below.letter(s), above.letter(s)), ('R', 'C'));
        }
    }

    #[test]
    fn critical_costs_in_doubles_are_those_in_rationals(model in model()) {
        let (_, problem) = model.problem(false, 1.0, AfterRemap::Stop);
        let exact = in_rationals(&model, &problem);
        let found = critical_costs(problem.running(), &model.doubles(), &vec![1.0; exact.len()]);
        for (exact, found) in exact.iter().zip(&found) {
            prop_assert_eq!(exact.is_some(), found.is_some());
            if let (Some(exact), Some(found)) = (exact, found) {
                let (total, uniform) = (double(&exact.total), double(&exact.uniform));
                prop_assert!(abs_diff_eq!(found.total, total, epsilon = 1e-12 * total));
                prop_assert!(abs_diff_eq!(found.uniform, uniform, epsilon = 1e-11 * total));
            }
        }
    }
}

#[test]
fn critical_costs_of_the_paper_example() {
    let model = Model::paper();
    let (states, problem) = model.problem(false, 1.0, AfterRemap::Stop);
    let critical = in_rationals(&model, &problem);
    let at = |i, j| critical[states.find(&[i, j]).unwrap()].clone().unwrap();
    assert_eq!(at(3, 0).uniform, Rational::from_parts(96697.into(), 24291u32.into()));
    assert_eq!(at(1, 0).total, Rational::from_parts(4.into(), 3u32.into()));
    assert_eq!(at(0, 1), at(1, 0));
    assert_eq!(critical.iter().filter(|cost| cost.is_none()).count(), 6);
}
