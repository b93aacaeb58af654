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
    let operator = problem.chain.operator(problem.processors).unwrap();
    let mut backward = Backward::new(problem, &states, operator.as_ref(), control);
    while backward.remaining() > 0 {
        backward.advance();
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

#[test]
#[ignore = "slow"]
fn probe_big() {
    for (c, reb, obj) in [
        (8.0, Rebalance::Split, Objective::Imbalance),
        (2.0, Rebalance::Split, Objective::Imbalance),
        (2.0, Rebalance::Nearest, Objective::Makespan),
    ] {
        let t = std::time::Instant::now();
        let p = LoadDrift { rebalance: reb, objective: obj, ..figure(8, 400, c) };
        let o = solve(&p, Control::Optimal);
        println!("{c} {o:?} {} {:?}", o.utilization(), t.elapsed());
    }
}

#[test]
#[ignore = "timing"]
fn probe_time() {
    let p = figure(8, 400, 8.0);
    let states = States::new(p.processors, p.chain.levels()).unwrap();
    let operator = p.chain.operator(p.processors).unwrap();
    let mut backward = Backward::new(&p, &states, operator.as_ref(), Control::Optimal);
    for _ in 0..10 {
        backward.advance();
    }
}
#[test]
#[ignore = "timing"]
fn probe_time_apply() {
    let p = figure(8, 400, 8.0);
    let operator = p.chain.operator(p.processors).unwrap();
    let v = vec![1.0; operator.states()];
    let mut w = v.clone();
    for _ in 0..30 {
        operator.apply_into(&v, &mut w);
    }
}
