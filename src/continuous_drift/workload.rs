//! Loads with continuous increments as a workload to simulate, by their definition.

use super::movement::Movement;
use super::summary::units_moved;
use super::{Class, ContinuousDrift};
use crate::overlap::Overlap;
use crate::policy::Step;
use crate::simulate::{Stream, Workload, simulated};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// Sample paths of [`ContinuousDrift`]: increments, slopes and noise are the same for every policy.
pub struct Loads {
    problem: ContinuousDrift,
    movement: Movement,
    about: Option<f64>,
}

/// The past of a path.
pub struct Past {
    draws: Stream,
    /// By step, from 0: the sum of all increments so far, and the slopes that a remap after it
    /// draws.
    sums: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
    noise: Vec<f64>,
    /// The present persistent slopes.
    kept: Vec<f64>,
}

impl Loads {
    /// The workload of this problem.
    pub fn new(problem: ContinuousDrift) -> Loads {
        let movement = Movement::new(&problem);
        Loads { problem, movement, about: None }
    }

    /// With loads shifted to this mean in each step, as in a log.
    pub fn about(self, mean: f64) -> Loads {
        Loads { about: Some(mean), ..self }
    }

    /// A distance below the mean that loads rarely exceed over the whole run without remaps: six
    /// standard deviations, plus the separation of the classes.
    pub fn depth(&self) -> f64 {
        let (problem, steps) = (&self.problem, self.problem.steps as f64);
        let kept = problem.kept_slopes.map_or(0.0, |kept| kept.deviation);
        let slopes = problem.slopes.hypot(kept);
        let mean = |class: &Class| class.mean() * steps;
        let highest = problem.classes.iter().map(mean).fold(f64::NEG_INFINITY, f64::max);
        let below = problem.classes.iter().map(|class| {
            6.0 * class.variance(steps, slopes, problem.noise).sqrt() + highest - mean(class)
        });
        below.fold(0.0, f64::max)
    }

    fn normals(&self, size: f64, draws: &mut Stream) -> Vec<f64> {
        if size == 0.0 {
            return Vec::new();
        }
        (0..self.problem.ranks())
            .map(|_| {
                let by: f64 = StandardNormal.sample(draws);
                size * by
            })
            .collect()
    }
}

simulated!(Loads);

impl Workload for Loads {
    type World = Past;
    /// The step of the last remap, which determines everything else.
    type Mapping = usize;

    fn steps(&self) -> u64 {
        self.problem.steps
    }

    fn remap_cost(&self) -> f64 {
        self.problem.remap_cost
    }

    fn surcharge(&self, world: &Past, remap: &usize) -> f64 {
        if self.problem.per_unit_moved == 0.0 {
            return 0.0;
        }
        let mut loads = Vec::new();
        self.loads(world, remap, &mut loads);
        self.problem.per_unit_moved * units_moved(&loads)
    }

    fn typical_remap_cost(&self) -> f64 {
        self.problem.typical_remap_cost()
    }

    fn overlap(&self) -> Overlap {
        self.problem.overlap
    }

    fn duration(&self, step: &Step) -> f64 {
        // Loads are relative to their mean.
        self.problem.mean_load + step.imbalance()
    }

    fn start(&self, mut draws: Stream) -> Past {
        let slopes = vec![self.normals(self.problem.slopes, &mut draws)];
        let sums = vec![vec![0.0; self.problem.ranks()]];
        let kept = self.problem.kept_slopes.map_or(0.0, |kept| kept.deviation);
        let kept = self.normals(kept, &mut draws);
        Past { draws, sums, slopes, noise: Vec::new(), kept }
    }

    fn initial(&self, _world: &mut Past) -> usize {
        0
    }

    fn advance(&self, world: &mut Past) {
        let mut moves = vec![0.0; self.problem.ranks()];
        self.movement.draw(&mut world.draws, &mut moves);
        self.movement.grow(&mut moves);
        let last = &world.sums[world.sums.len() - 1];
        moves.iter_mut().zip(last).for_each(|(by, sum)| *by += sum);
        if let Some(kept) = self.problem.kept_slopes {
            if world.draws.random::<f64>() < kept.change {
                world.kept = self.normals(kept.deviation, &mut world.draws);
            }
            moves.iter_mut().zip(&world.kept).for_each(|(to, slope)| *to += slope);
        }
        world.sums.push(moves);
        world.noise = self.normals(self.problem.noise, &mut world.draws);
        let slopes = self.normals(self.problem.slopes, &mut world.draws);
        world.slopes.push(slopes);
    }

    fn follow(&self, _world: &Past, _remap: &mut usize) {}

    fn loads(&self, world: &Past, remap: &usize, loads: &mut Vec<f64>) {
        let now = world.sums.len() - 1;
        let since = (now - remap) as f64;
        let part = |list: &[f64], rank: usize| list.get(rank).copied().unwrap_or(0.0);
        loads.clear();
        loads.extend(world.sums[now].iter().zip(&world.sums[*remap]).enumerate().map(
            |(rank, (to, from))| {
                to - from + since * part(&world.slopes[*remap], rank) + part(&world.noise, rank)
            },
        ));
        if let Some(mean) = self.about {
            let by = mean - loads.iter().sum::<f64>() / loads.len() as f64;
            loads.iter_mut().for_each(|load| *load += by);
        }
    }

    fn remap(&self, world: &Past, remap: &mut usize) {
        *remap = world.sums.len() - 1;
    }
}
