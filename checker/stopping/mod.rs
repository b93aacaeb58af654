//! Optimal stopping: the parameters of the model, its states, and the choice of the proof.

pub mod averages;
pub mod ending;
pub mod maps;
pub mod moved;
pub mod partial;
pub mod problem;
pub mod region;
pub mod states;
pub mod unbounded;
pub mod uniform;
pub mod values;

use crate::core::budget::{Budget, Refusal};
use crate::loads::Processes;
use crate::loads::states::space::Space;
use problem::{After, Stopping, Written};
use states::Shown;
use std::path::Path;
use values::Run;

impl Stopping {
    pub(crate) fn new(mut model: Written, folder: &Path) -> Result<Stopping, Refusal> {
        model.review()?;
        let walks = unbounded::walks(&mut model)?;
        let space = match &model.processes {
            Processes::Joint { loads, transition } => Space::joint(loads, transition, folder),
            processes => Space::independent(processes, &model.capacities()),
        };
        let all = match space {
            Err(Refusal::TooLarge) => None,
            Err(refusal) => return Err(refusal),
            Ok(space) => Some((model.imbalance(space.processes)?, space)),
        };
        let stopping = Stopping { model, walks, all };
        let random = stopping.model.after_remap == After::Uniform;
        if random { uniform::review(stopping) } else { Ok(stopping) }
    }

    /// Derives from the evidence what it proves.
    pub(crate) fn prove(&self, bits: u32, runs: &[Run], budget: &Budget) -> Result<Shown, Refusal> {
        let given = (bits, runs);
        match (&self.walks, self.model.steps, &self.model.after_remap) {
            (Some(walks), ..) => unbounded::prove((self, walks), given, budget),
            (_, Some(steps), _) => ending::prove(self, given, steps, budget),
            (.., After::Stop | After::Uniform) => maps::prove(self, given, budget),
            (.., After::Restart) => averages::prove(self, given, budget),
        }
    }
}
