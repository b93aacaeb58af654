//! Two phases that come back again and again.

mod solve;

use super::{Files, Found, Problem, Settings};
use crate::complaint::Complaint;
use crate::model::{Loaded, phase_switching::PhaseSwitching};
use crate::run::Watch;
use serde_json::Value;

impl Problem for PhaseSwitching {
    fn name(&self) -> &'static str {
        "phase_switching"
    }

    fn facts(&self, _loaded: &Loaded) -> Vec<(&'static str, Value)> {
        self.facts()
    }

    fn solve(
        &self,
        loaded: &Loaded,
        settings: &Settings,
        _files: Files<'_>,
        watch: &Watch,
    ) -> Result<Found, Vec<Complaint>> {
        solve::solve(loaded, self, settings, watch)
    }
}
