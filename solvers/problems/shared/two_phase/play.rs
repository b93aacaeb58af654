//! Playing remapping policies on a recorded run.

use super::model::{Belief, Premature};
use super::trace::Cycles;

/// What the belief that the phase has changed rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beliefs {
    /// Probability phi that the phase changes before the next cycle.
    pub hazard: f64,
    /// Probability alpha of a report although it has not.
    pub false_alarm: f64,
    /// Probability beta of none although it has.
    pub missed: f64,
}

impl From<&Belief> for Beliefs {
    fn from(belief: &Belief) -> Beliefs {
        let Belief { hazard, false_alarm, missed, .. } = *belief;
        Beliefs { hazard, false_alarm, missed }
    }
}

impl Beliefs {
    /// Probability that the phase has changed, given that of one cycle before and a report
    /// [NR90, section III-B].
    pub fn update(&self, p: f64, report: bool) -> f64 {
        let prior = p + (1.0 - p) * self.hazard;
        let (if_changed, if_not) = if report {
            (1.0 - self.missed, self.false_alarm)
        } else {
            (self.missed, 1.0 - self.false_alarm)
        };
        let joint = prior * if_changed;
        let either = joint + (1.0 - prior) * if_not;
        if either > 0.0 { joint / either } else { prior }
    }
}

/// How a policy fared on a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// Time of the whole run.
    pub time: f64,
    /// Of it, time spent on remapping.
    pub remap_time: f64,
    /// Remaps made.
    pub remaps: u32,
    /// Of them, those made before the phase had changed.
    pub premature: u32,
    /// The cycle before which the last remap was made.
    pub last_remap: Option<usize>,
}

/// Remaps as soon as the belief exceeds the cycle's threshold, given the detector's reports
/// (`reports[n]` is made before cycle n; the one before cycle 0 is not used, the belief starts at
/// zero).
pub fn threshold(
    cycles: &Cycles,
    reports: &[bool],
    beliefs: &Beliefs,
    premature: Premature,
    thresholds: impl Fn(usize) -> f64,
) -> Outcome {
    let change = cycles.change().unwrap_or(cycles.len());
    let mut outcome = Outcome::default();
    let mut p = 0.0;
    for (n, &report) in reports.iter().enumerate().take(cycles.len()) {
        if n > 0 {
            p = beliefs.update(p, report);
        }
        if p > thresholds(n) {
            outcome.remaps += 1;
            outcome.last_remap = Some(n);
            outcome.time += cycles.remap_cost[n];
            outcome.remap_time += cycles.remap_cost[n];
            outcome.premature += u32::from(n < change);
            if n >= change || premature == Premature::Keep {
                outcome.time += cycles.new[n..].iter().sum::<f64>();
                return outcome;
            }
            p = 0.0;
        }
        outcome.time += cycles.old[n];
    }
    outcome
}

/// Never remaps: the old or the new mapping throughout.
pub fn fixed(times: &[f64]) -> Outcome {
    Outcome { time: times.iter().sum(), ..Outcome::default() }
}

/// Knows the whole run in advance and remaps once, at the best moment, or not at all: no policy
/// that remaps at most once does better.
pub fn clairvoyant(cycles: &Cycles) -> Outcome {
    let mut best = fixed(&cycles.old);
    let mut rest = 0.0;
    let mut before = best.time;
    let change = cycles.change().unwrap_or(cycles.len());
    for n in (0..cycles.len()).rev() {
        rest += cycles.new[n];
        before -= cycles.old[n];
        let time = before + cycles.remap_cost[n] + rest;
        if time < best.time {
            let premature = u32::from(n < change);
            let remap_time = cycles.remap_cost[n];
            best = Outcome { time, remap_time, remaps: 1, premature, last_remap: Some(n) };
        }
    }
    best
}
