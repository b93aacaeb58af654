//! Bayes filter for a change detector with errors [NR90, sec. III.B].
//!
//! The phase changes between steps n-1 and n with probability h_n, given that it has not changed
//! before. At every step the detector reports, with error probabilities alpha = P(report of a
//! change | no change) and beta = P(no report | change). In probability p and in odds o = p/(1-p):
//!
//! ```text
//! prior      p_a = p + (1-p) h                                    o_a = (o + h) / (1 - h)
//! positive   p^c    = p_a (1-beta) / q^c                          o^c = (1-beta)/alpha o_a
//! negative   p^cbar = p_a beta / q^cbar                        o^cbar = beta/(1-alpha) o_a
//! reports    q^c = p_a (1-beta) + (1-p_a) alpha                q^cbar = 1 - q^c
//! ```
//!
//! ```
//! use remapping::belief::{Belief, Detector, Report};
//!
//! let detector = Detector::new(0.05, 0.2).expect("two probabilities");
//! let mut belief = Belief::new(0.0).expect("a probability");
//! for report in [Report::NoChange, Report::Change, Report::Change] {
//!     belief = belief.step(0.01, report, &detector).expect("a report that can occur");
//! }
//! assert!(belief.probability() > 0.7);
//! ```

use serde::{Deserialize, Serialize};

mod levels;
pub(crate) mod policy;

pub use levels::{Level, Levels, LevelsError, Likelihood};
pub use policy::{EvaluationError, Fineness};

/// Observation of the detector at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// The phase has changed.
    Change,
    /// The phase has not changed.
    NoChange,
}

impl Report {
    /// Both observations.
    pub const ALL: [Report; 2] = [Report::Change, Report::NoChange];
}

/// A detector with known error probabilities. It is informative if and only if alpha + beta differs
/// from 1. It is reversed (its positive observation speaks against a change) if and only if alpha +
/// beta > 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detector {
    false_alarm: f64,
    missed: f64,
}

impl Detector {
    /// The detector with the given alpha and beta; `None` unless both lie in \[0, 1\].
    pub fn new(false_alarm: f64, missed: f64) -> Option<Detector> {
        let probability = |p: f64| (0.0..=1.0).contains(&p);
        (probability(false_alarm) && probability(missed))
            .then_some(Detector { false_alarm, missed })
    }

    /// Whether both are probabilities; deserialized values may not be.
    pub(crate) fn is_valid(&self) -> bool {
        Detector::new(self.false_alarm, self.missed).is_some()
    }

    /// The probability of a false alarm, alpha.
    pub fn false_alarm(&self) -> f64 {
        self.false_alarm
    }

    /// The probability of a missed change, beta.
    pub fn missed(&self) -> f64 {
        self.missed
    }

    /// The probabilities of `report` in either phase.
    pub fn likelihood(&self, report: Report) -> Likelihood {
        match report {
            Report::Change => Likelihood { before: self.false_alarm, after: 1.0 - self.missed },
            Report::NoChange => Likelihood { before: 1.0 - self.false_alarm, after: self.missed },
        }
    }
}

/// The belief: the probability that the phase has changed, and its complement, both to full
/// relative precision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belief {
    changed: f64,
    unchanged: f64,
}

impl Belief {
    /// Nothing has changed yet: p = 0.
    pub const UNCHANGED: Belief = Belief { changed: 0.0, unchanged: 1.0 };

    /// The phase has changed: p = 1.
    pub const CHANGED: Belief = Belief { changed: 1.0, unchanged: 0.0 };

    /// The belief p; `None` unless it lies in \[0, 1\].
    pub fn new(probability: f64) -> Option<Belief> {
        let valid = (0.0..=1.0).contains(&probability);
        valid.then_some(Belief { changed: probability, unchanged: 1.0 - probability })
    }

    /// The belief with odds o = p/(1-p); infinity is certainty. `None` if negative or NaN.
    pub fn from_odds(odds: f64) -> Option<Belief> {
        match odds {
            f64::INFINITY => Some(Belief::CHANGED),
            _ if odds >= 0.0 => {
                Some(Belief { changed: odds / (1.0 + odds), unchanged: 1.0 / (1.0 + odds) })
            }
            _ => None,
        }
    }

    fn of_weights(changed: f64, unchanged: f64) -> Option<Belief> {
        let total = changed + unchanged;
        let belief = Belief { changed: changed / total, unchanged: unchanged / total };
        (total > 0.0).then_some(belief)
    }

    /// Whether the fields are p and its complement; deserialized values may not be.
    pub(crate) fn is_valid(&self) -> bool {
        let complement = Belief::new(self.changed).map(|belief| belief.unchanged);
        complement.is_some_and(|rest| self.unchanged >= 0.0 && (self.unchanged - rest).abs() < 1e-9)
    }

    /// The probability p.
    pub fn probability(&self) -> f64 {
        self.changed
    }

    /// 1 - p, without cancellation.
    pub fn complement(&self) -> f64 {
        self.unchanged
    }

    /// The odds o = p/(1-p).
    pub fn odds(&self) -> f64 {
        self.changed / self.unchanged
    }

    /// The belief at the next step before its observation: p_a under hazard `h` in \[0, 1\].
    pub fn prior(&self, hazard: f64) -> Belief {
        let unchanged = self.unchanged * (1.0 - hazard);
        Belief { changed: self.changed + self.unchanged * hazard, unchanged }
    }

    /// The belief after `report`, given this belief before it; `None` if the observation was
    /// impossible.
    pub fn after(&self, report: Report, detector: &Detector) -> Option<Belief> {
        self.given(detector.likelihood(report))
    }

    /// The same for any observation.
    pub fn given(&self, report: Likelihood) -> Option<Belief> {
        Belief::of_weights(self.changed * report.after, self.unchanged * report.before)
    }

    /// One step of the filter, hazard and observation: p^c or p^cbar; `None` if the observation was
    /// impossible.
    pub fn step(&self, hazard: f64, report: Report, detector: &Detector) -> Option<Belief> {
        self.prior(hazard).after(report, detector)
    }
}
