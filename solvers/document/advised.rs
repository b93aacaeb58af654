//! The document of the rule `advised`: what it learned from a log, and its cost there relative to
//! other rules.

use remapping::overlap::Overlap;
use remapping::policy::Rule;
use remapping::policy::advised::{Advised as Engine, Parameters};
use remapping::policy::codes::Code;
use remapping::replay::cheapest;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use std::cmp::Ordering;

/// Steps between the looks of a code, and the level it compares, if it does.
pub type Looks = (u64, Option<f64>);

/// The share by which a simple rule may cost more than this one and still replace it.
pub const WITHIN: f64 = 0.01;

/// The document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advised {
    /// The field that identifies the document: `advised`.
    pub policy: Name,
    /// The log, and the advice.
    pub title: String,
    /// Version of `remap`.
    pub version: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Cost of a remap, in the unit of the log's times; with the slowdown of the steps that it
    /// overlaps.
    pub remap_cost: f64,
    /// How remaps overlap the steps.
    #[serde(default, skip_serializing_if = "Overlap::is_none")]
    pub overlap: Overlap,
    /// Seconds in that unit.
    pub unit_seconds: f64,
    /// The number of the program's steps in a step of the log.
    pub stride: u64,
    /// Length of the job in steps of the log, where it was stated.
    pub steps: Option<u64>,
    /// First and last step of the log, from 0, that the rule was trained on.
    pub trained_on: [u64; 2],
    /// First and last step that the costs are for.
    pub judged_on: [u64; 2],
    /// The assumption behind the costs.
    pub assumption: String,
    /// Mean time of a judged step, the mean over the ranks.
    pub mean_step: f64,
    /// The least cost of any remaps on the judged steps.
    pub clairvoyant: f64,
    /// Costs on the judged steps, `advised` first: it knows how many steps follow.
    /// `advised_endless` does not.
    pub costs: Vec<Cost>,
    /// Thresholds and intervals tuned on the steps `trained_on`; the cheapest on the judged steps
    /// first.
    pub simple: Vec<Cost>,
    /// Rules of codes with their settings, tuned likewise; an interval is from one decision to the
    /// next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of_codes: Vec<Cost>,
    /// The rule that was chosen on the steps `trained_on`: `advised`, or one of `simple`. Without
    /// it, the cheapest of these is chosen if it is as good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// The parameters of the rule.
    pub parameters: Parameters,
    /// The state of the rule after the steps `trained_on`.
    #[serde(serialize_with = "in_one_line")]
    pub rule: Engine,
}

/// The name of the policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    /// `advised`.
    #[default]
    Advised,
}

/// The cost of a policy on the judged steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Its name in `replay`.
    pub policy: String,
    /// The sum of max - mean over the steps, plus the remaps.
    pub cost: f64,
    /// The number of remaps.
    pub remaps: u64,
}

/// A rule that many codes have: a threshold or an interval. The simplest come first.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum Simple {
    /// Every `n` steps of the log; never if `None`.
    Every(Option<u64>),
    /// Above this max - mean.
    Excess(f64),
    /// Below this mean / max.
    Utilization(f64),
}

impl Simple {
    /// The simple rule with this name.
    pub fn named(name: &str) -> Option<Simple> {
        Simple::of(name.parse().ok()?)
    }

    /// The simple rule that is the same as this one, if there is one.
    pub fn of(rule: Rule) -> Option<Simple> {
        match rule {
            Rule::Never => Some(Simple::Every(None)),
            Rule::Fixed(every) => Some(Simple::Every(Some(every))),
            Rule::Threshold(excess) => Some(Simple::Excess(excess)),
            Rule::Utilization(least) => Some(Simple::Utilization(least)),
            _ => None,
        }
    }
}

impl Advised {
    /// The cost of `advised` on the judged steps.
    pub fn cost(&self) -> f64 {
        self.costs.first().map_or(f64::NAN, |advised| advised.cost)
    }

    /// The simple rule that was chosen, or that costs as little, within [`WITHIN`].
    pub fn simple_enough(&self) -> Option<(Simple, &Cost)> {
        if let Some(chosen) = &self.chosen {
            let cost = self.simple.iter().find(|cost| cost.policy == *chosen)?;
            return Some((Simple::named(&cost.policy)?, cost));
        }
        let (simple, cost) = self.best(|_| true)?;
        self.is_enough(cost).then_some((simple, cost))
    }

    /// Whether a rule of this cost may replace `advised`.
    pub fn is_enough(&self, cost: &Cost) -> bool {
        cost.cost <= (1.0 + WITHIN) * self.cost()
    }

    /// The best simple rule of a kind; of several with equal costs, up to rounding, the simplest.
    pub fn best(&self, kind: impl Fn(Simple) -> bool) -> Option<(Simple, &Cost)> {
        let known =
            self.simple.iter().filter_map(|cost| Some((Simple::named(&cost.policy)?, cost)));
        let mut known: Vec<(Simple, &Cost)> = known.filter(|(simple, _)| kind(*simple)).collect();
        known.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        let first = cheapest(known.iter().map(|(_, cost)| cost.cost))?;
        Some(known[first])
    }

    /// The cheapest setting of a code, an interval and perhaps a level; never is `None`.
    pub fn of_code(&self, code: Code) -> Option<(Option<Looks>, &Cost)> {
        let own = |cost: &Cost| match cost.policy.parse() {
            Ok(Rule::Code(known, every, level)) if known == code => Some((every, level)),
            _ => None,
        };
        let settings = self.of_codes.iter().filter_map(|cost| Some((Some(own(cost)?), cost)));
        let never = self.best(|simple| simple == Simple::Every(None));
        let known: Vec<_> =
            never.map(|(_, cost)| (None, cost)).into_iter().chain(settings).collect();
        let place = cheapest(known.iter().map(|(_, cost)| cost.cost))?;
        // Where a remap pays and no setting is known, never would be bad advice.
        let is_blind = known.len() == 1 && !self.is_enough(known[0].1);
        (!is_blind || known[0].0.is_some()).then(|| known[place])
    }

    /// A cost relative to that of `advised`, in words.
    pub fn compared(&self, cost: &Cost) -> String {
        let more = 100.0 * (cost.cost / self.cost().max(f64::MIN_POSITIVE) - 1.0);
        if more.abs() < 0.05 {
            "as much as advised".to_owned()
        } else if more > 0.0 {
            format!("{more:.1} % more than advised")
        } else {
            format!("{:.1} % less than advised", -more)
        }
    }

    /// The first fault of such a document, if any.
    pub fn fault(&self) -> Option<String> {
        if self.parameters != Parameters::of_the_rule() {
            let version = env!("CARGO_PKG_VERSION");
            return Some(format!(
                "`parameters` are not those of remap {version}: replay the log again"
            ));
        }
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let costs = self.costs.iter().chain(&self.simple).chain(&self.of_codes);
        let of_code = |cost: &&Cost| matches!(cost.policy.parse(), Ok(Rule::Code(..)));
        let stored = remapping::policy::advised::Stored::from(self.rule.clone());
        if !positive(self.unit_seconds) || self.stride == 0 {
            Some("`unit_seconds` and `stride` are greater than 0".to_owned())
        } else if stored.remap_cost.to_bits() != self.remap_cost.to_bits() {
            Some("`remap_cost` is not that of the rule".to_owned())
        } else if stored.overlap != self.overlap {
            Some("`overlap` is not that of the rule".to_owned())
        } else if stored.memory.is_none_or(|memory| memory.ranks != self.ranks) {
            Some("`ranks` is not that of the rule".to_owned())
        } else if !costs.clone().all(|cost| cost.cost.is_finite() && cost.cost >= 0.0) {
            Some("a cost is negative or not finite".to_owned())
        } else if self.costs.first().is_none_or(|first| first.policy != "advised") {
            Some("`costs` does not begin with `advised`".to_owned())
        } else if let Some(unknown) =
            self.simple.iter().find(|c| Simple::named(&c.policy).is_none())
        {
            Some(format!("`{}` is not a threshold or interval", unknown.policy))
        } else if let Some(unknown) = self.of_codes.iter().find(|cost| !of_code(cost)) {
            Some(format!("`{}` is no rule of a code, as vt:26 or lammps:1:1.2", unknown.policy))
        } else if let Some(chosen) = self.chosen.as_ref().filter(|chosen| {
            *chosen != "advised" && !self.simple.iter().any(|cost| cost.policy == **chosen)
        }) {
            Some(format!("`chosen` is {chosen}, which is not in `simple`"))
        } else if !self.simple.is_sorted_by(|a, b| a.cost <= b.cost) {
            Some("`simple` does not begin with the cheapest".to_owned())
        } else {
            None
        }
    }

    /// The remarks in files made from it, one sentence each: the assumptions and the costs.
    pub fn notes(&self) -> Vec<String> {
        let [first, last] = self.judged_on;
        let mut notes = vec![
            format!("For {} ranks and a remap that costs {}.", self.ranks, self.remap_cost),
            format!("Assumed: {}.", self.assumption),
        ];
        if !self.overlap.is_none() {
            notes.push(format!(
                "A remap comes into force {}; that cost is all of it. None is decided while one is under way.",
                overlapping(self.overlap)
            ));
        }
        if self.unit_seconds == 1.0 {
            notes.push("Times are in seconds.".to_owned());
        } else {
            notes.push(format!("Times are in units of {} seconds.", self.unit_seconds));
        }
        if self.stride > 1 {
            notes.push(format!(
                "A step is a step of the log, which is {} steps of the program.",
                self.stride
            ));
        }
        if let Some(steps) = self.steps {
            notes.push(format!("The job was said to have {steps} steps of the log."));
        }
        notes.push(format!(
            "Learnt from steps {} to {}; costs on steps {first} to {last}, sums of max - mean and remaps:",
            self.trained_on[0], self.trained_on[1]
        ));
        let own = |cost: &&Cost| cost.policy.starts_with("advised");
        let (own, mut others): (Vec<&Cost>, Vec<&Cost>) = self.costs.iter().partition(own);
        let known = |cost: &&Cost| self.costs.iter().all(|other| other.policy != cost.policy);
        others.extend(self.simple.iter().filter(known));
        others.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        for cost in own.into_iter().chain(others) {
            let name = match cost.policy.as_str() {
                "advised_endless" => "advised, not told how many steps follow",
                name => name,
            };
            let remaps = match cost.remaps {
                1 => "1 remap".to_owned(),
                many => format!("{many} remaps"),
            };
            notes.push(format!("- {name}: {} with {remaps}", six(cost.cost)));
        }
        notes.push(format!("- hindsight: {}", six(self.clairvoyant)));
        notes
    }
}

/// `3 steps after its decision, which are 5 % slower`.
pub fn overlapping(Overlap { steps, slowdown }: Overlap) -> String {
    let percent = six(100.0 * slowdown);
    match steps {
        1 => format!("a step after its decision, which is {percent} % slower"),
        _ => format!("{steps} steps after its decision, which are {percent} % slower"),
    }
}

/// A number rounded to six digits.
fn six(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Writes thousands of numbers on one line.
fn in_one_line<S: Serializer>(rule: &Engine, serializer: S) -> Result<S::Ok, S::Error> {
    let text = serde_json::to_string(rule).map_err(serde::ser::Error::custom)?;
    RawValue::from_string(text).map_err(serde::ser::Error::custom)?.serialize(serializer)
}
