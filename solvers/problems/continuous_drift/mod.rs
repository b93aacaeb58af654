//! Drifting loads with continuous increments, as logs record them: no levels.

pub mod answer;
mod compare;
pub mod model;
pub mod solve;
pub mod view;

use self::model::ContinuousDrift;
use super::sampling::Report;
use super::{Asked, Contest, Facts, Found, Kind, Outcome, Policies, Settings};
use crate::model::file::ModelFile;
use remapping::Status;

impl Kind for ContinuousDrift {
    fn name(&self) -> &'static str {
        "continuous_drift"
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        Ok(solve::solve(self, asked.settings, asked.watch, None))
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let Asked { settings: contest, watch, .. } = *asked;
        let found = compare::compare(&self.problem(), contest, watch);
        let (report, status) = Report::of(found, contest)?;
        Ok((Policies::Sampled(report), status))
    }

    fn usual_policies(&self) -> Option<Vec<String>> {
        Some(Vec::new())
    }
}
