//! Bounds for many ranks against exact values.

use remapping::chain::{BirthDeath, Edge};
use remapping::drift::many::{Goal, Many, Spread};
use remapping::drift::{
    Backward, Carry, Control, Curve, LoadDrift, Loads, Objective, ProcessChain, Rebalance, States,
    Timing, Transition,
};
use remapping::policy::Policy;
use remapping::policy::stated::{Following, Stated};
use remapping::simulate::compare;

fn walk(processors: usize, steps: u64) -> LoadDrift {
    LoadDrift {
        processors,
        chain: ProcessChain::BirthDeath(BirthDeath::walk(19, 0.25, 0.25, Edge::Hold).unwrap()),
        lowest: 1.0,
        initial: 9,
        steps,
        remap_cost: 8.0,
        per_unit_moved: 0.0,
        rebalance: Rebalance::Split,
        timing: Timing::AfterStep,
        objective: Objective::Imbalance,
    }
}

fn exact(problem: &LoadDrift) -> f64 {
    let states = States::new(problem.processors, problem.chain.levels()).unwrap();
    let transition = Transition::new(&problem.chain, problem.processors).unwrap();
    let mut backward = Backward::new(problem, &states, &transition, Control::Optimal, Carry::Value);
    while backward.remaining() > 0 {
        backward.advance();
    }
    backward.value()
}

/// In how many of so many seeds the exact value lies between the outer ends of the 99 % intervals.
fn contained(problem: &LoadDrift, seeds: u64, paths: u64) -> u64 {
    let value = exact(problem);
    let goal = Goal { gap: 0.0, inner: [4, 4], paths: [paths, paths] };
    let inside = |seed: &u64| {
        let many = Many::new(problem, *seed, &()).unwrap();
        let found = many.measure(goal, &()).unwrap();
        assert!(found.gap.mean >= 0.0, "hindsight can do what the policy does");
        (found.lower.low..=found.upper.high).contains(&value)
    };
    (1..=seeds).filter(inside).count() as u64
}

#[test]
fn exact_values_lie_between_the_bounds() {
    for processors in [4, 6] {
        assert!(contained(&walk(processors, 30), 6, 4) >= 5, "{processors}");
    }
}

/// The same for whole horizons and many seeds, an hour: cargo test --test lemmas -- --ignored many_seeds
#[test]
#[ignore = "long; run with: cargo test --test lemmas exact_values_lie -- --ignored"]
fn exact_values_lie_between_the_bounds_of_many_seeds() {
    for processors in [4, 6, 8] {
        let inside = contained(&walk(processors, 400), 200, 4);
        assert!(inside >= 195, "{processors} ranks: {inside} of 200");
    }
}

/// What the lower bound takes for granted, on all states that remaps do not rule out: an even split of the
/// same loads saves what its next step costs less, up to a remap, but for half the cost of a remap.
#[test]
fn even_loads_save_what_their_next_step_does() {
    let chains = [
        BirthDeath::walk(7, 0.25, 0.25, Edge::Hold).unwrap(),
        BirthDeath::walk(7, 0.25, 0.25, Edge::Reflect).unwrap(),
        BirthDeath::walk(7, 0.3, 0.1, Edge::Hold).unwrap(),
        BirthDeath::walk(7, 0.45, 0.45, Edge::Reflect).unwrap(),
    ];
    for (chain, processors, remap_cost) in
        chains.iter().flat_map(|chain| [(chain, 3, 1.0), (chain, 5, 2.0), (chain, 5, 8.0)])
    {
        let problem = LoadDrift {
            chain: ProcessChain::BirthDeath(chain.clone()),
            initial: 3,
            remap_cost,
            ..walk(processors, 40)
        };
        let states = States::new(processors, 7).unwrap();
        let transition = Transition::new(&problem.chain, processors).unwrap();
        let next = next_costs(&problem, &states);
        let mut backward =
            Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Value);
        let mut worst = 0.0f64;
        while backward.remaining() > 0 {
            backward.advance();
            let costs = backward.cost_to_go();
            let mut walk = states.multisets().from(0);
            for (state, cost) in costs.iter().enumerate() {
                if let (Some(sorted), Some(cost)) = (walk.get(), cost) {
                    let (_, even) = &problem.balanced(sorted.iter().sum())[0];
                    let even = states.multisets().rank(even);
                    if let Some(balanced) = costs[even] {
                        let saved = (next[state] - next[even]).clamp(0.0, remap_cost);
                        worst = worst.max(saved - (cost - balanced));
                    }
                }
                walk.advance();
            }
        }
        assert!(worst <= 0.5 * remap_cost, "{processors} ranks, C = {remap_cost}: {worst}");
    }
}

/// What the next step costs on average, by state: a single step and no remap.
fn next_costs(problem: &LoadDrift, states: &States) -> Vec<f64> {
    let one = LoadDrift { steps: 1, ..problem.clone() };
    let transition = Transition::new(&one.chain, one.processors).unwrap();
    let mut backward = Backward::new(&one, states, &transition, Control::Optimal, Carry::Value);
    backward.advance();
    backward.cost_to_go().iter().map(|cost| cost.expect("one step rules nothing out")).collect()
}

/// What the rule of few numbers is said to cost is what it costs when it is played as any other policy, step by step.
#[test]
fn the_rule_costs_what_it_is_said_to() {
    for (processors, steps) in [(4, 80), (24, 60)] {
        let problem = walk(processors, steps);
        let many = Many::new(&problem, 3, &()).unwrap();
        let goal = Goal { gap: 0.0, inner: [4, 4], paths: [24, 24] };
        let found = many.measure(goal, &()).unwrap();
        assert!(found.ruled_gap.mean >= 0.0, "hindsight can do what the rule does");
        let Curve { since, step } = many.curve().clone();
        assert!(since.len() + step.len() <= 12, "{since:?} {step:?}");
        let rule = Stated::Imbalance { steps, thresholds: step, since };
        let start = || -> Vec<Box<dyn Policy>> { vec![Box::new(Following::new(rule.clone(), 1))] };
        let loads = Loads::new(problem.clone());
        let played = compare(&loads, &start, 0..4000, 11, false, &()).unwrap();
        let costs: Vec<f64> = played.tallies[0].iter().map(|tally| tally.value).collect();
        let played = Spread::of(&costs, 0.99);
        let apart = played.mean - found.ruled.mean;
        let error = (played.high - played.mean) + (found.ruled.high - found.ruled.mean);
        assert!(apart.abs() <= error, "{processors}: {played:?} {:?}", found.ruled);
        if processors == 4 {
            let optimum = exact(&problem);
            assert!(played.high >= optimum, "{played:?} {optimum}");
            assert!(played.mean <= 1.05 * optimum, "{played:?} {optimum}");
        }
    }
}
