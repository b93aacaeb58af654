//! Converts the rules of models fitted to logs to the units and steps of the program.

use super::log::Log;
use super::rule::{Belief, Level, LoadThresholds, Measure, RemapInterval, Rule, Threshold};

/// A rule in seconds and in steps of the program. For a job of unknown length, the rule of the
/// first step holds at all steps.
pub(crate) fn of_the_program(rule: Rule, log: &Log, notes: &mut Vec<String>) -> Rule {
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
            Rule::Belief(Belief {
                last: i64::MAX as u64,
                stationary: belief.threshold(0),
                head: Vec::new(),
                tail: Vec::new(),
                hazard: belief.hazard.into_iter().take(1).collect(),
                ..belief
            })
        }
        Rule::Map(map) => {
            notes.push(format!("A load is a time over {unit} seconds, rounded."));
            Rule::Map(map)
        }
        other => other,
    }
}
