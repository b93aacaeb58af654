//! What a solution of drifting loads recommends, and the rule that is exported of it.

use crate::document::rule::Threshold;
use crate::document::rule::{LoadThresholds, RemapInterval, Rule};
use crate::problems::continuous_drift::answer as continuous_drift;
use crate::problems::load_drift::answer::{Answer, Closest, Curve, Mean};

/// A rule that a sentence says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Simple {
    /// Never remap.
    Never,
    /// Remap every so many steps.
    Every(u64),
    /// Remap when max - mean exceeds this, at all steps.
    Above(f64),
}

/// Relative difference of costs that is none: what tolerances leave.
const SAME: f64 = 1e-9;
/// The same where one of them is a mean over sample paths, which may be off by rounding of long sums.
const SAME_ON_PATHS: f64 = 1e-6;

/// The cheapest of some rules, of those that cost the same the first.
fn cheapest(rules: impl IntoIterator<Item = (Simple, f64)>) -> Option<(Simple, f64)> {
    rules.into_iter().reduce(|best, next| {
        let is_cheaper = next.1 < best.1 - SAME * best.1.abs();
        if is_cheaper { next } else { best }
    })
}

impl Answer {
    /// Of the rules of one number the cheapest, of those whose cost is known exactly, with that; absent until the model is solved.
    pub fn recommended(&self) -> Option<(Simple, f64)> {
        let value = self.value?;
        if self.remaps == Some(0.0) {
            return Some((Simple::Never, value));
        }
        let never = (Simple::Never, self.never.value);
        let best = self.best_threshold.filter(|best| !self.is_above_all(best.threshold));
        let best = best.map(|best| (Simple::Above(best.threshold), best.value));
        let fixed = self.best_fixed;
        let fixed = fixed.interval.map(|interval| (Simple::Every(interval), fixed.value));
        cheapest([Some(never), best, fixed].into_iter().flatten())
    }

    /// The largest r (max - mean) that a threshold on max - mean lets pass, and the largest there is. Those of earlier versions were
    /// such numbers over r, and rounded.
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

    /// The threshold of the same decisions that lies halfway between two values of max - mean, or nowhere near any.
    fn decisive(&self, threshold: f64) -> f64 {
        match self.within(threshold) {
            (within, most) if within >= most => Threshold::NEVER,
            (within, _) => (within + 0.5) / self.processors as f64,
        }
    }

    /// The rule to export where no map was asked for, what it is, and whether it costs no more than the optimum.
    pub(crate) fn rule(&self) -> Result<(Rule, Vec<String>, bool), &'static str> {
        if let Some(curve) = &self.threshold_curve {
            if is_dearer(curve, self.never.value) {
                let about = self.costs(Simple::Never, self.never.value);
                return Ok((self.simple_rule(Simple::Never), about, false));
            }
            let thresholds = LoadThresholds::of_curve(curve, self.steps, self.initial_load)?;
            return Ok((Rule::Imbalance(thresholds), say_curve(curve), false));
        }
        if self.value.is_none() {
            // Thresholds of the last steps say nothing of those before.
            let stopped = "the computation was stopped before it came to the first step";
            let known = self.best_fixed.interval.zip(Some(self.best_fixed.value));
            let (every, cost) = known.ok_or(stopped)?;
            let about = vec![
                "The computation was stopped before it came to the first step. Of the fixed"
                    .to_owned(),
                format!(
                    "intervals that were evaluated the best: it costs {cost:.6} in units of load."
                ),
            ];
            return Ok((every_steps(every, self.initial_load), about, false));
        }
        let mut listed = self.closest_threshold.clone();
        listed.sort_by_key(|closest| closest.step);
        if listed.iter().any(|closest| closest.step > self.steps) {
            return Err("it has a threshold of a step after the last");
        }
        if listed.is_empty() {
            let about = vec!["There is no remap to decide on.".to_owned()];
            return Ok((self.simple_rule(Simple::Never), about, true));
        }
        let is_optimal =
            |cost: f64| self.value.is_some_and(|value| (cost - value).abs() <= SAME * value.abs());
        // Otherwise nothing is known of what thresholds cost.
        let is_priced = self.best_threshold.is_some() || self.remaps == Some(0.0);
        let by_step = self.closest_value.unwrap_or(f64::INFINITY);
        let simple = self
            .recommended()
            .filter(|(_, cost)| is_priced && *cost <= by_step + SAME * by_step.abs());
        if let Some((simple, cost)) = simple {
            let about = self.costs(simple, cost);
            return Ok((self.simple_rule(simple), about, is_optimal(cost)));
        }
        let mut about = closest(&listed);
        about.extend(self.closest_value.map(|cost| self.beside_the_optimum("They cost", cost)));
        let thresholds = listed.iter().map(|at| (at.step, self.decisive(at.threshold))).collect();
        Ok((Rule::Imbalance(self.thresholds(thresholds)), about, is_optimal(by_step)))
    }

    /// A rule of one number and what it costs, in words.
    fn costs(&self, simple: Simple, cost: f64) -> Vec<String> {
        let rule = match simple {
            Simple::Never => "Never to remap:".to_owned(),
            Simple::Every(1) => {
                "To remap after every step, the cheapest rule of one number:".to_owned()
            }
            Simple::Every(every) => {
                format!("To remap every {every} steps, the cheapest rule of one number:")
            }
            Simple::Above(_) => {
                "The threshold on max - mean that costs least at all steps:".to_owned()
            }
        };
        vec![rule, self.beside_the_optimum("it costs", cost)]
    }

    fn beside_the_optimum(&self, costs: &str, cost: f64) -> String {
        let optimum = self.value.map_or(String::new(), |value| format!(", the optimum {value:.6}"));
        format!("{costs} {cost:.6} in units of load{optimum}.")
    }

    fn simple_rule(&self, simple: Simple) -> Rule {
        match simple {
            Simple::Never => Rule::Imbalance(self.thresholds(vec![(1, Threshold::NEVER)])),
            Simple::Every(every) => every_steps(every, self.initial_load),
            Simple::Above(threshold) => {
                Rule::Imbalance(self.thresholds(vec![(1, self.decisive(threshold))]))
            }
        }
    }

    /// Thresholds by the step, the first of which holds from the start.
    fn thresholds(&self, mut thresholds: Vec<(u64, f64)>) -> LoadThresholds {
        thresholds[0].0 = 1;
        let level = thresholds[0].1;
        let (steps, mean) = (self.steps, self.initial_load);
        LoadThresholds { steps, thresholds, since: Vec::new(), level, mean }
    }
}

impl continuous_drift::Answer {
    /// The rule to export, and what it is.
    pub(crate) fn rule(&self) -> Result<(Rule, Vec<String>), &'static str> {
        let curve = self.threshold_curve.as_ref();
        let curve = curve.ok_or("it states no rule: the computation was stopped")?;
        let mean = self.mean_load.unwrap_or(0.0);
        let thresholds = LoadThresholds::of_curve(curve, self.steps, mean)?;
        let Some(fixed) = self.best_fixed.filter(|fixed| is_dearer(curve, fixed.value)) else {
            return Ok((Rule::Imbalance(thresholds), say_curve(curve)));
        };
        let rule = match fixed.interval {
            Some(every) => every_steps(every, mean),
            None => Rule::Imbalance(LoadThresholds {
                thresholds: vec![(1, Threshold::NEVER)],
                since: Vec::new(),
                level: Threshold::NEVER,
                ..thresholds
            }),
        };
        let what = fixed.interval.map_or("Never to remap", |_| "The best fixed interval");
        Ok((rule, vec![format!("{what}: it costs {:.6} in units of load.", fixed.value)]))
    }
}

/// Whether a rule of few numbers costs more than something whose cost is known exactly, as far as paths say.
pub fn is_dearer(curve: &Curve, known: f64) -> bool {
    curve.cost.is_some_and(|cost| known < cost.mean - SAME_ON_PATHS * known)
}

fn every_steps(every: u64, mean: f64) -> Rule {
    Rule::Interval(RemapInterval { every: Some(every), tolerance: None, mean, waiting: None })
}

impl LoadThresholds {
    /// A rule by the step and by the steps since the last remap.
    fn of_curve(curve: &Curve, steps: u64, mean: f64) -> Result<LoadThresholds, &'static str> {
        let list = |list: &[Threshold]| list.iter().map(|at| (at.from, at.threshold)).collect();
        let since: Vec<(u64, f64)> = list(&curve.by_steps_since);
        let spacing = steps as f64 / (curve.remaps + 1.0);
        let level = since.iter().rev().find(|(from, _)| *from as f64 <= spacing);
        let level = level.or(since.first()).ok_or("its `threshold_curve` is empty")?.1;
        Ok(LoadThresholds { steps, thresholds: list(&curve.by_step), since, level, mean })
    }
}

/// What thresholds that are known of some steps have to do with the optimal decisions.
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

/// What a rule of few numbers is, and what it costs itself.
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
