//! The cost of a remap: a number, by the units moved, or a number for each listed state.

use super::number::Decimal;
use super::review::Review;
use remapping::Rational;
use remapping::overlap::Overlap;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// `5.0`, `(fixed: 2.0, per_unit_moved: 0.5)` or `PerState([0.0, 2.0, ...])`.
#[derive(Debug, Clone, PartialEq)]
pub enum Cost {
    /// The same cost in every state.
    Constant(Decimal),
    /// A fixed part, and a part for each unit of load that changes its processor.
    Moved {
        /// The fixed part.
        fixed: Decimal,
        /// The cost of each unit.
        per_unit_moved: Decimal,
    },
    /// A cost for each listed state.
    PerState(Vec<Decimal>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moved {
    fixed: Decimal,
    per_unit_moved: Decimal,
}

/// A remap that takes effect some steps after its decision: `(steps: 3, slowdown: 0.05)`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Late {
    steps: u64,
    /// The share by which these steps are slower.
    #[serde(default = "nothing")]
    slowdown: Decimal,
}

/// The most steps until a remap takes effect.
const MOST_LATE: u64 = 63;

impl Late {
    /// Records a fault for negative numbers and too many steps.
    pub(crate) fn review(&self, path: &str, review: &mut Review<'_>) {
        let slowdown = format!("{path}.slowdown");
        review.exact_nonnegative(&slowdown, &self.slowdown, "the slowdown of steps");
        review.share(&slowdown, self.slowdown.value, "steps are slower by");
        review.at_most(&slowdown, self.slowdown.value, 100);
        if self.steps > MOST_LATE {
            let label = format!("{} is not between 0 and {MOST_LATE}", self.steps);
            let help = "it is the number of steps between the decision of a remap and its effect";
            review.fault(&format!("{path}.steps"), "a number is out of range", &label, help);
        }
    }

    /// The engine's form of the overlap.
    pub fn overlap(late: Option<&Late>) -> Overlap {
        late.map_or(Overlap::NONE, |late| Overlap {
            steps: late.steps,
            slowdown: if late.steps > 0 { late.slowdown.value } else { 0.0 },
        })
    }
}

/// The forms of a cost, for messages.
const FORMS: &str = "a number, (fixed: 2.0, per_unit_moved: 0.5) or PerState([...])";

/// Parses a number. The message about anything else lists `forms`.
fn number<E: Error>(text: &str, forms: &str) -> Result<Decimal, E> {
    Decimal::parse(text).map_err(|error| match error.contains("expected") {
        true => E::custom(format!("{error}; a remap cost is {forms}")),
        false => E::custom(error),
    })
}

impl<'de> Deserialize<'de> for Cost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let text = raw.trim().get_ron();
        let wrong = |error: ron::error::SpannedError| {
            D::Error::custom(format!("{}; a remap cost is {FORMS}", error.code))
        };
        if text.starts_with('(') {
            let Moved { fixed, per_unit_moved } = ron::from_str(text).map_err(wrong)?;
            return Ok(Cost::Moved { fixed, per_unit_moved });
        }
        if let Some(list) = text.strip_prefix("PerState") {
            let list = list.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')'));
            let list = list.ok_or_else(|| D::Error::custom(format!("a remap cost is {FORMS}")))?;
            return Ok(Cost::PerState(ron::from_str(list).map_err(wrong)?));
        }
        number(text, FORMS).map(Cost::Constant)
    }
}

/// A number, or the cost that follows from a description of the machine. The description is the
/// LogGP model of Alexandrov, Ionescu, Schauser and Scheiman (1997), which is LogP with long
/// messages. The busiest processor sends and receives `messages` messages with `bytes` bytes in
/// all, one after the other:
///
/// ```text
/// 2 overhead + latency + (messages - 1) max(gap, overhead) + (bytes - messages) gap_per_byte
///     + planning
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    number: Decimal,
    /// The description of the machine.
    machine: Option<Box<Machine>>,
}

/// The fields of `LogGP(...)`, in units of load.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    latency: Decimal,
    overhead: Decimal,
    gap: Decimal,
    gap_per_byte: Decimal,
    messages: u64,
    bytes: u64,
    /// The time to compute the new mapping.
    #[serde(default = "nothing")]
    planning: Decimal,
}

fn nothing() -> Decimal {
    Decimal { exact: Rational::ZERO, value: 0.0 }
}

impl Machine {
    fn cost(&self) -> Decimal {
        let (many, bytes) = (Rational::from(self.messages), Rational::from(self.bytes));
        let between = self.gap.exact.clone().max(self.overhead.exact.clone());
        let exact = Rational::from(2) * &self.overhead.exact
            + &self.latency.exact
            + (&many - Rational::ONE) * between
            + (bytes - many) * &self.gap_per_byte.exact
            + &self.planning.exact;
        let value = exact.to_f64().value();
        Decimal { exact, value }
    }
}

impl Price {
    /// The number.
    pub fn number(&self) -> &Decimal {
        &self.number
    }

    /// Records a fault for negative numbers and messages without bytes.
    pub(crate) fn review(&self, path: &str, review: &mut Review<'_>) {
        let Some(machine) = &self.machine else {
            return review.exact_nonnegative(path, self.number(), "the cost of a remap");
        };
        for (field, value) in [
            ("latency", &machine.latency),
            ("overhead", &machine.overhead),
            ("gap", &machine.gap),
            ("gap_per_byte", &machine.gap_per_byte),
            ("planning", &machine.planning),
        ] {
            review.exact_nonnegative(path, value, &format!("`{field}`"));
        }
        if machine.messages == 0 || machine.bytes < machine.messages {
            let label = format!("{} messages, {} bytes", machine.messages, machine.bytes);
            let help = "a remap sends one message at least, of one byte at least";
            review.fault(path, "messages and bytes do not go together", &label, help);
        }
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const FORMS: &str = "a number or LogGP(latency: 5, overhead: 2, gap: 4, gap_per_byte: 0.001, messages: 3, bytes: 1000)";
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let text = raw.trim().get_ron();
        let Some(fields) = text.strip_prefix("LogGP") else {
            return Ok(Price { number: number(text, FORMS)?, machine: None });
        };
        let machine: Machine = ron::from_str(fields.trim()).map_err(|error| {
            D::Error::custom(format!("{}; a remap cost is {FORMS}", error.code))
        })?;
        Ok(Price { number: machine.cost(), machine: Some(Box::new(machine)) })
    }
}

impl Cost {
    /// Records a fault for negative numbers.
    pub(crate) fn review(&self, path: &str, review: &mut Review<'_>) {
        match self {
            Cost::Constant(cost) => review.exact_nonnegative(path, cost, "the remap cost"),
            Cost::Moved { fixed, per_unit_moved } => {
                let name = "the fixed part of the remap cost";
                review.exact_nonnegative(&format!("{path}.fixed"), fixed, name);
                let name = "the cost of a unit moved";
                review.exact_nonnegative(&format!("{path}.per_unit_moved"), per_unit_moved, name);
            }
            Cost::PerState(costs) => {
                for (i, cost) in costs.iter().enumerate() {
                    review.exact_nonnegative(&format!("{path}[{i}]"), cost, "a remap cost");
                }
            }
        }
    }

    /// The number, if the cost is one.
    pub fn constant(&self) -> Option<&Decimal> {
        match self {
            Cost::Constant(cost) => Some(cost),
            _ => None,
        }
    }

    /// The fixed part of the cost of a remap, and the cost of each moved unit; both 0 where each
    /// state has a cost.
    pub fn parts(&self) -> [f64; 2] {
        match self {
            Cost::Constant(cost) => [cost.value, 0.0],
            Cost::Moved { fixed, per_unit_moved } => [fixed.value, per_unit_moved.value],
            Cost::PerState(_) => [0.0; 2],
        }
    }

    /// Whether a remap is free everywhere.
    pub fn is_free(&self) -> bool {
        let free = |cost: &Decimal| cost.exact == Rational::ZERO;
        match self {
            Cost::Constant(cost) => free(cost),
            Cost::Moved { fixed, per_unit_moved } => free(fixed) && free(per_unit_moved),
            Cost::PerState(costs) => costs.iter().all(free),
        }
    }
}
