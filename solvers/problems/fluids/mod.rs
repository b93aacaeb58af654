//! The adaptive-grid fluids code of [NR90, sections II and V-A].

pub mod model;

use super::Facts;
use super::registry::Body;
use super::shared::two_phase::TwoPhases;
use super::shared::two_phase::answer::Answer;
use remapping::fluids::Fluids;
use remapping::two_phase::workload::Workload;

impl TwoPhases for Fluids {
    const NAME: &'static str = "fluids";
    const BODY: fn(Answer) -> Body = Body::Fluids;

    fn facts(&self) -> Facts {
        model::facts(self)
    }

    fn workload(&self) -> Box<dyn Workload + '_> {
        Box::new(self.clone())
    }
}
