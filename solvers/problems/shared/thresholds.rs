//! Thresholds step by step, as answers list them, with their certified bounds.

use crate::document::{Bounds, Curve};
use crate::problems::phase_change::model::MAX_PER_STEP;
use crate::problems::proved::{
    Entry, Fault, Open, Promise, bounds, farthest, length, needed, within,
};
use remap_checker::Interval;
use remapping::phase_change::Run;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// A curve with its certified bounds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// The middle of the bounds; for M > 10^6 only for the steps after `stationary_through`.
    pub threshold: Vec<f64>,
    /// Certified lower bounds, step by step.
    pub lower: Vec<f64>,
    /// Certified upper bounds, step by step.
    pub upper: Vec<f64>,
    /// The threshold that more than 10^6 steps share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stationary: Option<f64>,
    /// Its certified lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stationary_lower: Option<f64>,
    /// Its certified upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stationary_upper: Option<f64>,
    /// The last step that has it; the arrays start after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stationary_through: Option<u64>,
    /// The bounds [lower, upper] of the first steps, where they differ from the stationary ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub head: Vec<[f64; 2]>,
}

impl Thresholds {
    /// Adds the threshold of the next step.
    pub fn push(&mut self, bounds: Bounds) {
        self.threshold.push(bounds.middle());
        self.lower.push(bounds.lower);
        self.upper.push(bounds.upper);
    }

    /// The thresholds of a curve. Where more than 10^6 steps share one, it is listed once.
    pub fn of(curve: &Curve) -> Thresholds {
        let mut all = Thresholds::default();
        let longest = curve.runs().max_by_key(|run| run.last - run.first);
        let last = curve.runs().next_back().map_or(0, |run| run.last);
        let long = |run: &&Run| last > MAX_PER_STEP && run.last - run.first >= MAX_PER_STEP;
        let mut from = 0;
        if let Some(run) = longest.filter(long) {
            let first = curve.first_step().unwrap_or(run.first);
            let head = (first..run.first).filter_map(|n| curve.at(n));
            all.head = head.map(|bounds| [bounds.lower, bounds.upper]).collect();
            all.stationary = Some(run.bounds.middle());
            all.stationary_lower = Some(run.bounds.lower);
            all.stationary_upper = Some(run.bounds.upper);
            all.stationary_through = Some(run.last);
            from = run.last + 1;
        }
        for run in curve.runs().filter(|run| run.last >= from) {
            (run.first..=run.last).for_each(|_| all.push(run.bounds));
        }
        all
    }

    /// The curve from step `first` on: the thresholds of the head one by one, then the one that
    /// steps share, then the others one by one.
    pub fn curve(&self, first: u64) -> Curve {
        let one = |(n, bounds): (u64, Bounds)| Run { first: n, last: n, bounds };
        let (mut runs, mut from) = (Vec::new(), first);
        let ends = self.stationary_lower.zip(self.stationary_upper);
        if let Some((ends, last)) = ends.zip(self.stationary_through) {
            runs.extend((first..).zip(self.head.iter().map(|ends| (*ends).into())).map(one));
            runs.push(Run { first: first + runs.len() as u64, last, bounds: ends.into() });
            from = last + 1;
        }
        let ends = self.lower.iter().zip(&self.upper).map(|(lower, upper)| [*lower, *upper].into());
        runs.into_iter().chain((from..).zip(ends).map(one)).collect()
    }

    /// Compares each threshold and its bounds with `steps`, the first and the last step of each
    /// proved interval. The thresholds start at step `first`, and end at `last` or are one that
    /// holds forever. `named` gives the name of a field in the document.
    pub(in crate::problems) fn compare(
        &self,
        (first, last): (u64, Option<u64>),
        steps: &[(u64, u64, Interval)],
        promise: Promise,
        named: &dyn Fn(&str) -> String,
    ) -> Result<Distance, Fault> {
        let mut next = first;
        let mut all = Distance::default();
        let mut one = |part: usize, name: &dyn Display, threshold: f64, given: Bounds, proved| {
            let reason = bounds(name, given, proved, promise, 1.0)?;
            all.farthest = all.farthest.max(farthest(threshold, proved));
            all.open[part].see(name, threshold, proved, reason);
            let Bounds { lower, upper } = given;
            within(name, threshold, Interval { lower, upper }, 0.0).map_err(|_| {
                format!("`{name}` is {threshold}, not between its bounds {lower} and {upper}")
            })
        };
        let at = |name: &dyn Display, n: u64| -> Result<Interval, Fault> {
            let found = steps.get(steps.partition_point(|(_, last, _)| *last < n));
            let fault = || format!("`{name}` speaks of step {n}, which there is not");
            found.map(|(.., proved)| *proved).ok_or_else(fault)
        };
        let ends = [self.stationary, self.stationary_lower, self.stationary_upper];
        let names = ["stationary", "stationary_lower", "stationary_upper"].map(named);
        let name = named("stationary_through");
        if let Some(through) = self.stationary_through {
            let head = named("head");
            for (i, ends) in self.head.iter().enumerate() {
                let (name, given) = (&Entry(&head, i), Bounds::from(*ends));
                one(HEAD, name, given.middle(), given, at(name, next)?)?;
                next += 1;
            }
            let [middle, lower, upper] = [0, 1, 2].map(|k| needed(&names[k], ends[k]));
            let (middle, given) = (middle?, Bounds::from((lower?, upper?)));
            at(&name, through)?;
            if through < next {
                return Err(format!("`{name}` is {through}, before step {next}"));
            }
            let alike = steps.iter().filter(|(first, last, _)| *last >= next && *first <= through);
            for (.., proved) in alike {
                one(STATIONARY, &names[0], middle, given, *proved)?;
            }
            next = through + 1;
        } else if ends.iter().any(Option::is_some) || !self.head.is_empty() {
            return Err(format!("`{name}` is missing or null"));
        }
        let lists =
            [("threshold", &self.threshold), ("lower", &self.lower), ("upper", &self.upper)];
        for (name, list) in lists {
            let (name, count) = (named(name), list.len());
            match last {
                Some(last) if (last + 1).checked_sub(next) != Some(count as u64) => {
                    let steps = format!("for the steps {next} to {last}");
                    return Err(format!("`{name}` has {count} entries {steps}"));
                }
                Some(_) => {}
                None => length(name, count, 1)?,
            }
        }
        let name = named("threshold");
        for (i, threshold) in self.threshold.iter().enumerate() {
            let given = Bounds::from((self.lower[i], self.upper[i]));
            let entry = &Entry(&name, i);
            one(LISTED, entry, *threshold, given, at(entry, next + i as u64)?)?;
        }
        Ok(all)
    }
}

/// The parts of [`Distance::open`].
const LISTED: usize = 0;
const STATIONARY: usize = 1;
const HEAD: usize = 2;

/// The largest distance of a threshold from the optimal one; and what is not proved of the listed
/// thresholds, of the stationary one, and of those before it.
#[derive(Default)]
pub(in crate::problems) struct Distance {
    pub farthest: f64,
    pub open: [Open; 3],
}
