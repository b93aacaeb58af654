//! Simulated records of fitted models, under the remaps of the record they were fitted to:
//! loads that walk, loads with drift rates, loads that move between levels.
//!
//! A row has the times of all ranks in a step; a remap before a step evens out the loads before
//! they change. O(ranks x steps), on levels times the number of levels.
//!
//! ```
//! use remapping::fit::simulated::{Walking, Walk};
//! use remapping::random::stream;
//!
//! let walk = Walking { walk: Walk::Normal(0.0), drifts: vec![1.0, -1.0], noise: 0.0 };
//! let times = walk.record(&mut stream(1, 0), 10.0, 3, &[2]);
//! assert_eq!(times, [11.0, 9.0, 12.0, 8.0, 11.0, 9.0]);
//! ```

use crate::random::Stream;
use rand::RngExt;

/// How a load changes in a step, besides its drift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Walk {
    /// Normal, with this standard deviation.
    Normal(f64),
    /// Up or down by a unit, with these probabilities; drifts do not count.
    Units {
        /// Size of a unit.
        unit: f64,
        /// Probability of a unit more.
        up: f64,
        /// Probability of a unit less.
        down: f64,
    },
}

/// Loads with independent changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Walking {
    /// What is random in a change.
    pub walk: Walk,
    /// Drift of each rank, per step.
    pub drifts: Vec<f64>,
    /// Standard deviation of the noise of each time.
    pub noise: f64,
}

impl Walking {
    /// The times of a run that starts balanced at `start`, remapped before the steps `remaps`, in
    /// ascending order.
    pub fn record(
        &self,
        numbers: &mut Stream,
        start: f64,
        steps: usize,
        remaps: &[usize],
    ) -> Vec<f64> {
        let mut loads = vec![start; self.drifts.len()];
        let mut seconds = Vec::with_capacity(steps * loads.len());
        for step in 0..steps {
            even_out(&mut loads, step, remaps);
            for (load, drift) in loads.iter_mut().zip(&self.drifts) {
                *load += match self.walk {
                    Walk::Normal(deviation) => drift + deviation * normal(numbers),
                    Walk::Units { unit, up, down } => {
                        let draw: f64 = numbers.random();
                        unit * (f64::from(draw < up) - f64::from(draw > 1.0 - down))
                    }
                };
                let seen =
                    if self.noise > 0.0 { *load + self.noise * normal(numbers) } else { *load };
                seconds.push(seen);
            }
        }
        seconds
    }
}

/// Loads with a normal walk, and drift rates that are drawn at random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sloping {
    /// Number of ranks.
    pub ranks: usize,
    /// Standard deviation of the walk, per step.
    pub deviation: f64,
    /// Standard deviation of the drift rates.
    pub slopes: f64,
    /// Whether a remap redraws the drift rates.
    pub redrawn: bool,
    /// Probability that a step redraws them.
    pub change: f64,
    /// Standard deviation of the noise of each time.
    pub noise: f64,
}

impl Sloping {
    /// As [`Walking::record`].
    pub fn record(
        &self,
        numbers: &mut Stream,
        start: f64,
        steps: usize,
        remaps: &[usize],
    ) -> Vec<f64> {
        let mut loads = vec![start; self.ranks];
        let mut slopes: Vec<f64> = loads.iter().map(|_| self.slopes * normal(numbers)).collect();
        let mut seconds = Vec::with_capacity(steps * self.ranks);
        for step in 0..steps {
            let remapped = even_out(&mut loads, step, remaps);
            let is_new = self.redrawn && remapped
                || self.change > 0.0 && numbers.random::<f64>() < self.change;
            if is_new {
                slopes.iter_mut().for_each(|slope| *slope = self.slopes * normal(numbers));
            }
            for (load, slope) in loads.iter_mut().zip(&slopes) {
                *load += slope + self.deviation * normal(numbers);
                let own = if self.noise > 0.0 { self.noise * normal(numbers) } else { 0.0 };
                seconds.push(*load + own);
            }
        }
        seconds
    }
}

/// Replaces the loads by their mean if there is a remap before this step; whether there is.
fn even_out(loads: &mut [f64], step: usize, remaps: &[usize]) -> bool {
    let remapped = remaps.binary_search(&step).is_ok();
    if remapped {
        let mean = loads.iter().sum::<f64>() / loads.len() as f64;
        loads.fill(mean);
    }
    remapped
}

/// Loads that move between levels.
pub struct OnLevels<'a> {
    /// The transition matrix of a rank.
    pub rows: &'a (dyn Fn(usize) -> &'a [Vec<f64>] + Sync),
    /// The recorded levels of all ranks at every step, of which the first are those of the start. A
    /// remap leaves every rank an equal share; the remainder goes to those that were recorded to
    /// have most after it.
    pub recorded: &'a [Vec<usize>],
    /// The load of the lowest level, in units.
    pub lowest: i64,
    /// Size of a unit.
    pub unit: f64,
}

impl OnLevels<'_> {
    /// The times of a run, remapped before the steps `remaps`, in ascending order.
    pub fn record(&self, numbers: &mut Stream, steps: usize, remaps: &[usize]) -> Vec<f64> {
        let mut levels = self.recorded[0].clone();
        let mut seconds = Vec::with_capacity(steps * levels.len());
        for (step, recorded) in self.recorded.iter().enumerate().take(steps) {
            if remaps.binary_search(&step).is_ok() {
                let (total, ranks) = (levels.iter().sum::<usize>(), levels.len());
                let mut order: Vec<usize> = (0..ranks).collect();
                order.sort_by_key(|rank| std::cmp::Reverse(recorded[*rank]));
                levels.fill(total / ranks);
                order.into_iter().take(total % ranks).for_each(|rank| levels[rank] += 1);
            }
            if step > 0 {
                for (rank, level) in levels.iter_mut().enumerate() {
                    *level = moved(&(self.rows)(rank)[*level], numbers).unwrap_or(*level);
                }
            }
            let load = |level: &usize| (*level as i64 + self.lowest) as f64 * self.unit;
            seconds.extend(levels.iter().map(load));
        }
        seconds
    }
}

/// A draw from a row of a transition matrix; none where the row sums to less than the draw.
pub(super) fn moved(row: &[f64], numbers: &mut Stream) -> Option<usize> {
    let draw: f64 = numbers.random();
    let mut sum = 0.0;
    row.iter().position(|p| {
        sum += p;
        draw < sum
    })
}

/// A standard normal number (G. E. P. Box and M. E. Muller 1958).
pub fn normal(numbers: &mut Stream) -> f64 {
    let (size, angle): (f64, f64) = (numbers.random(), numbers.random());
    (-2.0 * (1.0 - size).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}
