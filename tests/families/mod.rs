//! Families of simulated runs, for comparing rules that do not know the model.
//!
//! A run is a sum of a few parts (slopes, walks, noise, jumps, ...) whose sizes are drawn for each
//! seed. The cost of a remap ranges from less than the imbalance of one step to that of hundreds.
//! O(ranks x steps).

mod parts;

use parts::Loads;
use rand::RngExt;
use rand_distr::{Distribution, StudentT};
use remapping::record::Record;
use remapping::simulate::stream;
use std::f64::consts::TAU;

/// The kind of load process of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Drift,
    Straggler,
    Walk,
    WalkAndDrift,
    SlopesRedrawn,
    SlopesReturning,
    Jumps,
    Bursts,
    DriftInNoise,
    WalkInNoise,
    Noise,
    Seasons,
    LevelsReturning,
    HeavyTails,
    Front,
    HotRank,
    ChangeOfPhase,
    RareJumps,
    LongBursts,
    Mixture,
    Lattice,
    Multiplicative,
    Spikes,
    Curved,
    Blocks,
    Sawtooth,
    Volatility,
    Sloshing,
    JumpsAndDrift,
    HeavyNoise,
}

/// A simulated run with its remap cost.
#[derive(Debug, Clone)]
pub struct Run {
    /// The step times, without remaps.
    pub record: Record,
    /// Cost of a remap.
    pub remap_cost: f64,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 30] = [
        Family::Drift,
        Family::Straggler,
        Family::Walk,
        Family::WalkAndDrift,
        Family::SlopesRedrawn,
        Family::SlopesReturning,
        Family::Jumps,
        Family::Bursts,
        Family::DriftInNoise,
        Family::WalkInNoise,
        Family::Noise,
        Family::Seasons,
        Family::LevelsReturning,
        Family::HeavyTails,
        Family::Front,
        Family::HotRank,
        Family::ChangeOfPhase,
        Family::RareJumps,
        Family::LongBursts,
        Family::Mixture,
        Family::Lattice,
        Family::Multiplicative,
        Family::Spikes,
        Family::Curved,
        Family::Blocks,
        Family::Sawtooth,
        Family::Volatility,
        Family::Sloshing,
        Family::JumpsAndDrift,
        Family::HeavyNoise,
    ];

    /// A run of `ranks` >= 2 ranks and `steps` >= 20 steps. The remap cost is `dear` times a
    /// typical imbalance of the first steps after a remap. The same seed gives the same run.
    /// O(ranks x steps).
    pub fn run(self, ranks: usize, steps: usize, dear: f64, seed: u64) -> Run {
        let mut loads = Loads {
            ranks,
            steps,
            values: vec![0.0; ranks * steps],
            draws: stream(seed, self as u64),
        };
        loads.fill(self);
        let typical = (loads.growth(1) * loads.growth(10)).sqrt().max(f64::MIN_POSITIVE);
        // Shifts the loads so that all times are positive.
        let least = loads.values.iter().copied().fold(f64::INFINITY, f64::min);
        let above = 10.0 * typical - least;
        loads.values.iter_mut().for_each(|value| *value += above);
        let record = Record::new(ranks, loads.values, Vec::new()).expect("positive, finite times");
        Run { record, remap_cost: dear * typical }
    }
}

impl Loads {
    /// Adds the load process of a family.
    fn fill(&mut self, family: Family) {
        let (ranks, steps) = (self.ranks as f64, self.steps as f64);
        match family {
            Family::Drift => {
                self.drift(0.1);
                self.noise_between(0.001, 0.1);
            }
            Family::Straggler => {
                let straggler = self.rank();
                self.add(|_, step, rank| if rank == straggler { 0.1 * step as f64 } else { 0.0 });
                self.noise_between(0.001, 0.3);
            }
            Family::Walk => self.walk(1.0),
            Family::WalkAndDrift => {
                let size = self.size(0.05, 0.6);
                self.drift(size);
                self.walk(1.0);
            }
            Family::SlopesRedrawn => {
                let often = 1.0 / self.size(30.0, 200.0);
                let draw = |loads: &mut Loads, _| 0.1 * loads.normal();
                self.changing_slopes(move |loads| loads.uniform() < often, draw);
                self.noise_between(0.001, 0.3);
            }
            Family::SlopesReturning => {
                let back = self.size(0.005, 0.1);
                let spread = 0.1 * (2.0 * back).sqrt();
                let draw = move |loads: &mut Loads, slope: f64| {
                    (1.0 - back) * slope + spread * loads.normal()
                };
                self.changing_slopes(|_| true, draw);
                self.noise_between(0.001, 0.2);
            }
            Family::Jumps => {
                let apart = self.size(25.0, 200.0);
                self.jumps(apart, |loads| {
                    let up = loads.uniform() < 0.7;
                    1.5 * loads.exponential() * if up { 1.0 } else { -1.0 }
                });
                self.noise_between(0.01, 0.2);
            }
            Family::Bursts => {
                let (apart, last) = (self.size(20.0, 100.0), self.size(3.0, 25.0));
                let lasting = move |loads: &mut Loads| last * loads.exponential();
                self.events(1.0 / apart, |loads| 0.5 + loads.exponential(), lasting);
                self.noise_between(0.01, 0.2);
            }
            Family::DriftInNoise => {
                self.drift(0.1);
                self.noise_between(0.5, 5.0);
            }
            Family::WalkInNoise => {
                self.walk(1.0);
                self.noise_between(1.0, 10.0);
            }
            Family::Noise => self.noise(1.0),
            Family::Seasons => {
                let period = self.size(20.0, 300.0);
                let apart = if self.uniform() < 0.5 { 0.5 } else { TAU };
                let heights: Vec<f64> = (0..self.ranks).map(|_| self.exponential()).collect();
                let phases: Vec<f64> = (0..self.ranks).map(|_| self.between(0.0, apart)).collect();
                self.add(|_, step, rank| {
                    heights[rank] * (TAU * step as f64 / period + phases[rank]).sin()
                });
                self.noise_between(0.01, 0.5);
            }
            Family::LevelsReturning => {
                let back = self.size(0.01, 0.3);
                let size = (2.0 * back - back * back).sqrt();
                self.levels(back, move |loads| size * loads.normal());
            }
            Family::HeavyTails => {
                let law = StudentT::new(self.between(2.0, 3.5)).expect("degrees of freedom");
                self.levels(0.0, move |loads| law.sample(&mut loads.draws));
            }
            Family::Front => {
                let speed = self.size(0.02, 0.5) * ranks / 32.0;
                let width = (ranks * self.between(0.03, 0.15)).max(0.7);
                let mut place = 0.0;
                self.bump(width, true, move |loads, _| {
                    place += speed * (1.0 + 0.3 * loads.normal());
                    place
                });
                self.noise_between(0.005, 0.1);
            }
            Family::HotRank => {
                let stay = self.size(10.0, 120.0);
                let mut hot = self.rank();
                self.add(|loads, _, rank| {
                    if rank == 0 && loads.uniform() < 1.0 / stay {
                        hot = loads.rank();
                    }
                    if rank == hot { 1.0 } else { 0.0 }
                });
                self.noise_between(0.005, 0.15);
            }
            Family::ChangeOfPhase => {
                let at = steps * self.between(0.3, 0.85);
                let calms = self.uniform() < 0.3;
                let slopes = self.normals(self.ranks, 0.1);
                self.add(|_, step, rank| {
                    let step = step as f64;
                    slopes[rank] * if calms { step.min(at) } else { (step - at).max(0.0) }
                });
                self.noise_between(0.01, 0.5);
            }
            Family::RareJumps => {
                let apart = self.size(60.0, 250.0);
                self.jumps(apart, |loads| loads.between(0.5, 1.5));
                self.noise_between(0.003, 0.1);
            }
            Family::LongBursts => {
                let (apart, last) = (self.size(40.0, 120.0), self.size(4.0, 30.0));
                let lasting = move |loads: &mut Loads| last * loads.between(0.5, 1.5);
                self.events(1.0 / apart, |_| 1.0, lasting);
                let size = self.size(0.003, 0.05);
                self.walk(size);
            }
            Family::Mixture => {
                let mut sum = vec![0.0; self.values.len()];
                for _ in 0..2 + usize::from(self.uniform() < 0.5) {
                    let part = Family::ALL[self.draws.random_range(0..Family::Mixture as usize)];
                    self.values.fill(0.0);
                    self.fill(part);
                    let share = self.size(0.3, 3.0) / self.growth(10).max(f64::MIN_POSITIVE);
                    sum.iter_mut().zip(&self.values).for_each(|(sum, part)| *sum += share * part);
                }
                self.values = sum;
            }
            Family::Lattice => {
                let (up, down) = (self.between(0.05, 0.3), self.between(0.05, 0.3));
                let top = self.between(10.0, 30.0).floor();
                let mut levels = vec![(top / 2.0).floor(); self.ranks];
                self.add(|loads, _, rank| {
                    let draw = loads.uniform();
                    let moved = f64::from(draw < up) - f64::from(draw > 1.0 - down);
                    levels[rank] = (levels[rank] + moved).clamp(0.0, top);
                    levels[rank]
                });
            }
            Family::Multiplicative => {
                let size = self.size(0.005, 0.05);
                self.walk(size);
                self.values.iter_mut().for_each(|value| *value = value.exp());
            }
            Family::Spikes => {
                let (often, height) = (self.size(0.01, 0.2), self.size(1.0, 20.0));
                self.drift(0.1);
                self.noise(0.05);
                self.events(often, move |loads| height * loads.exponential(), |_| 0.0);
            }
            Family::Curved => {
                let power = if self.uniform() < 0.5 { 0.5 } else { 1.7 };
                let slopes = self.normals(self.ranks, 0.1);
                self.add(|_, step, rank| slopes[rank] * steps * (step as f64 / steps).powf(power));
                self.noise_between(0.01, 0.3);
            }
            Family::Blocks => {
                let block = 1 + self.ranks / 8;
                let blocks = self.ranks.div_ceil(block);
                let slopes = self.normals(blocks, 0.2);
                let mut levels = vec![0.0; blocks];
                self.add(|loads, _, rank| {
                    if rank % block == 0 {
                        levels[rank / block] += slopes[rank / block] + loads.normal();
                    }
                    levels[rank / block]
                });
                self.noise_between(0.05, 1.0);
            }
            Family::Sawtooth => {
                let period = self.size(20.0, 200.0) as usize;
                let slopes = self.normals(self.ranks, 0.1);
                self.add(|_, step, rank| slopes[rank].abs() * (step % period) as f64);
                self.noise_between(0.01, 0.3);
            }
            Family::Volatility => {
                let (often, calm) = (1.0 / self.size(30.0, 150.0), self.size(0.02, 0.3));
                let (mut wild, mut levels) = (false, vec![0.0; self.ranks]);
                self.add(|loads, _, rank| {
                    if rank == 0 && loads.uniform() < often {
                        wild = !wild;
                    }
                    levels[rank] += loads.normal() * if wild { 1.0 } else { calm };
                    levels[rank]
                });
            }
            Family::Sloshing => {
                let period = self.size(60.0, 400.0);
                let width = (ranks * self.between(0.05, 0.2)).max(0.7);
                let middle = (ranks - 1.0) / 2.0;
                let place =
                    move |_: &mut Loads, step: f64| middle * (1.0 + (TAU * step / period).sin());
                self.bump(width, false, place);
                self.noise_between(0.005, 0.1);
            }
            Family::JumpsAndDrift => {
                let apart = self.size(25.0, 150.0);
                self.jumps(apart, |loads| 2.0 * loads.exponential());
                self.drift(0.02);
                self.noise(0.05);
            }
            Family::HeavyNoise => {
                let law = StudentT::new(3.0).expect("degrees of freedom");
                let size = self.size(0.1, 1.5);
                self.drift(0.1);
                self.add(|loads, _, _| size * law.sample(&mut loads.draws));
            }
        }
    }
}
