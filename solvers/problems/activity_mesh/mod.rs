//! Work units that move over a mesh [NRS86, section 4].

mod compare;
pub mod model;

use self::model::ActivityMesh;
use super::{Asked, Contest, Facts, Found, Kind, Outcome, Policies, Settings};
use crate::model::file::ModelFile;
use remapping::Status;

impl Kind for ActivityMesh {
    fn name(&self) -> &'static str {
        "activity_mesh"
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        self.facts()
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        let Asked { loaded, .. } = *asked;
        let label = "its states are too many for an exact solution";
        let help = "play policies on it: remap compare MODEL.ron";
        Err(vec![loaded.complain("problem", "a mesh is simulated, not solved", label, help)])
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let Asked { settings: contest, watch, .. } = *asked;
        let (report, status) = compare::compare(self, contest, watch)?;
        Ok((Policies::Sampled(report), status))
    }
}
