//! Policies by name.

use super::classical::{FixedInterval, Never, StopAtRise, Threshold, UtilizationThreshold};
use super::codes::{Code, Trigger, Watching};
use super::practice::{
    AccumulatedLoss, LinearFit, MedianOfThree, PredictedEfficiency, Tolerance, slope_interval,
};
use super::{Policy, Step};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A policy and its parameters, from which any number of runs can be started. Written `name` or
/// `name:parameter`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// `never`: [`Never`].
    Never,
    /// `fixed:m`: [`FixedInterval`] of m steps.
    Fixed(u64),
    /// `stop_at_rise`: [`StopAtRise`].
    StopAtRise,
    /// `threshold:x`: [`Threshold`] x on max - mean.
    Threshold(f64),
    /// `utilization:u`: [`UtilizationThreshold`] u.
    Utilization(f64),
    /// `range:x`: [`Trigger::range`] x on (max - min) / mean, from the second step on.
    Range(f64),
    /// `ratio:x`: [`Trigger::ratio`] x on max / min.
    Ratio(f64),
    /// `menon`: [`AccumulatedLoss`].
    AccumulatedLoss,
    /// `menon_offline:s`: [`slope_interval`] for an imbalance growing by s per step.
    SlopeInterval(f64),
    /// `metabalancer`: [`LinearFit`].
    LinearFit,
    /// `zhai`: [`MedianOfThree`].
    MedianOfThree,
    /// `procassini` or `procassini:ratio`: [`PredictedEfficiency`], ratio 1 unless given.
    PredictedEfficiency(f64),
    /// `marquez:f`: [`Tolerance`] f.
    Tolerance(f64),
    /// `vt:26`, `lammps:1:1.2`: the rule of a code with an interval, and a level if it has one
    /// ([`Code::trigger`]).
    Code(Code, u64, Option<f64>),
}

impl Rule {
    /// A run of this rule, for remaps that cost `remap_cost`.
    pub fn start(&self, remap_cost: f64) -> Box<dyn Policy> {
        Box::new(self.run(remap_cost))
    }

    /// The same as a value that can be stored at any step and resumed.
    pub fn run(&self, remap_cost: f64) -> Running {
        match *self {
            Rule::Never => Running::Never(Never),
            Rule::Fixed(interval) => Running::Fixed(FixedInterval::new(interval)),
            Rule::StopAtRise => Running::StopAtRise(StopAtRise::new(remap_cost)),
            Rule::Threshold(threshold) => Running::Threshold(Threshold::new(threshold)),
            Rule::Utilization(minimum) => Running::Utilization(UtilizationThreshold::new(minimum)),
            Rule::Range(level) => Running::Watching(Watching::new(Trigger::range(level))),
            Rule::Ratio(level) => Running::Watching(Watching::new(Trigger::ratio(level))),
            Rule::Code(code, every, level) => {
                let trigger = code.trigger(every, level).unwrap_or(Trigger::NEVER);
                Running::Watching(Watching::new(trigger))
            }
            Rule::AccumulatedLoss => Running::AccumulatedLoss(AccumulatedLoss::new(remap_cost)),
            Rule::SlopeInterval(slope) => match slope_interval(remap_cost, slope) {
                Some(interval) => Running::Fixed(FixedInterval::new(interval)),
                None => Running::Never(Never),
            },
            Rule::LinearFit => Running::LinearFit(LinearFit::new(remap_cost)),
            Rule::MedianOfThree => Running::MedianOfThree(MedianOfThree::new(remap_cost)),
            Rule::PredictedEfficiency(ratio) => {
                Running::PredictedEfficiency(PredictedEfficiency::new(remap_cost, ratio))
            }
            Rule::Tolerance(fraction) => Running::Tolerance(Tolerance::new(fraction)),
        }
    }
}

/// A run of a [`Rule`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is named after its rule")]
pub enum Running {
    Never(Never),
    Fixed(FixedInterval),
    StopAtRise(StopAtRise),
    Threshold(Threshold),
    Utilization(UtilizationThreshold),
    Watching(Watching),
    AccumulatedLoss(AccumulatedLoss),
    LinearFit(LinearFit),
    MedianOfThree(MedianOfThree),
    PredictedEfficiency(PredictedEfficiency),
    Tolerance(Tolerance),
}

/// The same call for every variant.
macro_rules! each {
    ($running:expr, $rule:ident => $call:expr) => {
        match $running {
            Running::Never($rule) => $call,
            Running::Fixed($rule) => $call,
            Running::StopAtRise($rule) => $call,
            Running::Threshold($rule) => $call,
            Running::Utilization($rule) => $call,
            Running::Watching($rule) => $call,
            Running::AccumulatedLoss($rule) => $call,
            Running::LinearFit($rule) => $call,
            Running::MedianOfThree($rule) => $call,
            Running::PredictedEfficiency($rule) => $call,
            Running::Tolerance($rule) => $call,
        }
    };
}

impl Policy for Running {
    fn observe(&mut self, step: &Step) {
        each!(self, rule => rule.observe(step));
    }

    fn wants_remap(&self) -> bool {
        each!(self, rule => rule.wants_remap())
    }

    fn remapped(&mut self) {
        each!(self, rule => rule.remapped());
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Never => f.write_str("never"),
            Rule::Fixed(interval) => write!(f, "fixed:{interval}"),
            Rule::StopAtRise => f.write_str("stop_at_rise"),
            Rule::Threshold(threshold) => write!(f, "threshold:{threshold}"),
            Rule::Utilization(minimum) => write!(f, "utilization:{minimum}"),
            Rule::Range(level) => write!(f, "range:{level}"),
            Rule::Ratio(level) => write!(f, "ratio:{level}"),
            Rule::AccumulatedLoss => f.write_str("menon"),
            Rule::SlopeInterval(slope) => write!(f, "menon_offline:{slope}"),
            Rule::LinearFit => f.write_str("metabalancer"),
            Rule::MedianOfThree => f.write_str("zhai"),
            Rule::PredictedEfficiency(1.0) => f.write_str("procassini"),
            Rule::PredictedEfficiency(ratio) => write!(f, "procassini:{ratio}"),
            Rule::Tolerance(fraction) => write!(f, "marquez:{fraction}"),
            Rule::Code(code, every, None) => write!(f, "{}:{every}", code.name()),
            Rule::Code(code, every, Some(level)) => write!(f, "{}:{every}:{level}", code.name()),
        }
    }
}

/// Why a text names no rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// No rule has this name.
    #[error("`{0}` is not a policy")]
    Unknown(String),
    /// The rule needs a parameter, described here.
    #[error("a parameter is missing: {0}")]
    Missing(&'static str),
    /// The rule takes no parameter.
    #[error("this policy takes no parameter, not `{0}`")]
    Unexpected(String),
    /// The parameter is not a number of this kind.
    #[error("`{0}` is not {1}")]
    Invalid(String, &'static str),
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Rule, RuleError> {
        let (name, parameter) = match text.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (text, None),
        };
        let number = |what: &'static str, fits: fn(f64) -> bool| {
            let text = parameter.ok_or(RuleError::Missing(what))?;
            let value = text.parse::<f64>().ok().filter(|&value| value.is_finite() && fits(value));
            value.ok_or_else(|| RuleError::Invalid(text.to_owned(), what))
        };
        let plain = |rule: Rule| match parameter {
            None => Ok(rule),
            Some(text) => Err(RuleError::Unexpected(text.to_owned())),
        };
        match name {
            "never" => plain(Rule::Never),
            "fixed" => {
                let what = "an interval of at least 1 step, as in fixed:9";
                let text = parameter.ok_or(RuleError::Missing(what))?;
                let interval = text.parse().ok().filter(|&interval| interval >= 1);
                interval.map(Rule::Fixed).ok_or_else(|| RuleError::Invalid(text.to_owned(), what))
            }
            "stop_at_rise" => plain(Rule::StopAtRise),
            "threshold" => {
                number("an imbalance >= 0, as in threshold:2.5", |x| x >= 0.0).map(Rule::Threshold)
            }
            "utilization" => {
                let what = "a utilization in [0, 1], as in utilization:0.8";
                number(what, |u| (0.0..=1.0).contains(&u)).map(Rule::Utilization)
            }
            "range" => {
                let what = "a level >= 0 of (max - min) / mean, as in range:0.2";
                number(what, |level| level >= 0.0).map(Rule::Range)
            }
            "ratio" => {
                let what = "a level > 1 of max / min, as in ratio:1.5";
                number(what, |level| level > 1.0).map(Rule::Ratio)
            }
            "menon" => plain(Rule::AccumulatedLoss),
            "menon_offline" => {
                let what = "the growth of the imbalance per step, as in menon_offline:0.2";
                number(what, |_| true).map(Rule::SlopeInterval)
            }
            "metabalancer" => plain(Rule::LinearFit),
            "zhai" => plain(Rule::MedianOfThree),
            "procassini" if parameter.is_none() => Ok(Rule::PredictedEfficiency(1.0)),
            "procassini" => number("a ratio > 0, as in procassini:0.9", |ratio| ratio > 0.0)
                .map(Rule::PredictedEfficiency),
            "marquez" => {
                let what = "a fraction >= 0 of the mean, as in marquez:0.1";
                number(what, |fraction| fraction >= 0.0).map(Rule::Tolerance)
            }
            _ => {
                let unknown = || RuleError::Unknown(name.to_owned());
                let code = Code::named(name).ok_or_else(unknown)?;
                let what = "an interval and a level that this code knows, as in warpx:10, warpx:10:1.2 or swift:1:0.3";
                let text = parameter.ok_or(RuleError::Missing(what))?;
                let invalid = || RuleError::Invalid(text.to_owned(), what);
                let (every, level) = match text.split_once(':') {
                    Some((every, level)) => (every, Some(level.parse().map_err(|_| invalid())?)),
                    None => (text, None),
                };
                let every = every.parse().map_err(|_| invalid())?;
                code.trigger(every, level).ok_or_else(invalid)?;
                Ok(Rule::Code(code, every, level))
            }
        }
    }
}
