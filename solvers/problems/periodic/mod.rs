//! Remapping at fixed intervals \[FXW03\].

mod chain;
mod solve;

use super::{Files, Found, Problem, Settings};
use crate::complaint::Complaint;
use crate::model::{Loaded, periodic::Periodic};
use crate::run::Watch;
use serde_json::Value;

impl Problem for Periodic {
    fn name(&self) -> &'static str {
        "periodic"
    }

    fn facts(&self, _loaded: &Loaded) -> Vec<(&'static str, Value)> {
        self.facts()
    }

    fn solve(
        &self,
        _loaded: &Loaded,
        settings: &Settings,
        _files: Files<'_>,
        watch: &Watch,
    ) -> Result<Found, Vec<Complaint>> {
        Ok(solve::solve(self, settings, watch))
    }
}
