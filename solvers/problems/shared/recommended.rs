//! The recommendation of a solution. Its first sentence, exports, reports and pictures all state
//! this one.

use crate::document::rule::{LoadThresholds, RemapInterval, Rule, Threshold};
use crate::problems::continuous_drift::answer as continuous_drift;
use crate::problems::load_drift::answer::{Answer, Closest, Curve, Mean};
use crate::problems::periodic::answer as periodic;
use serde::{Deserialize, Serialize};

/// The rule to follow, of solutions that have several. Others have one: their thresholds, or their
/// map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommended {
    /// Never remap.
    Never,
    /// Remap every `n` steps.
    Every(u64),
    /// Remap when max - mean exceeds this, at all steps.
    Above(f64),
    /// Remap by the thresholds of `closest_threshold`: each holds from its step on, the first from
    /// the start.
    ClosestThreshold,
    /// Remap by the thresholds of `threshold_curve`.
    ThresholdCurve,
}

impl periodic::Answer {
    /// The interval of least cost where a remap has a cost, limited to the bound where there is
    /// one. If a single step breaks the bound the interval is one step: remaps come after steps.
    pub(crate) fn recommended(&self) -> Option<Recommended> {
        let cheapest = match &self.cost_aware {
            Some(cost) if cost.interval == periodic::Steps::NotComputed => return None,
            Some(cost) => cost.interval.number(),
            None if self.bound.is_none() => return None,
            None => None,
        };
        if self.bound.is_some() && self.at_least == Some(0) {
            return None;
        }
        let within = self.interval.filter(|_| self.bound.is_some());
        let every = [within, cheapest].into_iter().flatten().min();
        Some(every.map_or(Recommended::Never, |every| Recommended::Every(every.max(1))))
    }
}

/// Costs with at most this relative difference count as equal: tolerances allow it.
const SAME: f64 = 1e-9;
/// The same where one cost is a mean over sample paths, with the rounding error of long sums.
const SAME_ON_PATHS: f64 = 1e-6;

/// The cheapest of some rules; of equal costs the first.
fn cheapest(rules: impl IntoIterator<Item = (Recommended, f64)>) -> Option<(Recommended, f64)> {
    rules.into_iter().reduce(|best, next| {
        let is_cheaper = next.1 < best.1 - SAME * best.1.abs();
        if is_cheaper { next } else { best }
    })
}

impl Answer {
    /// The rule to follow. With sampled bounds it is the thresholds found, unless an interval, or
    /// never, certainly costs less. Otherwise it is the cheapest rule of one number. The thresholds
    /// closest to the optimum are taken where they cost less, or where no cost of a threshold is
    /// known.
    pub(crate) fn recommended(&self) -> Option<Recommended> {
        if let Some(curve) = &self.threshold_curve {
            let fixed = self.best_fixed;
            return Some(curve.recommended(Some((fixed.interval, fixed.value))));
        }
        if self.value.is_none() {
            return self.best_fixed.interval.map(Recommended::Every);
        }
        if self.remaps == Some(0.0) || self.closest_threshold.is_empty() {
            return Some(Recommended::Never);
        }
        let best = self.best_threshold.filter(|best| !self.is_above_all(best.threshold));
        let best = best.map(|best| (Recommended::Above(best.threshold), best.value));
        let fixed = self.best_fixed;
        let fixed = fixed.interval.map(|every| (Recommended::Every(every), fixed.value));
        let never = (Recommended::Never, self.never.value);
        let (simple, cost) = cheapest([Some(never), best, fixed].into_iter().flatten())?;
        let is_closer = match (self.best_threshold, self.closest_value) {
            (Some(_), Some(closest)) => cost > closest + SAME * closest.abs(),
            (Some(_), None) => false,
            (None, _) => self.closest_threshold.iter().any(|at| !self.is_above_all(at.threshold)),
        };
        Some(if is_closer { Recommended::ClosestThreshold } else { simple })
    }

    /// The cost of a recommended rule, where it is known.
    pub fn cost_of(&self, recommended: Recommended) -> Option<f64> {
        match recommended {
            Recommended::Never if self.remaps == Some(0.0) => self.value,
            Recommended::Never => Some(self.never.value),
            Recommended::Every(_) => Some(self.best_fixed.value),
            Recommended::Above(_) => self.best_threshold.map(|best| best.value),
            Recommended::ClosestThreshold => self.closest_value,
            Recommended::ThresholdCurve => {
                self.threshold_curve.as_ref()?.cost.map(|cost| cost.mean)
            }
        }
    }

    /// The largest r (max - mean) that does not exceed a threshold on max - mean, and the largest
    /// that exists. Thresholds of earlier versions were such numbers over r, rounded.
    fn within(&self, threshold: f64) -> (f64, f64) {
        let r = self.processors as f64;
        let most = (r - 1.0) * (self.levels as f64 - 1.0);
        ((threshold * r + 0.25).floor(), most)
    }

    /// Whether no loads of the model exceed a threshold on max - mean.
    pub fn is_above_all(&self, threshold: f64) -> bool {
        let (within, most) = self.within(threshold);
        within >= most
    }

    /// The threshold with the same decisions that lies halfway between two values of max - mean, or
    /// above all.
    fn decisive(&self, threshold: f64) -> f64 {
        match self.within(threshold) {
            (within, most) if within >= most => Threshold::NEVER,
            (within, _) => (within + 0.5) / self.processors as f64,
        }
    }

    /// The recommended rule for an export without a map, its description, and whether it costs no
    /// more than the optimum.
    pub(crate) fn rule(
        &self,
        recommended: Option<Recommended>,
    ) -> Result<(Rule, Vec<String>, bool), &'static str> {
        let stopped = "the computation was stopped before it came to the first step";
        let recommended = recommended.ok_or(stopped)?;
        if self.closest_threshold.iter().any(|closest| closest.step > self.steps) {
            return Err("it has a threshold of a step after the last");
        }
        let cost = self.cost_of(recommended);
        let is_optimal = match (cost, self.value) {
            (Some(cost), Some(value)) => (cost - value).abs() <= SAME * value.abs(),
            _ => false,
        };
        let about = match (recommended, cost) {
            (Recommended::ThresholdCurve, _) => {
                self.threshold_curve.as_ref().map_or(Vec::new(), say_curve)
            }
            (Recommended::ClosestThreshold, cost) => {
                let mut about = closest(&self.listed());
                about.extend(cost.map(|cost| self.beside_the_optimum("They cost", cost)));
                about
            }
            (_, Some(cost)) if self.threshold_curve.is_none() && self.value.is_none() => {
                // Thresholds of the last steps tell nothing about earlier ones.
                vec![
                    "The computation was stopped before it came to the first step. Of the fixed"
                        .to_owned(),
                    format!(
                        "intervals that were evaluated the best: it costs {cost:.6} in units of load."
                    ),
                ]
            }
            (_, _) if self.closest_threshold.is_empty() && self.threshold_curve.is_none() => {
                vec!["There is no remap to decide on.".to_owned()]
            }
            (simple, cost) => self.costs(simple, cost.unwrap_or(f64::NAN)),
        };
        Ok((self.stated(recommended)?, about, is_optimal))
    }

    /// The thresholds closest to the optimal decisions, sorted by step.
    fn listed(&self) -> Vec<Closest> {
        let mut listed = self.closest_threshold.clone();
        listed.sort_by_key(|closest| closest.step);
        listed
    }

    /// A rule of one number and its cost, in words.
    fn costs(&self, simple: Recommended, cost: f64) -> Vec<String> {
        let rule = match simple {
            Recommended::Never => "Never to remap:".to_owned(),
            Recommended::Every(1) => {
                "To remap after every step, the cheapest rule of one number:".to_owned()
            }
            Recommended::Every(every) => {
                format!("To remap every {every} steps, the cheapest rule of one number:")
            }
            _ => "The threshold on max - mean that costs least at all steps:".to_owned(),
        };
        vec![rule, self.beside_the_optimum("it costs", cost)]
    }

    fn beside_the_optimum(&self, costs: &str, cost: f64) -> String {
        let optimum = self.value.map_or(String::new(), |value| format!(", the optimum {value:.6}"));
        format!("{costs} {cost:.6} in units of load{optimum}.")
    }

    fn stated(&self, recommended: Recommended) -> Result<Rule, &'static str> {
        let mean = self.initial_load;
        let by_step = |thresholds| Rule::Imbalance(self.thresholds(thresholds));
        Ok(match recommended {
            Recommended::Never => by_step(vec![(1, Threshold::NEVER)]),
            Recommended::Every(every) => every_steps(every, mean),
            Recommended::Above(threshold) => by_step(vec![(1, self.decisive(threshold))]),
            Recommended::ClosestThreshold => {
                let decisive = |at: &Closest| (at.step, self.decisive(at.threshold));
                by_step(self.listed().iter().map(decisive).collect())
            }
            Recommended::ThresholdCurve => {
                let curve = self.threshold_curve.as_ref().ok_or("it has no `threshold_curve`")?;
                Rule::Imbalance(LoadThresholds::of_curve(curve, self.steps, mean)?)
            }
        })
    }

    /// Thresholds by step, the first of which holds from the start.
    fn thresholds(&self, mut thresholds: Vec<(u64, f64)>) -> LoadThresholds {
        thresholds[0].0 = 1;
        let level = thresholds[0].1;
        let (steps, mean) = (self.steps, self.initial_load);
        LoadThresholds { steps, thresholds, since: Vec::new(), level, mean }
    }
}

impl continuous_drift::Answer {
    /// The thresholds found, unless the best interval, or never, certainly costs less.
    pub(crate) fn recommended(&self) -> Option<Recommended> {
        let curve = self.threshold_curve.as_ref()?;
        Some(curve.recommended(self.best_fixed.map(|fixed| (fixed.interval, fixed.value))))
    }

    /// The recommended rule for an export, and its description.
    pub(crate) fn rule(
        &self,
        recommended: Option<Recommended>,
    ) -> Result<(Rule, Vec<String>), &'static str> {
        let stopped = "it states no rule: the computation was stopped";
        let (curve, recommended) = self.threshold_curve.as_ref().zip(recommended).ok_or(stopped)?;
        let mean = self.mean_load.unwrap_or(0.0);
        let thresholds = LoadThresholds::of_curve(curve, self.steps, mean)?;
        let rule = match recommended {
            Recommended::Every(every) => every_steps(every, mean),
            Recommended::Never => Rule::Imbalance(LoadThresholds {
                thresholds: vec![(1, Threshold::NEVER)],
                since: Vec::new(),
                level: Threshold::NEVER,
                ..thresholds
            }),
            _ => return Ok((Rule::Imbalance(thresholds), say_curve(curve))),
        };
        let what = match recommended {
            Recommended::Never => "Never to remap",
            _ => "The best fixed interval",
        };
        let cost = match (self.best_fixed, recommended) {
            (Some(fixed), _) if is_dearer(curve, fixed.value) => Some(fixed.value),
            _ => self.never,
        };
        let cost =
            cost.map_or(String::new(), |cost| format!(": it costs {cost:.6} in units of load"));
        Ok((rule, vec![format!("{what}{cost}.")]))
    }
}

impl Curve {
    /// This rule, unless the best fixed interval, or never, certainly costs less.
    fn recommended(&self, fixed: Option<(Option<u64>, f64)>) -> Recommended {
        match fixed.filter(|(_, cost)| is_dearer(self, *cost)) {
            Some((interval, _)) => interval.map_or(Recommended::Never, Recommended::Every),
            None if self.is_never() => Recommended::Never,
            None => Recommended::ThresholdCurve,
        }
    }

    /// Whether no imbalance leads to a remap.
    pub fn is_never(&self) -> bool {
        let never = |list: &[Threshold]| list.iter().all(|at| at.threshold == Threshold::NEVER);
        never(&self.by_steps_since) || never(&self.by_step)
    }
}

/// Whether, on the paths, a rule of few thresholds costs more than a policy whose exact cost is
/// `known`.
pub fn is_dearer(curve: &Curve, known: f64) -> bool {
    curve.cost.is_some_and(|cost| known < cost.mean - SAME_ON_PATHS * known)
}

fn every_steps(every: u64, mean: f64) -> Rule {
    Rule::Interval(RemapInterval { every: Some(every), tolerance: None, mean, waiting: None })
}

impl LoadThresholds {
    /// A rule by step and by steps since the last remap.
    fn of_curve(curve: &Curve, steps: u64, mean: f64) -> Result<LoadThresholds, &'static str> {
        let list = |list: &[Threshold]| list.iter().map(|at| (at.from, at.threshold)).collect();
        let since: Vec<(u64, f64)> = list(&curve.by_steps_since);
        let spacing = steps as f64 / (curve.remaps + 1.0);
        let level = since.iter().rev().find(|(from, _)| *from as f64 <= spacing);
        let level = level.or(since.first()).ok_or("its `threshold_curve` is empty")?.1;
        Ok(LoadThresholds { steps, thresholds: list(&curve.by_step), since, level, mean })
    }
}

/// How the listed thresholds relate to the optimal decisions.
fn closest(listed: &[Closest]) -> Vec<String> {
    let percent = |share: f64| format!("{:.2}", 100.0 * share);
    let shares = || listed.iter().map(|closest| closest.disagreement);
    let [least, most] = [shares().fold(1.0, f64::min), shares().fold(0.0, f64::max)].map(percent);
    let steps: Vec<String> = listed.iter().map(|closest| closest.step.to_string()).collect();
    let steps = steps.join(", ");
    match listed {
        [_] => vec![
            format!(
                "The threshold on max - mean closest to the optimal decision of step {steps}: it"
            ),
            format!("differs in {most} % of the load vectors; in later steps it may be in more."),
        ],
        _ => vec![
            format!(
                "The thresholds on max - mean closest to the optimal decisions of steps {steps}:"
            ),
            format!(
                "there they differ in {least} to {most} % of the load vectors; in other steps it may"
            ),
            "be in more.".to_owned(),
        ],
    }
}

/// The description of a rule of few thresholds, and its cost.
fn say_curve(curve: &Curve) -> Vec<String> {
    let mut about = vec![
        "Remap when max - mean is above the threshold of the step and above that of".to_owned(),
        "the steps since the last remap or the start.".to_owned(),
    ];
    if let Some(Mean { mean, low, high }) = curve.cost {
        let known = match low < high {
            true => format!("on average, 99 % confidence {low:.3} to {high:.3}"),
            false => "on each path that was drawn".to_owned(),
        };
        about.push(format!("It costs {mean:.3} {known}:"));
        about.push("from sample paths of the model; it is not the optimal policy.".to_owned());
    }
    about
}
