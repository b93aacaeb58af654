//! The cost of deciding by a wrong model of a change of phase.

use super::super::regret::{Failure, Judged, Known, Truth, factor, off};
use super::compare::can_be_evaluated;
use super::evaluation::{Rule, expected, optimal_thresholds};
use crate::complaint::Complaint;
use crate::document::Bounds;
use crate::problems::registry::{Loaded, Problem};
use crate::run::Watch;
use remapping::phase_change::evaluation::EvaluationError;
use remapping::phase_change::{self, Accuracy, PhaseChange};
use remapping::{Rational, Status};

/// The accuracy of the thresholds.
const ACCURACY: Accuracy = Accuracy { tolerance: 1e-9, segments: None };

/// The desired accuracy of costs, as a share of the possible gain.
const AIM: f64 = 1e-4;

/// At this path, the excess over the time after a remap is scaled.
const AFTER: &str = "problem.cycle.after";

/// The true model.
struct True<'a> {
    loaded: &'a Loaded,
    problem: PhaseChange,
    known: Known,
}

/// Solves the true model; the inner `Err` has the status where that is stopped.
pub(in crate::problems) fn of<'a>(
    loaded: &'a Loaded,
    watch: &Watch,
) -> Result<Result<Box<dyn Truth + 'a>, Status>, Vec<Complaint>> {
    let problem = phase_change(loaded)?;
    let wrong = |error: String| vec![loaded.complain("problem", &error, "", "")];
    let solution =
        phase_change::solve(&problem, ACCURACY, watch).map_err(|error| wrong(error.to_string()))?;
    let (Some(optimum), Some(0)) = (solution.value, solution.curve.first_step()) else {
        return Ok(Err(solution.status));
    };
    let never = match Rule::Never.cost(&problem, &solution, None, watch) {
        Ok(never) => never,
        Err(EvaluationError::Stopped(halt)) => return Ok(Err(halt.into())),
        Err(error) => return Err(wrong(error.to_string())),
    };
    let status = solution.status;
    Ok(Ok(Box::new(True { loaded, problem, known: Known { optimum, never, status } })))
}

fn phase_change(loaded: &Loaded) -> Result<PhaseChange, Vec<Complaint>> {
    let Problem::PhaseChange(model) = &loaded.problem else {
        let message = "another problem than the true one";
        return Err(vec![loaded.complain("problem", message, "", "change numbers of the model")]);
    };
    let problem = model.problem();
    can_be_evaluated(loaded, problem.last_step(), "")?;
    Ok(problem)
}

impl Truth for True<'_> {
    fn known(&self) -> Known {
        self.known
    }

    fn judge(
        &self,
        assumed: &Loaded,
        place: (&str, &str),
        watch: &Watch,
    ) -> Result<Judged, Failure> {
        let believed = phase_change(assumed)?;
        let possible = self.known.never.lower - self.known.optimum.upper;
        let aim = (possible > 0.0).then_some(AIM * possible);
        let cost = || -> Result<(Bounds, f64), EvaluationError> {
            let thresholds = believe(&believed, self.problem.last_step(), watch)?;
            let cost = expected(&self.problem, &believed, &thresholds, aim, watch)?;
            Ok((cost, thresholds[0]))
        };
        let (cost, threshold) = cost().map_err(|error| match error {
            EvaluationError::Stopped(halt) => Failure::Halted(halt),
            error => vec![self.loaded.complain("problem", &error.to_string(), "", "")].into(),
        })?;
        let gain = |problem: &PhaseChange| problem.gain().to_f64().value();
        let factor = match place.0 {
            AFTER => Some(gain(&believed) / gain(&self.problem)).filter(|ratio| ratio.is_finite()),
            _ => factor(self.loaded, place),
        };
        Ok(Judged { cost, threshold, factor })
    }

    fn usual(&self) -> Vec<(String, Vec<String>)> {
        let paths = [
            "problem.hazard",
            "problem.detector.false_alarm",
            "problem.detector.missed",
            AFTER,
            "problem.remap.test",
        ];
        let useful = |problem: &PhaseChange| problem.detector.likelihoods()[0].ratio() > 1.0;
        let axis = |path: &str| {
            let (base, rest) = match path {
                AFTER => (self.problem.gain(), self.problem.remapped.clone()),
                _ => (self.loaded.number(path)?.exact, Rational::ZERO),
            };
            off(self.loaded, path, [&base, &rest], |changed| {
                let Problem::PhaseChange(model) = &changed.problem else { return false };
                // A detector with the opposite meaning is another question.
                let errors = model.says_yes_or_no() && path.starts_with("problem.detector");
                let reversed = errors && !points_as_before(&self.problem, &model.problem());
                !reversed && useful(&model.problem())
            })
        };
        paths.into_iter().filter_map(axis).collect()
    }
}

/// The thresholds of the believed problem for the steps of the true one; beyond its own end it
/// never remaps.
fn believe(problem: &PhaseChange, last: u64, watch: &Watch) -> Result<Vec<f64>, EvaluationError> {
    let solution = phase_change::solve(problem, ACCURACY, watch)?;
    if let Some(halt) = solution.status.halt() {
        return Err(EvaluationError::Stopped(halt));
    }
    let mut thresholds = optimal_thresholds(&solution, problem.last_step().min(last));
    thresholds.resize(last as usize + 1, 1.0);
    Ok(thresholds)
}

/// Whether an observation of a change is still evidence for one, if it was.
fn points_as_before(truth: &PhaseChange, other: &PhaseChange) -> bool {
    let speaks_for = |problem: &PhaseChange| {
        let levels = problem.detector.levels();
        levels[0].after.cmp(&levels[0].before)
    };
    speaks_for(truth) == speaks_for(other)
}
