//! The adaptive-grid fluids code of [NR90, sections II and V-A].

pub mod model;

use super::Facts;
use super::registry::Body;
use super::shared::two_phase::TwoPhases;
pub use super::shared::two_phase::answer;
use crate::model::review::Review;
use remapping::fluids::Fluids;
use remapping::two_phase::workload::Workload;

impl TwoPhases for Fluids {
    const NAME: &'static str = "fluids";
    const BODY: fn(Box<answer::Answer>) -> Body = Body::Fluids;

    fn facts(&self) -> Facts {
        model::facts(self)
    }

    fn review(&self, review: &mut Review<'_>) {
        model::review(self, review);
    }

    fn workload(&self) -> Box<dyn Workload + '_> {
        Box::new(self.clone())
    }
}
