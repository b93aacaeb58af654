//! How often 95 % intervals contain the truth: at few ranks, few steps, correlated noise, rare
//! events.

use crate::shared::normal;
use crate::thorough::some;
use rand::RngExt;
use rand_distr::{Distribution, StudentT};
use rayon::prelude::*;
use remapping::belief::Report;
use remapping::distribution::{Class, Law};
use remapping::estimate::Estimate;
use remapping::fit::change::{change, hazard};
use remapping::fit::correlated::means;
use remapping::fit::increments::Increments;
use remapping::fit::transitions::Transitions;
use remapping::monitor::calibrate::{Change, ErrorRates, Noise, recorded, simulate};
use remapping::monitor::{ChangeTest, Clusters};
use remapping::periodic::{Bound, Processors, first_passage};
use remapping::record::Record;
use remapping::simulate::stream;

/// A kind of sample with a known truth: whether the interval from the sample of a seed contains it,
/// `None` for samples that give no interval.
struct Row {
    name: String,
    covers: Box<dyn Fn(u64) -> Option<bool> + Sync>,
}

impl Row {
    fn new(name: &str, covers: impl Fn(u64) -> Option<bool> + Sync + 'static) -> Row {
        Row { name: name.to_owned(), covers: Box::new(covers) }
    }

    /// The share of the first `seeds` seeds with an interval whose interval contains the truth.
    fn share(&self, seeds: u64) -> f64 {
        let found: Vec<bool> =
            (1..=seeds).into_par_iter().filter_map(|seed| (self.covers)(seed)).collect();
        found.iter().filter(|covers| **covers).count() as f64 / found.len() as f64
    }
}

/// What the loads of all ranks have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Common {
    /// Nothing.
    Nothing,
    /// Their sum never changes.
    Total,
    /// A machine that is faster or slower, step by step.
    Speed,
}

/// Increments of deviation 1 and drift .3 (or another), seen through noise.
#[derive(Debug, Clone, Copy)]
pub struct Walks {
    /// Ranks and steps.
    pub size: [usize; 2],
    /// Whether increments have heavy tails.
    pub heavy: bool,
    /// The deviation of the noise.
    pub noise: f64,
    /// How much of it is still there one step later.
    pub lasts: f64,
    pub common: Common,
    pub drift: f64,
}

impl Walks {
    pub fn of(size: [usize; 2], heavy: bool, noise: f64) -> Walks {
        Walks { size, heavy, noise, lasts: 0.0, common: Common::Nothing, drift: 0.3 }
    }

    pub fn increments(self, seed: u64) -> Increments {
        let (mut random, [ranks, steps]) = (stream(seed, 0), self.size);
        let law = StudentT::new(5.0).unwrap();
        let fresh = (1.0 - self.lasts * self.lasts).sqrt();
        let (mut path, mut seconds) = (vec![1000.0; ranks], Vec::new());
        let mut off: Vec<f64> = (0..ranks).map(|_| normal(&mut random)).collect();
        for _ in 0..steps {
            for load in &mut path {
                *load += self.drift
                    + match self.heavy {
                        true => law.sample(&mut random) / (5.0_f64 / 3.0).sqrt(),
                        false => normal(&mut random),
                    };
            }
            let mean = path.iter().sum::<f64>() / ranks as f64;
            let shift = match self.common {
                Common::Nothing => 0.0,
                Common::Total => 1000.0 - mean,
                Common::Speed => 20.0 * normal(&mut random),
            };
            for (load, off) in path.iter().zip(&mut off) {
                *off = self.lasts * *off + fresh * normal(&mut random);
                seconds.push(load + shift + self.noise * *off);
            }
        }
        Increments::of(&Record::new(ranks, seconds, Vec::new()).unwrap()).unwrap()
    }
}

fn of_increments(rows: &mut Vec<Row>) {
    for ranks in [2, 4, 8, 32] {
        rows.push(Row::new(&format!("drift, {ranks} ranks"), move |seed| {
            Some(Walks::of([ranks, 100], false, 0.0).increments(seed).drift.contains(0.3))
        }));
    }
    for (ranks, steps, noise, heavy) in [
        (8, 400, 0.0, false),
        (2, 400, 0.0, false),
        (8, 40, 0.0, false),
        (2, 40, 0.0, false),
        (8, 400, 0.0, true),
        (8, 400, 10.0, false),
        (2, 400, 10.0, false),
        (8, 40, 10.0, false),
        (4, 20, 1.0, false),
    ] {
        let tails = if heavy { ", Student t5" } else { "" };
        let name = format!("deviation, {ranks} ranks, {steps} steps, noise {noise}{tails}");
        rows.push(Row::new(&name, move |seed| {
            Some(Walks::of([ranks, steps], heavy, noise).increments(seed).deviation.contains(1.0))
        }));
    }
}

fn of_common_changes(rows: &mut Vec<Row>) {
    for (common, name) in [(Common::Total, "a constant total"), (Common::Speed, "a common speed")] {
        for [ranks, steps] in [[2, 400], [8, 40], [8, 400]] {
            let name = format!("deviation, {ranks} ranks, {steps} steps, {name}");
            rows.push(Row::new(&name, move |seed| {
                let walks = Walks { common, ..Walks::of([ranks, steps], false, 0.0) };
                Some(walks.increments(seed).deviation.contains(1.0))
            }));
        }
    }
}

/// Stationary with deviation 1, and `shift` higher from `at` on.
fn autoregression(steps: usize, correlation: f64, at: usize, shift: f64, seed: u64) -> Vec<f64> {
    let mut random = stream(seed, 0);
    let mut value = normal(&mut random);
    let fresh = (1.0 - correlation * correlation).sqrt();
    let next = |step: usize| {
        let now = value + if step >= at { shift } else { 0.0 };
        value = correlation * value + fresh * normal(&mut random);
        now
    };
    (0..steps).map(next).collect()
}

fn of_changes(rows: &mut Vec<Row>) {
    for (correlation, shift) in [(0.0, 4.0), (0.5, 4.0), (0.8, 6.0)] {
        for (side, name) in ["before", "after"].into_iter().enumerate() {
            for at in [150, 260] {
                let name = format!("cycle {name}, change at {at} of 300, AR({correlation})");
                rows.push(Row::new(&name, move |seed| {
                    let times = autoregression(300, correlation, at, shift, seed);
                    let found = change(&times)?;
                    let (first, second) = times.split_at(found.at);
                    let truth = if side == 0 { 0.0 } else { shift };
                    Some(means([first, second]).means[side].contains(truth))
                }));
            }
        }
    }
    for rate in [0.0003, 0.003, 0.03] {
        rows.push(Row::new(&format!("hazard {rate} in 300 steps, given a change"), move |seed| {
            let mut random = stream(seed, 1);
            // The first change, drawn anew until there is one to see.
            let at = loop {
                let at = 1 + (random.random::<f64>().ln() / f64::ln_1p(-rate)) as usize;
                if at < 300 {
                    break at;
                }
            };
            let found = change(&autoregression(300, 0.0, at, 6.0, seed))?;
            Some(hazard(found.at, 300).contains(rate))
        }));
    }
}

/// The change test's error rates for clusters of `cluster` measurements with normal noise, from
/// many independent pairs.
fn error_rates(cluster: u32, shift: f64) -> [f64; 2] {
    let clusters = Clusters::new(1, cluster).unwrap();
    let change = Change { shift, scale: 1.0 };
    let ErrorRates { false_alarm, missed } =
        simulate(clusters, Noise::Normal, change, 400_000, 77).unwrap();
    [false_alarm.estimate().value, missed.estimate().value]
}

fn of_detectors(rows: &mut Vec<Row>) {
    for (shift, runs) in [(1.0, 20), (1.0, 100), (3.0, 20), (3.0, 100)] {
        let [alarm, missed] = error_rates(8, shift);
        let rates = move |seed: u64| {
            let change = Change { shift, scale: 1.0 };
            simulate(Clusters::new(1, 8).unwrap(), Noise::Normal, change, runs, seed).unwrap()
        };
        let name = |what: &str, rate: f64| format!("calibrate, {runs} runs, {what} {rate:.4}");
        rows.push(Row::new(&name("false alarm", alarm), move |seed| {
            Some(rates(seed).false_alarm.estimate().contains(alarm))
        }));
        rows.push(Row::new(&name("missed", missed), move |seed| {
            Some(rates(seed).missed.estimate().contains(missed))
        }));
    }
    let [alarm, missed] = error_rates(8, 1.5);
    let rates = |seed: u64| {
        let mut random = stream(seed, 2);
        let clusters = 8 * 200;
        let time = |k: usize| normal(&mut random) + if k >= clusters { 1.5 } else { 0.0 };
        let trace: Vec<f64> = (0..2 * clusters).map(time).collect();
        recorded(Clusters::new(1, 8).unwrap(), &trace, clusters).unwrap()
    };
    rows.push(Row::new("calibrate --change-at, 200 + 200 clusters, false alarm", move |seed| {
        Some(rates(seed).false_alarm.estimate().contains(alarm))
    }));
    rows.push(Row::new("calibrate --change-at, 200 + 200 clusters, missed", move |seed| {
        Some(rates(seed).missed.estimate().contains(missed))
    }));
}

fn of_paths(rows: &mut Vec<Row>) {
    let passage = |runs: u64, seed: u64| -> Estimate {
        let class = Class { count: 8, law: Law::Normal { mean: 0.0, deviation: 1.0 } };
        let processors = Processors::new(100.0, vec![class]).unwrap();
        first_passage(&processors, Bound::MaxDeviation(0.05), runs, seed, 100_000, &())
            .unwrap()
            .steps
    };
    let truth = passage(40_000, 123_456).value;
    for runs in [2, 5, 10] {
        rows.push(Row::new(&format!("--simulate, {runs} paths"), move |seed| {
            Some(passage(runs, seed).contains(truth))
        }));
    }
}

/// Walks on nine levels that move up and down with these probabilities each, rank by rank.
fn walks(rates: &[f64], steps: usize, seed: u64) -> Transitions {
    let mut random = stream(seed, 3);
    let mut levels = vec![5_i32; rates.len()];
    let mut seconds = Vec::new();
    for _ in 0..steps {
        seconds.extend(levels.iter().map(|level| f64::from(*level)));
        for (level, rate) in levels.iter_mut().zip(rates) {
            let draw: f64 = random.random();
            let change = i32::from(draw < *rate) - i32::from(draw >= 1.0 - rate);
            *level = (*level + change).clamp(1, 9);
        }
    }
    Transitions::of(&Record::new(rates.len(), seconds, Vec::new()).unwrap(), 1.0).unwrap()
}

fn all_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    of_increments(&mut rows);
    of_common_changes(&mut rows);
    of_changes(&mut rows);
    of_detectors(&mut rows);
    of_paths(&mut rows);
    rows
}

#[test]
fn intervals_contain_the_truth() {
    for row in some(20, all_rows()) {
        let share = row.share(60);
        assert!(share >= 0.85, "{}: {share}", row.name);
    }
}

/// The table of docs/coverage.md.
#[test]
#[ignore = "minutes; run with: cargo test -p remapping --test lemmas coverage -- --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn intervals_contain_the_truth_in_93_of_100_samples() {
    let mut wrong = Vec::new();
    for row in all_rows() {
        let share = row.share(20_000);
        println!("{:<60}{:>6.1} %", row.name, 100.0 * share);
        if share < 0.93 {
            wrong.push(row.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Share of records of identical walks whose ranks are refuted to be alike at `level`.
fn refuted(ranks: usize, steps: usize, rate: f64, level: f64, records: u64) -> f64 {
    let found = |seed: &u64| walks(&vec![rate; ranks], steps, *seed).alike() < level;
    (1..=records).into_par_iter().filter(found).count() as f64 / records as f64
}

#[test]
fn identical_walks_are_not_refuted() {
    for (ranks, steps, rate) in [(8, 300, 0.003), (4, 200, 0.02)] {
        assert!(refuted(ranks, steps, rate, 0.001, 60) <= 0.02);
    }
    // Two ranks of eight that move ten times as often.
    let unlike = [[0.2; 2].as_slice(), &[0.02; 6]].concat();
    assert!(walks(&unlike, 400, 1).alike() < 0.001);
}

#[test]
#[ignore = "minutes; run with: cargo test -p remapping --test lemmas coverage -- --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn identical_walks_are_refuted_as_often_as_is_said() {
    for (ranks, steps, rate) in [(2, 300, 0.01), (8, 400, 0.003), (8, 400, 0.01), (4, 300, 0.05)] {
        let [rare, seldom] = [0.001, 0.05].map(|level| refuted(ranks, steps, rate, level, 1000));
        println!(
            "ranks alike refuted at 0.001 / 0.05, {ranks} ranks, {steps} steps, rate {rate}: {:.2} / {:.1} %",
            100.0 * rare,
            100.0 * seldom
        );
        assert!(rare <= 0.005 && seldom <= 0.09);
    }
}

/// On a trace every pair of clusters is tested as the monitor would test it, and none twice.
#[test]
fn pairs_of_a_trace_are_tested_as_the_monitor_tests_them() {
    let mut random = stream(5, 0);
    let trace: Vec<f64> =
        (0..95).map(|k| normal(&mut random) + if k >= 43 { 2.0 } else { 0.0 }).collect();
    let clusters = Clusters::new(2, 3).unwrap();
    let reported = |base: usize, test: usize| {
        let mut change = ChangeTest::new(clusters);
        let taken = trace[base..base + 6].iter().chain(&trace[test..test + 6]);
        taken.filter_map(|value| change.observe(*value).unwrap()).last() == Some(Report::Change)
    };
    // Seven clusters before the change, eight from measurement 43 on.
    let alarms = (0..3).filter(|k| reported(6 * k, 6 * (k + 3))).count() as u64;
    let missed = (0..7).filter(|k| !reported(6 * k, 43 + 6 * k)).count() as u64;
    let found = recorded(clusters, &trace, 43).unwrap();
    assert_eq!((found.false_alarm.errors, found.false_alarm.pairs), (alarms, 3));
    assert_eq!((found.missed.errors, found.missed.pairs), (missed, 7));
}
