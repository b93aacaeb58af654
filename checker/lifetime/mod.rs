//! The distribution of a program's length, as model files state it.

pub mod remaining;

use crate::core::decimal::Number;
use crate::core::written;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

written! {
    pub enum Lifetime {
        Fixed(u64),
        Uniform { first: u64, last: u64 },
        Geometric { rate: Number, first: u64, last: u64 },
        Pmf(Weights)
    }
}

/// Values and their probabilities; each value is listed once.
#[derive(Clone, PartialEq)]
pub struct Weights(pub BTreeMap<u64, Number>);

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Weights, D::Error> {
        deserializer.deserialize_map(Weights(BTreeMap::new()))
    }
}

impl<'de> Visitor<'de> for Weights {
    type Value = Weights;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of values to probabilities")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Weights, A::Error> {
        while let Some((value, probability)) = map.next_entry()? {
            if self.0.insert(value, probability).is_some() {
                return Err(A::Error::custom("a value has two probabilities"));
            }
        }
        Ok(self)
    }
}
