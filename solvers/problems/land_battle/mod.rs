//! The land battle of [NR90, sections II and V-B].

pub mod model;

use super::Facts;
use super::registry::Body;
use super::shared::two_phase::TwoPhases;
pub use super::shared::two_phase::answer;
use crate::model::review::Review;
use remapping::land_battle::{Assigned, LandBattle};
use remapping::two_phase::workload::Workload;

impl TwoPhases for LandBattle {
    const NAME: &'static str = "land_battle";
    const BODY: fn(Box<answer::Answer>) -> Body = Body::LandBattle;

    fn facts(&self) -> Facts {
        model::facts(self)
    }

    fn review(&self, review: &mut Review<'_>) {
        model::review(self, review);
    }

    fn workload(&self) -> Box<dyn Workload + '_> {
        Box::new(Assigned::new(self))
    }
}
