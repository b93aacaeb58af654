//! A policy of a few numbers: remap when max - mean exceeds a threshold that depends on the steps
//! since the last remap, and another that depends on the step.
//!
//! The thresholds are fitted to states visited under a better policy, each with the gain of a remap
//! there. For every stretch of steps the fit takes the threshold above which the gains sum to the
//! most. Neighboring stretches are merged where that loses little gain.

use serde::{Deserialize, Serialize};

/// Thresholds on max - mean: remap when both are exceeded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Pairs (steps since the last remap or the start, threshold): each holds from that number on;
    /// from 1.
    pub since: Vec<(u64, f64)>,
    /// Pairs (step, threshold): each holds from that step on; from 1.
    pub step: Vec<(u64, f64)>,
}

/// A visited state, after a step other than the last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// The step, from 1.
    pub step: u64,
    /// Steps since the last remap or the start, from 1.
    pub since: u64,
    /// max - mean.
    pub imbalance: f64,
    /// Gain of a remap in this state; negative where continuing is better.
    pub gain: f64,
    /// Whether the better policy remapped here.
    pub remapped: bool,
}

/// Share of all gains that a stretch must contribute to remain separate.
const WORTH: f64 = 1e-2;

impl Curve {
    /// A threshold that nothing exceeds.
    pub const NEVER: f64 = f64::MAX;

    /// The curve that never remaps.
    pub fn never() -> Curve {
        Curve { since: vec![(1, Curve::NEVER)], step: vec![(1, 0.0)] }
    }

    /// Whether no state is remapped.
    pub fn is_never(&self) -> bool {
        !self.since.is_empty() && self.since.iter().all(|(_, threshold)| *threshold == Curve::NEVER)
    }

    /// The curve of largest gain on the visited states of a program of `steps` steps. It never
    /// remaps if no remap gains.
    pub fn fit(seen: &[Seen], steps: u64) -> Curve {
        let spacings: Vec<f64> =
            seen.iter().filter(|s| s.remapped).map(|s| s.since as f64).collect();
        let spacing = spacings.iter().sum::<f64>() / spacings.len().max(1) as f64;
        // Near the end fewer remaps pay.
        let end = ((2.0 * spacing).ceil() as u64).clamp(2, (steps / 2).max(2));
        let far: Vec<&Seen> = seen.iter().filter(|s| steps - s.step > end).collect();
        let far = if 4 * far.len() < seen.len() { seen.iter().collect() } else { far };
        if far.iter().all(|s| s.gain <= 0.0) {
            return Curve::never();
        }
        let since = stretches(far.iter().map(|s| (s.since, s.imbalance, s.gain)));
        let curve = Curve { since, step: vec![(1, 0.0)] };
        let left = seen
            .iter()
            .filter(|s| steps - s.step <= end && curve.remaps(s.step, s.since, s.imbalance))
            .map(|s| (steps - s.step, s.imbalance, s.gain));
        Curve { step: by_step(&stretches(left), end, steps), ..curve }
    }

    /// The same decisions on integer loads of `processors` processors. There max - mean is an
    /// integer over the number of processors; each threshold moves halfway between two such values,
    /// so that rounding decides nothing.
    #[must_use]
    pub fn between_whole_loads(self, processors: u64) -> Curve {
        let r = processors as f64;
        let halfway = |threshold: f64| ((threshold * r + 0.25).floor() + 0.5) / r;
        let moved = |list: Vec<(u64, f64)>, is_kept: fn(f64) -> bool| {
            let one = |(from, at): (u64, f64)| (from, if is_kept(at) { at } else { halfway(at) });
            list.into_iter().map(one).collect()
        };
        Curve {
            since: moved(self.since, |at| at == Curve::NEVER),
            // Zero means no threshold.
            step: moved(self.step, |at| at == Curve::NEVER || at == 0.0),
        }
    }

    /// Whether the policy remaps after this step.
    pub fn remaps(&self, step: u64, since: u64, imbalance: f64) -> bool {
        imbalance > above(&self.since, since).max(above(&self.step, step))
    }
}

/// Thresholds by step, from those by the steps remaining up to `end`.
pub(crate) fn by_step(left: &[(u64, f64)], end: u64, steps: u64) -> Vec<(u64, f64)> {
    let mut step = vec![(1, 0.0)];
    for (i, (_, threshold)) in left.iter().enumerate().rev() {
        // A stretch of remaining steps ends where the next begins.
        let most = left.get(i + 1).map_or(end, |(next, _)| next - 1);
        let from = steps.saturating_sub(most).max(1);
        if step.last().is_some_and(|last| last.1 != *threshold) {
            step.pop_if(|last| last.0 == from);
            step.push((from, *threshold));
        }
    }
    step
}

/// The threshold that holds at a number of steps; minus infinity before the first.
fn above(thresholds: &[(u64, f64)], at: u64) -> f64 {
    match thresholds[..thresholds.partition_point(|(from, _)| *from <= at)].last() {
        Some((_, threshold)) => *threshold,
        None => f64::NEG_INFINITY,
    }
}

/// A stretch: its first number of steps, its states with their gains from the largest imbalance
/// down, and the best threshold with its gain.
struct Stretch {
    from: u64,
    states: Vec<(f64, f64)>,
    threshold: f64,
    gain: f64,
}

impl Stretch {
    fn new(from: u64, mut states: Vec<(f64, f64)>) -> Stretch {
        states.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        let (mut sum, mut gain) = (0.0, 0.0);
        // Above all visited states.
        let mut threshold = states.first().map_or(0.0, |first| 2.0 * first.0 + 1.0);
        for (i, (imbalance, one)) in states.iter().enumerate() {
            sum += one;
            let next = states.get(i + 1).map(|state| state.0);
            if sum > gain && next.is_none_or(|next| next < imbalance - 1e-9) {
                gain = sum;
                threshold = next.map_or(0.0, |next| (imbalance + next) / 2.0);
            }
        }
        Stretch { from, states, threshold, gain }
    }

    fn with(&self, next: &Stretch) -> Stretch {
        Stretch::new(self.from, [&self.states[..], &next.states[..]].concat())
    }
}

/// Thresholds by number of steps, in as few stretches as the tolerance allows.
fn stretches(states: impl Iterator<Item = (u64, f64, f64)>) -> Vec<(u64, f64)> {
    let mut firsts = vec![1u64];
    while firsts[firsts.len() - 1] < 1 << 40 {
        let last = firsts[firsts.len() - 1];
        firsts.push(last + (last / 3).max(1));
    }
    let mut groups: Vec<Vec<(f64, f64)>> = vec![Vec::new(); firsts.len()];
    for (at, imbalance, gain) in states {
        groups[firsts.partition_point(|first| *first <= at) - 1].push((imbalance, gain));
    }
    let mut found: Vec<Stretch> = firsts
        .into_iter()
        .zip(groups)
        .filter(|(_, states)| !states.is_empty())
        .map(|(from, states)| Stretch::new(from, states))
        .collect();
    let total: f64 = found.iter().map(|one| one.gain).sum();
    while found.len() > 1 {
        let joint = |pair: &[Stretch]| {
            let both = pair[0].with(&pair[1]);
            (pair[0].gain + pair[1].gain - both.gain, both)
        };
        let pairs = found.windows(2).map(joint).enumerate();
        let least = pairs.min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let Some((at, (_, both))) = least.filter(|(_, (loss, _))| *loss <= WORTH * total) else {
            break;
        };
        found[at] = both;
        found.remove(at + 1);
    }
    if let Some(first) = found.first_mut() {
        first.from = 1;
    }
    found.into_iter().map(|one| (one.from, one.threshold)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gains change sign at a known curve, with noise: the fit recovers the curve and its number of
    /// stretches.
    #[test]
    fn finds_the_curve_that_gains_were_made_from() {
        let true_threshold = |since: u64| if since < 8 { 3.0 } else { 2.0 };
        let mut seen = Vec::new();
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for _ in 0..20_000 {
            let (since, step) = (1 + (16.0 * next()) as u64, 1 + (98.0 * next()) as u64);
            let imbalance = 5.0 * next();
            // Within ten steps of the end a remap pays above 4 only.
            let threshold: f64 = if step > 90 { 4.0 } else { true_threshold(since) };
            let gain = imbalance - threshold + 2.0 * (next() - 0.5);
            seen.push(Seen { step, since, imbalance, gain, remapped: since == 5 });
        }
        let curve = Curve::fit(&seen, 100);
        assert_eq!(curve.since.len(), 2, "{curve:?}");
        seen.iter_mut().for_each(|seen| seen.gain = -seen.gain.abs());
        let never = Curve::fit(&seen, 100);
        assert!(!never.remaps(50, 50, 1e300), "{never:?}");
        let (mut agree, mut all) = (0, 0);
        for s in &seen {
            let threshold = if s.step > 90 { 4.0 } else { true_threshold(s.since) };
            all += 1;
            agree += usize::from(
                curve.remaps(s.step, s.since, s.imbalance) == (s.imbalance > threshold),
            );
        }
        assert!(agree as f64 > 0.97 * all as f64, "{agree} of {all}: {curve:?}");
        assert!(curve.step[0] == (1, 0.0) && curve.step.iter().any(|(_, t)| (t - 4.0).abs() < 0.3));
    }

    #[test]
    fn where_remaps_never_gain_there_are_none() {
        let one = |i: u64| Seen {
            step: i,
            since: i,
            imbalance: i as f64 / 10.0,
            gain: -1.0,
            remapped: false,
        };
        let seen: Vec<Seen> = (1..30).map(one).collect();
        let curve = Curve::fit(&seen, 30);
        assert!(seen.iter().all(|s| !curve.remaps(s.step, s.since, s.imbalance)));
    }
}
