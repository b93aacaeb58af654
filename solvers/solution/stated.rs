//! Rules from answers: what each states, in the units and steps of the program.

use super::load_drift::Threshold;
use super::log::Log;
use super::rule::{Belief, Level, LoadThresholds, Measure, RemapInterval, Rule, Switching};
use super::{load_drift, periodic, phase_change, phase_switching};
use remapping::Bounds;
use remapping::switching::{exceeded, undercut};

/// A rule in seconds and in steps of the program. One for a number of steps that nobody has stated holds at all
/// steps as it does at the first.
pub(super) fn of_the_program(rule: Rule, log: &Log, notes: &mut Vec<String>) -> Rule {
    let Log { unit_seconds: unit, stride, job_steps, .. } = *log;
    let steps = |steps: u64| steps.saturating_mul(stride);
    let endless = "The length of the job was not stated: the rule of the first step holds at all.";
    match rule {
        Rule::Imbalance(imbalance) => {
            let (mean, level) = (imbalance.mean * unit, imbalance.level * unit);
            if job_steps.is_none() {
                notes.push(endless.to_owned());
            }
            if job_steps.is_none() && imbalance.since.is_empty() {
                let value = imbalance.thresholds[0].1 * unit;
                return Rule::Level(Level { measure: Measure::Excess, value, mean, stride });
            }
            let from = |(place, (step, value)): (usize, (u64, f64))| {
                (if place == 0 { 1 } else { steps(step) }, value * unit)
            };
            let known = if job_steps.is_none() { 1 } else { imbalance.thresholds.len() };
            let thresholds = imbalance.thresholds.into_iter().take(known).enumerate();
            Rule::Imbalance(LoadThresholds {
                steps: if job_steps.is_none() { i64::MAX as u64 } else { steps(imbalance.steps) },
                thresholds: thresholds.map(from).collect(),
                since: imbalance.since.into_iter().enumerate().map(from).collect(),
                level,
                mean,
            })
        }
        Rule::Interval(interval) => Rule::Interval(RemapInterval {
            every: interval.every.map(steps),
            mean: interval.mean * unit / stride as f64,
            waiting: interval.waiting.map(|waiting| waiting * unit / stride as f64),
            ..interval
        }),
        Rule::Belief(belief) if job_steps.is_none() => {
            notes.push(endless.to_owned());
            let stationary = belief.threshold(0);
            let hazard = belief.hazard.into_iter().take(1).collect();
            let last = i64::MAX as u64;
            Rule::Belief(Belief {
                last,
                head: Vec::new(),
                stationary,
                tail: Vec::new(),
                detector: belief.detector,
                hazard,
            })
        }
        Rule::Map(map) => {
            notes.push(format!("A load is a time over {unit} seconds, rounded."));
            Rule::Map(map)
        }
        other => other,
    }
}

impl Switching {
    pub(super) fn of(answer: &phase_switching::Answer) -> Result<Switching, &'static str> {
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
    pub(super) fn of(answer: &phase_change::Answer) -> Result<Belief, &'static str> {
        let belief = answer.belief.as_ref();
        let belief = belief.ok_or("it has no `belief`")?;
        let detector = (belief.false_alarm, belief.missed);
        let last = answer.last_step;
        let hazard = match &belief.hazard {
            phase_change::Hazard::Constant(hazard) => vec![*hazard],
            phase_change::Hazard::PerStep(list) if (list.len() as u64) < last => {
                return Err("there are fewer hazards than steps");
            }
            // A program of step 0 alone has none.
            phase_change::Hazard::PerStep(list) if list.is_empty() => vec![0.0],
            phase_change::Hazard::PerStep(list) => list.clone(),
        };
        let list = &answer.threshold;
        if answer.first_step.is_some() || list.is_empty() && answer.threshold_stationary.is_none() {
            return Err("the computation was stopped before it came to step 0");
        }
        let Some(stationary) = answer.threshold_stationary else {
            return Ok(Belief::of_list(last, list, detector, hazard));
        };
        let middle = |[lower, upper]: &[f64; 2]| (lower + upper) / 2.0;
        let head = answer.threshold_head.iter().flatten().map(middle).collect();
        Ok(Belief { last, head, stationary, tail: list.clone(), detector, hazard })
    }
}

impl LoadThresholds {
    pub(super) fn of(answer: &load_drift::Answer) -> Result<LoadThresholds, &'static str> {
        let steps = answer.steps;
        if let Some(curve) = &answer.threshold_curve {
            return LoadThresholds::of_curve(curve, steps, answer.initial_load);
        }
        if answer.statistical {
            return Err("it states no rule: the computation was stopped");
        }
        let closest = answer.closest_threshold.iter();
        let mut thresholds: Vec<(u64, f64)> =
            closest.map(|closest| (closest.step, closest.threshold)).collect();
        thresholds.sort_by_key(|(step, _)| *step);
        if thresholds.is_empty() && steps > 1 {
            return Err("it has no thresholds: the computation was stopped");
        }
        // The optimum itself never remaps: a threshold that is only close to it does.
        let is_only_close = answer.closest_threshold.iter().any(|at| at.disagreement > 0.0);
        if answer.value.is_some() && answer.remaps == Some(0.0) && is_only_close {
            thresholds = vec![(1, Threshold::NEVER)];
        }
        match thresholds.first_mut() {
            // The first threshold known holds from the start.
            Some(first) => first.0 = 1,
            None => thresholds.push((1, 0.0)),
        }
        let level = thresholds[0].1;
        let since = Vec::new();
        Ok(LoadThresholds { steps, thresholds, since, level, mean: answer.initial_load })
    }

    /// A rule by the step and by the steps since the last remap.
    pub(super) fn of_curve(
        curve: &load_drift::Curve,
        steps: u64,
        mean: f64,
    ) -> Result<LoadThresholds, &'static str> {
        let list = |list: &[Threshold]| list.iter().map(|at| (at.from, at.threshold)).collect();
        let since: Vec<(u64, f64)> = list(&curve.by_steps_since);
        let spacing = steps as f64 / (curve.remaps + 1.0);
        let level = since.iter().rev().find(|(from, _)| *from as f64 <= spacing);
        let level = level.or(since.first()).ok_or("its `threshold_curve` is empty")?.1;
        Ok(LoadThresholds { steps, thresholds: list(&curve.by_step), since, level, mean })
    }
}

impl RemapInterval {
    /// The one of least cost where a remap has a cost, if a bound allows it.
    pub(super) fn of(answer: &periodic::Answer) -> Result<RemapInterval, &'static str> {
        let (every, tolerance) = match &answer.cost_aware {
            Some(cost) => (cost.interval.number(), cost.tolerance_max_over_mean),
            None => (answer.interval, None),
        };
        let stopped = match &answer.cost_aware {
            Some(cost) => cost.interval == periodic::Steps::NotComputed,
            None => answer.at_least == Some(0),
        };
        if stopped {
            return Err("its interval is not known: the computation was stopped");
        }
        let every = every.map(|every| every.max(1));
        let mean = answer.initial_load;
        let known = answer.bound.is_some() && answer.at_least != Some(0);
        let bound = answer.interval.filter(|_| known).map(|bound| bound.max(1));
        if let Some(bound) = bound.filter(|bound| every.is_none_or(|every| *bound < every)) {
            return Ok(RemapInterval { every: Some(bound), tolerance: None, mean, waiting: None });
        }
        let per_step = answer.cost_aware.as_ref().and_then(|cost| {
            let remaps = every.map_or(0.0, |every| cost.remap_cost / every as f64);
            Some((cost.cost_per_step? - remaps).max(0.0))
        });
        Ok(RemapInterval { every, tolerance, mean, waiting: per_step })
    }
}
