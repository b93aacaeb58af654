//! Two phases that come back again and again.

pub(super) mod certificate;
pub(super) mod proved;
mod solve;

use super::{Asked, Facts, Found, Outcome, Problem, Settings};
use crate::model::{Loaded, phase_switching::PhaseSwitching};

impl Problem for PhaseSwitching {
    fn name(&self) -> &'static str {
        "phase_switching"
    }

    fn facts(&self, _loaded: &Loaded) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        let Asked { loaded, settings, watch, .. } = *asked;
        solve::solve(loaded, self, settings, watch)
    }
}
