//! Two recurring phases, with a mapping for each.

pub mod answer;
pub(super) mod certificate;
mod claims;
mod compare;
pub mod lemmas;
pub mod model;
pub mod policies;
pub(super) mod proved;
mod solve;
pub mod view;

use self::model::PhaseSwitching;
use super::{Asked, Contest, Facts, Found, Kind, Outcome, Policies, Settings};
use crate::model::file::ModelFile;
use remapping::Status;

impl Kind for PhaseSwitching {
    fn name(&self) -> &'static str {
        "phase_switching"
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        let Asked { loaded, settings, watch, .. } = *asked;
        solve::solve(loaded, self, settings, watch)
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let Asked { loaded, settings: contest, watch, .. } = *asked;
        let (costs, status) = compare::compare(loaded, self, &contest.policies, watch)?;
        Ok((Policies::Certified(costs), status))
    }

    fn usual_policies(&self) -> Option<Vec<String>> {
        Some(compare::USUAL.map(str::to_owned).to_vec())
    }
}
