//! Chains between levels from recorded runs: dense matrices, and a chain for each rank.

use crate::fits::truth::against_the_optimum;
use crate::support::prelude::*;
use rand::RngExt;
use remapping::simulate::stream;
use std::fmt::Write as _;

const ROWS: [[f64; 6]; 6] = [
    [0.6, 0.2, 0.2, 0.0, 0.0, 0.0],
    [0.2, 0.5, 0.15, 0.15, 0.0, 0.0],
    [0.15, 0.15, 0.4, 0.15, 0.15, 0.0],
    [0.0, 0.15, 0.15, 0.4, 0.15, 0.15],
    [0.0, 0.0, 0.15, 0.15, 0.5, 0.2],
    [0.0, 0.0, 0.0, 0.2, 0.2, 0.6],
];

fn dense() -> String {
    stated(format!(
        "LoadDrift(processors: 3, chain: Matrix(lowest: 2, rows: {ROWS:?}), initial_load: 4, steps: 300, remap_cost: 4)"
    ))
}

fn chosen(document: &Value) -> &Value {
    &document["models"][0]
}

/// How many of the intervals named `name` contain the truth, and how many there are.
fn coverage(model: &Value, truth: impl Fn(&str) -> Option<f64>) -> (usize, usize) {
    let parameters = model["parameters"].list();
    let known = parameters.iter().filter_map(|found| {
        let truth = truth(found["name"].text())?;
        let end = |name: &str| found[name].f64();
        assert!(end("low") <= end("value") && end("value") <= end("high"), "{found}");
        Some(end("low") <= truth && truth <= end("high"))
    });
    let known: Vec<bool> = known.collect();
    (known.iter().filter(|inside| **inside).count(), known.len())
}

/// "3 to 5" as loads.
fn ends(name: &str) -> (usize, usize) {
    let (from, to) = name.split_once(" to ").unwrap();
    (from.parse().unwrap(), to.parse().unwrap())
}

#[test]
fn jumps_give_a_dense_matrix_that_contains_the_truth_and_solves() {
    let place = Workplace::new();
    place.write("dense.ron", dense());
    let (mut inside, mut all) = (0, 0);
    for seed in some(1, ["1", "2", "3", "4"]) {
        let simulate =
            "simulate dense.ron --steps 3000 --policy fixed:30 --trace dense.csv --force";
        place.remap(format!("{simulate} --seed {seed}")).exits(0);
        let found = place.answer("fit dense.csv");
        let model = chosen(&found);
        assert_eq!(model["problem"], "load_drift", "{found}");
        assert!(model["file"].text().contains("Matrix(lowest: 2"), "{found}");
        assert!(found["ranks_alike"].f64() > 0.001);
        let (hits, count) = coverage(model, |name| {
            let (from, to) = ends(name);
            Some(ROWS[from - 2][to - 2])
        });
        assert_eq!(count, 36);
        (inside, all) = (inside + hits, all + count);
    }
    // 95 of 100, less three standard deviations.
    assert!(inside * 100 >= all * 89, "{inside} of {all}");
    place.remap("fit dense.csv --model load-drift -o fitted.ron").exits(0);
    let fitted = place.read("fitted.ron").replace("steps: 3000", "steps: 300");
    place.write("fitted.ron", fitted);
    against_the_optimum(&place, "dense.ron", "fitted.ron");
    // Neighbours only, if asked for: then it says what it leaves out.
    let fit = place.shown("fit dense.csv --chain birth-death --model load-drift");
    has(&fit, &["moves are of several levels"]);
}

/// Up and down from every level, per rank.
const WALKS: [(f64, f64); 3] = [(0.35, 0.15), (0.15, 0.35), (0.25, 0.25)];
const LEVELS: usize = 5;
const COST: f64 = 3.0;

fn step(levels: &mut [usize], draws: &mut remapping::simulate::Stream) {
    for (level, (up, down)) in levels.iter_mut().zip(WALKS) {
        let draw: f64 = draws.random();
        if draw < up {
            *level = (*level + 1).min(LEVELS - 1);
        } else if draw < up + down {
            *level = level.saturating_sub(1);
        }
    }
}

fn even(levels: &mut [usize]) {
    let (total, ranks) = (levels.iter().sum::<usize>(), levels.len());
    let share = |rank: usize| total / ranks + usize::from(rank < total % ranks);
    levels.iter_mut().enumerate().for_each(|(rank, level)| *level = share(rank));
}

/// The average cost of a step under a map of decisions, on a path of its own.
fn average(map: &[u8], seed: u64) -> f64 {
    let (mut draws, mut levels, mut total) = (stream(seed, 1), vec![2; WALKS.len()], 0.0);
    for _ in 0..STEPS {
        step(&mut levels, &mut draws);
        let most = *levels.iter().max().unwrap() as f64;
        total += most - levels.iter().sum::<usize>() as f64 / levels.len() as f64;
        if map[levels.iter().fold(0, |place, level| place * LEVELS + level)] == b'R' {
            total += COST;
            even(&mut levels);
        }
    }
    total / f64::from(STEPS)
}

const STEPS: u32 = 400_000;

/// A trace of ranks that differ, remapped every 25 steps.
fn uneven(seed: u64) -> String {
    let (mut draws, mut levels) = (stream(seed, 0), vec![2; WALKS.len()]);
    let mut text = String::from("step,rank,seconds,remapped,remap_seconds\n");
    for number in 0..4000 {
        let mark = if number > 0 && number % 25 == 0 { "1,3" } else { "0," };
        for (rank, level) in levels.iter().enumerate() {
            let _ = writeln!(text, "{number},{rank},{},{mark}", level + 1);
        }
        if number % 25 == 24 {
            even(&mut levels);
        } else {
            step(&mut levels, &mut draws);
        }
    }
    text
}

/// What the name of a parameter stands for.
fn truth(name: &str) -> Option<f64> {
    let (rank, ways) = name.strip_prefix("rank ")?.split_once(", ")?;
    let (from, to) = ends(ways);
    let (up, down) = WALKS[rank.parse::<usize>().ok()?];
    let up = if from == LEVELS { 0.0 } else { up };
    let down = if from == 1 { 0.0 } else { down };
    Some(match to as i64 - from as i64 {
        1 => up,
        -1 => down,
        0 => 1.0 - up - down,
        _ => 0.0,
    })
}

#[test]
fn ranks_that_differ_get_their_own_chains_and_the_policy_of_them_is_near_the_best() {
    let place = Workplace::new();
    let (mut inside, mut all) = (0, 0);
    for seed in 1..=few_or_all(1, 2) {
        place.write("ranks.csv", uneven(seed));
        let found = place.answer("fit ranks.csv");
        assert!(found["ranks_alike"].f64() < 1e-6);
        let own = chosen(&found);
        assert_eq!(own["problem"], "stopping", "{found}");
        let models = found["models"].list();
        let alike = models.iter().find(|model| model["problem"] == "load_drift").unwrap();
        assert!(alike["misfits"].to_string().contains("alike"), "{alike}");
        let (hits, count) = coverage(own, truth);
        assert_eq!(count, 75);
        (inside, all) = (inside + hits, all + count);
    }
    assert!(inside * 100 >= all * 89, "{inside} of {all}");
    place.remap("fit ranks.csv --model stopping -o fitted.ron").exits(0);
    let walk =
        |(up, down)| format!("Walk(lowest: 1, levels: 5, up: {up}, down: {down}, edge: Hold)");
    let walks = WALKS.map(walk).join(", ");
    place.write(
        "truth.ron",
        stated(format!(
            "Stopping(processes: Distinct([{walks}]), remap_cost: {COST}, after_remap: Restart)"
        )),
    );
    let map =
        |name: &str| place.answer(format!("solve {name}"))["decision"].text().as_bytes().to_vec();
    let (best, fitted) = (average(&map("truth.ron"), 5), average(&map("fitted.ron"), 5));
    assert!(fitted <= 1.01 * best, "{fitted} is not within 1 % of {best}");
}
