//! Rules from answers: what each states, in the units and steps of the program.

use super::load_drift::Threshold;
use super::log::Log;
use super::rule::{Belief, Level, LoadThresholds, Measure, RemapInterval, Rule, Switching};
use super::{periodic, phase_change, phase_switching};
use remapping::Bounds;
use remapping::switching::{exceeded, undercut};

/// A rule in seconds and in steps of the program. One for a number of steps that nobody has stated holds at all
/// steps as it does at the first.
pub(super) fn of_the_program(rule: Rule, log: &Log, notes: &mut Vec<String>) -> Rule {
    let Log { unit_seconds: unit, stride, job_steps, .. } = *log;
    let steps = |steps: u64| steps.saturating_mul(stride);
    let scaled = |threshold: f64| match threshold {
        Threshold::NEVER => Threshold::NEVER,
        threshold => threshold * unit,
    };
    let endless = "The length of the job was not stated: the rule of the first step holds at all.";
    match rule {
        Rule::Imbalance(imbalance) => {
            let (mean, level) = (imbalance.mean * unit, scaled(imbalance.level));
            if job_steps.is_none() {
                notes.push(endless.to_owned());
            }
            if job_steps.is_none() && imbalance.since.is_empty() {
                let value = scaled(imbalance.thresholds[0].1);
                return Rule::Level(Level { measure: Measure::Excess, value, mean, stride });
            }
            let from = |(place, (step, value)): (usize, (u64, f64))| {
                (if place == 0 { 1 } else { steps(step) }, scaled(value))
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
