//! Optimal stopping: the states, and what they cost.

use crate::imbalance::Imbalance;
use crate::loads::{self, After};
use crate::space::Space;
use crate::{Refusal, model_error};
use num_traits::Zero;
use std::path::Path;

/// A model of optimal stopping.
pub struct Stopping {
    pub(crate) model: loads::Stopping,
    /// `None` if there are too many states to look at each of them.
    all: Option<(Imbalance, Space)>,
}

impl Stopping {
    pub(crate) fn new(model: loads::Stopping, folder: &Path) -> Result<Stopping, Refusal> {
        model.review()?;
        let capacities = model.capacities().unwrap_or_default();
        let all = match Space::new(&model.processes, &capacities, folder) {
            Err(Refusal::TooLarge) => None,
            Err(refusal) => return Err(refusal),
            Ok(space) => Some((Imbalance::of(&model, space.processes)?, space)),
        };
        let stopping = Stopping { model, all };
        match stopping.may_balance() {
            Ok(false) => model_error("no state is balanced, and a remap leads to a random one"),
            Ok(true) | Err(Refusal::TooLarge) => Ok(stopping),
            Err(refusal) => Err(refusal),
        }
    }

    /// Whether the problem ends where remaps lead to random loads and cost something.
    fn may_balance(&self) -> Result<bool, Refusal> {
        if self.model.after_remap != After::Uniform
            || self.model.constant().is_none_or(Zero::is_zero)
        {
            return Ok(true);
        }
        let (imbalance, space) = self.all.as_ref().ok_or(Refusal::TooLarge)?;
        let mut found = false;
        space.each(|_, loads| {
            found |= imbalance.cost(loads, 0)?[1] == 0;
            Ok(())
        })?;
        Ok(found)
    }

    /// All states, in the order of a certificate.
    pub fn space(&self) -> Result<&Space, Refusal> {
        self.parts().map(|(_, space)| space)
    }

    /// The costs of states, and the states.
    pub(crate) fn parts(&self) -> Result<&(Imbalance, Space), Refusal> {
        let all = self.all.as_ref().ok_or(Refusal::TooLarge)?;
        Some(all).filter(|all| !all.1.shared).ok_or(Refusal::Unproved("joint states share loads"))
    }

    /// After how many steps the computation ends, if it does.
    pub fn steps(&self) -> Option<u64> {
        self.model.steps
    }
}
