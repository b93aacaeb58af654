//! Work that wanders over a mesh [NRS86, section 4].

mod compare;

use super::{Contest, Files, Found, Policies, Problem, Settings};
use crate::complaint::Complaint;
use crate::model::{Loaded, activity_mesh::ActivityMesh};
use crate::run::Watch;
use remapping::Status;
use serde_json::Value;

impl Problem for ActivityMesh {
    fn name(&self) -> &'static str {
        "activity_mesh"
    }

    fn facts(&self, _loaded: &Loaded) -> Vec<(&'static str, Value)> {
        self.facts()
    }

    fn solve(
        &self,
        loaded: &Loaded,
        _settings: &Settings,
        _files: Files<'_>,
        _watch: &Watch,
    ) -> Result<Found, Vec<Complaint>> {
        let label = "its states are too many for an exact solution";
        let help = "play policies on it: remap compare MODEL.ron";
        Err(vec![loaded.complain("problem", "a mesh is simulated, not solved", label, help)])
    }

    fn compare(
        &self,
        _loaded: &Loaded,
        contest: &Contest,
        watch: &Watch,
    ) -> Result<(Policies, Status), Vec<Complaint>> {
        let found = compare::compare(self, contest, watch);
        let (report, status) = found.map_err(|complaint| vec![complaint])?;
        Ok((Policies::Sampled(report), status))
    }
}
