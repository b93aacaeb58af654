//! Random runs with the decisions of `replay`: what programs in other languages are held against.

use remapping::random::stream;
use remapping::record::Record;
use remapping::replay::{Ground, Outset, Player, play};
use remapping::simulate::{Base, Recorded};
use std::fmt::Write;

use rand::RngExt;

/// Policies that need no training.
pub const PLAIN: [&str; 14] = [
    "never",
    "fixed:7",
    "stop_at_rise",
    "threshold:0.5",
    "utilization:0.8",
    "menon",
    "menon_offline:0.05",
    "metabalancer",
    "zhai",
    "procassini",
    "marquez:0.1",
    "advised_cold",
    "adaptive_cold",
    "q_learning",
];

/// Policies that are trained on the first steps.
pub const TRAINED: [&str; 8] = [
    "advised",
    "adaptive",
    "predictive",
    "solved",
    "interval",
    "fixed",
    "threshold",
    "utilization",
];

/// Steps of a run, and those that are trained on.
const STEPS: usize = 60;
const TRAINING: usize = 24;

/// A run with drifts, random steps, jumps that stay and bursts that go.
fn record(seed: u64, run: u64) -> (Record, f64) {
    let mut random = stream(seed, run);
    let mut unit = || -> f64 { random.random() };
    let ranks = 2 + (unit() * 7.0) as usize;
    let noise = 0.02 * unit();
    let wander = 0.1 * unit();
    let drifts: Vec<f64> = (0..ranks).map(|_| 0.1 * unit() * unit()).collect();
    let mut loads = vec![1.0 + 4.0 * unit(); ranks];
    let mut seconds = Vec::with_capacity(ranks * STEPS);
    for _ in 0..STEPS {
        let jump = if unit() < 0.05 { unit() } else { 0.0 };
        let burst = if unit() < 0.05 { unit() } else { 0.0 };
        let struck = (unit() * ranks as f64) as usize;
        for (rank, load) in loads.iter_mut().enumerate() {
            let moved = drifts[rank] + wander * (unit() - 0.5);
            let jumped = if rank == struck { jump } else { 0.0 };
            *load = (*load + moved + jumped).max(0.0);
            let burst = if rank == struck { burst } else { 0.0 };
            seconds.push(*load + burst + noise * unit());
        }
    }
    let cost = 0.2 + 3.0 * unit();
    (Record::new(ranks, seconds, Vec::new()).expect("times"), cost)
}

/// `count` runs of a policy as text: its name; how many runs; of each run the number of ranks, of steps to train on,
/// of steps that follow and what a remap costs, then the times of each step, with the decision of `replay` behind
/// those that follow.
pub fn written(policy: &str, count: u64) -> String {
    let mut text = format!("{policy}\n{count}\n");
    for run in 0..count {
        let (record, remap_cost) = record(1990, run);
        let training = if TRAINED.contains(&policy) { TRAINING } else { 0 };
        let judged = TRAINING..STEPS;
        let ground = Ground {
            record: &record,
            remap_cost,
            overlap: remapping::overlap::Overlap::NONE,
            training: 0..TRAINING,
            seed: 1,
            from: Outset::Balance,
            end_known: training > 0,
        };
        let (base, start): (Base, Player) = match training {
            0 => {
                let made = remapping::controller::Controller::named(policy, remap_cost);
                let made = made.expect("a policy").for_steps(judged.len() as u64);
                (Base::Balanced(TRAINING - 1), player(made))
            }
            _ => {
                let found = ground.contestant(policy, None, &mut Vec::new()).expect("a policy");
                (ground.base(), ground.run(&found, judged.len() as u64))
            }
        };
        let mut replayed = start.clone();
        let course = play(&record, judged.clone(), base, remap_cost, &mut replayed);
        let ranks = record.ranks();
        let _ = writeln!(text, "{ranks} {training} {} {remap_cost:?}", judged.len());
        let line = |times: &[f64]| {
            let times: Vec<String> = times.iter().map(|time| format!("{time:?}")).collect();
            times.join(" ")
        };
        for step in 0..training {
            let _ = writeln!(text, "{}", line(record.row(step)));
        }
        let (mut base, mut times) = (base, Vec::new());
        for step in judged {
            Recorded::times(&record, base, step, &mut times);
            let remap = course.remaps.contains(&step);
            let _ = writeln!(text, "{} {}", line(&times), u8::from(remap));
            if remap {
                base = Base::Balanced(step);
            }
        }
    }
    text
}

/// The policy of a controller that has not started yet, as `replay` would make it.
fn player(controller: remapping::controller::Controller) -> Player {
    let text = serde_json::to_value(&controller).expect("it can be stored");
    serde_json::from_value(text["player"].clone()).expect("a policy")
}
