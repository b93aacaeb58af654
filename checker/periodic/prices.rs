//! The cost of a remap, as model files state it.

use crate::core::decimal::Number;
use crate::core::written;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// The cost of a remap: a number, or computed from a description of the machine.
#[derive(Clone, PartialEq)]
pub struct Price(pub Number);

written! {
    enum Machine {
        LogGP {
            latency: Number, overhead: Number, gap: Number, gap_per_byte: Number, messages: u64, bytes: u64,
            #[serde(default = "nothing")] planning: Number
        }
    }
}

fn nothing() -> Number {
    Number(BigRational::zero())
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Price, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let raw = raw.trim();
        if !raw.get_ron().starts_with("LogGP") {
            return raw.into_rust().map(Price).map_err(|error| D::Error::custom(error.to_string()));
        }
        let machine = raw.into_rust().map_err(|error| D::Error::custom(error.to_string()))?;
        let Machine::LogGP { latency, overhead, gap, gap_per_byte, messages, bytes, planning } =
            machine;
        if messages == 0 || bytes < messages {
            return Err(D::Error::custom("messages and bytes do not go together"));
        }
        // The busiest processor sends its messages one after the other.
        let between = (&gap.0).max(&overhead.0) * BigInt::from(messages - 1);
        let cost = latency.0
            + &overhead.0 * BigInt::from(2)
            + between
            + gap_per_byte.0 * BigInt::from(bytes - messages)
            + planning.0;
        Ok(Price(Number(cost)))
    }
}
