//! The answer to periodic remapping: intervals.

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Intervals by every method that applies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What is bounded: `max_deviation`, d(t), or `rms_deviation`, v(t).
    pub quantity: String,
    /// The bound.
    pub bound: f64,
    /// Number of processors.
    pub processors: usize,
    /// Load of every processor at the start.
    pub initial_load: f64,
    /// Every method that applies, the most trustworthy first.
    #[serde(serialize_with = "as_map", deserialize_with = "from_map")]
    pub methods: Vec<Line>,
    /// The longest interval, by the most trustworthy method; `null` if it never ends.
    pub interval: Option<u64>,
    /// That method.
    pub interval_by: String,
    /// The imbalance after 0, 1, 2, .. steps, relative to the mean load.
    pub deviation: Vec<f64>,
    /// What the curve shows.
    pub deviation_is: String,
    /// Bound of the numerical error of the curve.
    pub deviation_error: f64,
    /// Steps during which no load can become negative; absent if none ever can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonnegative_through: Option<u64>,
    /// With a remap cost in the model: the interval of least cost per step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_aware: Option<CostLine>,
    /// With `--simulate`: the mean first passage of sample paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Simulated>,
}

/// The answer of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// Largest number of steps within the bound; `null` if it is never exceeded.
    pub interval: Option<u64>,
    /// Time of the crossing as a real number.
    pub real: Option<f64>,
    /// What the interval promises.
    pub guarantee: String,
    /// Numerical error, relative to the mean load, of the imbalances it rests on.
    pub error: f64,
    /// 95 % confidence interval of a simulated interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<(u64, Option<u64>)>,
}

/// The interval to take when the cost of a remap is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostLine {
    /// Cost of a remap, in units of load.
    pub remap_cost: f64,
    /// Steps between remaps; `null` if remapping never pays.
    pub interval: Option<u64>,
    /// Expected cost per step, remaps and waiting together.
    pub cost_per_step: f64,
    /// Expected maximum less mean load at the end of the interval, relative to the mean load: the
    /// tolerance to give a code that remaps beyond a threshold of max/mean - 1.
    pub tolerance_max_over_mean: Option<f64>,
    /// d(t) there: the bound D whose interval this is.
    pub tolerance_max_deviation: Option<f64>,
}

/// The mean first passage of sample paths beyond the bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Simulated {
    /// Number of sample paths.
    pub runs: u64,
    /// Seed.
    pub seed: u64,
    /// Mean first step after which the imbalance of the path exceeds the bound.
    pub mean: f64,
    /// Half the width of its 95 % confidence interval.
    pub half_width: f64,
    /// Paths that were given up within the bound; the mean counts them with their last step.
    pub censored: u64,
}

fn as_map<S: Serializer>(lines: &[Line], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(lines.len()))?;
    for line in lines {
        map.serialize_entry(&line.name, line)?;
    }
    map.end()
}

/// Methods in the order of the document.
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
                lines.push(Line { name, ..line });
            }
            Ok(lines)
        }
    }
    deserializer.deserialize_map(Lines)
}

impl Answer {
    /// What is wrong with lists that do not fit, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let empty = self.deviation.is_empty() || self.methods.is_empty();
        empty.then(|| "it has no methods, or no deviation".to_owned())
    }
}
