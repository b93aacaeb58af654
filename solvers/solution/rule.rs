//! The rule a solution states: when to remap, in a form that a program can follow.

use super::advised::{Advised, overlapping};
use super::load_drift::Threshold;
use super::log::Log;
use super::map::{self, Map};
use super::phase_change::Premature;
use super::phase_switching::Filter;
pub use super::priced::{BestFixed, Priced};
use super::{Body, Document, Solution, stated};
use crate::complaint::Complaint;
use remapping::Status;
pub use remapping::policy::stated::Measure;
use remapping::simulate::Statistic;
use std::path::Path;

/// A rule and where it comes from.
#[derive(Debug, Clone)]
pub struct StatedRule {
    /// The model's title.
    pub title: String,
    /// Whether it is the best for its model; rules from logs are not.
    pub optimal: bool,
    /// What the rule itself is, a sentence each; of settings made from it, it says nothing.
    pub about: Vec<String>,
    /// What it promises and assumes, a sentence each.
    pub notes: Vec<String>,
    /// The rule: in seconds and in steps of the program, where the model was fitted to a log.
    pub rule: Rule,
    /// Seconds in a unit of the loads of a map.
    pub unit_seconds: f64,
    /// Whether steps are those of a program.
    pub of_a_log: bool,
    /// What other rules of the same model cost, where that is known.
    pub priced: Option<Priced>,
    /// The level of a statistic that single codes compare, in place of the rule.
    pub level_of: Option<(Statistic, f64)>,
    /// Whether it is asked before steps, with the times of the step about to be made.
    pub before_step: bool,
}

/// When to remap.
#[derive(Debug, Clone)]
pub enum Rule {
    /// When the belief that the phase has changed exceeds the threshold of the step.
    Belief(Belief),
    /// Two mappings: to the second above one threshold on the belief in the second phase, back below another.
    Switching(Switching),
    /// In the load vectors of a map.
    Map(Map),
    /// When max - mean exceeds the threshold of the step.
    Imbalance(LoadThresholds),
    /// Every so many steps.
    Interval(RemapInterval),
    /// Past a level that is the same in all steps.
    Level(Level),
}

/// Thresholds on the belief, and Bayes' rule that updates it.
#[derive(Debug, Clone)]
pub struct Belief {
    /// M.
    pub last: u64,
    /// Thresholds of the steps 0, 1, ...
    pub head: Vec<f64>,
    /// The threshold of the steps between head and tail.
    pub stationary: f64,
    /// Thresholds of the last steps, up to M.
    pub tail: Vec<f64>,
    /// alpha, beta.
    pub detector: (f64, f64),
    /// h_1, h_2, ..., or one number for every step.
    pub hazard: Vec<f64>,
}

/// The shortest run of equal thresholds that is not written out.
const SHORTEST_RUN: usize = 16;

impl Belief {
    /// The first step of the tail.
    pub fn tail_from(&self) -> u64 {
        self.last + 1 - self.tail.len() as u64
    }

    /// The threshold of a step; 1, never, beyond the last.
    pub fn threshold(&self, n: u64) -> f64 {
        match n {
            _ if n > self.last => 1.0,
            _ if (n as usize) < self.head.len() => self.head[n as usize],
            _ if n < self.tail_from() => self.stationary,
            _ => self.tail[(n - self.tail_from()) as usize],
        }
    }

    /// Takes the longest run of equal thresholds out of a full list.
    pub(super) fn of_list(
        last: u64,
        list: &[f64],
        detector: (f64, f64),
        hazard: Vec<f64>,
    ) -> Belief {
        let (mut longest, mut start) = (0..0, 0);
        for n in 1..=list.len() {
            if n == list.len() || list[n] != list[start] {
                if n - start > longest.len() {
                    longest = start..n;
                }
                start = n;
            }
        }
        if longest.len() < SHORTEST_RUN {
            longest = 0..0;
        }
        Belief {
            last,
            head: list[..longest.start].to_vec(),
            stationary: list[longest.start],
            tail: list[longest.end..].to_vec(),
            detector,
            hazard,
        }
    }
}

/// Two thresholds by step, and Bayes' rule for phases that come back.
#[derive(Debug, Clone)]
pub struct Switching {
    /// From which step on which threshold to the second mapping holds.
    pub to_second: Vec<(u64, f64)>,
    /// The same of the way back.
    pub to_first: Vec<(u64, f64)>,
    /// The chances that a phase ends, the belief at step 0, and the levels of the detector in either phase.
    pub belief: Filter,
}

/// Thresholds on max - mean.
#[derive(Debug, Clone)]
pub struct LoadThresholds {
    /// Number of steps; none is followed by a remap from the last on.
    pub steps: u64,
    /// From which step on which threshold holds.
    pub thresholds: Vec<(u64, f64)>,
    /// From how many steps since the last remap or the start on which threshold holds besides; empty without.
    pub since: Vec<(u64, f64)>,
    /// The one that holds at most remaps.
    pub level: f64,
    /// Load of every processor at the start.
    pub mean: f64,
}

impl LoadThresholds {
    /// Whether no imbalance leads to a remap.
    pub fn is_never(&self) -> bool {
        let never = |list: &Vec<(u64, f64)>| {
            !list.is_empty() && list.iter().all(|(_, threshold)| *threshold == Threshold::NEVER)
        };
        never(&self.thresholds) || never(&self.since)
    }
}

/// A fixed interval.
#[derive(Debug, Clone)]
pub struct RemapInterval {
    /// Steps between remaps; never if none.
    pub every: Option<u64>,
    /// The max / mean - 1 expected at its end, where it is known.
    pub tolerance: Option<f64>,
    /// Load of every processor at the start.
    pub mean: f64,
    /// What a step takes longer than that on average, where it is known.
    pub waiting: Option<f64>,
}

/// A level of imbalance, for any number of steps.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    /// What is compared.
    pub measure: Measure,
    /// The level.
    pub value: f64,
    /// Mean time of a step.
    pub mean: f64,
    /// Steps of the program between two looks.
    pub stride: u64,
}

/// What a document says of when to remap.
pub enum Found {
    /// The rule of a solution.
    Rule(Box<StatedRule>),
    /// The rule that a log has taught.
    Advised(Box<Advised>),
}

/// The rule in the file at `path`, of a solution or a log; the unit of load of a solution is `unit` seconds, or what it
/// says itself.
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

/// The rule of the solution in the file at `path`; a long map is in the archive beside it.
pub fn read(path: &Path) -> Result<StatedRule, Complaint> {
    of(&super::read(path)?, &path.display().to_string(), &path.with_extension("npz"))
}

/// What a program does after a remap that a belief led to.
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

/// The rule of the solution called `name`; a long map is in `archive`.
pub fn of(solution: &Solution, name: &str, archive: &Path) -> Result<StatedRule, Complaint> {
    let wrong = |what: &str| {
        let help = "give the document that `remap solve MODEL.ron --json` prints or --out writes";
        Complaint::elsewhere(format!("{name}: {what}"), help)
    };
    let (mut about, mut notes) = (Vec::new(), Vec::new());
    let mut is_optimal = true;
    if solution.status != Status::Converged {
        let how = match solution.status {
            Status::TimeLimit => "time_limit",
            Status::MemoryLimit => "memory_limit",
            Status::Interrupted => "interrupted",
            _ => "iteration_limit",
        };
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
        Body::PhaseChange(answer) if answer.belief.is_none() => {
            return Err(Complaint::elsewhere(
                format!(
                    "{name}: of a change of phase only thresholds on a detector that says yes or no are exported, \
                     and this solution has no `belief` of such a one"
                ),
                "state `detector` as (false_alarm: ..., missed: ...); levels are exported of PhaseSwitching models",
            ));
        }
        Body::PhaseChange(answer) => {
            if solution.status == Status::Converged {
                let width = solution.tolerance;
                notes.push(format!("Every threshold is certified to {width:e}."));
            }
            about.extend(
                answer.belief.as_ref().and_then(|belief| belief.premature).map(after_a_remap),
            );
            Rule::Belief(Belief::of(answer).map_err(wrong)?)
        }
        Body::PhaseSwitching(answer) => {
            if solution.status == Status::Converged {
                let width = solution.tolerance;
                notes.push(format!("Every threshold is certified to {width:e}."));
            }
            Rule::Switching(Switching::of(answer).map_err(wrong)?)
        }
        Body::Stopping(answer) if answer.shares_loads() => {
            let what =
                "states share loads, and a rule that sees loads alone cannot tell them apart";
            return Err(Complaint::elsewhere(
                format!("{name}: {what}"),
                "use `decision`, which has a letter for each state",
            ));
        }
        Body::Stopping(answer) if answer.partial_remaps.is_some() => {
            return Err(Complaint::elsewhere(
                format!("{name}: rules say when to remap, and not how many units to move"),
                "leave `partial_remaps` out",
            ));
        }
        Body::Stopping(answer) if answer.steps.is_some() => {
            let what =
                "the map changes with the number of steps left, and such maps are not exported yet";
            return Err(Complaint::elsewhere(
                format!("{name}: {what}"),
                "leave `steps` out: far from the end the map is that without one",
            ));
        }
        Body::Stopping(answer) if answer.kept_levels.is_some() => {
            let what =
                "its walks have no highest load, and the map ends at the loads that are shown";
            return Err(Complaint::elsewhere(
                format!("{name}: {what}"),
                "use `decision`, which has a letter for each load vector shown, or give the walks a highest load",
            ));
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
                let (rule, what, cheapest) = answer.rule().map_err(wrong)?;
                (about, is_optimal) = (what, cheapest);
                rule
            }
        },
        Body::ContinuousDrift(answer) => {
            let rule;
            (rule, about) = answer.rule().map_err(wrong)?;
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
            let interval = RemapInterval::of(answer).map_err(wrong)?;
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
    let title = solution.title.clone();
    let is_optimal = is_optimal && solution.status == Status::Converged;
    let Some(log) = &solution.log else {
        return Ok(StatedRule {
            title,
            optimal: is_optimal,
            about,
            notes,
            rule,
            unit_seconds: 1.0,
            of_a_log: false,
            priced,
            level_of: None,
            before_step,
        });
    };
    let priced = priced.map(|priced| Priced { stride: log.stride, ..priced });
    let rule = stated::of_the_program(rule, log, &mut notes);
    notes.extend(log.notes(!matches!(rule, Rule::Belief(_) | Rule::Switching(_))));
    let unit_seconds = log.unit_seconds;
    Ok(StatedRule {
        title,
        optimal: is_optimal && log.misfit().is_none(),
        about,
        notes,
        rule,
        unit_seconds,
        of_a_log: true,
        priced,
        level_of: None,
        before_step,
    })
}
