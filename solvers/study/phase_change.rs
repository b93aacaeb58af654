//! Tables III and IV of 1986, and Figs. 3 to 5 of 1990.

use super::model::{CostCurve, OfModel, OfModels, Series};
use super::{Desk, Found, Stop};
use crate::complaint::Complaint;
use crate::problems::phase_change::evaluation::{Rule, expected, pays_until};
use crate::problems::phase_change::model::MAX_PER_STEP;
use crate::problems::registry::{Loaded, Problem};
use crate::run::Watch;
use remapping::concave::Lines;
use remapping::phase_change::evaluation::EvaluationError;
use remapping::phase_change::exact::{self, ExactError, ExactStep};
use remapping::phase_change::{self, Accuracy, Bounds, Hazard, PhaseChange, Premature, Solution};
use remapping::{Halt, Rational};
use std::path::Path;

/// The accuracy of thresholds.
const TOLERANCE: f64 = 1e-9;

/// The desired accuracy of costs, as a share of the possible gain; of observations, as a number of
/// them; and of probabilities.
const KEPT: f64 = 2e-4;
const REPORTS: f64 = 1e-4;
const PROBABILITY: f64 = 2e-5;

/// The remarks about a heuristic that never remaps, and about the value printed for it
/// nevertheless.
const NEVER: &str = "it never remaps: 0 at most";

/// A problem with its solution and the cost of never remapping.
pub(crate) struct Solved {
    problem: PhaseChange,
    solution: Solution,
    optimum: Bounds,
    never: Bounds,
}

impl Solved {
    fn new(problem: PhaseChange, watch: &Watch) -> Result<Solved, Stop> {
        let accuracy = Accuracy { tolerance: TOLERANCE, segments: None };
        let solution =
            phase_change::solve(&problem, accuracy, watch).map_err(EvaluationError::Problem)?;
        let (Some(optimum), Some(0)) = (solution.value, solution.curve.first_step()) else {
            return Err(Stop::from(solution.status.halt().unwrap_or(Halt::TimeLimit)));
        };
        let never = Rule::Never.cost(&problem, &solution, None, watch)?;
        Ok(Solved { problem, solution, optimum, never })
    }

    /// The saving of the optimal policy.
    fn possible(&self) -> Bounds {
        Bounds {
            lower: self.never.lower - self.optimum.upper,
            upper: self.never.upper - self.optimum.lower,
        }
    }
}

impl Desk<'_> {
    /// A series over changes of phase.
    pub(crate) fn phase_change(
        &mut self,
        series: &Series,
        mut found: impl FnMut(Found),
    ) -> Result<(), Stop> {
        let watch = self.watch;
        let mut put = |at, bounds, printed| found(Found::new(at, bounds, printed));
        match series {
            Series::Kept(OfModels { points, .. }) => {
                for point in points {
                    put(point.at, kept(self.solved(&point.model)?, 1.0, watch)?, point.printed);
                }
            }
            Series::Saved(OfModels { points, .. }) => {
                for point in points {
                    let solved = self.solved(&point.model)?;
                    put(point.at, solved.possible().percent_of(solved.never), point.printed);
                }
            }
            Series::SavedOfOptimal(OfModels { points, .. }) => {
                for point in points {
                    let problem = &self.solved(&point.model)?.problem;
                    let before = problem.remapped.clone();
                    let solved = Solved::new(PhaseChange { before, ..problem.clone() }, watch)?;
                    put(point.at, solved.possible().percent_of(solved.optimum), point.printed);
                }
            }
            Series::Misjudged(OfModel { model, points, .. }) => {
                for point in points {
                    let solved = self.solved(model)?;
                    let bounds = kept(solved, point.at, watch)?;
                    let until = pays_until(&solved.problem, point.at, watch)?;
                    let remark = (until == 0).then_some(NEVER);
                    found(Found { remark, ..Found::new(point.at, bounds, point.printed) });
                }
            }
            Series::Thresholds { model, .. } => {
                let Solved { problem, solution, .. } = self.solved(model)?;
                for n in 0..=problem.last_step() {
                    let bounds = solution.curve.at(n).expect("finished");
                    put(n as f64, Bounds::from((bounds.lower, bounds.upper)), None);
                }
            }
            Series::Response(OfModel { model, points, .. }) => {
                let problem = problem(model)?;
                for point in points {
                    put(point.at, response(&problem, point.at, watch)?, point.printed);
                }
            }
            Series::Premature(OfModel { model, points, .. }) => {
                let problem = problem(model)?;
                for point in points {
                    put(point.at, premature(&problem, point.at, watch)?, point.printed);
                }
            }
            Series::Retaining(curve) => {
                over_belief(curve, watch, |step| step.retain.clone(), found)?;
            }
            Series::Remapping(curve) => {
                let line = |step: &ExactStep| Lines::envelope(vec![step.remap.clone()]);
                over_belief(curve, watch, line, found)?;
            }
            _ => unreachable!("not made of changes of phase"),
        }
        Ok(())
    }

    fn solved(&mut self, path: &Path) -> Result<&Solved, Stop> {
        if !self.solved.contains_key(path) {
            let solved = Solved::new(problem(path)?, self.watch)?;
            self.solved.insert(path.to_owned(), solved);
        }
        Ok(&self.solved[path])
    }
}

fn problem(path: &Path) -> Result<PhaseChange, Stop> {
    let loaded = Loaded::read(path)?;
    let refuse = |message: &str, help: &str| Err(Stop::unfit(&loaded, message, help));
    match &loaded.problem {
        Problem::PhaseChange(model) => {
            let problem = model.problem();
            match problem.last_step() {
                last if last <= MAX_PER_STEP => Ok(problem),
                _ => refuse("the horizon is too long to evaluate policies", "take a smaller M"),
            }
        }
        _ => refuse("studies are made of changes of phase", "give a PhaseChange model"),
    }
}

/// The number of intervals on the axis of beliefs, and the most segments of an exact function.
const PLACES: i64 = 20;
const SEGMENTS: usize = 2000;

/// The remark where the two costs are equal.
const CROSSING: &str = "the threshold: retaining and remapping cost the same";

/// A cost of a step as an exact function of the belief, at even positions and at the threshold.
fn over_belief(
    curve: &CostCurve,
    watch: &Watch,
    function: impl Fn(&ExactStep) -> Lines,
    mut found: impl FnMut(Found),
) -> Result<(), Stop> {
    let refuse = |message: String, help: &str| {
        Complaint::elsewhere(format!("{}: {message}", curve.model.display()), help)
    };
    let problem = problem(&curve.model)?;
    let solved = match exact::solve(&problem, SEGMENTS, watch) {
        Err(ExactError::Stopped { halt, .. }) => return Err(Stop::from(halt)),
        solved => solved.map_err(|error| refuse(error.to_string(), "take a smaller M"))?,
    };
    let Some(step) = solved.steps.get(curve.step as usize) else {
        let last = problem.last_step();
        let message = format!("there is no step {}", curve.step);
        return Err(refuse(message, &format!("the last is {last}")).into());
    };
    let function = function(step);
    let even = (0..=PLACES).map(|k| Rational::from(k) / Rational::from(PLACES));
    let inside = |p: &Rational| *p > Rational::ZERO && *p < Rational::ONE;
    let mut places: Vec<Rational> = even.collect();
    if inside(&step.threshold) {
        places.push(step.threshold.clone());
        places.sort();
        places.dedup();
    }
    for p in places {
        let double = |value: &Rational| value.to_f64().value();
        let remark = (p == step.threshold && inside(&p)).then_some(CROSSING);
        found(Found { remark, ..Found::at(double(&p), double(&function.value(&p))) });
    }
    Ok(())
}

/// The share of the possible gain that the heuristic keeps, if the gain it assumes is off by
/// `factor`.
fn kept(solved: &Solved, factor: f64, watch: &Watch) -> Result<Bounds, EvaluationError> {
    let Solved { problem, solution, never, .. } = solved;
    let possible = solved.possible();
    let aim = (possible.lower > 0.0).then_some(KEPT * possible.lower);
    let cost = Rule::Heuristic1986(factor).cost(problem, solution, aim, watch)?;
    let gained = Bounds { lower: never.lower - cost.upper, upper: never.upper - cost.lower };
    Ok(gained.percent_of(possible))
}

/// The problem without costs and with one remap that is kept: its value shows only when the
/// threshold is exceeded.
fn watching(problem: &PhaseChange) -> PhaseChange {
    PhaseChange {
        before: Rational::ZERO,
        after: Rational::ZERO,
        remapped: Rational::ZERO,
        test: Rational::ZERO,
        install: Rational::ZERO,
        premature: Premature::Keep { before_remapped: Rational::ZERO },
        ..problem.clone()
    }
}

/// Fig. 4 of 1990: the change comes at once, and every cycle after it costs 1.
fn response(problem: &PhaseChange, tau: f64, watch: &Watch) -> Result<Bounds, EvaluationError> {
    let (last, watching) = (problem.last_step() as usize, watching(problem));
    let mut hazard = vec![Rational::ZERO; last];
    if let Some(first) = hazard.first_mut() {
        *first = Rational::ONE;
    }
    let truth =
        PhaseChange { hazard: Hazard::PerStep(hazard), after: Rational::ONE, ..watching.clone() };
    let Bounds { lower, upper } =
        expected(&truth, &watching, &vec![tau; last + 1], Some(REPORTS), watch)?;
    // The first observation comes with the first cycle after the change.
    Ok(Bounds { lower: lower + 1.0, upper: upper + 1.0 })
}

/// Fig. 5 of 1990: no change comes; the one remap costs 1.
fn premature(problem: &PhaseChange, tau: f64, watch: &Watch) -> Result<Bounds, EvaluationError> {
    let watching = watching(problem);
    let truth = PhaseChange {
        hazard: Hazard::Constant(Rational::ZERO),
        test: Rational::ONE,
        ..watching.clone()
    };
    let thresholds = vec![tau; problem.last_step() as usize + 1];
    let found = expected(&truth, &watching, &thresholds, Some(PROBABILITY), watch)?;
    Ok(Bounds { lower: found.lower.max(0.0), upper: found.upper.min(1.0) })
}
