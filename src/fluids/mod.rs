//! The adaptive-grid fluids code of [NR90, sections II and V-A]: runs it and counts the cost of
//! every step on every processor under either mapping.

pub mod cost;
mod problem;
pub mod transport;
pub mod tube;

pub use problem::{Blocks, Calls, Cost, Detector, Fluids, Refinement, TransportScheme, Wave};

use crate::two_phase::figure::Setting;
use crate::two_phase::trace::Trace;
use crate::two_phase::workload::Workload;
use cost::{Prices, Wrapped, charge};
use tube::{Inflow, Tube};

impl Fluids {
    /// The inflow when the wave enters after the fraction `after` of the run.
    pub fn inflow(&self, after: f64) -> Inflow {
        Inflow {
            density: self.density,
            amplitude: self.wave.amplitude,
            from: after * self.steps as f64 * self.time_step,
            lasting: self.wave.lasting,
            periods: self.wave.periods,
        }
    }

    /// The number of coarse cells that the fastest wave travels in a sub-cycle: at twice the
    /// density.
    pub fn cells_per_sub_cycle(&self) -> f64 {
        let fastest = 2.0 * (self.density + self.wave.amplitude.abs());
        fastest * self.time_step / (self.spacing * self.transport.sub_cycles.max(1) as f64)
    }

    /// Runs the code with the wave entering after the fraction `after` of the run.
    pub fn run(&self, after: f64) -> Trace {
        let initial = vec![self.density; self.points];
        let mut tube = Tube::new(self, self.inflow(after), initial);
        let fine_steps =
            if self.cost.charge_sub_steps { self.refinement.ratio as f64 } else { 1.0 };
        let prices =
            Prices { exchange: self.cost.exchange, fine_steps, ratio: self.refinement.ratio };
        let map = |blocks| Wrapped { points: self.points, processors: self.processors, blocks };
        let (old, new) = (map(self.blocks.old), map(self.blocks.new));
        let mut trace = Trace::new(self.processors, self.examine_every);
        for step in 0..self.steps {
            let examined = step % self.examine_every == 0;
            if examined {
                tube.regrid();
                trace.changed.push(tube.fine_points() > self.detector.fine_points);
            }
            trace.work += charge(&old, &prices, tube.patches(), trace.old.push_step());
            let row = trace.new.push_step();
            charge(&new, &prices, tube.patches(), row);
            if examined {
                let time = row.iter().copied().fold(0.0, f64::max);
                trace.remap_cost.push(self.remap.steps * time);
            }
            tube.step();
        }
        trace
    }
}

impl Workload for Fluids {
    fn axis(&self) -> &'static str {
        "fraction of the run before the wave enters"
    }

    fn positions(&self) -> Vec<f64> {
        self.wave.after.clone()
    }

    fn trace(&self, scenario: usize, _seed: u64, _index: u32) -> Trace {
        self.run(self.wave.after[scenario])
    }

    fn deterministic(&self) -> bool {
        true
    }

    fn setting(&self, runs: u32, seed: u64) -> Setting {
        Setting {
            flip_unchanged: self.detector.false_alarm,
            flip_changed: self.detector.missed,
            belief: self.belief,
            premature: self.remap.premature,
            runs,
            seed,
        }
    }

    fn cycles(&self) -> usize {
        self.steps.div_ceil(self.examine_every)
    }

    fn points(&self) -> f64 {
        self.points as f64
    }

    fn processors(&self) -> usize {
        self.processors
    }
}
