//! Drifting loads as they are recorded, without levels.

mod solve;

use super::{Asked, Facts, Found, Outcome, Problem, Settings};
use crate::model::{Loaded, continuous_drift::ContinuousDrift};

impl Problem for ContinuousDrift {
    fn name(&self) -> &'static str {
        "continuous_drift"
    }

    fn facts(&self, _loaded: &Loaded) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        let Asked { loaded, settings, watch, .. } = *asked;
        solve::solve(loaded, self, settings, watch)
    }
}
