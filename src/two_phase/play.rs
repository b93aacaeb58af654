//! Simulates remapping policies on a recorded run.

use super::expectation::Expected;
use super::parts::{Belief, Premature};
use super::trace::Cycles;

impl Belief {
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

/// Remaps as soon as the belief exceeds the cycle's threshold. `reports[n]` is the detector's
/// observation before cycle n; that before cycle 0 is not used, since the belief starts at zero.
/// Also returns the cycle before which the last remap was made.
pub fn threshold(
    cycles: &Cycles,
    reports: &[bool],
    belief: &Belief,
    premature: Premature,
    thresholds: &dyn Fn(usize) -> f64,
) -> (Expected, Option<usize>) {
    let change = cycles.change().unwrap_or(cycles.len());
    let (mut outcome, mut last_remap) = (Expected::default(), None);
    let mut p = 0.0;
    for (n, &report) in reports.iter().enumerate().take(cycles.len()) {
        if n > 0 {
            p = belief.update(p, report);
        }
        if p > thresholds(n) {
            outcome.remaps += 1.0;
            last_remap = Some(n);
            outcome.time += cycles.remap_cost[n];
            outcome.remap_time += cycles.remap_cost[n];
            outcome.premature += f64::from(n < change);
            if n >= change || premature == Premature::Keep {
                outcome.time += cycles.new[n..].iter().sum::<f64>();
                return (outcome, last_remap);
            }
            p = 0.0;
        }
        outcome.time += cycles.old[n];
    }
    (outcome, last_remap)
}

/// Never remaps: the old or the new mapping throughout.
pub fn fixed(times: &[f64]) -> Expected {
    Expected { time: times.iter().sum(), ..Expected::default() }
}

/// Remaps once at the best moment, or never, with the whole run known in advance: no policy with at
/// most one remap is better.
pub fn clairvoyant(cycles: &Cycles) -> Expected {
    let mut best = fixed(&cycles.old);
    let mut rest = 0.0;
    let mut before = best.time;
    let change = cycles.change().unwrap_or(cycles.len());
    for n in (0..cycles.len()).rev() {
        rest += cycles.new[n];
        before -= cycles.old[n];
        let time = before + cycles.remap_cost[n] + rest;
        if time < best.time {
            let premature = f64::from(n < change);
            let remap_time = cycles.remap_cost[n];
            best = Expected { time, error: 0.0, remap_time, remaps: 1.0, premature };
        }
    }
    best
}
