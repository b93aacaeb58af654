use super::*;
use crate::chain::Edge;

fn figure(processors: usize, steps: u64, cost: f64) -> LoadDrift {
    LoadDrift {
        processors,
        chain: Chain::BirthDeath(BirthDeath::walk(19, 0.25, 0.25, Edge::Hold).unwrap()),
        lowest: 1.0,
        initial: 9,
        steps,
        remap_cost: cost,
        rebalance: Rebalance::Split,
        timing: Timing::AfterStep,
        objective: Objective::Imbalance,
    }
}

fn solve(problem: &LoadDrift, control: Control) -> Outcome {
    let states = States::new(problem.processors, problem.chain.levels()).unwrap();
    let transition = Transition::new(&problem.chain, problem.processors).unwrap();
    let mut backward = Backward::new(problem, &states, &transition, control, Carry::Outcome);
    while backward.remaining() > 0 {
        backward.advance();
        if backward.remaining().is_multiple_of(50) {
            println!("{} active {}", backward.remaining(), backward.active_states());
        }
    }
    backward.outcome().unwrap()
}

#[test]
fn probe() {
    let p = figure(3, 100, 8.0);
    let o = solve(&p, Control::Optimal);
    println!("opt {o:?} {}", o.utilization());
    let p = figure(8, 40, 8.0);
    solve(&p, Control::Optimal);
    solve(&p, Control::Threshold(3.0));
}
