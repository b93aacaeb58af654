//! Derives the rule that each kind of answer states.

use super::{Body, Document, Solution};
use crate::complaint::Complaint;
use crate::document::advised::overlapping;
use crate::document::log::Log;
use crate::document::priced::Priced;
use crate::document::program::of_the_program;
use crate::document::rule::{Belief, Found, RemapInterval, Rule, StatedRule, Switching};
use crate::problems::periodic::answer as periodic;
use crate::problems::phase_change::answer as phase_change;
use crate::problems::phase_change::answer::Premature;
use crate::problems::phase_switching::answer as phase_switching;
use crate::problems::shared::map;
use crate::problems::shared::recommended::Recommended;
use remapping::phase_switching::{exceeded, undercut};
use remapping::{Bounds, Status};
use std::path::Path;

/// Reads the rule in the file at `path`, of a solution or of an advice. The unit of load of a
/// solution is `unit` seconds, or the one it states.
pub fn find(path: &Path, unit: Option<f64>) -> Result<Found, Complaint> {
    let name = path.display().to_string();
    match Document::read(path)? {
        Document::Advised(advised) => Ok(Found::Advised(advised)),
        other => {
            let mut solution = other.one(&name)?;
            if let Some(unit_seconds) = unit {
                solution.log = Some(match solution.log.take() {
                    Some(log) => Log { unit_seconds, ..log },
                    None => Log { unit_seconds, stride: 1, fits: None, job_steps: None },
                });
            }
            of(&solution, &name, &path.with_extension("npz"))
                .map(|rule| Found::Rule(Box::new(rule)))
        }
    }
}

/// Reads the rule of the solution in the file at `path`. A long map is in the archive next to it.
pub fn read(path: &Path) -> Result<StatedRule, Complaint> {
    of(&super::read(path)?, &path.display().to_string(), &path.with_extension("npz"))
}

/// What a program does after a remap that followed from the belief.
fn after_a_remap(premature: Premature) -> String {
    match premature {
        Premature::Revert => {
            "A remap before the change is noticed and undone: go on with a belief of 0 then. After the change there is no \
             other remap."
        }
        Premature::Keep => "There is one remap: after it the rule is not asked any more.",
    }
    .to_owned()
}

/// Why the rule of a solution is not exported, and what would help; `None` if it is.
fn refused(body: &Body) -> Option<(&'static str, &'static str)> {
    Some(match body {
        Body::PhaseChange(answer) if answer.belief.is_none() => (
            "of a change of phase only thresholds on a detector that says yes or no are exported, and this solution \
             has no `belief` of such a one",
            "state `detector` as (false_alarm: ..., missed: ...); levels are exported of PhaseSwitching models",
        ),
        Body::Stopping(answer) if answer.shares_loads() => (
            "states share loads, and a rule that sees loads alone cannot tell them apart",
            "use `decision`, which has a letter for each state",
        ),
        Body::Stopping(answer) if answer.partial_remaps.is_some() => (
            "rules say when to remap, and not how many units to move",
            "leave `partial_remaps` out",
        ),
        Body::Stopping(answer) if answer.steps.is_some() => (
            "the map changes with the number of steps left, and such maps are not exported yet",
            "leave `steps` out: far from the end the map is that without one",
        ),
        Body::Stopping(answer) if answer.kept_levels.is_some() => (
            "its walks have no highest load, and the map ends at the loads that are shown",
            "use `decision`, which has a letter for each load vector shown, or give the walks a highest load",
        ),
        _ => return None,
    })
}

/// The rule of the solution called `name`; a long map is in `archive`.
pub fn of(solution: &Solution, name: &str, archive: &Path) -> Result<StatedRule, Complaint> {
    let wrong = |what: &str| {
        let help = "give the document that `remap solve MODEL.ron --json` prints or --out writes";
        Complaint::elsewhere(format!("{name}: {what}"), help)
    };
    if let Some((what, help)) = refused(&solution.body) {
        return Err(Complaint::elsewhere(format!("{name}: {what}"), help));
    }
    let certified = || {
        let width = solution.tolerance;
        let is_reached = solution.status == Status::Converged;
        is_reached.then(|| format!("By the solution, every threshold is certified to {width:e}."))
    };
    let unchecked = "As the solution states it: `remap verify SOLUTION.json` checks that.";
    let (mut about, mut notes) = (Vec::new(), vec![unchecked.to_owned()]);
    let mut is_optimal = true;
    if solution.status != Status::Converged {
        let how = solution.status.name();
        notes.push(format!("The computation ended early ({how}): the rule is not proved."));
    }
    let priced = match &solution.body {
        Body::LoadDrift(answer) => Priced::of_drift(answer),
        Body::Stopping(answer) => Priced::of_stopping(answer),
        _ => None,
    };
    let (before_step, overlap) = match &solution.body {
        Body::LoadDrift(answer) => (answer.before_step, answer.overlap),
        Body::ContinuousDrift(answer) => (false, answer.overlap),
        _ => (false, None),
    };
    let processors = match &solution.body {
        Body::LoadDrift(answer) => Some(answer.processors),
        Body::ContinuousDrift(answer) => Some(answer.processors),
        Body::Periodic(answer) => Some(answer.processors),
        _ => None,
    };
    if before_step {
        let when = "Decided before a step, by the times of the step about to be made, which a remap spares. Where only those \
                    of the last step are known, it costs more.";
        notes.push(when.to_owned());
    }
    if let Some(overlap) = overlap {
        notes.push(format!(
            "A remap comes into force {}. Steps since a remap are counted from its decision, and none is decided while \
             one is under way.",
            overlapping(overlap)
        ));
    }
    let rule = match &solution.body {
        Body::PhaseChange(answer) => {
            notes.extend(certified());
            about.extend(answer.premature.map(after_a_remap));
            Rule::Belief(Belief::of(answer).map_err(wrong)?)
        }
        Body::PhaseSwitching(answer) => {
            notes.extend(certified());
            Rule::Switching(Switching::of(answer).map_err(wrong)?)
        }
        Body::Stopping(answer) => {
            let cost = answer.remap_cost;
            let by_loads = answer.cost_by_state.is_some();
            if solution.status == Status::Converged {
                about.push(match by_loads {
                    true => {
                        "Optimal for remap costs that depend on the loads, as the model has them."
                            .to_owned()
                    }
                    false => format!("Optimal when a remap costs {cost}, in units of load."),
                });
            }
            if answer.decision.is_none() {
                notes.push("The map is that of an archive: verify checks how many load vectors remap in all.".to_owned());
            }
            if answer.average.is_some() {
                notes.push(
                    "Certificates prove the average cost, and no decision of this map.".to_owned(),
                );
            }
            let ties = answer.ties.len();
            if ties > 0 {
                notes.push(format!(
                    "In {ties} load vectors the bounds leave open which decision is better."
                ));
            }
            Rule::Map(map::of(answer, name, archive)?)
        }
        Body::LoadDrift(answer) => match (&answer.decision, answer.decision_step) {
            (Some(letters), Some(step)) => {
                let steps = answer.steps;
                about.push(format!("The optimal decision at step {step} of {steps}; near the end"));
                about.push("of the run fewer remaps pay.".to_owned());
                Rule::Map(map::of_multisets(answer, letters).map_err(wrong)?)
            }
            _ => {
                let (rule, what, cheapest) = answer.rule(solution.recommended).map_err(wrong)?;
                (about, is_optimal) = (what, cheapest);
                rule
            }
        },
        Body::ContinuousDrift(answer) => {
            let rule;
            (rule, about) = answer.rule(solution.recommended).map_err(wrong)?;
            is_optimal = false;
            rule
        }
        Body::Periodic(answer) => {
            let note = if answer.cost_aware.is_some() {
                "The interval of least cost per step, remaps and waiting together."
            } else if answer.at_least.is_some() {
                "The bound on the imbalance is kept so long at least; the search was stopped."
            } else {
                match (answer.interval, answer.interval_by == "rms_bound") {
                    (None, _) => "The bound on the imbalance is kept without remaps.",
                    (Some(0), false) => {
                        "The bound on the imbalance is broken after one step, which no interval prevents."
                    }
                    (Some(0), true) => {
                        "No interval is known to keep the bound on the imbalance for any laws of these moments."
                    }
                    (Some(_), false) => "The longest interval within the bound on the imbalance.",
                    (Some(_), true) => {
                        "The bound on the imbalance is kept so long at least, for any laws of these moments."
                    }
                }
            };
            notes.push(note.to_owned());
            let interval = RemapInterval::of(answer, solution.recommended).map_err(wrong)?;
            let cheapest = answer.cost_aware.as_ref().map(|cost| cost.interval.number());
            if let Some((cheapest, every)) =
                cheapest.zip(interval.every).filter(|(n, every)| *n != Some(*every))
            {
                let cheapest = cheapest.map_or("never".to_owned(), |n| format!("every {n} steps"));
                notes.push(format!(
                    "To remap {cheapest} would cost less, but the bound of the model on the"
                ));
                notes.push(match answer.interval {
                    Some(0) => {
                        "imbalance is broken after one step: a remap at every step.".to_owned()
                    }
                    _ => format!("imbalance allows {every} steps only: the bound is kept."),
                });
            }
            Rule::Interval(interval)
        }
        other => {
            let message = format!("{name}: a solution of `{}` is not exported", other.problem());
            let help = "phase_change, phase_switching, stopping, load_drift, continuous_drift and periodic solutions are";
            return Err(Complaint::elsewhere(message, help));
        }
    };
    let log = solution.log.as_ref();
    let (mut rule, mut priced) = (rule, priced);
    if let Some(log) = log {
        priced = priced.map(|priced| Priced { stride: log.stride, ..priced });
        rule = of_the_program(rule, log, &mut notes);
        notes.extend(log.notes(!matches!(rule, Rule::Belief(_) | Rule::Switching(_))));
    }
    let is_optimal = is_optimal && solution.status == Status::Converged;
    Ok(StatedRule {
        title: solution.title.clone(),
        optimal: is_optimal && log.is_none_or(|log| log.misfit().is_none()),
        about,
        notes,
        rule,
        unit_seconds: log.map_or(1.0, |log| log.unit_seconds),
        of_a_log: log.is_some(),
        priced,
        of_code: None,
        overlapped: overlap.is_some(),
        processors,
        before_step,
    })
}

impl Switching {
    pub(crate) fn of(answer: &phase_switching::Answer) -> Result<Switching, &'static str> {
        let belief = answer.belief.clone();
        let belief = belief.ok_or("it has no `belief`: solve the model again")?;
        if answer.first_step.is_some() || answer.to_second.threshold.is_empty() {
            return Err("the computation was stopped before it came to step 0");
        }
        let passed: [fn(Bounds) -> f64; 2] = [exceeded, undercut];
        let [to_second, to_first] = [(0, 1.0), (1, 0.0)].map(|(k, never)| {
            let passed = passed[k];
            let Some(last) = answer.last_step else {
                let list = [&answer.to_second, &answer.to_first][k];
                return vec![(0, passed([list.lower[0], list.upper[0]].into()))];
            };
            let curve = &answer.curves()[k];
            let runs = curve.runs().map(|run| (run.first, passed(run.bounds)));
            let mut steps: Vec<(u64, f64)> = runs.chain([(last + 1, never)]).collect();
            steps.dedup_by(|new, old| new.1 == old.1);
            steps
        });
        Ok(Switching { to_second, to_first, belief })
    }
}

impl Belief {
    pub(crate) fn of(answer: &phase_change::Answer) -> Result<Belief, &'static str> {
        let belief = answer.belief.as_ref();
        let belief = belief.ok_or("it has no `belief`")?;
        let detector = (belief.false_alarm, belief.missed);
        let last = answer.last_step;
        let hazard = match &belief.hazard {
            phase_change::Hazard::Constant(hazard) => vec![*hazard],
            phase_change::Hazard::PerStep(list) if (list.len() as u64) < last => {
                return Err("there are fewer hazards than steps");
            }
            // A program that has only step 0 has no hazard.
            phase_change::Hazard::PerStep(list) if list.is_empty() => vec![0.0],
            phase_change::Hazard::PerStep(list) => list.clone(),
        };
        let list = &answer.threshold;
        if answer.first_step.is_some() || list.is_empty() && answer.threshold_stationary.is_none() {
            return Err("the computation was stopped before it came to step 0");
        }
        let ends = answer.threshold_lower.iter().zip(&answer.threshold_upper);
        if list.iter().zip(ends).any(|(at, (lower, upper))| !(lower <= at && at <= upper)) {
            return Err("a threshold is not between its bounds");
        }
        let Some(stationary) = answer.threshold_stationary else {
            return Ok(Belief::of_list(last, list, detector, hazard));
        };
        let middle = |[lower, upper]: &[f64; 2]| (lower + upper) / 2.0;
        let head = answer.threshold_head.iter().flatten().map(middle).collect();
        Ok(Belief { last, head, stationary, tail: list.clone(), detector, hazard })
    }
}

impl RemapInterval {
    /// The recommended interval.
    pub(crate) fn of(
        answer: &periodic::Answer,
        recommended: Option<Recommended>,
    ) -> Result<RemapInterval, &'static str> {
        let mean = answer.initial_load;
        let every = match recommended {
            Some(Recommended::Never) => None,
            Some(Recommended::Every(every)) => Some(every),
            _ => return Err("its interval is not known: the computation was stopped"),
        };
        let cheapest = answer.cost_aware.as_ref();
        let Some(cost) = cheapest.filter(|cost| cost.interval.number() == every) else {
            return Ok(RemapInterval { every, tolerance: None, mean, waiting: None });
        };
        let remaps = every.map_or(0.0, |every| cost.remap_cost / every as f64);
        let waiting = cost.cost_per_step.map(|cost| (cost - remaps).max(0.0));
        Ok(RemapInterval { every, tolerance: cost.tolerance_max_over_mean, mean, waiting })
    }
}
