//! The parts that loads of simulated runs are sums of.

use rand::RngExt;
use rand_distr::{Exp1, StandardNormal};
use remapping::simulate::Stream;

/// Loads under construction: `values[step * ranks + rank]`.
pub(super) struct Loads {
    pub ranks: usize,
    pub steps: usize,
    pub values: Vec<f64>,
    pub draws: Stream,
}

impl Loads {
    pub fn uniform(&mut self) -> f64 {
        self.draws.random()
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Log-uniform between `low` and `high`.
    pub fn size(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.uniform())
    }

    pub fn normal(&mut self) -> f64 {
        self.draws.sample(StandardNormal)
    }

    pub fn exponential(&mut self) -> f64 {
        self.draws.sample(Exp1)
    }

    pub fn rank(&mut self) -> usize {
        self.draws.random_range(0..self.ranks)
    }

    pub fn normals(&mut self, count: usize, size: f64) -> Vec<f64> {
        (0..count).map(|_| size * self.normal()).collect()
    }

    /// Adds `part(step, rank)` for every step and rank, in order.
    pub fn add(&mut self, mut part: impl FnMut(&mut Loads, usize, usize) -> f64) {
        for step in 0..self.steps {
            for rank in 0..self.ranks {
                let more = part(self, step, rank);
                self.values[step * self.ranks + rank] += more;
            }
        }
    }

    pub fn noise(&mut self, size: f64) {
        self.add(|loads, _, _| size * loads.normal());
    }

    pub fn noise_between(&mut self, low: f64, high: f64) {
        let size = self.size(low, high);
        self.noise(size);
    }

    /// Adds a drift: each rank has its own slope, normal with deviation `size`.
    pub fn drift(&mut self, size: f64) {
        let slopes = self.normals(self.ranks, size);
        self.add(|_, step, rank| slopes[rank] * step as f64);
    }

    /// Adds mean-reverting levels: each returns to 0 by the fraction `back` a step and gains an
    /// increment drawn by `step`.
    pub fn levels(&mut self, back: f64, mut step: impl FnMut(&mut Loads) -> f64) {
        let mut levels = vec![0.0; self.ranks];
        self.add(|loads, _, rank| {
            levels[rank] += step(loads) - back * levels[rank];
            levels[rank]
        });
    }

    pub fn walk(&mut self, size: f64) {
        self.levels(0.0, |loads| size * loads.normal());
    }

    /// Adds levels whose slopes change at steps that `changes` draws, each to `slope` of the old
    /// one.
    pub fn changing_slopes(
        &mut self,
        mut changes: impl FnMut(&mut Loads) -> bool,
        mut slope: impl FnMut(&mut Loads, f64) -> f64,
    ) {
        let mut slopes = self.normals(self.ranks, 0.1);
        let mut levels = vec![0.0; self.ranks];
        let mut change = false;
        self.add(|loads, _, rank| {
            if rank == 0 {
                change = changes(loads);
            }
            if change {
                slopes[rank] = slope(loads, slopes[rank]);
            }
            levels[rank] += slopes[rank];
            levels[rank]
        });
    }

    /// At every step with probability `often` a rank gains a load drawn by `size`, for a duration
    /// drawn by `last`.
    pub fn events(
        &mut self,
        often: f64,
        mut size: impl FnMut(&mut Loads) -> f64,
        mut last: impl FnMut(&mut Loads) -> f64,
    ) {
        for step in 0..self.steps {
            if self.uniform() < often {
                let (rank, size, last) = (self.rank(), size(self), last(self));
                let end = (step as f64 + 1.0 + last).min(self.steps as f64) as usize;
                for step in step..end {
                    self.values[step * self.ranks + rank] += size;
                }
            }
        }
    }

    /// Adds permanent jumps, `apart` steps apart on average.
    pub fn jumps(&mut self, apart: f64, size: impl FnMut(&mut Loads) -> f64) {
        self.events(1.0 / apart, size, |_| f64::INFINITY);
    }

    /// Adds a Gaussian bump of deviation `width` ranks, on a ring or a line, centered at `place`.
    pub fn bump(&mut self, width: f64, ring: bool, mut place: impl FnMut(&mut Loads, f64) -> f64) {
        let (ranks, mut middle) = (self.ranks as f64, 0.0);
        self.add(|loads, step, rank| {
            if rank == 0 {
                middle = place(loads, step as f64);
            }
            let mut distance = rank as f64 - middle;
            if ring {
                distance -= ranks * (distance / ranks).round();
            }
            (-distance * distance / (2.0 * width * width)).exp()
        });
    }

    /// Mean imbalance `lag` steps after a remap.
    pub fn growth(&self, lag: usize) -> f64 {
        let row = |step: usize| &self.values[step * self.ranks..(step + 1) * self.ranks];
        let after = |step: usize| {
            let gained: Vec<f64> =
                row(step + lag).iter().zip(row(step)).map(|(now, then)| now - then).collect();
            imbalance(&gained)
        };
        let moments = (0..self.steps - lag).step_by(3);
        let count = moments.len() as f64;
        moments.map(after).sum::<f64>() / count
    }
}

/// max - mean.
fn imbalance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - mean
}
