//! Workloads with one change of phase: the cost of their runs under two mappings, step by step, and
//! the results of remapping policies on them [NR90, section V].

pub mod answer;
pub mod compare;
pub mod envelope;
pub mod estimate;
pub mod expectation;
pub mod figure;
pub mod model;
pub mod picture;
pub mod play;
pub mod solve;
pub mod speedup;
pub mod trace;
pub mod view;
pub mod workload;

use self::answer::Answer;
use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::problems::registry::Body;
use crate::problems::{Asked, Contest, Facts, Found, Kind, Outcome, Policies, Settings, Write};
use remapping::Status;
use workload::Workload;

/// A model whose scenarios are runs of such a workload.
pub trait TwoPhases {
    /// The problem's name in documents.
    const NAME: &'static str;
    /// Its answer.
    const BODY: fn(Box<Answer>) -> Body;

    /// The facts that are known without solving.
    fn facts(&self) -> Facts;

    /// The workload.
    fn workload(&self) -> impl Workload;
}

impl<M: TwoPhases> Kind for M {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn facts(&self, _loaded: &ModelFile) -> Facts {
        TwoPhases::facts(self)
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        solve::solve_scenarios(asked, &self.workload(), M::BODY)
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        compare::compare(asked, &self.workload())
    }

    fn recordings(&self) -> Vec<String> {
        self.workload().trace_names()
    }

    fn record(&self, seed: u64, write: &mut Write<'_>) -> Result<(), Complaint> {
        workload::write_traces(&self.workload(), seed, write)
    }
}
