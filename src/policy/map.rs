//! Decision maps: a decision for every load vector, and the index of a load vector.

use crate::chain::Multisets;
use serde::{Deserialize, Serialize};

/// A decision for every load vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// The lowest load of each process.
    pub lowest: Vec<i64>,
    /// The number of levels of each process.
    pub levels: Vec<usize>,
    /// How load vectors are indexed.
    pub index: Index,
    /// `B`, `R` or `C` for each entry.
    #[serde(rename = "letters", with = "text")]
    pub decisions: Vec<u8>,
}

/// Index of a load vector in a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Index {
    /// Row-major, the last process fastest.
    RowMajor,
    /// Sorted, by the rank of the multiset of levels.
    Multiset,
    /// By binary search in the list, which is in ascending order.
    Listed(Vec<Vec<i64>>),
}

impl Map {
    /// Number of processes.
    pub fn processes(&self) -> usize {
        self.lowest.len()
    }

    /// The loads of an entry (one of its orderings), and the number of load vectors it represents.
    pub fn entry(&self, place: usize) -> (Vec<i64>, f64) {
        match &self.index {
            Index::Listed(loads) => (loads[place].clone(), 1.0),
            Index::RowMajor => {
                let mut rest = place;
                let mut loads = self.lowest.clone();
                for (load, levels) in loads.iter_mut().zip(&self.levels).rev() {
                    *load += (rest % levels) as i64;
                    rest /= levels;
                }
                (loads, 1.0)
            }
            Index::Multiset => {
                let sets = self.sets();
                let sorted = sets.unrank(place);
                let loads = sorted.iter().map(|&level| self.lowest[0] + level as i64).collect();
                (loads, sets.orderings(&sorted))
            }
        }
    }

    /// The decision for these loads; loads out of range use the nearest level. `None` if the number
    /// of processes differs from the map's, or for loads that are not listed.
    pub fn decision(&self, loads: &[i64]) -> Option<u8> {
        if loads.len() != self.processes() {
            return None;
        }
        let level = |(i, load): (usize, &i64)| {
            load.saturating_sub(self.lowest[i]).clamp(0, self.levels[i] as i64 - 1) as usize
        };
        let mut levels: Vec<usize> = loads.iter().enumerate().map(level).collect();
        let place = match &self.index {
            Index::RowMajor => {
                levels.iter().zip(&self.levels).fold(0, |place, (level, all)| place * all + level)
            }
            Index::Multiset => {
                levels.sort_unstable();
                self.sets().rank(&levels)
            }
            Index::Listed(listed) => {
                listed.binary_search_by(|entry| entry.as_slice().cmp(loads)).ok()?
            }
        };
        self.decisions.get(place).copied()
    }

    /// The ranking of sorted levels.
    pub fn sets(&self) -> Multisets {
        Multisets::new(self.processes(), self.levels[0])
            .expect("as many sets as entries were counted")
    }

    /// The inconsistency of a deserialized map, if any.
    pub fn fault(&self) -> Option<&'static str> {
        let r = self.processes();
        if r == 0 || self.levels.len() != r || self.levels.contains(&0) {
            return Some("`levels` has not a number of levels for each process");
        }
        let entries = match &self.index {
            Index::RowMajor => self.levels.iter().try_fold(1, |all: usize, l| all.checked_mul(*l)),
            Index::Multiset if self.levels.iter().any(|levels| *levels != self.levels[0]) => None,
            Index::Multiset => Multisets::new(r, self.levels[0]).ok().map(|sets| sets.states()),
            Index::Listed(listed) => {
                let sorted = listed.is_sorted() && listed.iter().all(|loads| loads.len() == r);
                sorted.then_some(listed.len())
            }
        };
        (entries != Some(self.decisions.len()))
            .then_some("`letters` has not one letter for each entry of the map")
    }
}

/// Letters as text.
mod text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(letters: &[u8], to: S) -> Result<S::Ok, S::Error> {
        let text: String = letters.iter().map(|letter| char::from(*letter)).collect();
        text.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        Ok(String::deserialize(from)?.into_bytes())
    }
}
