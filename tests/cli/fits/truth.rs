//! Models fitted to traces of known models: intervals hold the truth, and policies cost what the
//! best ones do.

use crate::support::made_logs::{Numbers, times};
use crate::support::prelude::*;
use remap::problems::registry::{Loaded, Problem};
use remapping::load_drift::{LoadDrift, Loads, MapPolicy, States, Transition};
use remapping::overlap::Overlap;
use remapping::policy::Policy;
use remapping::simulate::compare;

/// The interval in which a parameter lies by the fit, from the comment lines of a model file.
fn interval(file: &str, name: &str) -> (f64, f64) {
    let line = file.lines().find(|line| line.starts_with(&format!("// {name} = ")));
    let line = line.unwrap_or_else(|| panic!("{name} is not in\n{file}"));
    let (_, ends) = line.split_once("confidence ").unwrap();
    let (low, high) = ends.split_once(" to ").unwrap();
    (low.parse().unwrap(), high.parse().unwrap())
}

pub const WALK: &str = "LoadDrift(processors: 4, chain: Walk(lowest: 1, levels: 12, up: 0.2, down: 0.25, edge: \
    Reflect), initial_load: 6, steps: 2000, remap_cost: 6)";

/// 95 % intervals contain the truth in about 95 of 100 traces.
#[test]
fn fits_contain_the_truth_as_often_as_they_say() {
    let place = Workplace::new();
    place.write("walk.ron", stated(WALK));
    let (seeds, least) = few_or_all((2, [4, 2]), (12, [20, 10]));
    let (mut inside, mut reflects) = (0, 0);
    for seed in 1..=seeds {
        let simulate = "simulate walk.ron --policy fixed:40 --trace walk.csv --force";
        place.remap(format!("{simulate} --seed {seed}")).exits(0);
        let file = place.shown("fit walk.csv");
        assert!(file.contains("LoadDrift") && file.contains("the model fits"), "{file}");
        for (name, truth) in [("up", 0.2), ("down", 0.25)] {
            let (low, high) = interval(&file, name);
            inside += u32::from(low <= truth && truth <= high);
            assert!(high - low < 0.03);
        }
        reflects += u32::from(file.contains("levels: 12") && file.contains("edge: Reflect"));
    }
    assert!(inside >= least[0], "{inside} of {}", 2 * seeds);
    // The top level may be missed.
    assert!(reflects >= least[1], "{reflects} of {seeds}");
}

#[test]
fn drifts_of_the_ranks_and_their_spread_are_recovered() {
    let place = Workplace::new();
    let law = |mean: f64| format!("Normal(mean: {mean}, deviation: 0.02)");
    let laws: Vec<String> = (0..8).map(|rank| law(if rank == 5 { 0.05 } else { 0.0 })).collect();
    let laws = laws.join(", ");
    let rest = "bound: MaxDeviation(0.1), remap_cost: 0.5";
    let problem = format!("Periodic(initial_load: 20, changes: Distinct([{laws}]), {rest})");
    place.write("drifts.ron", stated(problem));
    let best = |name: &str| {
        let solution = place.answer(format!("solve {name}"));
        solution["cost_aware"]["interval"].as_i64().unwrap()
    };
    let of_the_truth = best("drifts.ron");
    let (seeds, least) = few_or_all((2, 2), (12, 10));
    let mut inside = 0;
    for seed in 1..=seeds {
        let simulate = "simulate drifts.ron --steps 400 --trace d.csv --force";
        place.remap(format!("{simulate} --seed {seed}")).exits(0);
        let file = place.shown("fit d.csv --model periodic --remap-cost 0.5");
        assert!(file.contains("Distinct") && file.contains("the model fits"), "{file}");
        let (low, high) = interval(&file, "deviation per step");
        inside += u32::from(low <= 0.02 && 0.02 <= high);
        // The interval of least cost is that of the truth, to a step.
        place.write("fitted.ron", &file);
        assert_abs_diff_eq!(best("fitted.ron"), of_the_truth, epsilon = 1);
    }
    assert!(inside >= least, "{inside} of {seeds}");
}

#[test]
fn a_change_of_phase_is_recovered() {
    let place = Workplace::new();
    place.write(
        "phases.ron",
        stated(
            "PhaseChange(lifetime: Fixed(299), cycle: (before: 1.0, after: 1.5, remapped: 1.1), remap: (test: 4, install: 0), \
             detector: (false_alarm: 0.05, missed: 0.05), hazard: Constant(0.01))",
        ),
    );
    place.remap("simulate phases.ron --seed 4 --trace p.csv").exits(0);
    let file = place.shown("fit p.csv --remap-cost 4 --model phase-change");
    let (low, high) = interval(&file, "hazard");
    assert!(low <= 0.01 && 0.01 <= high, "{file}");
    // Times are up to 1 % below the cycle times.
    let (low, high) = interval(&file, "cycle after");
    assert!(1.48 <= low && high <= 1.5, "{file}");
    place.write("fitted.ron", &file);
    place.remap("solve fitted.ron").exits(0);
    place.remap("simulate phases.ron --seed 4 --steps 20 --trace q.csv").exits(0);
    let refused = place.remap("fit q.csv --remap-cost 4 --model phase-change").exits(1);
    refused.says("no phase_change model");
}

/// The slowest rank of even loads is above their mean by its noise.
#[test]
fn remapped_phases_have_the_noise_of_the_others() {
    let place = Workplace::new();
    let mut random = Numbers::new(3);
    let log = times((0..600).map(|step| {
        let more = |rank: usize| if step >= 300 && rank == 2 { 40.0 } else { 0.0 };
        (0..4).map(|rank| 200.0 + more(rank) + 12.0 * random.normal()).collect()
    }));
    place.write("log.csv", log);
    let file = place.shown("fit log.csv --remap-cost 500 --model phase-change");
    let after = |name: &str| {
        let rest = &file[file.find(name).unwrap() + name.len()..];
        rest[..rest.find([',', ')']).unwrap()].trim().parse::<f64>().unwrap()
    };
    // The largest of four normal numbers is 1.0294 deviations above their mean.
    assert_abs_diff_eq!(after("remapped:"), 210.0 + 1.0294 * 12.0, epsilon = 1.0);
    assert_abs_diff_eq!(after("before:"), 200.0 + 1.0294 * 12.0, epsilon = 1.0);
}

/// The policy solved from the fitted deck, on fresh paths of the truth, within 1 % of the optimum.
#[test]
fn the_fitted_policy_is_within_a_percent_of_the_optimum() {
    let place = Workplace::new();
    place.write("walk.ron", stated(WALK.replace("steps: 2000", "steps: 400")));
    place.remap("simulate walk.ron --seed 11 --steps 3000 --trace walk.csv").exits(0);
    place.remap("fit walk.csv --remap-cost 6 -o fitted.ron").exits(0);
    let fitted = place.read("fitted.ron").replace("steps: 3000", "steps: 400");
    place.write("fitted.ron", fitted);
    against_the_optimum(&place, "walk.ron", "fitted.ron");
}

/// The optimal policy of the model `fitted` costs at most 1 % more than that of `truth` on fresh
/// paths.
pub fn against_the_optimum(place: &Workplace, truth: &str, fitted: &str) {
    let problem = |name: &str| {
        let loaded = Loaded::read(&place.path(name)).unwrap();
        let Problem::LoadDrift(model) = &loaded.problem else { panic!() };
        model.problem()
    };
    let solved = |problem: &LoadDrift| {
        let states = States::new(problem.processors, problem.chain.levels()).unwrap();
        let transition = Transition::new(&problem.chain, problem.processors).unwrap();
        MapPolicy::solve(problem, Overlap::NONE, (&states, &transition), &()).unwrap()
    };
    let (truth, fitted) = (problem(truth), problem(fitted));
    assert_eq!((truth.lowest, truth.chain.levels()), (fitted.lowest, fitted.chain.levels()));
    let (best, own) = (solved(&truth), solved(&fitted));
    let start = || -> Vec<Box<dyn Policy>> { vec![Box::new(best.clone()), Box::new(own.clone())] };
    let found = compare(&Loads::new(truth), &start, 0..400, 99, false, &()).unwrap();
    let total = |place: usize| found.tallies[place].iter().map(|tally| tally.value).sum::<f64>();
    assert!(total(1) <= 1.01 * total(0), "{} is not within 1 % of {}", total(1), total(0));
}
