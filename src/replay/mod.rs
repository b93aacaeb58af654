//! Policies on recorded steps: the cost each would have had, and the perfect-information optimum.
//!
//! Assumes throughout that a remap restores balance and leaves later increments unchanged
//! ([`Recorded`]).
//!
//! ```
//! use remapping::policy::Rule;
//! use remapping::record::Record;
//! use remapping::replay::replay;
//!
//! // The second rank gains a tenth of a second a step.
//! let seconds = (0..40).flat_map(|step| [1.0, 1.0 + 0.1 * f64::from(step)]).collect();
//! let record = Record::new(2, seconds, Vec::new())?;
//! let start = || vec![Rule::Never.start(0.5), Rule::Fixed(5).start(0.5)];
//! let found = replay(&record, 0..40, 0.5, &start, &()).expect("nobody stopped it");
//! assert!(found.tallies[1].value < found.tallies[0].value);
//! assert!(found.clairvoyant <= found.tallies[1].value);
//! # Ok::<(), remapping::record::RecordError>(())
//! ```

mod course;
mod difference;
mod ground;
mod player;

pub use course::{Course, Paid, Playing, hindsight, play, recorded, standing};
pub use difference::{difference, difference_of_last, total};
pub use ground::{Contestant, Ground, IN_USE, NameError, OURS, Outset, whole_cost};
pub use player::{Needs, Player};

use crate::learning::Learnt;
use crate::observer::{Halt, Observer};
use crate::overlap::Price;
use crate::parallel;
use crate::policy::{Policy, Rule};
use crate::record::{Left, Record};
use crate::simulate::{Base, Recorded, Tally, compare};
use rayon::prelude::*;
use std::ops::Range;

/// Costs of several policies on the same steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// By policy, in order.
    pub tallies: Vec<Tally>,
    /// The perfect-information optimum: the least cost of any sequence of remaps, by dynamic
    /// programming over remap times.
    pub clairvoyant: f64,
}

/// Evaluates policies on the steps `steps` of a record, and the perfect-information optimum.
/// O(steps^2 x ranks) time.
///
/// # Errors
/// The halt of the observer.
pub fn replay(
    record: &Record,
    steps: Range<usize>,
    price: impl Into<Price>,
    policies: &(dyn Fn() -> Vec<Box<dyn Policy>> + Sync),
    observer: &dyn Observer,
) -> Result<Replay, Halt> {
    let price = price.into();
    if !price.overlap.is_none() {
        let base = Base::before(steps.start);
        let tally = |policy: &mut Box<dyn Policy>| {
            play(record, steps.clone(), base, price, policy.as_mut()).tally
        };
        let tallies = policies().par_iter_mut().map(tally).collect();
        let clairvoyant = hindsight(record, steps.clone(), base, price, observer)?;
        return Ok(Replay { tallies, clairvoyant });
    }
    let run = Recorded::new(record, steps, price.stops);
    let found = compare(&run, policies, 0..1, 0, true, observer)?;
    let tallies = found.tallies.iter().map(|of_policy| of_policy[0]).collect();
    let clairvoyant = found.clairvoyant.map_or(f64::NAN, |values| values[0]);
    Ok(Replay { tallies, clairvoyant })
}

/// Relative difference below which costs count as equal: sums in other units round differently.
const SAME: f64 = 1e-9;

/// Index of the least cost; the first one among costs that are equal up to rounding.
pub fn cheapest(costs: impl Iterator<Item = f64> + Clone) -> Option<usize> {
    let least = costs.clone().filter(|cost| !cost.is_nan()).min_by(f64::total_cmp)?;
    let mut costs = costs;
    costs.position(|cost| cost <= least + SAME * least.abs())
}

/// The rule of least cost on these steps; the first of several.
pub fn tuned(
    record: &Record,
    steps: Range<usize>,
    price: impl Into<Price>,
    rules: &[Rule],
) -> Option<Rule> {
    tuned_at(record, steps, price.into(), rules)
}

fn tuned_at(record: &Record, steps: Range<usize>, price: Price, rules: &[Rule]) -> Option<Rule> {
    let base = Base::before(steps.start);
    let cost = |rule: &Rule| {
        let mut run = rule.run(price.stops);
        play(record, steps.clone(), base, price, &mut run).tally.value
    };
    let costs = parallel::map_all(rules, &cost);
    rules.get(cheapest(costs.iter().copied())?).copied()
}

/// Candidates for a fixed interval on so many steps.
pub fn intervals(steps: usize) -> Vec<Rule> {
    let mut intervals: Vec<u64> = (1..=40).collect();
    let mut next = 44.0;
    while next < steps as f64 {
        intervals.push(next as u64);
        next *= 1.1;
    }
    intervals.retain(|interval| *interval < steps.max(2) as u64);
    intervals.into_iter().map(Rule::Fixed).chain([Rule::Never]).collect()
}

/// Bound on the rounding of sums of times, relative to the largest.
const ROUNDING: f64 = 1e-11;

/// Least threshold as a multiple of the largest imbalance that recorded remaps left: there are few,
/// and later ones may leave more.
const MARGIN: f64 = 1.5;

/// Most candidates of one kind.
const MOST_TRIED: usize = 100;

/// The imbalance indicator of a threshold rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indicator {
    /// max - mean.
    Excess,
    /// mean / max.
    Utilization,
    /// (max - min) / mean.
    Range,
    /// max / min.
    Ratio,
}

impl Indicator {
    /// Its value for these times; `None` if that is only rounding noise. `most` is the largest time
    /// of any step.
    fn of(self, path: &[f64], most: f64) -> Option<f64> {
        let mean = crate::record::mean(path);
        let excess = crate::record::imbalance(path).max(0.0);
        let least = path.iter().copied().fold(f64::INFINITY, f64::min);
        let value = match self {
            Indicator::Excess if excess <= ROUNDING * most => return None,
            Indicator::Excess => excess,
            Indicator::Utilization => mean / (mean + excess),
            Indicator::Range => (mean + excess - least) / mean,
            Indicator::Ratio => (mean + excess) / least,
        };
        let is_balanced = match self {
            Indicator::Excess | Indicator::Utilization => false,
            Indicator::Range | Indicator::Ratio => self.above(value) <= ROUNDING,
        };
        (value.is_finite() && !is_balanced).then_some(value)
    }

    /// Distance of a value from balance, 0 at balance.
    fn above(self, value: f64) -> f64 {
        match self {
            Indicator::Excess | Indicator::Range => value,
            Indicator::Utilization => 1.0 / value - 1.0,
            Indicator::Ratio => value - 1.0,
        }
    }

    /// The value at a distance from balance.
    fn at(self, above: f64) -> f64 {
        match self {
            Indicator::Excess | Indicator::Range => above,
            Indicator::Utilization => 1.0 / (1.0 + above),
            Indicator::Ratio => 1.0 + above,
        }
    }

    /// The value halfway to balance.
    fn halved(self, value: f64) -> f64 {
        match self {
            Indicator::Utilization => 0.5 * (value + 1.0),
            _ => self.at(0.5 * self.above(value)),
        }
    }

    /// The rule with this threshold.
    fn rule(self, value: f64) -> Rule {
        match self {
            Indicator::Excess => Rule::Threshold(value),
            Indicator::Utilization => Rule::Utilization(value.clamp(0.0, 1.0)),
            Indicator::Range => Rule::Range(value),
            Indicator::Ratio => Rule::Ratio(value),
        }
    }
}

/// Candidate thresholds for an indicator: its values on these steps without remaps.
///
/// * If there are many, every k-th value, and a geometric sequence between the least and the
///   largest. Drifting loads rarely show the small imbalances of a remapped run.
/// * If all values are equal, as in a program that never was balanced, also a value halfway to
///   balance.
/// * Values close to the imbalance that recorded remaps left are excluded: a program left beyond
///   its threshold would be remapped at every step.
pub fn thresholds(record: &Record, steps: Range<usize>, indicator: Indicator) -> Vec<Rule> {
    let largest = |step: usize| record.path(step).iter().copied().fold(0.0, f64::max);
    let most = steps.clone().map(largest).fold(0.0, f64::max);
    let after = |left: &Left| {
        let mean = record.mean(left.before);
        let times: Vec<f64> = left.off.iter().map(|off| (mean + off).max(0.0)).collect();
        indicator.of(&times, most).map(|value| indicator.above(value))
    };
    let left = record.left().iter().filter(|left| steps.contains(&left.before)).filter_map(after);
    let least = MARGIN * left.fold(0.0, f64::max);
    let mut values: Vec<f64> =
        steps.filter_map(|step| indicator.of(record.path(step), most)).collect();
    values.sort_by(f64::total_cmp);
    let same = match values[..] {
        [least, .., most] if most - least <= ROUNDING * most => Some(least),
        _ => None,
    };
    let past = same.map(|value| indicator.halved(value));
    let stride = values.len().div_ceil(MOST_TRIED).max(1);
    let (first, last) = (values.first().copied(), values.last().copied());
    let between = match first.zip(last).filter(|_| stride > 1 && same.is_none()) {
        Some((first, last)) => {
            let (a, b) = (indicator.above(first), indicator.above(last));
            // Ratios are known only up to rounding.
            let least = if indicator == Indicator::Excess { 0.0 } else { ROUNDING };
            ladder(a.min(b).max(least), a.max(b))
        }
        None => Vec::new(),
    };
    let between: Vec<f64> = between.into_iter().map(|above| indicator.at(above)).collect();
    let occurring = values.iter().step_by(stride);
    let rule = |value: &f64| indicator.rule(*value);
    let lasts = |value: &&f64| indicator.above(**value) > least;
    occurring.chain(&between).chain(&past).filter(lasts).map(rule).chain([Rule::Never]).collect()
}

/// A geometric sequence strictly between two values, with a factor of at least 1.05.
fn ladder(least: f64, most: f64) -> Vec<f64> {
    let factor = (most / least).powf(1.0 / MOST_TRIED as f64).max(1.05);
    let next = |value: &f64| Some(value * factor);
    let within = |value: &f64| *value < most;
    std::iter::successors(Some(least * factor), next).take_while(within).collect()
}

/// Q-learning over some episodes. Returns the policy that cost least on the same steps, and the
/// regret curve: its excess cost over the perfect-information optimum after 1, 2, 4, ... episodes.
/// Learning is not monotone, because bootstrapped estimates drift.
pub fn learn(
    record: &Record,
    steps: Range<usize>,
    remap_cost: f64,
    episodes: u64,
    seed: u64,
) -> (Learnt, Vec<(u64, f64)>) {
    let mut learner = Learnt::new(remap_cost);
    let (mut best, mut curve) = (learner.clone(), Vec::new());
    let mut least = f64::INFINITY;
    let regret = |learnt: &Learnt| {
        let start = || -> Vec<Box<dyn Policy>> { vec![Box::new(learnt.clone())] };
        replay(record, steps.clone(), remap_cost, &start, &())
            .map_or(f64::NAN, |found| found.tallies[0].value - found.clairvoyant)
    };
    if steps.len() > 2 {
        learner.train(record, steps.clone(), episodes, seed, |episode, learnt| {
            if episode.is_power_of_two() || episode == episodes {
                let found = regret(learnt);
                curve.push((episode, found));
                if found < least {
                    least = found;
                    best = learnt.clone();
                }
            }
        });
    }
    (best, curve)
}
