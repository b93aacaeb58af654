//! Reports with any number of levels: what a detector says is one of k things, of which only the
//! probabilities in either phase matter.

use super::{Belief, Detector};
use crate::Rational;
use crate::rounding::nearest;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The probabilities of one report before and after the change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Likelihood {
    /// P(report | the phase has not changed).
    pub before: f64,
    /// P(report | the phase has changed).
    pub after: f64,
}

impl Likelihood {
    /// The factor the report multiplies the odds by: infinite for a report that only a change explains,
    /// NaN for a report that never comes.
    pub fn ratio(&self) -> f64 {
        self.after / self.before
    }

    /// The limit of the beliefs when, from certainty that nothing has changed, this report comes again
    /// and again under hazard `h`: the fixed point of its map that attracts.
    ///
    /// In odds r h / (1 - h - r) with the likelihood ratio r if r < 1 - h; otherwise the belief rises
    /// to 1, unless h = 0. `None` if the report never comes.
    pub fn fixed_point(&self, hazard: f64) -> Option<Belief> {
        let Likelihood { before: no, after: yes } = *self;
        if yes == 0.0 && no == 0.0 {
            return None;
        }
        if hazard == 0.0 {
            return Some(Belief::UNCHANGED);
        }
        // r h / (1 - h - r), numerator and denominator times P(report | no change).
        let rest = (1.0 - hazard) * no - yes;
        let belief = if rest > 0.0 { Belief::of_weights(yes * hazard, rest) } else { None };
        Some(belief.unwrap_or(Belief::CHANGED))
    }
}

/// One level of a report, exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Its probability before the change.
    pub before: Rational,
    /// Its probability after it.
    pub after: Rational,
}

/// The law of a detector's report in either phase: the likelihood ratio, quantised. The binary detector
/// is two levels; several independent detectors are one with the product of their levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    levels: Vec<Level>,
}

/// Why two lists are not the law of a report.
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
    /// Levels with the given probabilities before and after the change; both lists sum to 1 exactly.
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

    /// The detector that reports a change (level 0) or none (level 1), with the given alpha and beta.
    pub fn binary(false_alarm: Rational, missed: Rational) -> Result<Levels, LevelsError> {
        let before = vec![false_alarm.clone(), Rational::ONE - false_alarm];
        Levels::new(before, vec![Rational::ONE - &missed, missed])
    }

    /// Two detectors whose reports are independent given the phase, read as one; the levels of `other`
    /// vary fastest.
    pub fn and(&self, other: &Levels) -> Levels {
        let pairs = self.levels.iter().flat_map(|a| other.levels.iter().map(move |b| (a, b)));
        let joint = |(a, b): (&Level, &Level)| Level {
            before: &a.before * &b.before,
            after: &a.after * &b.after,
        };
        Levels { levels: pairs.map(joint).collect() }
    }

    /// The levels in the order given.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The binary detector these levels are, if there are two: level 0 reports a change.
    pub fn as_binary(&self) -> Option<Detector> {
        match self.levels.as_slice() {
            [alarm, quiet] => Detector::new(nearest(&alarm.before), nearest(&quiet.after)),
            _ => None,
        }
    }

    /// What a decision can depend on: the reports in descending order of their likelihood ratios, those
    /// of the same ratio as one, without those that never come.
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
        let double = |level: &Level| Likelihood {
            before: nearest(&level.before),
            after: nearest(&level.after),
        };
        self.distinct().iter().map(double).collect()
    }
}
