//! Optimal stopping against exact rational solutions, and the structure of J.

use proptest::prelude::*;
use remapping::chain::{BirthDeath, Dense, Edge, Operator};
use remapping::imbalance::{Imbalance, RunningCost};
use remapping::stopping::{
    Active, AfterRemap, Decision, Method, Problem, Process, ProcessChain, Settings, Solution,
    States, critical_costs, long_run, rebalanced, solve, solve_active,
};
use remapping::{Rational, Status};

fn rational(x: f64) -> Rational {
    Rational::try_from(x).unwrap()
}

/// A birth–death chain whose probabilities are multiples of 1/16, so that doubles hold them.
fn chain(levels: std::ops::Range<usize>) -> impl Strategy<Value = BirthDeath> {
    prop::collection::vec((0..9u8, 0..8u8), levels).prop_map(|moves| {
        let last = moves.len() - 1;
        let mut up: Vec<f64> = moves.iter().map(|m| f64::from(m.0) / 16.0).collect();
        let mut down: Vec<f64> = moves.iter().map(|m| f64::from(m.1) / 16.0).collect();
        (up[last], down[0]) = (0.0, 0.0);
        BirthDeath::new(up, down).unwrap()
    })
}

fn capacities(parts: &[i64]) -> Vec<Rational> {
    parts.iter().map(|&c| Rational::from(c)).collect()
}

fn walk(levels: usize) -> ProcessChain {
    ProcessChain::BirthDeath(BirthDeath::walk(levels, 0.25, 0.25, Edge::Reflect).unwrap())
}

/// A model and everything needed to solve it in other ways.
#[derive(Debug)]
struct Model {
    processes: Vec<Process>,
    imbalance: Imbalance,
}

impl Model {
    fn new(chains: Vec<ProcessChain>, capacity: &[i64], cost: RunningCost) -> Self {
        let processes = chains.into_iter().map(|chain| Process { lowest: 0, chain }).collect();
        let imbalance = Imbalance::new(cost, &capacities(capacity), 1000).unwrap();
        Self { processes, imbalance }
    }

    /// The example of `[YXW03, section 5]`.
    fn paper() -> Self {
        Self::new(vec![walk(6), walk(6)], &[1, 1], RunningCost::MaxMinusMean)
    }

    fn states(&self, lump: bool) -> (States, Box<dyn Operator>) {
        let same = |i, j| lump && self.imbalance.same_capacity(i, j);
        States::independent(&self.processes, same).unwrap()
    }

    fn problem(&self, lump: bool, rho: f64, after: AfterRemap) -> (States, Problem) {
        let (states, operator) = self.states(lump);
        let problem = Problem::new(&states, operator, &self.imbalance, rho, after).unwrap();
        (states, problem)
    }

    fn solve(&self, lump: bool, rho: f64, after: AfterRemap, method: Method) -> Solved {
        let (states, problem) = self.problem(lump, rho, after);
        let settings = Settings { method, ..Settings::default() };
        let solution = solve(&problem, &settings, &());
        Solved { states, problem, solution }
    }

    /// The rows of the chain, exactly.
    fn rows(&self) -> Vec<Vec<Rational>> {
        let one = vec![vec![Rational::ONE]];
        self.processes.iter().fold(one, |all, process| {
            let rows: Vec<Vec<f64>> = match &process.chain {
                ProcessChain::BirthDeath(chain) => chain.rows(),
                ProcessChain::Dense(chain) => {
                    (0..chain.levels()).map(|i| chain.row(i).to_vec()).collect()
                }
            };
            let mut product = Vec::new();
            for a in &all {
                for b in &rows {
                    let row = a.iter().flat_map(|x| b.iter().map(move |y| x * rational(*y)));
                    product.push(row.collect());
                }
            }
            product
        })
    }
}

struct Solved {
    states: States,
    problem: Problem,
    solution: Solution,
}

impl Solved {
    fn map(&self) -> String {
        (0..self.problem.states()).map(|s| self.letter(s)).collect()
    }

    fn letter(&self, state: usize) -> char {
        match self.solution.decision(&self.problem, state) {
            Decision::Balanced => 'B',
            Decision::Remap => 'R',
            Decision::Continue => 'C',
        }
    }
}

/// The exact solution, by policy iteration and Gaussian elimination in rationals.
fn exact(
    rows: &[Vec<Rational>],
    running: &[f64],
    rho: &Rational,
    after: AfterRemap,
) -> (Vec<Rational>, Rational) {
    let n = running.len();
    let mut remaps: Vec<bool> = running.iter().map(|psi| *psi > 0.0).collect();
    let size = Rational::from(n as i64);
    loop {
        // Unknowns J and, last, R.
        let mut system = vec![vec![Rational::ZERO; n + 2]; n + 1];
        for s in 0..n {
            system[s][s] = Rational::ONE;
            if remaps[s] {
                system[s][n] = -Rational::ONE;
            } else if running[s] > 0.0 {
                for t in 0..n {
                    system[s][t] = &system[s][t] - &rows[s][t];
                }
                system[s][n + 1] = rational(running[s]);
            }
        }
        system[n][n] = Rational::ONE;
        system[n][n + 1] = rho.clone();
        if after == AfterRemap::Uniform {
            #[expect(clippy::needless_range_loop, reason = "two rows are indexed")]
            for t in 0..n {
                system[n][t] = -(Rational::ONE / &size);
            }
        }
        let solution = eliminate(system);
        let (j, remap) = (solution[..n].to_vec(), solution[n].clone());
        let better = |s: usize| {
            let image = (0..n).map(|t| &rows[s][t] * &j[t]).fold(Rational::ZERO, |a, b| a + b);
            let go = rational(running[s]) + image;
            if go == remap { remaps[s] } else { go > remap }
        };
        let next: Vec<bool> = (0..n).map(|s| running[s] > 0.0 && better(s)).collect();
        if next == remaps {
            return (j, remap);
        }
        remaps = next;
    }
}

fn eliminate(mut system: Vec<Vec<Rational>>) -> Vec<Rational> {
    let n = system.len();
    for k in 0..n {
        let pivot = (k..n).find(|&i| system[i][k] != Rational::ZERO).expect("a regular system");
        system.swap(k, pivot);
        let scale = system[k][k].clone();
        system[k].iter_mut().for_each(|x| *x = &*x / &scale);
        let row = system[k].clone();
        for (i, other) in system.iter_mut().enumerate() {
            if i != k && other[k] != Rational::ZERO {
                let factor = other[k].clone();
                other.iter_mut().zip(&row).for_each(|(x, y)| *x = &*x - &factor * y);
            }
        }
    }
    system.into_iter().map(|row| row[n].clone()).collect()
}

fn cost() -> impl Strategy<Value = RunningCost> {
    prop_oneof![
        Just(RunningCost::MaxMinusMean),
        Just(RunningCost::MaxAbsDeviation),
        Just(RunningCost::EuclideanDeviation)
    ]
}

fn after() -> impl Strategy<Value = AfterRemap> {
    prop_oneof![Just(AfterRemap::Stop), Just(AfterRemap::Uniform)]
}

/// Two or three processes, some equal, with capacities.
fn model() -> impl Strategy<Value = Model> {
    let own = prop::collection::vec(chain(2..5), 2..4);
    let equal = (chain(2..5), 2..4usize).prop_map(|(c, r)| vec![c; r]);
    let chains = prop_oneof![own, equal];
    (chains, prop::collection::vec(1..3i64, 3), cost()).prop_map(|(chains, capacity, cost)| {
        let chains: Vec<_> = chains.into_iter().map(ProcessChain::BirthDeath).collect();
        let capacity = &capacity[..chains.len()];
        Model::new(chains, capacity, cost)
    })
}

fn check_against_exact(model: &Model, rho: f64, after: AfterRemap, method: Method) {
    let full = model.solve(false, rho, after, method);
    if after == AfterRemap::Uniform && full.problem.running().iter().all(|&psi| psi > 0.0) {
        return;
    }
    let (j, remap) = exact(&model.rows(), full.problem.running(), &rational(rho), after);
    for lump in [false, true] {
        let Solved { states, problem, solution } = model.solve(lump, rho, after, method);
        assert!(solution.gap <= 1e-9, "gap {}", solution.gap);
        let (low, high) = solution.remap_bounds();
        assert!(rational(low) <= remap && remap <= rational(high));
        for (place, exact) in j.iter().enumerate() {
            let s = states.find(&full.states.vector(place)).unwrap();
            let (low, high) = solution.bounds(s);
            assert!(rational(low) <= *exact && *exact <= rational(high), "{low} {exact} {high}");
            let scale = solution.remap_value.max(1.0);
            assert!((solution.value(s) - exact.to_f64().value()).abs() <= 1e-9 * scale);
            if problem.running()[s] > 0.0 && !solution.is_tie(&problem, s) {
                let remaps = *exact == remap;
                assert_eq!(solution.decision(&problem, s) == Decision::Remap, remaps);
            }
        }
    }
}

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
    fn walks_with_coarser_grids_agree_with_value_iteration(
        levels in 11..40usize, up in 0.02..0.5f64, down in 0.02..0.5f64, equal in any::<bool>(),
        rho in 1.0..300.0f64, after in after(),
    ) {
        let walk = |edge| {
            ProcessChain::BirthDeath(BirthDeath::walk(levels, up, down, edge).unwrap())
        };
        let other = if equal { Edge::Reflect } else { Edge::Hold };
        let pair = vec![walk(Edge::Reflect), walk(other)];
        let model = Model::new(pair, &[1, 1], RunningCost::MaxMinusMean);
        let policy = model.solve(true, rho, after, Method::Policy);
        let value = model.solve(true, rho, after, Method::Value);
        prop_assert_eq!(policy.solution.status, Status::Converged);
        for s in 0..policy.problem.states() {
            let (low, high) = policy.solution.bounds(s);
            let (least, most) = value.solution.bounds(s);
            prop_assert!(low <= most && least <= high, "{low} {high} {least} {most}");
            let tie = policy.solution.is_tie(&policy.problem, s)
                || value.solution.is_tie(&value.problem, s);
            prop_assert!(tie || policy.letter(s) == value.letter(s));
        }
    }

    #[test]
    fn outside_the_active_region_one_remaps(
        lengths in prop::collection::vec(12..30usize, 2..4), equal in any::<bool>(),
        up in 0.05..0.5f64, down in 0.05..0.5f64, capacity in 1..3i64, rho in 0.5..6.0f64,
    ) {
        let walk = |levels: &usize| {
            let levels = if equal { lengths[0] } else { *levels };
            ProcessChain::BirthDeath(BirthDeath::walk(levels, up, down, Edge::Reflect).unwrap())
        };
        let capacities = [vec![1; lengths.len() - 1], vec![capacity]].concat();
        let chains = lengths.iter().map(walk).collect();
        let model = Model::new(chains, &capacities, RunningCost::MaxMinusMean);
        let full = model.solve(true, rho, AfterRemap::Stop, Method::Policy);
        let settings = Settings::default();
        let most = full.states.count();
        let found = solve_active(&full.states, &model.imbalance, rho, most, &settings, &());
        let Active { states, problem, solution } = found.unwrap().unwrap();
        prop_assert!(solution.gap <= 1e-9);
        for s in 0..full.states.count() {
            let (low, high) = full.solution.bounds(s);
            match states.find(&full.states.loads(s)) {
                Some(k) => {
                    let (least, most) = solution.bounds(k);
                    prop_assert!(low <= most && least <= high, "{low} {high} {least} {most}");
                    let tie = full.solution.is_tie(&full.problem, s)
                        || solution.is_tie(&problem, k);
                    let letter = full.solution.decision(&full.problem, s);
                    prop_assert!(tie || solution.decision(&problem, k) == letter);
                }
                None => prop_assert!(high >= rho && full.letter(s) == 'R'),
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
            let tie = low.solution.is_tie(&low.problem, s)
                || middle.solution.is_tie(&middle.problem, s);
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
            if solved.letter(s) == 'R' && !solved.solution.is_tie(&solved.problem, s) {
                prop_assert!(solved.problem.running()[s] >= rho * absorb - 1e-9);
            }
        }
    }

    #[test]
    fn decisions_switch_at_the_critical_costs(model in model(), after in after()) {
        let (_, problem) = model.problem(false, 1.0, AfterRemap::Stop);
        prop_assume!(problem.running().contains(&0.0));
        let running: Vec<Rational> = problem.running().iter().map(|&x| rational(x)).collect();
        let ones = vec![Rational::ONE; running.len()];
        let critical = critical_costs(&running, &model.rows(), &ones);
        for s in [1, problem.states() / 2, problem.states() - 2] {
            let Some(costs) = &critical[s] else { continue };
            let cost = match after {
                AfterRemap::Stop => costs.total.to_f64().value(),
                AfterRemap::Uniform => costs.uniform.to_f64().value(),
            };
            let below = model.solve(false, cost * (1.0 - 1e-4), after, Method::Auto);
            let above = model.solve(false, cost * (1.0 + 1e-4), after, Method::Auto);
            prop_assert_eq!((below.letter(s), above.letter(s)), ('R', 'C'));
        }
    }

    #[test]
    fn critical_costs_in_doubles_are_those_in_rationals(model in model()) {
        let (_, problem) = model.problem(false, 1.0, AfterRemap::Stop);
        let running: Vec<Rational> = problem.running().iter().map(|&x| rational(x)).collect();
        let rows = model.rows();
        let ones = vec![Rational::ONE; running.len()];
        let exact = critical_costs(&running, &rows, &ones);
        let double = |row: &Vec<Rational>| row.iter().map(|x| x.to_f64().value()).collect();
        let rows: Vec<Vec<f64>> = rows.iter().map(double).collect();
        let found = critical_costs(problem.running(), &rows, &vec![1.0; running.len()]);
        for (exact, found) in exact.iter().zip(&found) {
            prop_assert_eq!(exact.is_some(), found.is_some());
            if let (Some(exact), Some(found)) = (exact, found) {
                let total = exact.total.to_f64().value();
                prop_assert!((found.total - total).abs() <= 1e-12 * total);
                let uniform = exact.uniform.to_f64().value();
                prop_assert!((found.uniform - uniform).abs() <= 1e-11 * total);
            }
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

#[test]
fn critical_costs_of_the_paper_example() {
    let model = Model::paper();
    let (states, problem) = model.problem(false, 1.0, AfterRemap::Stop);
    let running: Vec<Rational> = problem.running().iter().map(|&x| rational(x)).collect();
    let critical = critical_costs(&running, &model.rows(), &vec![Rational::ONE; 36]);
    let at = |i, j| critical[states.find(&[i, j]).unwrap()].clone().unwrap();
    assert_eq!(at(3, 0).uniform, Rational::from_parts(96697.into(), 24291u32.into()));
    assert_eq!(at(1, 0).total, Rational::from_parts(4.into(), 3u32.into()));
    assert_eq!(at(0, 1), at(1, 0));
    assert_eq!(critical.iter().filter(|cost| cost.is_none()).count(), 6);
}

#[test]
fn a_region_around_balance_is_small_where_remaps_are_cheap() {
    let model = Model::new(vec![walk(300), walk(300)], &[1, 1], RunningCost::MaxMinusMean);
    let (states, _) = model.states(true);
    let found = |rho: f64, most: usize| {
        solve_active(&states, &model.imbalance, rho, most, &Settings::default(), &()).unwrap()
    };
    let active = found(5.0, usize::MAX).unwrap();
    assert!(active.states.is_active() && 8 * active.states.count() < states.count());
    assert!(found(5.0, active.states.count() - 1).is_none());
    assert!(found(1e6, states.count() / 2).is_none());
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
    let mixed = Model::new(vec![walk(6), dense], &[1, 1], RunningCost::MaxMinusMean);
    let a = mixed.solve(true, 5.0, AfterRemap::Uniform, Method::Auto);
    let b = Model::paper().solve(false, 5.0, AfterRemap::Uniform, Method::Auto);
    assert_eq!(a.map(), b.map());
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

#[test]
fn uniform_without_a_balanced_state_is_refused() {
    // Loads 1 or 2 on capacities 1 and 3 are never in proportion.
    let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &capacities(&[1, 3]), 2).unwrap();
    let process = Process { lowest: 1, chain: walk(2) };
    let (states, operator) =
        States::independent(&[process.clone(), process], |_, _| false).unwrap();
    let refused = Problem::new(&states, operator, &imbalance, 1.0, AfterRemap::Uniform);
    assert!(refused.is_err());
}

/// The stationary average of a fixed policy, by solving for the stationary law exactly.
fn average_of(rows: &[Vec<Rational>], step_cost: &[Rational]) -> Rational {
    let n = rows.len();
    // Unknowns: relative costs (0 at state 0) and, in its place, the average.
    let mut system = vec![vec![Rational::ZERO; n + 1]; n];
    for s in 0..n {
        for t in 1..n {
            system[s][t] = -rows[s][t].clone();
        }
        if s > 0 {
            system[s][s] = &system[s][s] + Rational::ONE;
        }
        system[s][0] = Rational::ONE;
        system[s][n] = step_cost[s].clone();
    }
    eliminate(system)[0].clone()
}

#[test]
fn the_best_average_is_that_of_its_policy_and_no_worse_than_others() {
    let model = Model::new(vec![walk(4), walk(4)], &[1, 1], RunningCost::MaxMinusMean);
    for rho in [0.5, 2.0, 7.0] {
        let (states, problem) = model.problem(false, rho, AfterRemap::Stop);
        let back = rebalanced(&states, &model.imbalance).unwrap();
        let settings = Settings::default();
        let best = long_run(&problem, &back, None, &settings, &());
        let rows = model.rows();
        let exact = |policy: &[bool]| {
            let target = |s: usize| if policy[s] { back[s] } else { s };
            let moved: Vec<_> = (0..16).map(|s| rows[target(s)].clone()).collect();
            let cost = |s: usize| {
                let paid = if policy[s] { rational(rho) } else { Rational::ZERO };
                paid + rational(problem.running()[target(s)])
            };
            average_of(&moved, &(0..16).map(cost).collect::<Vec<_>>())
        };
        let chosen: Vec<bool> = best.advantage.iter().map(|a| *a > 0.0).collect();
        let average = exact(&chosen);
        assert!(best.upper - best.lower <= 1e-9);
        assert!(rational(best.lower) <= average && average <= rational(best.upper));
        let stop = model.solve(false, rho, AfterRemap::Stop, Method::Auto);
        let of_stop: Vec<bool> = (0..16).map(|s| stop.letter(s) == 'R').collect();
        let evaluated = long_run(&problem, &back, Some(&of_stop), &settings, &());
        let of_stop = exact(&of_stop);
        assert!(rational(evaluated.lower) <= of_stop && of_stop <= rational(evaluated.upper));
        assert!(average <= of_stop);
        assert!(average <= exact(&[false; 16]));
    }
}

/// Two walks on `levels` levels that drift apart, so that they balance about once in 2^(bits levels)
/// steps.
fn apart(levels: usize, bits: i32) -> Model {
    let walk = |up: f64, down: f64| {
        let walk = BirthDeath::walk(levels, up, down, Edge::Hold).unwrap();
        ProcessChain::BirthDeath(walk)
    };
    let rare = 0.5f64.powi(bits);
    Model::new(vec![walk(0.5, rare), walk(rare, 0.5)], &[1, 1], RunningCost::MaxMinusMean)
}

#[test]
fn costs_far_above_the_running_cost_are_enclosed() {
    // R / psi times the unit of rounding exceeds the tolerance: only a weighted proof will do.
    for (levels, bits, after, rho) in [
        (4, 6, AfterRemap::Stop, 1e7),
        (4, 6, AfterRemap::Stop, 1e9),
        (4, 6, AfterRemap::Uniform, 4.0),
        (4, 8, AfterRemap::Uniform, 50.0),
        (5, 6, AfterRemap::Uniform, 9.0),
    ] {
        for method in [Method::Auto, Method::Policy] {
            check_against_exact(&apart(levels, bits), rho, after, method);
        }
    }
}
