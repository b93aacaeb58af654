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
    let o = solve(&p, Control::Threshold(1e9));
    println!("never {o:?} {}", o.utilization());
    let i = Intervals::new(&p, 100);
    println!("best {:?} {}", i.best(), i.best().outcome.utilization());
    println!("never {:?}", i.all().last());
    let t = std::time::Instant::now();
    let p = figure(8, 400, 8.0);
    let i = Intervals::new(&p, 400);
    println!(
        "best {:?} {} n* {} {:?}",
        i.best(),
        i.best().outcome.utilization(),
        i.least_average_cost(),
        t.elapsed()
    );
    println!("m9 {}", i.all()[8].outcome.utilization());
}
