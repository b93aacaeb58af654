//! Simulated records of fitted models, under the remaps of the record they were fitted to:
//! loads that drift, and loads that move between levels.
//!
//! A row has the times of all ranks in a step; a remap before a step evens out the loads before
//! they change. O(ranks x steps), on levels times the number of levels.
//!
//! ```
//! use remapping::fit::simulated::{Change, Drifting, Drifts};
//! use remapping::random::stream;
//!
//! let drifts = Drifts::Fixed(vec![1.0, -1.0]);
//! let loads = Drifting { change: Change::Normal(0.0), drifts, noise: 0.0 };
//! let times = loads.record(&mut stream(1, 0), 10.0, 3, &[2]);
//! assert_eq!(times, [11.0, 9.0, 12.0, 8.0, 11.0, 9.0]);
//! ```

use crate::random::Stream;
use rand::RngExt;

/// How a load changes in a step, apart from its drift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
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

/// Mean changes of the ranks per step.
#[derive(Debug, Clone, PartialEq)]
pub enum Drifts {
    /// Known, for each rank.
    Fixed(Vec<f64>),
    /// Normal, drawn for each rank, and drawn again on the way.
    Drawn {
        /// Number of ranks.
        ranks: usize,
        /// Standard deviation.
        deviation: f64,
        /// Whether a remap redraws them.
        by_remaps: bool,
        /// Probability that a step redraws them.
        by_steps: f64,
    },
}

/// Loads with independent changes around drifts, observed with noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Drifting {
    /// What is random in a step.
    pub change: Change,
    /// What is not.
    pub drifts: Drifts,
    /// Standard deviation of the noise of each time.
    pub noise: f64,
}

impl Drifting {
    /// The times of a run that starts balanced at `start`, remapped before the steps `remaps`, in
    /// ascending order.
    pub fn record(
        &self,
        numbers: &mut Stream,
        start: f64,
        steps: usize,
        remaps: &[usize],
    ) -> Vec<f64> {
        let drawn = |numbers: &mut Stream| match &self.drifts {
            Drifts::Fixed(drifts) => drifts.clone(),
            Drifts::Drawn { ranks, deviation, .. } => {
                (0..*ranks).map(|_| deviation * normal(numbers)).collect()
            }
        };
        let mut drifts = drawn(numbers);
        let mut loads = vec![start; drifts.len()];
        let mut seconds = Vec::with_capacity(steps * loads.len());
        for step in 0..steps {
            let remapped = remaps.binary_search(&step).is_ok();
            if remapped {
                let mean = loads.iter().sum::<f64>() / loads.len() as f64;
                loads.fill(mean);
            }
            if let Drifts::Drawn { by_remaps, by_steps, .. } = self.drifts
                && (by_remaps && remapped || by_steps > 0.0 && numbers.random::<f64>() < by_steps)
            {
                drifts = drawn(numbers);
            }
            for (load, drift) in loads.iter_mut().zip(&drifts) {
                *load += match self.change {
                    Change::Normal(deviation) => drift + deviation * normal(numbers),
                    Change::Units { unit, up, down } => {
                        let draw: f64 = numbers.random();
                        unit * (f64::from(draw < up) - f64::from(draw > 1.0 - down))
                    }
                };
                let noise = if self.noise > 0.0 { self.noise * normal(numbers) } else { 0.0 };
                seconds.push(*load + noise);
            }
        }
        seconds
    }
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
