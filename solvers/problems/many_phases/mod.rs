//! Any number of recurring phases, with a mapping for each.

pub mod answer;
pub(super) mod certificate;
pub mod model;
pub(super) mod proved;
mod solve;
pub mod view;

pub use solve::GAP;

use self::model::ManyPhases;
use super::{Asked, Facts, Found, Kind, Outcome, Settings};
use crate::model::file::ModelFile;

impl Kind for ManyPhases {
    fn name(&self) -> &'static str {
        "many_phases"
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        solve::solve(asked, self)
    }
}
