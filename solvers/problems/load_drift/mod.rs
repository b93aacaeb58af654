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
pub(super) mod proved;
pub(super) mod regret;
mod solve;
mod unlisted;
pub mod view;

pub(super) use self::solve::dynamics;

use self::model::LoadDrift;
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
        let Asked { loaded, settings, files, watch, .. } = *asked;
        if bounds::are_wanted(self, settings) {
            return bounds::solve(loaded, self, settings, watch);
        }
        if let Some(shortage) = solve::shortage(self) {
            if let Some(reason) = bounds::are_not_there(self) {
                let lacking = format!("{shortage}; and by sampling: {reason}");
                return unlisted::solve(loaded, self, &lacking, watch);
            }
            let mut found = bounds::solve(loaded, self, settings, watch)?;
            found.warnings.insert(0, format!("{shortage}: bounds by sampling instead"));
            if found.status == Status::Converged {
                found.status = Status::IterationLimit;
            }
            return Ok(found);
        }
        solve::solve(loaded, self, settings, files, watch)
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let Asked { loaded, settings: contest, watch, .. } = *asked;
        let (report, status) = compare::compare(loaded, self, contest, watch)?;
        Ok((Policies::Sampled(report), status))
    }

    fn usual_policies(&self) -> Option<Vec<String>> {
        Some(Vec::new())
    }
}
