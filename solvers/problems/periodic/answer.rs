//! The answer to periodic remapping: intervals.

use remapping::estimate::Estimate;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The intervals by every method that applies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The bounded quantity: `max_deviation`, d(t), or `rms_deviation`, v(t); `cost_per_step`
    /// without a bound.
    pub quantity: String,
    /// The bound; absent if only the cost decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Number of processors.
    pub processors: usize,
    /// Load of every processor at the start.
    pub initial_load: f64,
    /// Every method that applies, the most trustworthy first.
    #[serde(serialize_with = "as_map", deserialize_with = "from_map")]
    pub methods: Vec<Line>,
    /// The number of steps during which the bound is proved to hold, `null` if it always does. It
    /// is the longest interval, or the part of it that the method proves.
    pub interval: Option<u64>,
    /// The method that found it: `exact` for the longest interval.
    pub interval_by: String,
    /// The same number, where a limit or a tie stopped the search for the longest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u64>,
    /// The imbalance after 0, 1, 2, .. steps, relative to the mean load.
    pub deviation: Vec<f64>,
    /// What the curve shows.
    pub deviation_is: String,
    /// A bound on the error of the curve.
    pub deviation_error: f64,
    /// The last step of the curve, where the interval is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation_through: Option<u64>,
    /// The number of steps during which no load can become negative; absent if none ever can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonnegative_through: Option<u64>,
    /// With a remap cost in the model: the interval of least cost per step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_aware: Option<CostLine>,
    /// With `periods` in the model: consecutive periods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequence: Vec<Period>,
    /// With `--simulate`: the mean first passage of sample paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Simulated>,
}

/// A period between two remaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// The step after which it starts.
    pub from: u64,
    /// The expected mean load at its start.
    pub initial_load: f64,
    /// Its length, as `interval` is for the first: `null` if it never ends.
    #[serde(deserialize_with = "Option::deserialize")]
    pub interval: Option<u64>,
}

/// The answer of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// Largest number of steps within the bound; `null` if it is never exceeded.
    pub interval: Steps,
    /// That number is proved, where the search was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u64>,
    /// The time of the crossing as a real number.
    pub real: Option<f64>,
    /// What the interval guarantees.
    pub guarantee: String,
    /// The numerical error, relative to the mean load, of the imbalances it depends on. `null`
    /// where none was computed, or they are sampled.
    pub error: Option<f64>,
    /// The 95 % confidence interval of a simulated interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<(u64, Option<u64>)>,
}

/// The interval to use when the cost of a remap is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostLine {
    /// Cost of a remap, in units of load.
    pub remap_cost: f64,
    /// Steps between remaps; `null` if remapping never pays.
    pub interval: Steps,
    /// Expected cost per step, remaps and waiting together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_per_step: Option<f64>,
    /// The best of the evaluated intervals, where the search was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_so_far: Option<BestSoFar>,
    /// Expected maximum less mean load at the end of the interval, relative to the mean load. It is
    /// the tolerance for a code that remaps beyond a threshold of max/mean - 1.
    pub tolerance_max_over_mean: Option<f64>,
    /// d(t) there: the bound D that gives this interval.
    pub tolerance_max_deviation: Option<f64>,
    /// The error of `tolerance_max_deviation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance_max_deviation_error: Option<f64>,
}

/// The cheapest of the intervals evaluated so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestSoFar {
    /// Steps between remaps.
    pub interval: u64,
    /// Expected cost per step.
    pub cost_per_step: f64,
    /// The longest interval evaluated.
    pub looked_through: u64,
}

/// The mean first passage of sample paths beyond the bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenSimulated")]
pub struct Simulated {
    /// Number of sample paths.
    pub runs: u64,
    /// Seed.
    pub seed: u64,
    /// The first step after which the imbalance of a path exceeds the bound.
    #[serde(flatten)]
    pub steps: Estimate,
    /// The paths that ended within the bound; the mean counts them with their last step.
    pub censored: u64,
}

fn as_map<S: Serializer>(lines: &[Line], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(lines.iter().map(|line| (&line.name, line)))
}

/// The form in documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSimulated {
    runs: u64,
    seed: u64,
    mean: f64,
    half_width: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
    #[serde(rename = "level")]
    _level: Option<f64>,
    censored: u64,
}

impl From<WrittenSimulated> for Simulated {
    fn from(written: WrittenSimulated) -> Simulated {
        let WrittenSimulated { runs, seed, mean, half_width, lower, upper, censored, .. } = written;
        let around = Estimate::around(mean, half_width.unwrap_or(f64::INFINITY));
        let (lower, upper) = (lower.unwrap_or(around.lower), upper.unwrap_or(around.upper));
        Simulated { runs, seed, steps: Estimate { lower, upper, ..around }, censored }
    }
}

/// A number of steps, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Steps {
    /// Exactly this many.
    Known(u64),
    /// The interval does not end.
    Never,
    /// At least this many: the search was stopped.
    AtLeast(u64),
    /// The search was stopped before anything was known.
    #[default]
    NotComputed,
}

impl Steps {
    /// The steps, where the number is known or bounded.
    pub fn number(self) -> Option<u64> {
        match self {
            Steps::Known(steps) | Steps::AtLeast(steps) => Some(steps),
            Steps::Never | Steps::NotComputed => None,
        }
    }

    /// The proved number of steps, where there may be more.
    pub fn at_least(self) -> Option<u64> {
        if let Steps::AtLeast(steps) = self { Some(steps) } else { None }
    }
}

impl std::fmt::Display for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Steps::Known(steps) => f.pad(&steps.to_string()),
            Steps::Never => f.pad("never"),
            Steps::AtLeast(steps) => f.pad(&format!("{steps} or more")),
            Steps::NotComputed => f.pad("not computed"),
        }
    }
}

/// A number, `null` for never, or the words "not computed".
impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Steps::Known(steps) | Steps::AtLeast(steps) => serializer.serialize_u64(*steps),
            Steps::Never => serializer.serialize_none(),
            Steps::NotComputed => serializer.serialize_str("not computed"),
        }
    }
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Steps, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Steps::Never),
            Value::String(text) if text == "not computed" => Ok(Steps::NotComputed),
            other => other.as_u64().map(Steps::Known).ok_or_else(|| {
                Error::custom("an interval is a whole number, null or \"not computed\"")
            }),
        }
    }
}

/// The methods in the order of the document.
fn from_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Line>, D::Error> {
    struct Lines;
    impl<'de> Visitor<'de> for Lines {
        type Value = Vec<Line>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("methods by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Line>, A::Error> {
            let mut lines = Vec::new();
            while let Some((name, line)) = map.next_entry::<String, Line>()? {
                let interval = line.at_least.map_or(line.interval, Steps::AtLeast);
                lines.push(Line { name, interval, ..line });
            }
            Ok(lines)
        }
    }
    deserializer.deserialize_map(Lines)
}
