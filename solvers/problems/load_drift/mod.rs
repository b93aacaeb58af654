//! Drifting loads of equal processors [NRS86, section 3].

pub mod answer;
pub(super) mod bounds;
mod compare;
pub(super) mod compare_many;
pub mod few_thresholds;
mod induction;
mod least;
pub mod lemmas;
pub mod model;
mod numbers;
pub(super) mod proved;
pub(super) mod regret;
mod solve;
mod unlisted;
pub mod view;

pub(super) use self::solve::dynamics;

use self::model::LoadDrift;
use super::sampling::Report;
use super::{Asked, Contest, Facts, Found, Kind, Method, Outcome, Policies, Settings};
use crate::model::file::ModelFile;
pub use induction::{course, shared};
use remapping::Status;

impl Kind for LoadDrift {
    fn name(&self) -> &'static str {
        "load_drift"
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        self.facts()
    }

    fn methods(&self) -> &'static [Method] {
        &[Method::Exact, Method::Bounds]
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        if bounds::are_wanted(self, asked.settings) {
            return bounds::solve(asked, self, None);
        }
        if let Some(shortage) = solve::shortage(self) {
            if let Some(reason) = bounds::are_not_there(self) {
                let lacking = format!("{shortage}; and by sampling: {reason}");
                return unlisted::solve(asked, self, &lacking);
            }
            let mut found = bounds::solve(asked, self, None)?;
            found.warnings.insert(0, format!("{shortage}: bounds by sampling instead"));
            if found.status == Status::Converged {
                found.status = Status::IterationLimit;
            }
            return Ok(found);
        }
        solve::solve(asked, self)
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let (report, status) = Report::of(compare::compare(asked, self), asked.settings)?;
        Ok((Policies::Sampled(report), status))
    }

    fn usual_policies(&self) -> Option<Vec<String>> {
        Some(Vec::new())
    }
}
