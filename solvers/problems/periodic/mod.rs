//! Remapping at fixed intervals \[FXW03\].

pub mod answer;
pub(super) mod certificate;
mod chain;
mod cheapest;
pub mod claims;
mod curve;
pub mod lemmas;
mod lines;
pub mod model;
pub(super) mod proved;
mod solve;
pub mod view;

use self::model::Periodic;
use super::{Asked, Facts, Found, Kind, Outcome, Settings};
use crate::model::file::ModelFile;

impl Kind for Periodic {
    fn name(&self) -> &'static str {
        "periodic"
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        let Asked { settings, watch, .. } = *asked;
        Ok(match self.bound() {
            Some(bound) => solve::solve(self, bound, settings, watch),
            None => cheapest::solve(self, watch),
        })
    }
}
