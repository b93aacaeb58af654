//! `{value: probability, ...}` in a model file.

use super::number::Decimal;
use serde::{Deserialize, Deserializer, de};
use std::fmt;
use std::marker::PhantomData;

/// Values and their probabilities, in the order of the file, repeated values kept.
#[derive(Debug, Clone)]
pub struct Weights<V>(pub(super) Vec<(V, Decimal)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Weights<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> de::Visitor<'de> for Entries<V> {
            type Value = Weights<V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map {value: probability, ...}")
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Weights<V>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Weights(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}
