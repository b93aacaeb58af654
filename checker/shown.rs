//! What a certificate that holds proves of single states.

use crate::core::counts::Decision;
use crate::core::proof::Interval;
use crate::core::span::Span;
use crate::stopping::problem::After;
use crate::stopping::states::{States, ordered};
use crate::{Checked, Model};

impl Checked {
    /// The decision in a state, and bounds on its cost; `None` for loads that are none of the model's, or where
    /// nothing is proved of single states. Where states are listed, the one at this place of the list.
    pub fn state(&self, loads: &[i64], listed: usize) -> Option<(Decision, Interval)> {
        let ((decision, [low, high]), bits) = match (&self.states, &self.model) {
            (States::All { bits, decisions, values, .. }, Model::Stopping(model)) => {
                let place = model.place_of(loads, listed)?;
                let run = values.partition_point(|(first, _)| *first <= place as u64);
                ((*decisions.get(place)?, values.get(run.checked_sub(1)?)?.1), *bits)
            }
            (States::Region { bits, listed, rho, equal }, _) => {
                let loads = ordered(equal, loads)?;
                (listed.get(&loads).copied().unwrap_or((Decision::Remap, *rho)), *bits)
            }
            _ => return None,
        };
        // Where a computation goes on from balanced loads they cost something, too.
        let balanced = decision == Decision::Balanced && self.ends();
        let bounds = if balanced { [0, 0] } else { [low, high.max(low)] };
        Some((decision, Span::between(bounds[0], bounds[1], bits).reals().into()))
    }

    /// Whether a remap ends the costs.
    pub fn ends(&self) -> bool {
        !matches!(&self.model, Model::Stopping(own) if own.model.after_remap == After::Restart)
    }

    /// With how many steps left one remaps from these loads, at least and at most; `None` where nothing is proved of that.
    pub fn remaps_from(&self, loads: &[i64], listed: usize) -> Option<[Option<u64>; 2]> {
        let (States::All { from, .. }, Model::Stopping(model)) = (&self.states, &self.model) else {
            return None;
        };
        from.get(model.place_of(loads, listed)?).copied()
    }
}
