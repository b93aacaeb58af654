//! Logs made for tests: ranks that drift, walk or are only noisy, remapped now and then.

use remap::logs::Trace;
use remap::replaying::advice::Question;
use remapping::overlap::Overlap;
use remapping::record::Record;
use remapping::replay::{Ground, Outset};
use std::fmt::Write as _;
use std::ops::Range;

/// What is asked of a log where a remap costs so much.
pub fn question(trace: &Trace, remap_cost: f64) -> Question<'_> {
    Question {
        record: &trace.record,
        remap_cost,
        known: trace.knows_remaps,
        stride: trace.stride,
        seed: 1,
        steps: None,
        overlap: Overlap::NONE,
    }
}

/// Where rules are played that are trained on these steps, from balance.
pub fn ground(record: &Record, remap_cost: f64, training: Range<usize>) -> Ground<'_> {
    Ground {
        record,
        remap_cost,
        overlap: Overlap::NONE,
        training,
        seed: 1,
        from: Outset::Balance,
        end_known: false,
    }
}

/// SplitMix64.
#[derive(Clone)]
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        let (size, angle) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * size.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

/// What a log is made of.
#[derive(Debug, Clone, Copy)]
pub struct Made {
    pub ranks: usize,
    pub steps: usize,
    /// Steps between remaps.
    pub every: usize,
    /// Deviation of what a rank gains steadily, of what it gains at random, and of the measurement.
    pub slope: f64,
    pub walk: f64,
    pub noise: f64,
    pub remap_cost: f64,
    pub seed: u64,
}

pub const DRIFTING: Made = Made {
    ranks: 8,
    steps: 400,
    every: 100,
    slope: 0.004,
    walk: 0.0,
    noise: 0.01,
    remap_cost: 0.8,
    seed: 1,
};

impl Made {
    /// Times by step, and whether a remap came just before.
    pub fn rows(&self) -> Vec<(Vec<f64>, bool)> {
        let mut numbers = Numbers::new(self.seed);
        let slopes: Vec<f64> =
            (0..self.ranks).map(|_| self.slope * numbers.normal().abs()).collect();
        let mut levels = vec![1.0; self.ranks];
        let row = |step: usize| {
            let remapped = step > 0 && step.is_multiple_of(self.every);
            if remapped {
                let mean = levels.iter().sum::<f64>() / self.ranks as f64;
                levels.fill(mean);
            }
            let mut time = |(level, slope): (&mut f64, &f64)| {
                *level += slope + self.walk * numbers.normal();
                (*level + self.noise * numbers.normal()).max(0.01)
            };
            let times = levels.iter_mut().zip(&slopes).map(&mut time).collect();
            (times, remapped)
        };
        (0..self.steps).map(row).collect()
    }

    /// As a long table.
    pub fn csv(&self) -> String {
        let mut text = String::from("step,rank,seconds,remapped,remap_seconds\n");
        for (step, (times, remapped)) in self.rows().into_iter().enumerate() {
            for (rank, time) in times.into_iter().enumerate() {
                let cost = if remapped { self.remap_cost.to_string() } else { String::new() };
                let _ = writeln!(text, "{step},{rank},{time:.6},{},{cost}", u8::from(remapped));
            }
        }
        text
    }

    /// The same without a word of remaps.
    pub fn unmarked(&self) -> String {
        let three = |line: &str| line.splitn(4, ',').take(3).collect::<Vec<_>>().join(",") + "\n";
        self.csv().lines().map(three).collect()
    }
}

/// A log of these steps with a column for each rank: its times, and what a remap just before cost.
pub fn wide(rows: impl IntoIterator<Item = (Vec<f64>, Option<f64>)>) -> String {
    let row = |(times, cost): (Vec<f64>, Option<f64>)| {
        let paid = cost.map_or(String::new(), |cost| cost.to_string());
        (times, format!(",{},{paid}", u8::from(cost.is_some())))
    };
    columns("step,remapped,remap_seconds", rows.into_iter().map(row))
}

/// The same without a word of remaps.
pub fn times(rows: impl IntoIterator<Item = Vec<f64>>) -> String {
    columns("step", rows.into_iter().map(|times| (times, String::new())))
}

/// A table of the times of each step after what else is known of it, beneath these names.
fn columns(names: &str, rows: impl Iterator<Item = (Vec<f64>, String)>) -> String {
    let mut text = names.to_owned();
    for (step, (times, more)) in rows.enumerate() {
        if step == 0 {
            (0..times.len()).for_each(|rank| _ = write!(text, ",rank_{rank}"));
        }
        let _ = write!(text, "\n{step}{more}");
        times.iter().for_each(|time| _ = write!(text, ",{time}"));
    }
    text + "\n"
}

/// Rounded to so many decimals.
pub fn rounded(time: f64, decimals: i32) -> f64 {
    (time * 10_f64.powi(decimals)).round() / 10_f64.powi(decimals)
}
