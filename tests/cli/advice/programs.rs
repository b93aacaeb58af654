//! Simulated programs whose logs are advised on, and which then go on, again and again, with other
//! random numbers: what a rule saves in them is known.

use crate::support::made_logs::{Numbers, wide};
use std::f64::consts::TAU;

/// What moves the loads of a program, and how its times are measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Walks, drifts or one straggler, under timers with noise of this share of a step.
    Noise(f64),
    /// Loads of one rank for some steps.
    Bursts,
    /// Walks that are calm and wild in turn.
    Regimes,
    /// Sine waves, each rank with its own phase.
    Seasons,
    /// One rank gains steadily.
    Straggler,
    /// Timers with ticks of a fiftieth of a step.
    Ticks,
    /// No two remaps cost the same.
    Costs,
}

impl Kind {
    pub const ALL: [Kind; 9] = [
        Kind::Noise(0.01),
        Kind::Noise(0.05),
        Kind::Noise(0.1),
        Kind::Bursts,
        Kind::Regimes,
        Kind::Seasons,
        Kind::Straggler,
        Kind::Ticks,
        Kind::Costs,
    ];
}

/// Noise of the other kinds, a share of a step.
const SLIGHT: f64 = 0.005;

/// What a remap costs in a step, and the steps after which one pays, of all programs.
const COSTS: (f64, f64) = (0.1, 3.0);
const CYCLES: (f64, f64) = (8.0, 80.0);

/// A program between two steps.
#[derive(Clone)]
pub struct Program {
    kind: Kind,
    numbers: Numbers,
    step: f64,
    /// What every rank takes in a step where nothing is out of balance, and what one unit of the
    /// loads takes.
    usual: f64,
    size: f64,
    remap_cost: f64,
    /// The loads without any remap, and those at the last.
    loads: Vec<f64>,
    base: Vec<f64>,
    slopes: Vec<f64>,
    walk: f64,
    /// Rank, size and last step of the bursts.
    bursts: Vec<(usize, f64, f64)>,
    wild: bool,
    phases: Vec<f64>,
    /// Mean steps between bursts or regimes, or the period of the waves; mean steps of a burst.
    apart: f64,
    lasting: f64,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A program that runs step by step.
pub trait Runs: Clone {
    /// Mean cost of a remap.
    fn remap_cost(&self) -> f64;
    /// The times of the next step.
    fn next(&mut self) -> Vec<f64>;
    fn remap(&mut self);
    /// What a remap costs now.
    fn pay(&mut self) -> f64;
    /// The same from here on with other random numbers.
    fn again(&self, seed: u64) -> Self;
}

impl Program {
    pub fn new(kind: Kind, ranks: usize, steps: usize, seed: u64) -> Program {
        let mut numbers = Numbers::new(seed);
        let mut size = |(low, high): (f64, f64)| low * (high / low).powf(numbers.uniform());
        let (remap_cost, cycle) = (size(COSTS), size(CYCLES));
        let (apart, lasting) = match kind {
            Kind::Bursts => (size((20.0, 100.0)), size((3.0, 25.0))),
            Kind::Regimes => (size((30.0, 150.0)), 0.0),
            _ => (size((20.0, 300.0)), 0.0),
        };
        let mixture = numbers.below(3);
        let mut normals = || (0..ranks).map(|_| numbers.normal()).collect::<Vec<f64>>();
        let (slopes, phases) = (normals(), normals());
        let straggler = |rank: usize| if rank == 0 { 1.0 } else { 0.0 };
        let (slopes, walk) = match (kind, mixture) {
            (Kind::Straggler, _) => ((0..ranks).map(straggler).collect(), 0.0),
            (Kind::Bursts, _) => (vec![0.0; ranks], 0.02),
            (Kind::Regimes, _) => (vec![0.0; ranks], 1.0),
            (Kind::Seasons, _) => (vec![0.0; ranks], 0.0),
            (_, 0) => (slopes, 0.0),
            (_, 1) => (vec![0.0; ranks], 1.0),
            _ => (slopes.iter().map(|slope| 0.1 * slope).collect(), 1.0),
        };
        let mut program = Program {
            kind,
            numbers,
            step: 0.0,
            usual: 1.0,
            size: 1.0,
            remap_cost,
            loads: vec![0.0; ranks],
            base: vec![0.0; ranks],
            slopes,
            walk,
            bursts: Vec::new(),
            wild: false,
            phases,
            apart,
            lasting,
        };
        program.scale(cycle, steps);
        program.loads.fill(0.0);
        program.advance();
        program.remap();
        program
    }

    /// Chooses the unit of the loads such that a cycle of so many steps costs half as much again as
    /// a remap, and what a step takes such that no time of such a run is negative.
    fn scale(&mut self, cycle: f64, steps: usize) {
        let (mut trial, mut spent, mut farthest) = (self.clone(), 0.0, 0.0_f64);
        for step in 0..steps {
            if step.is_multiple_of(cycle as usize) {
                trial.remap();
            }
            trial.advance();
            let loads: Vec<f64> = trial.off_balance();
            spent += loads.iter().copied().fold(0.0, f64::max);
            let least = trial.loads.iter().copied().fold(f64::INFINITY, f64::min);
            farthest = farthest.max(mean(&trial.loads) - least);
        }
        self.size = 1.5 * self.remap_cost * steps as f64 / (cycle * spent);
        self.usual = 1.0_f64.max(1.5 * farthest * self.size);
    }

    /// How far the loads are from their mean, in their unit.
    fn off_balance(&self) -> Vec<f64> {
        let off = self.loads.iter().zip(&self.base).map(|(load, base)| load - base);
        let off: Vec<f64> = off.collect();
        let mean = mean(&off);
        off.iter().map(|off| off - mean).collect()
    }

    fn exponential(&mut self) -> f64 {
        -(1.0 - self.numbers.uniform()).ln()
    }

    /// Moves the loads by one step.
    fn advance(&mut self) {
        self.step += 1.0;
        let walk = match self.kind {
            Kind::Regimes => {
                self.wild ^= self.numbers.uniform() < 1.0 / self.apart;
                if self.wild { self.walk } else { 0.1 * self.walk }
            }
            _ => self.walk,
        };
        for rank in 0..self.loads.len() {
            self.loads[rank] += self.slopes[rank] + walk * self.numbers.normal();
            if self.kind == Kind::Seasons {
                let wave = |step: f64| (TAU * step / self.apart + self.phases[rank]).sin();
                self.loads[rank] += wave(self.step) - wave(self.step - 1.0);
            }
        }
        if self.kind == Kind::Bursts {
            let (now, loads) = (self.step, &mut self.loads);
            self.bursts.retain(|(rank, size, end)| {
                let over = *end <= now;
                loads[*rank] -= if over { *size } else { 0.0 };
                !over
            });
            if self.numbers.uniform() < 1.0 / self.apart {
                let (rank, size) = (self.numbers.below(self.loads.len()), 0.5 + self.exponential());
                let end = now + 1.0 + self.lasting * self.exponential();
                self.loads[rank] += size;
                self.bursts.push((rank, size, end));
            }
        }
    }
}

impl Runs for Program {
    fn remap_cost(&self) -> f64 {
        self.remap_cost
    }

    fn again(&self, seed: u64) -> Program {
        Program { numbers: Numbers::new(seed), ..self.clone() }
    }

    fn next(&mut self) -> Vec<f64> {
        self.advance();
        let noise = match self.kind {
            Kind::Noise(share) => share,
            _ => SLIGHT,
        };
        let common = self.usual * (1.0 + 0.02 * self.numbers.normal());
        let off = self.off_balance();
        let time = |off: &f64| {
            let time = common + self.size * off + noise * self.usual * self.numbers.normal();
            match self.kind {
                Kind::Ticks => (50.0 * time / self.usual).round() / 50.0 * self.usual,
                _ => time.max(1e-3 * self.usual),
            }
        };
        off.iter().map(time).collect()
    }

    fn remap(&mut self) {
        self.base.clone_from(&self.loads);
    }

    fn pay(&mut self) -> f64 {
        let factor = varied(&mut self.numbers);
        self.remap_cost * if self.kind == Kind::Costs { factor } else { 1.0 }
    }
}

/// A factor of mean 1 by which costs vary.
fn varied(numbers: &mut Numbers) -> f64 {
    const SPREAD: f64 = 0.5;
    (SPREAD * numbers.normal() - 0.5 * SPREAD * SPREAD).exp()
}

/// A program whose work is in blocks that are not split: a remap gives the largest block to the
/// rank with the least work, and so on. Its costs vary, and so do its times, by a hundredth.
#[derive(Clone)]
pub struct Blocks {
    numbers: Numbers,
    ranks: usize,
    work: Vec<f64>,
    owner: Vec<usize>,
    remap_cost: f64,
}

impl Blocks {
    pub fn new(ranks: usize, blocks: usize, remap_cost: f64, seed: u64) -> Blocks {
        let mut numbers = Numbers::new(seed);
        let work: Vec<f64> = (0..blocks).map(|_| 1.0 + 0.3 * numbers.uniform()).collect();
        let mut program = Blocks { numbers, ranks, work, owner: vec![0; blocks], remap_cost };
        program.remap();
        program
    }
}

impl Runs for Blocks {
    fn remap_cost(&self) -> f64 {
        self.remap_cost
    }

    fn again(&self, seed: u64) -> Blocks {
        Blocks { numbers: Numbers::new(seed), ..self.clone() }
    }

    fn next(&mut self) -> Vec<f64> {
        let mut times = vec![0.0; self.ranks];
        for (work, owner) in self.work.iter_mut().zip(&self.owner) {
            *work = (*work + 0.02 * self.numbers.normal()).abs();
            times[*owner] += *work;
        }
        times.iter().map(|time| time * (1.0 + 0.01 * self.numbers.normal())).collect()
    }

    fn remap(&mut self) {
        let mut order: Vec<usize> = (0..self.work.len()).collect();
        order.sort_by(|a, b| self.work[*b].total_cmp(&self.work[*a]));
        let mut loads = vec![0.0_f64; self.ranks];
        for block in order {
            let least = (0..self.ranks).min_by(|a, b| loads[*a].total_cmp(&loads[*b])).unwrap();
            self.owner[block] = least;
            loads[least] += self.work[block];
        }
    }

    fn pay(&mut self) -> f64 {
        self.remap_cost * varied(&mut self.numbers)
    }
}

/// The log of a run that is remapped every `every` steps, never if that is 0; and the program
/// before its step `cut`.
pub fn log<P: Runs>(mut program: P, steps: usize, every: usize, cut: usize) -> (String, P) {
    let mut there = program.clone();
    let text = wide((0..steps).map(|step| {
        let paid = is_remapped(step, every).then(|| {
            program.remap();
            program.pay()
        });
        if step == cut {
            there = program.clone();
        }
        (program.next(), paid)
    }));
    (text, there)
}

pub fn is_remapped(step: usize, every: usize) -> bool {
    every > 0 && step > 0 && step.is_multiple_of(every)
}
