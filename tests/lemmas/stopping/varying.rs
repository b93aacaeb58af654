//! Remap costs that depend on the loads, and computations with an end: against fractions and
//! enumeration.

use super::*;

use remapping::stopping::{Exchange, Limits, Varying, units_moved};

const LIMITS: Limits = Limits { tolerance: 1e-10, sweeps: 1_000_000 };

fn small() -> impl Strategy<Value = Model> {
    let chains = prop::collection::vec(chain(2..5), 2..=2);
    (chains, prop::collection::vec(1i64..3, 2)).prop_map(|(chains, capacity)| {
        let chains = chains.into_iter().map(ProcessChain::BirthDeath).collect();
        Model::new(chains, &capacity, RunningCost::MaxMinusMean)
    })
}

/// T in fractions: the least of remapping and going on.
fn exact_sweep(
    rows: &[Vec<Rational>],
    psi: &[Rational],
    costs: &[Rational],
    back: Option<&[usize]>,
    v: &[Rational],
) -> (Vec<Rational>, Vec<Rational>) {
    let go: Vec<Rational> = rows
        .iter()
        .zip(psi)
        .map(|(row, psi)| row.iter().zip(v).fold(psi.clone(), |sum, (p, v)| sum + p * v))
        .collect();
    let next = (0..v.len()).map(|s| match back {
        None if psi[s] == Rational::ZERO => Rational::ZERO,
        None => go[s].clone().min(costs[s].clone()),
        Some(back) => go[s].clone().min(&costs[s] + &go[back[s]]),
    });
    (next.collect(), go.clone())
}

fn fractions(values: &[f64]) -> Vec<Rational> {
    values.iter().map(|x| rational(*x)).collect()
}

/// What a remap costs in each state.
fn by_units(states: &States, model: &Model, restart: bool, fixed: f64, each: f64) -> Vec<f64> {
    let moved = units_moved(states, &model.imbalance, &exchange(states, model, restart));
    moved.iter().map(|units| fixed + each * *units as f64).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_end_is_the_recursion_in_fractions(
        model in small(),
        fixed in 0u8..8,
        each in 0u8..4,
        steps in 1u64..7,
        restart in any::<bool>(),
    ) {
        let (states, operator) = model.states(false);
        let chain = model.rows();
        let costs = by_units(&states, &model, restart, 0.5 * f64::from(fixed), 0.25 * f64::from(each));
        let back = rebalanced(&states, &model.imbalance).unwrap();
        let back = restart.then_some(back);
        let problem = Varying::new(&states, operator, &model.imbalance, costs.clone(), back.clone());
        let found = problem.solve_steps(steps, &LIMITS, &());
        prop_assert_eq!(found.status, Status::Converged);
        let (psi, exact) = (fractions(problem.running()), fractions(&costs));
        let mut v = vec![Rational::ZERO; states.count()];
        let mut from = vec![None; states.count()];
        for step in 1..=steps {
            let (next, go) = exact_sweep(&chain, &psi, &exact, back.as_deref(), &v);
            for s in 0..states.count() {
                if psi[s] > Rational::ZERO && from[s].is_none() && exact[s] <= go[s] {
                    from[s] = Some(step);
                }
            }
            v = next;
        }
        for s in 0..states.count() {
            prop_assert!(holds((found.lower[s], found.upper[s]).into(), &v[s]));
            prop_assert!(found.upper[s] - found.lower[s] < 1e-12);
            if !restart && !found.ties[s] {
                prop_assert_eq!(found.remaps_from[s], from[s]);
                let remaps = from[s].is_some();
                prop_assert_eq!(found.decision[s] == Decision::Remap, remaps);
            }
        }
    }

    /// Without an end the bounds hold the fixed point, and one sweep in fractions from either stays
    /// within.
    #[test]
    fn without_an_end_the_bounds_enclose_the_fixed_point(model in small(), fixed in 1u8..8, each in 0u8..4) {
        let (states, operator) = model.states(false);
        let chain = model.rows();
        let costs = by_units(&states, &model, false, 0.5 * f64::from(fixed), 0.25 * f64::from(each));
        let problem = Varying::new(&states, operator, &model.imbalance, costs.clone(), None);
        let found = problem.solve(&LIMITS, &());
        prop_assert_eq!(found.status, Status::Converged);
        let (psi, exact) = (fractions(problem.running()), fractions(&costs));
        let close = rational(1e-9);
        for (side, sign) in [(&found.lower, false), (&found.upper, true)] {
            let v = fractions(side);
            let (next, _) = exact_sweep(&chain, &psi, &exact, None, &v);
            for s in 0..states.count() {
                let moved = if sign { &v[s] - &next[s] } else { &next[s] - &v[s] };
                // Bounds of a monotone operator are where it moves them inwards.
                prop_assert!(moved >= -close.clone() && moved <= close);
            }
        }
        // One cost for all is the problem that is solved otherwise.
        if each == 0 {
            let rho = 0.5 * f64::from(fixed);
            let Solved { states: lumped, solution, .. } = model.solve(true, rho, AfterRemap::Stop, Method::Auto);
            for s in 0..states.count() {
                let Bounds { lower: low, upper: high } = solution.bounds(lumped.find(&states.loads(s)).unwrap());
                prop_assert!(low <= found.upper[s] + 1e-9 && found.lower[s] <= high + 1e-9);
            }
        }
    }

    /// By every assignment of the shares to the processes.
    #[test]
    fn units_moved_are_the_fewest(loads in prop::collection::vec(0i64..9, 1..5)) {
        let equal = vec![Rational::ONE; loads.len()];
        let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &equal, 10).unwrap();
        let shares = imbalance.split(loads.iter().sum());
        let mut fewest = i64::MAX;
        for order in permutations(loads.len()) {
            let moved = order.iter().zip(&loads).map(|(&i, load)| (load - shares[i]).max(0)).sum();
            fewest = fewest.min(moved);
        }
        prop_assert_eq!(Exchange::of_processors(&imbalance).moved(&loads, &shares), fewest);
    }

    /// A program that goes on pays for all units that are not where it goes on from, in whatever
    /// order equal processes have their loads, and has nothing to decide where there are none.
    #[test]
    fn units_are_moved_to_where_the_program_goes_on(model in model(), dense in any::<bool>()) {
        let mut model = model;
        if dense {
            model.processes.iter_mut().for_each(|process| {
                let ProcessChain::BirthDeath(chain) = &process.chain else { return };
                let rows = chain.rows();
                process.chain = ProcessChain::Dense(Dense::new(&rows).unwrap());
            });
        }
        let (states, operator) = model.states(false);
        let Ok(back) = rebalanced(&states, &model.imbalance) else { return Ok(()) };
        let moved = units_moved(&states, &model.imbalance, &exchange(&states, &model, true));
        let costs = moved.iter().map(|units| *units as f64).collect();
        let problem = Varying::new(&states, operator, &model.imbalance, costs, Some(back.clone()));
        let found = problem.solve_steps(3, &LIMITS, &());
        let orders: Vec<Vec<usize>> = permutations(model.processes.len())
            .into_iter()
            .filter(|order| {
                order.iter().enumerate().all(|(i, &j)| {
                    model.processes[i] == model.processes[j] && model.imbalance.same_capacity(i, j)
                })
            })
            .collect();
        for s in 0..states.count() {
            let (loads, to) = (states.loads(s), states.loads(back[s]));
            let units = |order: &Vec<usize>| -> i64 {
                order.iter().zip(&loads).map(|(&j, load)| (load - to[j]).max(0)).sum()
            };
            let fewest = orders.iter().map(units).min().unwrap();
            prop_assert_eq!(moved[s], fewest);
            prop_assert_eq!(found.decision[s] == Decision::Balanced, fewest == 0);
        }
    }
}

/// All orders of so many.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    (0..count).fold(vec![vec![]], |orders, _| {
        orders
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                let free = (0..count).filter(|i| !order.contains(i)).collect::<Vec<_>>();
                free.into_iter().map(move |i| [order.clone(), vec![i]].concat())
            })
            .collect()
    })
}

/// Which processes exchange their shares.
fn exchange(states: &States, model: &Model, restart: bool) -> Exchange {
    match restart {
        true => Exchange::of_equal_processes(states, &model.imbalance),
        false => Exchange::of_processors(&model.imbalance),
    }
}

/// The average cost of a step of a long computation is that of one without end.
#[test]
fn a_long_computation_costs_its_average() {
    let model = Model::paper();
    let (states, operator) = model.states(true);
    let costs = by_units(&states, &model, true, 2.0, 1.0);
    let back = rebalanced(&states, &model.imbalance).unwrap();
    let problem = Problem::new(&states, operator, &model.imbalance, 2.0, AfterRemap::Stop).unwrap();
    let average =
        remapping::stopping::long_run_at(&problem, &costs, &back, None, &Settings::default(), &())
            .average;
    let (_, operator) = model.states(true);
    let finite = Varying::new(&states, operator, &model.imbalance, costs, Some(back));
    let [short, long] = [1000, 2000].map(|steps| finite.solve_steps(steps, &LIMITS, &()).lower[0]);
    let mean = (long - short) / 1000.0;
    assert!(average.lower - 1e-9 < mean && mean < average.upper + 1e-9, "{average:?} {mean}");
    assert!((0.7168..0.7169).contains(&average.lower), "{average:?}");
}

/// Value iteration from both sides, slow and obvious.
fn swept(problem: &Problem, costs: &[f64], width: f64) -> (Vec<f64>, Vec<f64>) {
    let n = costs.len();
    let psi = problem.running();
    // A remap cost that nobody pays leaves what going on costs.
    let sweep = |v: &[f64]| -> Vec<f64> {
        let mut go = vec![0.0; n];
        problem.bellman_into(v, &mut go);
        (0..n).map(|s| if psi[s] == 0.0 { 0.0 } else { go[s].min(costs[s]) }).collect()
    };
    let (mut low, mut high) = (vec![0.0; n], sweep(costs));
    while high.iter().zip(&low).any(|(high, low)| high - low > width) {
        (low, high) = (sweep(&low), sweep(&high));
    }
    (low, high)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Policies that are solved for take hundreds of applications where sweeps take as many as
    /// levels squared.
    #[test]
    fn dear_remaps_of_long_walks_take_few_applications(
        walks in prop::collection::vec((0.05..0.45f64, 0.05..0.45f64, edges()), 2..=3),
        levels in 6usize..12, fixed in 3.0..8.0f64, each in 0.0..40.0f64,
    ) {
        let levels = if walks.len() == 2 { 2 * levels } else { levels };
        let chain = |(i, (up, down, edge)): (usize, &(f64, f64, Edge))| shared::walk(levels + i, *up, *down, *edge);
        let model = Model::of(walks.iter().enumerate().map(chain).collect());
        let (states, operator) = model.states(false);
        let costs = by_units(&states, &model, false, fixed.exp(), each);
        let dearest = costs.iter().copied().fold(1.0, f64::max);
        let problem = Varying::new(&states, operator, &model.imbalance, costs.clone(), None);
        let limits = Limits { tolerance: 1e-9, sweeps: 1_000_000 };
        let found = problem.solve(&limits, &());
        prop_assert_eq!(found.status, Status::Converged);
        prop_assert!(found.applications < 4000, "{}", found.applications);
        prop_assert!(found.width() <= 1e-9 * dearest);
        let (_, plain) = model.problem(false, 1e12, AfterRemap::Stop);
        let (low, high) = swept(&plain, &costs, 1e-7 * dearest);
        for s in 0..states.count() {
            let close = 1e-11 * dearest;
            prop_assert!(found.lower[s] <= high[s] + close && low[s] <= found.upper[s] + close);
        }
    }
}
