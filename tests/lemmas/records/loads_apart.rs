//! Runs seen through noise, played with other remaps: what they cost is what the same increments
//! and the same noise cost under these remaps, on average over runs, and what a walk adds is found
//! whatever was remapped.

use crate::shared::normal;
use crate::thorough::{few_or_all, some};
use remapping::fit::apart::apart;
use remapping::fit::increments::Increments;
use remapping::policy::Rule;
use remapping::record::{Record, Remap};
use remapping::replay::replay;
use remapping::simulate::stream;

const RANKS: usize = 8;
const COST: f64 = 0.5;
const STEPS: usize = 400;

/// What each step adds for good and shows besides, step by step.
struct Run {
    steps: usize,
    gained: Vec<f64>,
    noise: Vec<f64>,
}

impl Run {
    /// With a slope for each rank, kept for good.
    fn new(seed: u64, steps: usize, [walk, noise, slope]: [f64; 3]) -> Run {
        let mut random = stream(seed, 5);
        let mut normal = |size: f64| size * normal(&mut random);
        let slopes: Vec<f64> = (0..RANKS).map(|_| normal(slope)).collect();
        let cells = RANKS * steps;
        let gained = (0..cells).map(|at| slopes[at % RANKS] + normal(walk)).collect();
        Run { steps, gained, noise: (0..cells).map(|_| normal(noise)).collect() }
    }

    /// The times, the cost and the remaps when it is remapped after each step of which `remaps`
    /// says so, by its number from 1 since the last one and by max - mean. Even are the loads
    /// afterwards, or with `by_times` the times that were shown.
    fn played(
        &self,
        by_times: bool,
        remaps: &dyn Fn(usize, f64) -> bool,
    ) -> (Vec<f64>, f64, Vec<Remap>) {
        let mean = |row: &[f64]| row.iter().sum::<f64>() / row.len() as f64;
        let (mut loads, mut times) = (vec![1000.0; RANKS], Vec::new());
        let (mut cost, mut made, mut since) = (0.0, Vec::new(), 0);
        for step in 0..self.steps {
            let row = step * RANKS..(step + 1) * RANKS;
            loads.iter_mut().zip(&self.gained[row.clone()]).for_each(|(load, more)| *load += more);
            let shown: Vec<f64> =
                loads.iter().zip(&self.noise[row]).map(|(load, noise)| load + noise).collect();
            let excess = shown.iter().copied().fold(f64::MIN, f64::max) - mean(&shown);
            cost += excess;
            since += 1;
            if step + 1 < self.steps && remaps(since, excess) {
                cost += COST;
                made.push(Remap { before: step + 1, seconds: Some(COST) });
                since = 0;
                let (even, all) = (mean(&loads), mean(&shown));
                for (load, shown) in loads.iter_mut().zip(&shown) {
                    *load = if by_times { *load - (shown - all) } else { even };
                }
            }
            times.extend(shown);
        }
        (times, cost, made)
    }
}

/// Costs of each rule on many runs: in truth, as simulated on the record, and on its loads apart
/// from noise.
fn costs(sizes: [f64; 3], every: usize, by_times: bool) -> [[f64; 3]; RULES.len()] {
    let mut sums = [[0.0; 3]; RULES.len()];
    for seed in 0..few_or_all(12, 60) {
        let run = Run::new(seed, STEPS, sizes);
        let (times, _, remaps) = run.played(by_times, &|since, _| since == every);
        let record = Record::new(RANKS, times, remaps).unwrap();
        let told = apart(&record).map_or_else(|| record.clone(), |found| found.records[0].clone());
        let start = || RULES.iter().map(|rule| rule.start(COST)).collect::<Vec<_>>();
        let [raw, told] = [&record, &told]
            .map(|record| replay(record, 0..STEPS, COST, &start, &()).unwrap().tallies);
        for ((sums, rule), (raw, told)) in sums.iter_mut().zip(RULES).zip(raw.iter().zip(&told)) {
            let truth = run.played(by_times, &|since, excess| match rule {
                Rule::Fixed(every) => since as u64 == every,
                Rule::Threshold(bound) => excess > bound,
                _ => false,
            });
            let found = [truth.1, raw.value, told.value];
            sums.iter_mut().zip(found).for_each(|(sum, cost)| *sum += cost);
        }
    }
    sums
}

const RULES: [Rule; 4] = [Rule::Never, Rule::Fixed(7), Rule::Fixed(45), Rule::Threshold(0.9)];

#[test]
fn remaps_even_out_loads() {
    // Walk, noise and slopes.
    let all = [
        ([0.1, 0.3, 0.0], 20),
        ([0.03, 0.3, 0.0], 5),
        ([0.05, 0.3, 0.0], 5),
        ([0.0, 0.3, 0.01], 5),
        ([0.05, 0.3, 0.02], 20),
        ([0.0, 0.3, 0.0], 10),
    ];
    for (sizes, every) in some(2, all) {
        for (rule, [truth, raw, told]) in RULES.into_iter().zip(costs(sizes, every, false)) {
            let off = 0.06 * truth + 0.1 * (raw - truth);
            assert!((told - truth).abs() < off, "{sizes:?} {rule}: {truth} {raw} {told}");
            assert!(sizes[2] > 0.0 || raw > 1.05 * truth, "{sizes:?} {rule}: {truth} {raw} {told}");
        }
    }
}

/// Where remaps even out what was measured, noise and all, times are played as they are.
#[test]
fn remaps_even_out_times() {
    for (rule, [truth, raw, told]) in RULES.into_iter().zip(costs([0.1, 0.3, 0.0], 20, true)) {
        assert!((raw - truth).abs() < 1e-6 * truth, "{rule}: {truth} {raw}");
        assert!((told - truth).abs() < 0.02 * truth, "{rule}: {truth} {told}");
    }
}

/// The walk's deviation is in its interval, whether remaps are many or none; where there is none,
/// and noise alone, it may be 0.
#[test]
fn walks_between_remaps() {
    for (sizes, every) in [
        ([1.0, 3.0, 0.0], 401),
        ([1.0, 3.0, 0.0], 40),
        ([1.0, 3.0, 0.0], 10),
        ([1.0, 3.0, 0.0], 5),
        ([0.0, 3.0, 0.0], 10),
        ([1.0, 0.0, 0.0], 10),
    ] {
        let mut inside = 0;
        for seed in 0..60 {
            let run = Run::new(seed, 400, sizes);
            let (times, _, remaps) = run.played(false, &|since, _| since == every);
            let record = Record::new(RANKS, times, remaps).unwrap();
            let found = Increments::of(&record).unwrap().deviation;
            inside += usize::from(found.contains(sizes[0]));
        }
        assert!(inside >= 52, "{sizes:?} {every}: {inside} of 60");
    }
}

/// Noise beside loads that move in waves is told from second differences: waves change more over
/// several steps than a walk of the same steps.
#[test]
fn noise_beside_waves_is_one_more_result() {
    const NOISE: f64 = 0.01;
    let wave = |step: usize, rank: usize| 0.2 * (0.1 * step as f64 + 2.0 * rank as f64).sin();
    for seed in 0..5 {
        let mut run = Run::new(seed, STEPS, [0.0, NOISE, 0.0]);
        for (at, gained) in run.gained.iter_mut().enumerate() {
            let (step, rank) = (at / RANKS, at % RANKS);
            *gained = wave(step + 1, rank) - wave(step, rank);
        }
        let (times, _, remaps) = run.played(false, &|since, _| since == 25);
        let record = Record::new(RANKS, times, remaps).unwrap();
        let found = apart(&record).expect("noise");
        let squares = found.records.last().unwrap().noise().iter().map(|noise| noise * noise);
        let noise = (squares.sum::<f64>() / (STEPS * (RANKS - 1)) as f64).sqrt();
        // The waves are taken for a walk, which leaves some of the noise in the loads.
        assert!((0.5..1.2).contains(&(noise / NOISE)), "{seed}: {noise}");
    }
}
