//! Workloads with one change of phase [NR90, section V]: answers, comparisons and pictures of the
//! model problems.

pub mod answer;
pub mod compare;
pub(crate) mod model;
pub mod picture;
pub mod solve;
pub mod view;

use self::answer::Answer;
use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::model::review::Review;
use crate::problems::registry::Body;
use crate::problems::{Asked, Contest, Facts, Found, Kind, Outcome, Policies, Settings, Write};
use remapping::Status;
use remapping::two_phase::workload::{self, Workload};

/// A model whose scenarios are runs of such a workload.
pub trait TwoPhases {
    /// The problem's name in documents.
    const NAME: &'static str;
    /// Its answer.
    const BODY: fn(Box<Answer>) -> Body;

    /// The facts that are known without solving.
    fn facts(&self) -> Facts;

    /// Records the faults of the model.
    fn review(&self, review: &mut Review<'_>);

    /// The workload.
    fn workload(&self) -> Box<dyn Workload + '_>;
}

impl<M: TwoPhases> Kind for M {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        TwoPhases::facts(self)
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        solve::solve(asked, &*self.workload(), M::BODY)
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        compare::compare(asked, &*self.workload())
    }

    fn recordings(&self) -> Vec<String> {
        self.workload().trace_names()
    }

    fn record(&self, seed: u64, write: &mut Write<'_>) -> Result<(), Complaint> {
        workload::write_traces(&*self.workload(), seed, write)
    }
}
