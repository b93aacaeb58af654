//! Four drifting loads over 200 steps: the cost of the optimal policy and of the best fixed
//! interval.

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use remapping::chain::{BirthDeath, Edge};
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Objective, ProcessChain, Rebalance, States,
    Timing, Transition,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = LoadDrift {
        processors: 4,
        chain: ProcessChain::BirthDeath(BirthDeath::walk(12, 0.25, 0.25, Edge::Reflect)?),
        lowest: 1.0,
        initial: 5,
        steps: 200,
        remap_cost: 6.0,
        per_unit_moved: 0.0,
        rebalance: Rebalance::Split,
        timing: Timing::AfterStep,
        objective: Objective::Imbalance,
    };
    let states = States::new(problem.processors, problem.chain.levels())?;
    let transition = Transition::new(&problem.chain, problem.processors)?;
    let mut recursion =
        Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Value);
    while recursion.remaining() > 0 {
        recursion.advance();
    }
    let best = Intervals::new(&problem, problem.steps, &()).best();
    println!("the optimal policy costs {:.6}", recursion.value());
    println!("every {} steps costs {:.6}", best.interval, best.outcome.value);
    Ok(())
}
