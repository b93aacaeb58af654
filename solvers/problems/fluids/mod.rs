//! The adaptive-grid fluids code of [NR90, sections II and V-A]: runs it and counts the cost of
//! every step on every processor under either mapping.

pub mod cost;
pub mod model;
pub mod transport;
pub mod tube;

use self::model::Fluids;
use super::Facts;
use super::registry::Body;
use super::shared::two_phase::TwoPhases;
pub use super::shared::two_phase::answer;
use super::shared::two_phase::figure::Setting;
use super::shared::two_phase::trace::Trace;
use super::shared::two_phase::workload::Workload;
use cost::{Prices, Wrapped, charge};
use tube::{Inflow, Scheme, Tube};

impl Fluids {
    /// The discretization.
    pub fn scheme(&self) -> Scheme {
        Scheme {
            spacing: self.spacing,
            step: self.time_step,
            calls: self.transport.calls,
            sub_cycles: self.transport.sub_cycles,
            ratio: self.refinement.ratio,
            threshold: self.refinement.threshold,
            buffer: self.refinement.buffer,
        }
    }

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

    /// Runs the code with the wave entering after the fraction `after` of the run.
    pub fn run(&self, after: f64) -> Trace {
        let initial = vec![self.density; self.points];
        let mut tube = Tube::new(self.scheme(), self.inflow(after), initial);
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

impl TwoPhases for Fluids {
    const NAME: &'static str = "fluids";
    const BODY: fn(Box<answer::Answer>) -> Body = Body::Fluids;

    fn facts(&self) -> Facts {
        self.facts()
    }

    fn workload(&self) -> impl Workload {
        self.clone()
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
            beliefs: (&self.belief).into(),
            threshold: self.belief.threshold,
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
