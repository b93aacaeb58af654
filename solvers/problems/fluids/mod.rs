//! The adaptive-grid fluids code of [NR90, sections II and V-A]: runs it and counts what every step
//! costs every processor under either mapping.

pub mod cost;
pub mod transport;
pub mod tube;
use super::two_phase::compare::compare;
use super::two_phase::figure::Setting;
use super::two_phase::solve::solve_scenarios;
use super::two_phase::trace::{Loads, Trace};
use super::two_phase::workload::{Workload, write_traces};
use super::{Asked, Contest, Facts, Found, Outcome, Policies, Problem, Settings};
use crate::complaint::Complaint;
use crate::model::{Loaded, fluids::Fluids};
use crate::solution::Body;
use cost::{Prices, Wrapped, charge};
use remapping::Status;
use tube::{Inflow, Scheme, Tube};

impl Fluids {
    /// The discretisation.
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

    /// What flows in when the wave enters after the fraction `after` of the run.
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
        let mut trace = Trace {
            old: Loads::new(self.processors),
            new: Loads::new(self.processors),
            steps_per_cycle: self.examine_every,
            changed: Vec::new(),
            remap_cost: Vec::new(),
            work: 0.0,
        };
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

impl Problem for Fluids {
    fn name(&self) -> &'static str {
        "fluids"
    }

    fn facts(&self, _loaded: &Loaded) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        let Asked { loaded, settings, watch, .. } = *asked;
        solve_scenarios(loaded, self, settings, watch, Body::Fluids)
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let Asked { loaded, settings: contest, watch, .. } = *asked;
        compare(loaded, self, contest, watch)
    }

    fn recordings(&self) -> Vec<String> {
        self.trace_names()
    }

    fn record(
        &self,
        seed: u64,
        write: &mut dyn FnMut(&str, &[u8]) -> Result<(), Complaint>,
    ) -> Result<(), Complaint> {
        write_traces(self, seed, write)
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
