//! How often the 95 % intervals of what a rule saves on the steps of a log contain what it saves on
//! average.

use crate::shared::normal;
use crate::thorough::some;
use rand::RngExt;
use rand_distr::{Distribution, Exp1, StudentT};
use rayon::prelude::*;
use remapping::estimate::Estimate;
use remapping::policy::Rule;
use remapping::record::{Record, Remap};
use remapping::replay::{difference, play, recorded, standing};
use remapping::simulate::{Stream, stream};

const RANKS: usize = 4;
const REMAP_COST: f64 = 0.25;

/// What a step adds to a load.
#[derive(Debug, Clone, Copy)]
enum World {
    /// Something normal.
    Walk,
    /// Now and then very much.
    Jumps,
    /// Something with heavy tails.
    Student,
}

impl World {
    fn increment(self, random: &mut Stream) -> f64 {
        match self {
            World::Walk => 0.01 * normal(random),
            World::Jumps => {
                let size: f64 = Exp1.sample(random);
                let jumps = random.random::<f64>() < 0.01;
                0.002 * normal(random) + if jumps { 0.15 * size } else { 0.0 }
            }
            World::Student => 0.006 * StudentT::new(3.0).unwrap().sample(random),
        }
    }
}

/// A run of a world that is remapped every so many steps, and the rule that is played on its second
/// half.
#[derive(Debug, Clone, Copy)]
struct Case {
    world: World,
    every: usize,
    steps: usize,
    rule: Rule,
}

const fn case(world: World, [every, steps]: [usize; 2], rule: Rule) -> Case {
    Case { world, every, steps, rule }
}

const CASES: [Case; 9] = [
    case(World::Walk, [15, 300], Rule::Fixed(8)),
    case(World::Walk, [60, 1000], Rule::Fixed(10)),
    case(World::Walk, [100, 1000], Rule::Fixed(25)),
    case(World::Walk, [60, 4000], Rule::Fixed(25)),
    case(World::Jumps, [60, 1000], Rule::Threshold(0.1)),
    case(World::Jumps, [25, 1000], Rule::Fixed(10)),
    case(World::Jumps, [10, 1000], Rule::Fixed(40)),
    case(World::Jumps, [10, 4000], Rule::Fixed(40)),
    case(World::Student, [8, 600], Rule::Fixed(40)),
];

impl Case {
    /// What the rule costs more than the run did, on the second half of the log of a seed.
    fn more(self, seed: u64) -> Estimate {
        let Case { world, every, steps, rule } = self;
        let (mut random, mut loads, mut seconds) = (stream(seed, 0), [0.0; RANKS], Vec::new());
        for step in 0..steps {
            if step % every == 0 {
                loads = [0.0; RANKS];
            }
            let mut increments = [0.0; RANKS];
            increments.fill_with(|| world.increment(&mut random));
            let mean = increments.iter().sum::<f64>() / RANKS as f64;
            loads.iter_mut().zip(increments).for_each(|(load, more)| *load += more - mean);
            seconds.extend(loads.map(|load| 100.0 + load));
        }
        let remap = |before| Remap { before, seconds: Some(REMAP_COST) };
        let remaps = (every..steps).step_by(every).map(remap).collect();
        let record = Record::new(RANKS, seconds, remaps).unwrap();
        let judged = steps / 2..steps;
        let run = recorded(&record, judged.clone(), REMAP_COST);
        let mut policy = rule.start(REMAP_COST);
        let base = standing(&record, judged.start);
        let played = play(&record, judged, base, REMAP_COST, policy.as_mut());
        difference(&played, &run, seed)
    }

    /// The share of so many seeds whose interval contains the mean of all.
    fn share(self, seeds: u64) -> f64 {
        let all: Vec<Estimate> = (1..=seeds).into_par_iter().map(|seed| self.more(seed)).collect();
        let truth = all.iter().map(|found| found.value).sum::<f64>() / seeds as f64;
        all.iter().filter(|found| found.contains(truth)).count() as f64 / seeds as f64
    }
}

#[test]
fn savings_contain_the_mean_nearly_as_often_as_is_said() {
    for case in some(3, CASES) {
        let share = case.share(150);
        assert!(share >= 0.85, "{case:?}: {share}");
    }
}

/// The rows of docs/coverage.md on `replay` and `advise`.
#[test]
#[ignore = "a minute; run with: cargo test -p remapping --test lemmas coverage -- --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn savings_contain_the_mean() {
    for case in CASES {
        let Case { world, every, steps, rule } = case;
        let share = 100.0 * case.share(4000);
        println!("{world:?}, recorded every {every} of {steps} steps, {rule}: {share:.1} %");
        assert!(share >= 91.0, "{case:?}");
    }
}
