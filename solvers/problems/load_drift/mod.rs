//! Drifting loads of equal processors [NRS86, section 3].

mod compare;
mod solve;

use super::{Contest, Files, Found, Policies, Problem, Settings};
use crate::complaint::Complaint;
use crate::model::{Loaded, load_drift::LoadDrift};
use crate::run::Watch;
use remapping::Status;
use serde_json::Value;

impl Problem for LoadDrift {
    fn name(&self) -> &'static str {
        "load_drift"
    }

    fn facts(&self, _loaded: &Loaded) -> Vec<(&'static str, Value)> {
        self.facts()
    }

    fn solve(
        &self,
        loaded: &Loaded,
        settings: &Settings,
        files: Files<'_>,
        watch: &Watch,
    ) -> Result<Found, Vec<Complaint>> {
        solve::solve(loaded, self, settings, files, watch)
    }

    fn compare(
        &self,
        loaded: &Loaded,
        contest: &Contest,
        watch: &Watch,
    ) -> Result<(Policies, Status), Vec<Complaint>> {
        let (report, status) = compare::compare(loaded, self, contest, watch)?;
        Ok((Policies::Sampled(report), status))
    }

    fn usual_policies(&self) -> Option<Vec<String>> {
        Some(Vec::new())
    }
}
