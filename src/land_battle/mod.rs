//! The land battle of [NR90, sections II and V-B]: simulates it and counts the cost of every step
//! on every processor under either mapping.

pub mod battle;
pub mod board;
pub mod cost;
mod problem;

pub use problem::{
    Combat, Cost, Detector, Heading, LandBattle, Mapping, Mappings, Movement, Placement,
};

use crate::two_phase::figure::Setting;
use crate::two_phase::trace::Trace;
use crate::two_phase::workload::Workload;
use battle::{Battle, Unit};
use board::{Assignment, Board, Hex};
use cost::charge;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

impl LandBattle {
    /// The board.
    pub fn board(&self) -> Board {
        Board { columns: self.columns as i32, rows: self.rows as i32 }
    }

    /// The units of run `index` of a seed, with the sides `separation` hexes apart. The units are
    /// the same for every separation.
    pub fn units(&self, separation: u32, rng: &mut ChaCha8Rng) -> Vec<Unit> {
        let (slow, fast) = (1.0 / self.movement.slowest, 1.0 / self.movement.fastest);
        let middle = self.columns as i32 / 2;
        let mut units = Vec::with_capacity(2 * self.units as usize);
        for side in [0u8, 1] {
            let half = if side == 0 { separation.div_ceil(2) } else { separation / 2 } as i32;
            let column = if side == 0 { middle - half } else { middle + half };
            for _ in 0..self.units {
                let row = loop {
                    let row = self.placement.mean + self.placement.deviation * normal(rng);
                    if (0.0..f64::from(self.rows)).contains(&row.round()) {
                        break row.round() as i32;
                    }
                };
                units.push(Unit {
                    side,
                    hex: Hex { column, row },
                    speed: slow + (fast - slow) * rng.random::<f64>(),
                    progress: 0.0,
                    strength: 1.0,
                });
            }
        }
        units
    }

    /// The owners of the hexes before a remap and after it.
    pub fn assignments(&self) -> [Assignment; 2] {
        [self.mappings.old, self.mappings.new].map(|map| map.assign(self.board(), self.processors))
    }

    /// Simulates run `index` of `seed` with the sides `separation` hexes apart.
    pub fn run(
        &self,
        assignments: &[Assignment; 2],
        separation: u32,
        seed: u64,
        index: u32,
    ) -> Trace {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(2 * u64::from(index));
        let units = self.units(separation, &mut rng);
        let mut battle = Battle::new(self, units);
        let [old, new] = assignments;
        let mut trace = Trace::new(self.processors, 1);
        for _ in 0..self.steps {
            let per_unit = battle.engagements() as f64 / f64::from(self.units);
            trace.changed.push(per_unit > self.detector.engagements);
            let row = trace.old.push_step();
            trace.work += charge(old, &self.cost, &battle, row);
            let row = trace.new.push_step();
            charge(new, &self.cost, &battle, row);
            let time = row.iter().copied().fold(0.0, f64::max);
            trace.remap_cost.push(self.remap.steps * time);
            battle.step(&mut rng);
        }
        trace
    }
}

/// A model with its hexes assigned.
#[derive(Debug, Clone, PartialEq)]
pub struct Assigned<'a> {
    model: &'a LandBattle,
    assignments: [Assignment; 2],
}

impl<'a> Assigned<'a> {
    /// Assigns the hexes.
    pub fn new(model: &'a LandBattle) -> Self {
        Assigned { model, assignments: model.assignments() }
    }
}

impl Workload for Assigned<'_> {
    fn axis(&self) -> &'static str {
        "hexes between the sides at the beginning"
    }

    fn positions(&self) -> Vec<f64> {
        self.model.separations.iter().copied().map(f64::from).collect()
    }

    fn trace(&self, scenario: usize, seed: u64, index: u32) -> Trace {
        self.model.run(&self.assignments, self.model.separations[scenario], seed, index)
    }

    fn deterministic(&self) -> bool {
        false
    }

    fn setting(&self, runs: u32, seed: u64) -> Setting {
        let LandBattle { detector, belief, remap, .. } = self.model;
        Setting {
            flip_unchanged: detector.false_alarm,
            flip_changed: detector.missed,
            belief: *belief,
            premature: remap.premature,
            runs,
            seed,
        }
    }

    fn cycles(&self) -> usize {
        self.model.steps
    }

    fn points(&self) -> f64 {
        f64::from(2 * self.model.units)
    }

    fn processors(&self) -> usize {
        self.model.processors
    }
}

/// A standard normal variate (Box and Muller's cosine branch).
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}
