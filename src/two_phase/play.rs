//! Simulates remapping policies on a recorded run.

use super::parts::{Belief, Premature};
use super::trace::Cycles;

/// The parameters of the belief that the phase has changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beliefs {
    /// Probability phi that the phase changes before the next cycle.
    pub hazard: f64,
    /// Probability alpha of observing a change before it.
    pub false_alarm: f64,
    /// Probability beta of not observing a change after it.
    pub missed: f64,
}

impl From<&Belief> for Beliefs {
    fn from(belief: &Belief) -> Beliefs {
        let Belief { hazard, false_alarm, missed, .. } = *belief;
        Beliefs { hazard, false_alarm, missed }
    }
}

impl Beliefs {
    /// The probability that the phase has changed, from that of one cycle before and an observation
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

/// The result of a policy on a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// The time of the whole run.
    pub time: f64,
    /// The part of it spent on remapping.
    pub remap_time: f64,
    /// The number of remaps.
    pub remaps: u32,
    /// The number of those before the change of phase.
    pub premature: u32,
    /// The cycle before which the last remap was made.
    pub last_remap: Option<usize>,
}

/// Remaps as soon as the belief exceeds the cycle's threshold. `reports[n]` is the detector's
/// observation before cycle n; that before cycle 0 is not used, since the belief starts at zero.
pub fn threshold(
    cycles: &Cycles,
    reports: &[bool],
    beliefs: &Beliefs,
    premature: Premature,
    thresholds: &dyn Fn(usize) -> f64,
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

/// Remaps once at the best moment, or never, with the whole run known in advance: no policy with at
/// most one remap is better.
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
