//! One change of phase, watched by a fallible detector [NR86, NR90].

pub(super) mod certificate;
pub mod compare;
pub mod evaluation;
mod solve;

use super::{Contest, Files, Found, Policies, Problem, Settings};
use crate::complaint::Complaint;
use crate::model::{Loaded, phase_change::PhaseChange};
use crate::run::Watch;
use remapping::Status;
use serde_json::Value;

impl Problem for PhaseChange {
    fn name(&self) -> &'static str {
        "phase_change"
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

    fn compare(
        &self,
        loaded: &Loaded,
        contest: &Contest,
        watch: &Watch,
    ) -> Result<(Policies, Status), Vec<Complaint>> {
        let (costs, status) = compare::compare(loaded, self, &contest.policies, watch)?;
        Ok((Policies::Certified(costs), status))
    }

    fn usual_policies(&self) -> Option<Vec<String>> {
        Some(["optimal", "fixed:0.7", "guarded:0.7", "never"].map(str::to_owned).to_vec())
    }
}
