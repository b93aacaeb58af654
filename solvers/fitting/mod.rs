//! Fits complete model files to a recorded run, each with a test of how well it fits.

mod continuous_drift;
mod levels;
mod load_drift;
mod periodic;
mod phase_change;
mod slopes;
mod stopping;

use crate::document::log::{Fits, Verdict};
use remapping::estimate::Estimate;
use remapping::fit::goodness::{self, Goodness};
use remapping::fit::growth::Point;
use remapping::fit::increments::Increments;
use remapping::fit::slopes::Slopes;
use remapping::fit::whole::Whole;
use remapping::record::Record;
use std::fmt::Write;

pub use continuous_drift::continuous_drift;
pub use load_drift::{Kind, load_drift};
pub use periodic::periodic;
pub use phase_change::phase_change;
pub use stopping::stopping;

/// A fitted model.
#[derive(Debug, Clone)]
pub struct Deck {
    /// Its problem: `load_drift`, `continuous_drift`, `stopping`, `periodic` or `phase_change`.
    pub problem: &'static str,
    /// The `problem:` part of its file.
    pub model: String,
    /// The estimated parameters, with confidence intervals.
    pub parameters: Vec<(String, Estimate)>,
    /// The growth of the imbalance in this model; empty if the model does not define it.
    pub predicted: Vec<Point>,
    /// Seconds in a unit of load of the model.
    pub unit: f64,
    /// Reasons why the model does not fit, one sentence each; empty if it fits.
    pub misfits: Vec<String>,
    /// The result of comparing the log with simulated ones, if that was tried.
    pub tested: Option<String>,
}

/// Facts about a record that do not depend on a model.
pub struct Facts<'a> {
    /// The record; of a long log its beginning, for computations that need its rows.
    pub record: &'a Record,
    /// Facts about all steps.
    pub whole: Whole,
    /// The increments of these steps.
    pub increments: Increments,
    /// The effect of remaps on the ranks' drift rates, where the log has enough stretches between
    /// remaps.
    pub slopes: Option<Slopes>,
    /// Cost of a remap in seconds.
    pub remap_cost: f64,
    /// The source of that cost: `as recorded`.
    pub cost_origin: &'static str,
    /// Steps of the program in a step of the record.
    pub stride: u64,
    /// Length of the job in steps of the program, where it was stated.
    pub job_steps: Option<u64>,
    /// The recorded growth of the imbalance.
    pub recorded: Vec<Point>,
    /// The probability that equal ranks move at least this differently from equal levels; 1 where
    /// the loads are not on levels.
    pub alike: f64,
}

impl<'a> Facts<'a> {
    /// The facts about a run that begins with `record`; `None` if it has fewer than four steps.
    pub fn of(
        record: &'a Record,
        whole: Whole,
        remap_cost: f64,
        cost_origin: &'static str,
    ) -> Option<Facts<'a>> {
        let increments = whole.increments.clone()?;
        let recorded = whole.growth.clone();
        let alike = whole.transitions.as_ref().map_or(1.0, |moves| moves.alike());
        Some(Facts {
            record,
            whole,
            increments,
            slopes: Slopes::of(record),
            remap_cost,
            cost_origin,
            stride: 1,
            job_steps: None,
            recorded,
            alike,
        })
    }

    /// The number of steps of the beginning, if it is not the whole log.
    pub fn beginning(&self) -> Option<usize> {
        let steps = self.record.steps();
        (steps < self.whole.steps).then_some(steps)
    }

    /// The lags that are compared.
    pub fn lags(&self) -> Vec<usize> {
        self.recorded.iter().map(|point| point.lag).collect()
    }

    /// The recorded levels, `quantum` apart, at every step.
    fn levels(&self, quantum: f64, lowest: i64, levels: usize) -> Vec<Vec<usize>> {
        let level = |load: &f64| {
            ((load / quantum).round() as i64 - lowest).clamp(0, levels as i64 - 1) as usize
        };
        let row = |step: usize| self.record.row(step).iter().map(level).collect();
        (0..self.record.steps()).map(row).collect()
    }

    /// The steps of the model's job: as stated, or as many as were recorded.
    fn steps(&self) -> u64 {
        match self.job_steps {
            Some(steps) => steps.div_ceil(self.stride).max(1),
            None => self.whole.steps as u64,
        }
    }

    /// Compares the record with logs that `make` simulates. Returns how they agree, or why the
    /// model does not fit.
    fn tested(&self, make: &goodness::Maker<'_>, misfits: &mut Vec<String>) -> Option<String> {
        let tested = told(&goodness::test(self.record, &self.lags(), make));
        tested.map_err(|misfit| misfits.push(misfit)).ok()
    }
}

/// The result of a test in words: how the logs agree, or why the model does not fit.
fn told(found: &Goodness) -> Result<String, String> {
    let Goodness { probability, worst } = found;
    let (seen, made) = (short(worst.seen), short(worst.made));
    if found.is_misfit() {
        return Err(format!(
            "{} is {seen} in the log and {made} +- {} (two standard deviations) in logs made by this model (probability {})",
            worst.name,
            short(2.0 * worst.spread),
            short(*probability)
        ));
    }
    Ok(format!(
        "199 logs made by this model look like it; furthest off is {}, {seen} and {made} +- {} (two standard \
         deviations)",
        worst.name,
        short(2.0 * worst.spread)
    ))
}

/// All models that can be fitted, the recommended one first. A chain for each rank is fitted where
/// ranks differ, or if it is `wanted`. Loads without levels are fitted where the log has none, or
/// if they are `wanted`.
pub fn decks(facts: &Facts<'_>, kind: Kind, wanted: Option<&str>) -> Vec<Deck> {
    // A permanent change that shows only in a small part of a log, between two remaps, may also be
    // drift.
    let stretches = facts.record.stretches();
    let is_long = stretches.iter().any(|stretch| 2 * stretch.len() >= facts.record.steps());
    let (mut change, mut decks) = (phase_change(facts), Vec::from_iter(load_drift(facts, kind)));
    if is_long {
        decks.extend(change.take());
    }
    if facts.alike < load_drift::REFUTED || wanted == Some("stopping") {
        decks.extend(stopping(facts, kind));
    }
    if facts.whole.moves.is_none() || wanted == Some("continuous_drift") {
        decks.extend(continuous_drift(facts));
    }
    decks.extend(change);
    decks.push(periodic(facts));
    // The first model that fits; if none does, the interval remains.
    decks.sort_by_key(|deck| match deck.problem {
        _ if deck.misfits.is_empty() => 0,
        "periodic" => 1,
        _ => 2,
    });
    decks
}

/// The most parameters in a summary.
const MOST_LISTED: usize = 40;

/// Six significant digits.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return format!("{value}");
    }
    if !(1e-9..1e15).contains(&value.abs()) {
        return format!("{value:.5e}");
    }
    let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 17) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Three digits of a number.
pub fn three(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

impl Deck {
    /// The whole model file.
    pub fn file(&self, title: &str, facts: &Facts<'_>) -> String {
        let mut text = String::new();
        for line in self.summary(facts).lines() {
            let _ = writeln!(text, "// {line}");
        }
        let title = title.replace(['"', '\\'], "'");
        let body = self.model.replace('\n', "\n    ");
        let why = self.why().replace(['"', '\\'], "'");
        let verdict = if self.misfits.is_empty() { "yes" } else { "no" };
        let job =
            facts.job_steps.map_or_else(String::new, |job| format!("    job_steps: {job},\n"));
        let _ = writeln!(
            text,
            "Model(\n    title: \"{title}\",\n    unit_seconds: {},\n    stride: {},\n    \
             fits: (verdict: {verdict}, why: \"{why}\"),\n{job}    problem: {body},\n)",
            self.unit, facts.stride
        );
        text
    }

    /// Whether it fits.
    pub fn fits(&self) -> Fits {
        let verdict = if self.misfits.is_empty() { Verdict::Yes } else { Verdict::No };
        Fits { verdict, why: self.why() }
    }

    /// Why it fits, or why not.
    pub fn why(&self) -> String {
        match (self.misfits.as_slice(), &self.tested) {
            ([], Some(tested)) => tested.clone(),
            ([], None) => "nothing speaks against it".to_owned(),
            (misfits, _) => misfits.join("; "),
        }
    }

    /// The findings, for people.
    pub fn summary(&self, facts: &Facts<'_>) -> String {
        let (ranks, steps) = (facts.record.ranks(), facts.whole.steps);
        let mut text = format!("{} fitted to {ranks} ranks x {steps} steps\n", self.problem);
        if let Some(beginning) = facts.beginning() {
            let _ = writeln!(
                text,
                "counts and means are of all steps; what is tested or drawn anew is of the first {beginning}"
            );
        }
        if (self.unit - 1.0).abs() > 1e-12 {
            let _ = writeln!(text, "a unit of load is {} seconds", short(self.unit));
        }
        let (cost, origin) = (short(facts.remap_cost), facts.cost_origin);
        let _ = writeln!(text, "a remap costs {cost} seconds, {origin}");
        let (listed, more) = self.parameters.split_at(self.parameters.len().min(MOST_LISTED));
        for (name, found) in listed {
            let [value, lower, upper] = [found.value, found.lower, found.upper].map(short);
            let _ = match found.is_bounded() {
                true => writeln!(text, "{name} = {value}, 95 % confidence {lower} to {upper}"),
                false => {
                    writeln!(text, "{name} = {value}; all samples agree, which gives no interval")
                }
            };
        }
        if !more.is_empty() {
            let _ = writeln!(text, "and {} more: --json lists them all", more.len());
        }
        if let Some(words) = slopes::words(facts) {
            let _ = writeln!(text, "{words}");
        }
        if !self.predicted.is_empty() {
            let _ = writeln!(
                text,
                "{:>24}{:>14}{:>14}",
                "imbalance over steps", "recorded", "this model"
            );
            for (seen, model) in facts.recorded.iter().zip(&self.predicted) {
                let (lag, seen, model) = (seen.lag, short(seen.mean), short(model.mean));
                let _ = writeln!(text, "{lag:>24}{seen:>14}{model:>14}");
            }
        }
        match self.misfits.as_slice() {
            [] => {
                let _ = writeln!(text, "the model fits: {}", self.why());
            }
            misfits => {
                text.push_str("the model does not fit:\n");
                for misfit in misfits {
                    let _ = writeln!(text, "  {misfit}");
                }
            }
        }
        text
    }
}
