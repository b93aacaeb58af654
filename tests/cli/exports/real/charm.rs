//! Charm++: a chare array whose hot spot moves, with `AtSync()` set by hand and as advised.

use super::{Saved, draw, saved, written};
use crate::support::languages::skipped;
use crate::support::prelude::*;
use std::process::Command;

const ITERATIONS: usize = 200;

/// Seconds of a remap. `lb time` of the log also counts the wait for the slower processor;
/// balancing steps that waited for none took 0.0002 to 0.009 s, the latter on a busy machine.
const REMAP_COST: f64 = 0.002;

/// A balancing step: mean and largest load of the processors.
struct Step {
    mean: f64,
    max: f64,
}

/// The interpreter that has charm4py, if there is one.
fn python() -> Option<String> {
    let name = std::env::var("CHARM_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&name).args(["-c", "import charmrun"]).output();
    found.is_ok_and(|output| output.status.success()).then_some(name)
}

/// The balancing steps of a run with so many iterations between them, as its own log has them.
fn run(place: &Workplace, python: &str, balancer: &str, period: usize, log: &str) -> Vec<Step> {
    let mut command = Command::new(python);
    command.args(["-m", "charmrun.start", "+p2", "hot_spot.py", &format!("period={period}")]);
    command.args(["+balancer", balancer, "+LBDebug", "1"]).current_dir(place.root());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    place.write(log, &text);
    let after = |line: &str, name: &str| -> f64 {
        let (_, rest) = line.split_once(name).unwrap();
        rest.split_whitespace().next().unwrap().parse().unwrap()
    };
    let loads = text.lines().filter(|line| line.contains("proc loads: "));
    let step = |line| Step { mean: after(line, "mean="), max: after(line, "max=") };
    let steps: Vec<Step> = loads.map(step).collect();
    assert_eq!(steps.len(), (ITERATIONS - 1) / period, "{text}");
    steps
}

/// max/mean by the iteration.
fn ratios(steps: &[Step], period: usize) -> Vec<f64> {
    steps.iter().flat_map(|step| vec![step.max / step.mean; period]).collect()
}

#[test]
#[ignore = "needs charm4py; .ci/run installs it and runs this"]
#[expect(clippy::print_stdout, reason = "what was measured is worth seeing")]
fn charm_saves_what_was_promised() {
    let Some(python) = python() else {
        skipped("charm4py for python3 or CHARM_PYTHON");
        return;
    };
    let place = Workplace::new();
    place.write("hot_spot.py", include_str!("hot_spot.py"));
    // By hand; and measured at every iteration without moving chares.
    let hand = run(&place, &python, "GreedyRefineLB", 50, "hand.log");
    let before = run(&place, &python, "DummyLB", 1, "before.log");
    let cost = REMAP_COST.to_string();
    let advised = place.remap(format!("advise before.log --remap-cost {cost} -o advice")).exits(0);
    let setting = place.read("advice/charm.txt");
    let (_, every) = setting.split_once("# AtSync() every ").expect("an interval");
    let every: usize = every.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(setting.lines().last(), Some("+balancer GreedyRefineLB"));
    let after = run(&place, &python, "GreedyRefineLB", every, "after.log");

    let balanced = before.iter().map(|step| step.mean).sum::<f64>() / before.len() as f64;
    let remaps = after.len() as f64 / 2.0 * REMAP_COST / balanced;
    let [by_hand, never, now] =
        [(&hand, 50), (&before, 1), (&after, every)].map(|(steps, period)| ratios(steps, period));
    let rule = written(&setting);
    let saving = saved(&place, ("before.log", REMAP_COST), &rule, [(&never, 0.0), (&now, remaps)]);
    let Saved { promised, least, most, measured } = saving;
    let mean = |ratios: &[f64]| ratios.iter().sum::<f64>() / ratios.len() as f64;
    println!("{}", advised.out.lines().next().unwrap());
    println!(
        "Charm++, 2 processors: {rule}\n  promised {promised:.1} % ({least:.1} to {most:.1}), measured {measured:.1} %; \
         largest over mean: {:.3} never, {:.3} every 50 iterations, {:.3} every {every}",
        mean(&never),
        mean(&by_hand),
        mean(&now)
    );
    assert!(measured >= least && measured > 0.0, "{saving:?}");
    assert!(mean(&now) < mean(&by_hand), "{} and {}", mean(&by_hand), mean(&now));
    let points = |ratios: &[f64]| (0..).map(f64::from).zip(ratios.iter().copied()).collect();
    let now_is = format!("AtSync() every {every} iterations");
    let runs = [("never balanced", points(&never)), (now_is.as_str(), points(&now))];
    draw("charm_2.svg", "Charm++, 2 processors: loads", "iteration", runs);
}
