//! The worth of an advice from the beginning of a long log on the steps after it. The log is read
//! once more, and the policies are evaluated on all these steps.

use super::contest::{Judged, Percent};
use super::long::{Asked, Long};
use crate::complaint::Complaint;
use crate::logs::{self, Beginning, How};
use serde::Serialize;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Policies on the steps after the beginning.
#[derive(Debug)]
pub struct Later {
    /// Their results.
    pub judged: Judged,
    /// The training steps of the policies without a parameter.
    pub training: Range<usize>,
    /// The steps they were evaluated on.
    pub steps: Range<usize>,
}

/// The same results as a document.
#[derive(Debug, Serialize)]
pub struct Document {
    judged_from: usize,
    judged: usize,
    trained_from: usize,
    /// The saving of the chosen rule, in percent of the wall time of the recorded run; `null` where
    /// that is unknown.
    saves: Option<Percent>,
    policies: Vec<super::contest::Line>,
    best_in_use: String,
}

/// Whether a log can be read once more: a pipe cannot.
pub fn is_readable_again(paths: &[PathBuf]) -> bool {
    let is_file = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|facts| facts.is_file());
    paths.iter().all(|path| path != Path::new("-") && is_file(path))
}

/// Evaluates what is `asked` on the steps after the beginning; `None` if there are none. `known`:
/// whether the log says when the run was remapped.
///
/// # Errors
/// If the log cannot be read once more.
pub fn later(
    paths: &[PathBuf],
    how: &How,
    beginning: Beginning,
    asked: Asked,
    known: bool,
) -> Result<Option<Later>, Complaint> {
    let mut long = Long::new(asked);
    let trace = logs::follow(paths, how, beginning, &mut long)?;
    let steps = trace.record.steps()..trace.steps();
    let played = long.played(known);
    Ok(played.map(|played| Later { judged: played.judged, training: played.training, steps }))
}

impl Later {
    /// The saving of a policy relative to the recorded run.
    fn saves(&self, policy: &str) -> Option<Percent> {
        self.judged.line(policy)?.against_recorded.map(Percent::negated)
    }

    /// The saving of the chosen policy, in a sentence.
    pub fn sentence(&self, policy: &str) -> String {
        let Range { start, end } = self.steps;
        let worth = match (self.saves(policy), self.judged.line(policy)) {
            (Some(Percent { percent, lower, upper }), _) => {
                format!("saves {percent:.2} % (95 %: {lower:.2} to {upper:.2}) of the job")
            }
            (None, Some(line)) => {
                format!("costs {:.2} % of the job, remaps included", line.percent_of_time)
            }
            (None, None) => "was not played".to_owned(),
        };
        format!("on all {} steps after these, {start}..={}, {policy} {worth}", end - start, end - 1)
    }

    /// The document.
    pub fn document(&self, policy: &str) -> Document {
        Document {
            judged_from: self.steps.start,
            judged: self.steps.len(),
            trained_from: self.training.start,
            saves: self.saves(policy),
            policies: self.judged.lines.clone(),
            best_in_use: self.judged.best_in_use.0.clone(),
        }
    }
}
