//! Remapping at fixed intervals \[FXW03\].

pub(super) mod certificate;
mod chain;
mod cheapest;
mod curve;
mod lines;
pub(super) mod proved;
mod solve;

use super::{Asked, Facts, Found, Outcome, Problem, Settings};
use crate::model::{Loaded, periodic::Periodic};

impl Problem for Periodic {
    fn name(&self) -> &'static str {
        "periodic"
    }

    fn facts(&self, _loaded: &Loaded) -> Facts {
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
