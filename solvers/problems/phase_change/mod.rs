//! One change of phase, watched by a fallible detector [NR86, NR90].

pub mod answer;
mod certainty;
pub(super) mod certificate;
pub mod claims;
pub mod compare;
pub mod evaluation;
pub mod lemmas;
pub mod model;
pub(super) mod proved;
pub(super) mod regret;
pub mod solve;
pub mod value_shape;
pub mod view;

use self::model::PhaseChange;
use super::{Asked, Contest, Facts, Found, Kind, Outcome, Policies, Settings};
use crate::model::file::ModelFile;
use remapping::Status;

impl Kind for PhaseChange {
    fn name(&self) -> &'static str {
        "phase_change"
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        solve::solve(asked, self)
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let (costs, status) = compare::compare(asked, self)?;
        Ok((Policies::Certified(costs), status))
    }

    fn usual_policies(&self) -> Option<Vec<String>> {
        Some(["optimal", "fixed:0.7", "guarded:0.7", "never"].map(str::to_owned).to_vec())
    }
}
