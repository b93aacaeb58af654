//! What a threshold policy is expected to cost on a run whose detector errs at random. The law of the
//! belief is followed from cycle to cycle, so that nothing is sampled: premature remaps are too rare
//! for samples to tell what they cost.

use super::figure::Setting;
use super::play::Outcome;
use super::trace::Cycles;
use crate::model::two_phase::Premature;

/// How a policy fares on a run, over the errors of the detector.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expected {
    /// Time of the whole run.
    pub time: f64,
    /// How far from it the expected time may be: beliefs so close to a threshold that merging them may
    /// have moved them across it, and rounding.
    pub error: f64,
    /// Of it, time spent on remapping.
    pub remap_time: f64,
    /// Remaps made.
    pub remaps: f64,
    /// Of them, those made before the phase had changed.
    pub premature: f64,
}

impl From<Outcome> for Expected {
    fn from(outcome: Outcome) -> Expected {
        Expected {
            time: outcome.time,
            error: 0.0,
            remap_time: outcome.remap_time,
            remaps: f64::from(outcome.remaps),
            premature: f64::from(outcome.premature),
        }
    }
}

/// Beliefs next to each other, and their probability.
#[derive(Debug, Clone, Copy)]
struct Cluster {
    low: f64,
    high: f64,
    weight: f64,
}

/// Clusters kept at most, and how far apart, relatively, beliefs are that are taken together in any case.
const MOST: usize = 2000;
const CLOSE: f64 = 1e-12;

/// Rounding errors of a time, relatively.
const ROUNDING: f64 = 1e-12;

/// Expects the costs of remapping as soon as the belief exceeds the cycle's threshold, as
/// [`super::play::threshold`] plays it, under the flipped reports of `setting`. Work: at most 2000 updates
/// a cycle.
pub fn threshold(
    cycles: &Cycles,
    setting: &Setting,
    thresholds: impl Fn(usize) -> f64,
) -> Expected {
    let change = cycles.change().unwrap_or(cycles.len());
    // From each cycle on: time under the new mapping, and by how much times may differ at most.
    let (mut rest, mut spread) = (vec![0.0; cycles.len() + 1], vec![0.0; cycles.len() + 1]);
    for n in (0..cycles.len()).rev() {
        rest[n] = rest[n + 1] + cycles.new[n];
        spread[n] = spread[n + 1] + (cycles.old[n] - cycles.new[n]).abs() + cycles.remap_cost[n];
    }
    let mut expected = Expected::default();
    let mut beliefs = vec![Cluster { low: 0.0, high: 0.0, weight: 1.0 }];
    for n in 0..cycles.len() {
        if n > 0 {
            beliefs = updated(&beliefs, setting, cycles.changed[n]);
        }
        let level = thresholds(n);
        let stays = n >= change || setting.premature == Premature::Keep;
        let mut undone = 0.0;
        beliefs.retain(|belief| {
            let Cluster { low, high, weight } = *belief;
            if low <= level && high > level {
                expected.error += weight * spread[n];
            }
            if 0.5 * (low + high) <= level {
                return true;
            }
            expected.remaps += weight;
            expected.remap_time += weight * cycles.remap_cost[n];
            expected.premature += if n < change { weight } else { 0.0 };
            if stays {
                expected.time += weight * rest[n];
            } else {
                undone += weight;
            }
            false
        });
        if undone > 0.0 {
            beliefs.insert(0, Cluster { low: 0.0, high: 0.0, weight: undone });
        }
        expected.time += cycles.old[n] * beliefs.iter().map(|belief| belief.weight).sum::<f64>();
    }
    expected.time += expected.remap_time;
    expected.error += ROUNDING * expected.time.abs();
    expected
}

/// The beliefs after the report on a cycle that has changed or not.
fn updated(beliefs: &[Cluster], setting: &Setting, changed: bool) -> Vec<Cluster> {
    let reported = if changed { 1.0 - setting.flip_changed } else { setting.flip_unchanged };
    let after = |report: bool, probability: f64| {
        beliefs.iter().map(move |belief| {
            let ends = [belief.low, belief.high].map(|p| setting.beliefs.update(p, report));
            let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            Cluster { low, high, weight: belief.weight * probability }
        })
    };
    let mut all: Vec<Cluster> = after(false, 1.0 - reported)
        .chain(after(true, reported))
        .filter(|belief| belief.weight > 0.0)
        .collect();
    all.sort_by(|one, other| one.low.total_cmp(&other.low));
    let mut close = CLOSE;
    merge(&mut all, close);
    while all.len() > MOST {
        close *= 8.0;
        merge(&mut all, close);
    }
    all
}

/// Takes sorted beliefs together that differ by no more than the share `close`.
fn merge(beliefs: &mut Vec<Cluster>, close: f64) {
    beliefs.dedup_by(|next, kept| {
        let high = kept.high.max(next.high);
        let near = high - kept.low <= close * high;
        if near {
            kept.high = high;
            kept.weight += next.weight;
        }
        near
    });
}
