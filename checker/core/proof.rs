//! What certificates prove.

use super::counts::Counts;
use serde::{Deserialize, Serialize};

/// What a number is between.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Interval {
    pub lower: f64,
    pub upper: f64,
}

/// Steps that share an interval of their thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Steps {
    pub first: u64,
    pub last: u64,
    pub threshold: Interval,
}

/// Steps that share intervals of both thresholds of recurring phases; those of a program without end have no last
/// one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Switches {
    pub first: u64,
    pub last: u64,
    pub to_second: Interval,
    pub to_first: Interval,
}

/// What has been proved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs/certificates.md says what they are")]
pub enum Proof {
    /// The least expected completion time, and the thresholds of all steps, ascending.
    Thresholds { value: Interval, steps: Vec<Steps> },
    /// What remapping costs in all, how far apart bounds on costs are at most, relative to max(1, that) and
    /// absolutely, the largest cost, and how many classes of states and load vectors there are of each decision.
    Map {
        remap_value: Interval,
        value_gap: f64,
        value_width: f64,
        largest_value: Interval,
        classes: Counts,
        vectors: Option<Counts>,
    },
    /// The least average cost per step.
    Average(Interval),
    /// The least expected objective.
    Value(Interval),
    /// A bound on the imbalance is kept after 1, 2, .. and so many steps, or after any number of them, and is
    /// not after that many, if that is proved.
    Longest { kept: Option<u64>, broken: Option<u64> },
    /// The same of one period after the other, each from the mean load at the end of the one before, as long as that
    /// is proved to be where it ends.
    Periods(Vec<Proof>),
    /// The interval of least cost per step, `None` if that never ends, and the cost.
    Cheapest { least: Option<u64>, most: Option<u64>, cost: Interval },
    /// The least expected time, or without an end the least average time of a cycle, and both thresholds of all
    /// steps, ascending.
    Recurring { value: Option<Interval>, average: Option<Interval>, steps: Vec<Switches> },
}

impl From<(f64, f64)> for Interval {
    fn from((lower, upper): (f64, f64)) -> Interval {
        Interval { lower, upper }
    }
}

impl Proof {
    /// Of several periods the first.
    pub fn first(&self) -> &Proof {
        match self {
            Proof::Periods(all) => all.first().unwrap_or(self),
            _ => self,
        }
    }

    /// Each number by a name, and what it is between; thresholds from the last steps to the first.
    pub fn intervals(&self) -> Vec<(String, f64, f64)> {
        let named = |(name, own): (&str, &Interval)| (name.to_owned(), own.lower, own.upper);
        match self {
            Proof::Average(average) => vec![named(("average", average))],
            Proof::Value(value) => vec![named(("value", value))],
            Proof::Recurring { value, average, steps } => {
                let both = |own: &Switches| {
                    let Switches { first, last, to_second, to_first } = own;
                    let steps = match last {
                        &u64::MAX => String::new(),
                        last if first < last => format!("_{first}..{last}"),
                        _ => format!("_{first}"),
                    };
                    [("to_second", to_second), ("to_first", to_first)]
                        .map(|(name, own)| (format!("{name}{steps}"), own.lower, own.upper))
                };
                let whole = value.iter().map(|own| named(("value", own)));
                let mean = average.iter().map(|own| named(("average", own)));
                whole.chain(mean).chain(steps.iter().rev().flat_map(both)).collect()
            }
            Proof::Longest { kept, broken } => {
                let steps = |steps: Option<u64>| steps.map_or(f64::INFINITY, |steps| steps as f64);
                let most = broken.map(|step| step.saturating_sub(1));
                vec![("interval".to_owned(), steps(*kept), steps(most))]
            }
            Proof::Periods(all) => {
                let each = all.iter().enumerate().flat_map(|(i, own)| {
                    let own = own.intervals().into_iter();
                    own.map(move |(name, low, high)| (format!("{name}_{i}"), low, high))
                });
                each.collect()
            }
            Proof::Cheapest { least, most, cost } => {
                let steps = |steps: Option<u64>| steps.map_or(f64::INFINITY, |steps| steps as f64);
                let cost = named(("cost_per_step", cost));
                vec![("interval".to_owned(), steps(*least), steps(*most)), cost]
            }
            Proof::Thresholds { value, steps } => {
                let threshold = |Steps { first, last, threshold }: &Steps| {
                    let steps = if first < last { format!("..{last}") } else { String::new() };
                    (format!("pi_{first}{steps}"), threshold.lower, threshold.upper)
                };
                let thresholds = steps.iter().rev().map(threshold);
                [named(("value", value))].into_iter().chain(thresholds).collect()
            }
            Proof::Map { remap_value, value_gap, value_width, largest_value, classes, .. } => {
                let [gap, width] = [value_gap, value_width].map(|width| (0.0, *width).into());
                let all = [
                    ("remap_value", remap_value),
                    ("value_gap", &gap),
                    ("value_width", &width),
                    ("balanced", &classes.balanced),
                    ("proved_remap", &classes.remap),
                    ("proved_continue", &classes.continued),
                    ("either", &classes.either),
                    ("largest_value", largest_value),
                ];
                all.map(named).to_vec()
            }
        }
    }
}
