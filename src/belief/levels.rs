//! Observations with any number of levels: a detector reports one of k values, of which only the
//! probabilities in either phase matter.

use super::{Belief, Detector};
use crate::Rational;
use crate::rounding::nearest;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The probabilities of one observation before and after the change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Likelihood {
    /// P(observation | the phase has not changed).
    pub before: f64,
    /// P(observation | the phase has changed).
    pub after: f64,
}

impl Likelihood {
    /// The likelihood ratio, by which the observation multiplies the odds. Infinite for an
    /// observation that is possible only after a change; NaN for an impossible one.
    pub fn ratio(&self) -> f64 {
        self.after / self.before
    }

    /// The limit of the beliefs when this observation repeats forever under hazard `h`, starting
    /// from p = 0: the attracting fixed point of its Bayes update.
    ///
    /// With the likelihood ratio r it is r h / (1 - h - r) in odds, if r < 1 - h. Otherwise the
    /// belief rises to 1, unless h = 0. `None` if the observation is impossible.
    pub fn fixed_point(&self, hazard: f64) -> Option<Belief> {
        let Likelihood { before: no, after: yes } = *self;
        if yes == 0.0 && no == 0.0 {
            return None;
        }
        if hazard == 0.0 {
            return Some(Belief::UNCHANGED);
        }
        // r h / (1 - h - r), numerator and denominator multiplied by P(observation | no change).
        let rest = (1.0 - hazard) * no - yes;
        let belief = if rest > 0.0 { Belief::of_weights(yes * hazard, rest) } else { None };
        Some(belief.unwrap_or(Belief::CHANGED))
    }
}

/// One level of an observation, exact.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Its probability before the change.
    pub before: Rational,
    /// Its probability after it.
    pub after: Rational,
}

impl Level {
    /// The same in doubles.
    pub fn likelihood(&self) -> Likelihood {
        Likelihood { before: nearest(&self.before), after: nearest(&self.after) }
    }
}

/// The distribution of a detector's observation in either phase: the quantized likelihood ratio.
/// The binary detector has two levels. Several independent detectors are one detector with the
/// product of their levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    levels: Vec<Level>,
}

/// Why two lists do not describe an observation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LevelsError {
    /// One list is longer than the other.
    #[error(
        "{before} probabilities before the change, {after} after it: give one of each for every level"
    )]
    Lengths {
        /// Levels before.
        before: usize,
        /// Levels after.
        after: usize,
    },
    /// An entry lies outside \[0, 1\].
    #[error("the probability of a report lies outside [0, 1]")]
    OutOfRange,
    /// A list does not sum to 1.
    #[error("the probabilities of the reports do not sum to 1")]
    Sum,
}

impl Levels {
    /// Levels with the given probabilities before and after the change; both lists sum to 1
    /// exactly.
    pub fn new(before: Vec<Rational>, after: Vec<Rational>) -> Result<Levels, LevelsError> {
        if before.len() != after.len() {
            return Err(LevelsError::Lengths { before: before.len(), after: after.len() });
        }
        for list in [&before, &after] {
            if list.iter().any(|p| *p < Rational::ZERO || *p > Rational::ONE) {
                return Err(LevelsError::OutOfRange);
            }
            if list.iter().fold(Rational::ZERO, |sum, p| sum + p) != Rational::ONE {
                return Err(LevelsError::Sum);
            }
        }
        let levels = before.into_iter().zip(after);
        Ok(Levels { levels: levels.map(|(before, after)| Level { before, after }).collect() })
    }

    /// The detector that reports a change (level 0) or none (level 1), with the given alpha and
    /// beta.
    pub fn binary(false_alarm: Rational, missed: Rational) -> Result<Levels, LevelsError> {
        let before = vec![false_alarm.clone(), Rational::ONE - false_alarm];
        Levels::new(before, vec![Rational::ONE - &missed, missed])
    }

    /// Two detectors whose observations are independent given the phase, combined into one; the
    /// levels of `other` vary fastest.
    pub fn and(&self, other: &Levels) -> Levels {
        let pairs = self.levels.iter().flat_map(|a| other.levels.iter().map(move |b| (a, b)));
        let joint = |(a, b): (&Level, &Level)| Level {
            before: &a.before * &b.before,
            after: &a.after * &b.after,
        };
        Levels { levels: pairs.map(joint).collect() }
    }

    /// The same detector with the names of the phases exchanged.
    pub fn exchanged(&self) -> Levels {
        let exchanged =
            |level: &Level| Level { before: level.after.clone(), after: level.before.clone() };
        Levels { levels: self.levels.iter().map(exchanged).collect() }
    }

    /// The levels in the order given.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The equivalent binary detector, if there are two levels: level 0 reports a change.
    pub fn as_binary(&self) -> Option<Detector> {
        match self.levels.as_slice() {
            [alarm, quiet] => Detector::new(nearest(&alarm.before), nearest(&quiet.after)),
            _ => None,
        }
    }

    /// A sufficient statistic for decisions: the observations in descending order of their
    /// likelihood ratios. Those with the same ratio are merged, and impossible ones are removed.
    pub fn distinct(&self) -> Vec<Level> {
        let mut sorted = self.levels.clone();
        let possible =
            |level: &Level| level.before > Rational::ZERO || level.after > Rational::ZERO;
        sorted.retain(possible);
        let order = |a: &Level, b: &Level| (&b.after * &a.before).cmp(&(&a.after * &b.before));
        sorted.sort_by(order);
        let mut distinct: Vec<Level> = Vec::new();
        for level in sorted {
            match distinct.last_mut() {
                Some(last) if order(last, &level) == Ordering::Equal => {
                    last.before += level.before;
                    last.after += level.after;
                }
                _ => distinct.push(level),
            }
        }
        distinct
    }

    /// The same in doubles.
    pub fn likelihoods(&self) -> Vec<Likelihood> {
        self.distinct().iter().map(Level::likelihood).collect()
    }
}
