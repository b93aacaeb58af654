//! Any number of phases that come back, a mapping for each.

pub(super) mod certificate;
pub(super) mod proved;
mod solve;

pub use solve::GAP;

use super::{Asked, Facts, Found, Outcome, Problem, Settings};
use crate::model::{Loaded, many_phases::ManyPhases};

impl Problem for ManyPhases {
    fn name(&self) -> &'static str {
        "many_phases"
    }

    fn facts(&self, _loaded: &Loaded) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        let Asked { loaded, settings, watch, .. } = *asked;
        solve::solve(loaded, self, settings, watch)
    }
}
