//! The learning method of \[YXW03\] for an unknown chain: its distance from the optimum by the
//! number of observed steps.

use super::model::Printed;
use super::{Found, Stop};
use crate::complaint::Complaint;
use crate::problems::registry::{Loaded, Problem};
use crate::run::Watch;
use remapping::Observer;
use remapping::estimate::Estimate;
use remapping::parallel;
use remapping::phase_change::Bounds;
use remapping::stopping::{self, AfterRemap, Learner, School, Settings};
use std::ops::ControlFlow;
use std::path::Path;

/// The most steps observed in all runs.
const MOST_OBSERVED: f64 = 1e9;

pub(crate) fn distances(
    path: &Path,
    learner: Learner,
    (runs, seed): (u64, u64),
    points: &[Printed],
    watch: &Watch,
    mut found: impl FnMut(Found),
) -> Result<(), Stop> {
    let loaded = Loaded::read(path)?;
    let refuse = |message: &str, help: &str| Stop::unfit(&loaded, message, help);
    let kind = "learning is of Stopping models with one remap cost and after_remap: Stop";
    let Problem::Stopping(model) = &loaded.problem else {
        return Err(refuse(kind, "give such a model"));
    };
    let (false, Some(rho), AfterRemap::Stop) =
        (model.is_varied() || model.unbounded().is_some(), model.remap_cost(), model.after())
    else {
        return Err(refuse(kind, "give such a model"));
    };
    let observed: Vec<u64> = points.iter().map(|point| point.at as u64).collect();
    let ascending = observed.is_sorted() && points.iter().all(|point| point.at >= 0.0);
    let all = observed.last().map_or(0.0, |last| *last as f64) * runs as f64;
    if !ascending || runs < 2 || all > MOST_OBSERVED {
        let message = "numbers of observed steps ascend, there are two runs or more, and 10^9 steps at most in all";
        return Err(Complaint::elsewhere(message, "correct the study").into());
    }
    let (states, operator) =
        model.states(loaded.folder()).map_err(|error| refuse(&error, "correct the chain"))?;
    let imbalance = model.imbalance().map_err(|error| refuse(&error, "round the capacities"))?;
    let problem = stopping::Problem::new(&states, operator, &imbalance, rho, AfterRemap::Stop)
        .map_err(|error| refuse(&error.to_string(), "correct the model"))?;
    let school = School::new(&problem).filter(|_| rho > 0.0);
    let school =
        school.ok_or_else(|| refuse("it has too many states, or none to learn of", kind))?;
    let solution = stopping::solve(&problem, &Settings::default(), watch);
    let exact: Vec<f64> = (0..problem.states()).map(|s| solution.value(s)).collect();
    let one = |run: u64| match watch.check() {
        ControlFlow::Break(halt) => Err(halt),
        ControlFlow::Continue(()) => Ok(school.distances(learner, &exact, &observed, (seed, run))),
    };
    let each = parallel::runs(0..runs, &one)?;
    for (k, point) in points.iter().enumerate() {
        let estimate = Estimate::of(&each.iter().map(|run| run[k]).collect::<Vec<_>>());
        let bounds = Bounds { lower: estimate.lower, upper: estimate.upper };
        found(Found::new(point.at, bounds, point.printed));
    }
    Ok(())
}
