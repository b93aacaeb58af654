//! What rules cost where a remap ends the cost: against fractions, and sample paths.

use super::*;
use approx::abs_diff_eq;
use remapping::simulate::Estimate;
use remapping::stopping::{Once, Player};

fn mean(f: &[Rational]) -> Rational {
    f.iter().fold(Rational::ZERO, |sum, f| sum + f) / Rational::from(f.len() as i64)
}

/// The mean cost of remapping in these states, in fractions; `None` where it is infinite.
fn by_elimination(
    rows: &[Vec<Rational>],
    psi: &[f64],
    remaps: &[bool],
    rho: f64,
    after: AfterRemap,
) -> Option<Rational> {
    let n = psi.len();
    let goes_on = |s: usize| psi[s] > 0.0 && !remaps[s];
    // From where the end is in reach, in at most n steps.
    let mut reached: Vec<bool> = (0..n).map(|s| !goes_on(s)).collect();
    for _ in 0..n {
        reached = (0..n)
            .map(|s| reached[s] || (0..n).any(|t| rows[s][t] > Rational::ZERO && reached[t]))
            .collect();
    }
    if reached.contains(&false) {
        return None;
    }
    let j = of_policy(rows, psi, remaps, &rational(rho), after);
    Some(mean(&j[..n]))
}

/// The same of remapping after so many steps.
fn by_ages(
    rows: &[Vec<Rational>],
    psi: &[f64],
    steps: u64,
    rho: f64,
    after: AfterRemap,
) -> Option<Rational> {
    let n = psi.len();
    let (mut cost, mut remaps) = (vec![Rational::ZERO; n], vec![Rational::ZERO; n]);
    let open = |s: &usize| psi[*s] > 0.0;
    (0..n).filter(open).for_each(|s| remaps[s] = Rational::ONE);
    for _ in 0..steps {
        let expect = |f: &[Rational], s: usize| {
            rows[s].iter().zip(f).fold(Rational::ZERO, |sum, (p, f)| sum + p * f)
        };
        let (mut next, mut later) = (vec![Rational::ZERO; n], vec![Rational::ZERO; n]);
        for s in (0..n).filter(open) {
            next[s] = rational(psi[s]) + expect(&cost, s);
            later[s] = expect(&remaps, s);
        }
        (cost, remaps) = (next, later);
    }

    let (cost, again) = (mean(&cost), mean(&remaps));
    let once = cost + rational(rho) * &again;
    match after {
        AfterRemap::Stop => Some(once),
        AfterRemap::Uniform if again == Rational::ONE => None,
        AfterRemap::Uniform => Some(once / (Rational::ONE - again)),
    }
}

fn agree(found: f64, exact: Option<Rational>) -> Result<(), TestCaseError> {
    let exact = exact.map_or(f64::INFINITY, |exact| double(&exact));
    let close = match exact.is_infinite() {
        true => found == exact,
        false => abs_diff_eq!(found, exact, epsilon = 1e-8 * exact.max(1e-6)),
    };
    prop_assert!(close, "{found} {exact}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rules_cost_what_they_do_in_fractions(
        model in model(),
        rho in 1u8..20,
        after in after(),
        bits in prop::collection::vec(any::<bool>(), 64),
        steps in 1u64..9,
    ) {
        let rho = f64::from(rho) / 4.0;
        for lump in [false, true] {
            let (states, operator) = model.states(lump);
            let posed = Problem::new(&states, operator, &model.imbalance, rho, after);
            let Ok(problem) = posed else { return Ok(()) };
            let (whole, _) = model.states(false);
            let remaps: Vec<bool> = (0..states.count()).map(|s| bits[s % 64]).collect();
            let all: Vec<bool> = (0..whole.count()).map(|s| remaps[states.find(&whole.loads(s)).unwrap()]).collect();
            let psi: Vec<f64> = (0..whole.count()).map(|s| model.imbalance.cost(&whole.loads(s))).collect();
            let once = Once::new(&states, &problem);
            let rows = model.rows();
            let found = once.cost(&remaps, &()).unwrap();
            agree(found, by_elimination(&rows, &psi, &all, rho, after))?;
            let costs = once.costs_of_intervals(steps, &()).unwrap();
            for (steps, found) in (1..).zip(costs) {
                agree(found, by_ages(&rows, &psi, steps, rho, after))?;
            }
            // The best interval is the best of very many, or never.
            let never = once.cost(&vec![false; states.count()], &());
            let best = once.best_interval(never, 3_000, &()).unwrap();
            let least = once.costs_of_intervals(500, &()).unwrap().into_iter().fold(f64::INFINITY, f64::min);
            let found = best.map_or(never.unwrap_or(f64::INFINITY), |(_, cost)| cost);
            prop_assert!(found <= least.min(never.unwrap_or(f64::INFINITY)) * (1.0 + 1e-9), "{best:?} {least} {never:?}");
        }
    }
}

/// The optimal map costs the mean of J, and paths cost what is expected of them, on lumped states
/// too.
#[test]
fn paths_cost_what_is_expected() {
    for (levels, count) in [(6, 2), (4, 3)] {
        let model = Model::of(vec![walk(levels); count]);
        for after in [AfterRemap::Stop, AfterRemap::Uniform] {
            let Solved { states, problem, solution } = model.solve(true, 5.0, after, Method::Auto);
            let once = Once::new(&states, &problem);
            let remaps = |s| solution.decision(&problem, s) == Decision::Remap;
            let map: Vec<bool> = (0..states.count()).map(remaps).collect();
            let weights = states.multiplicities().unwrap();
            let mean: f64 =
                (0..states.count()).map(|s| weights[s] * solution.value(s)).sum::<f64>()
                    / weights.iter().sum::<f64>();
            let optimum = once.cost(&map, &()).unwrap();
            assert!(abs_diff_eq!(optimum, mean, epsilon = 1e-7), "{optimum} {mean}");
            let never = vec![false; states.count()];
            let of = |player: Player, exact: f64| {
                let tallies = once.play(&player, 0..20_000, 3, &()).unwrap().unwrap();
                let costs: Vec<f64> = tallies.iter().map(|tally| tally.value).collect();
                let found = Estimate::of(&costs);
                assert!(found.agrees(exact, 2.0), "{found:?} {exact}");
                assert!(exact >= optimum - 1e-7);
            };
            let cost_of_never = once.cost(&never, &()).unwrap();
            of(Player::Map(map), optimum);
            of(Player::Map(never), cost_of_never);
            let costs = once.costs_of_intervals(7, &()).unwrap();
            of(Player::After(7), costs[6]);
            of(Player::After(1), costs[0]);
        }
    }
}

/// Without balance in reach, never remapping costs infinitely much, and paths say so.
#[test]
fn what_never_ends_is_said() {
    let model = Model::new(vec![walk(3), walk(3)], &[1, 4], RunningCost::MaxMinusMean);
    let process = |lowest, chain| Process { lowest, chain };
    let processes = [process(1, walk(3)), process(20, walk(3))];
    let (states, operator) = States::independent(&processes, |_, _| false).unwrap();
    let problem = Problem::new(&states, operator, &model.imbalance, 2.0, AfterRemap::Stop).unwrap();
    let once = Once::new(&states, &problem);
    assert_eq!(once.cost(&[false; 9], &()), Some(f64::INFINITY));
    assert_eq!(once.play(&Player::Map(vec![false; 9]), 0..2, 1, &()).unwrap(), Err(0));
}
