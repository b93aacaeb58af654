//! A list of load vectors with a hash table from loads to states.
//!
//! Open addressing with linear probing: O(r) expected time for a lookup of r loads, O(states x r)
//! memory.

use crate::chain::ChainError;
use std::collections::HashMap;

/// Marks a free slot.
const NONE: usize = usize::MAX;

/// The load vectors of the states, indexed by loads.
#[derive(Debug, Clone)]
pub(in crate::stopping) struct Listed {
    /// All load vectors, concatenated.
    loads: Vec<i64>,
    processes: usize,
    /// Slots: the first state with the loads that hash there. At least half of the slots are free.
    places: Vec<usize>,
    /// For loads that several states share: the first state, mapped to all of them in ascending
    /// order.
    shared: HashMap<usize, Vec<usize>>,
}

impl Listed {
    /// # Errors
    /// No load vectors, load vectors of different lengths, or without loads.
    pub(in crate::stopping) fn new(vectors: &[Vec<i64>]) -> Result<Self, ChainError> {
        let processes = vectors.first().map_or(0, Vec::len);
        if processes == 0 {
            return Err(ChainError::NoProcess);
        }
        if let Some((i, vector)) = vectors.iter().enumerate().find(|(_, v)| v.len() != processes) {
            let (what, expected, found) = (format!("load vector {i}"), processes, vector.len());
            return Err(ChainError::Shape { what, expected, found });
        }
        let places = vec![NONE; (2 * vectors.len()).next_power_of_two()];
        let mut listed =
            Self { loads: vectors.concat(), processes, places, shared: HashMap::new() };
        for state in 0..vectors.len() {
            let place = listed.place(listed.loads(state));
            match listed.places[place] {
                NONE => listed.places[place] = state,
                first => listed.shared.entry(first).or_insert_with(|| vec![first]).push(state),
            }
        }
        Ok(listed)
    }

    pub(in crate::stopping) fn count(&self) -> usize {
        self.loads.len() / self.processes
    }

    pub(in crate::stopping) fn processes(&self) -> usize {
        self.processes
    }

    /// The loads of a state.
    pub(in crate::stopping) fn loads(&self, state: usize) -> &[i64] {
        &self.loads[state * self.processes..][..self.processes]
    }

    /// Whether some states have the same loads.
    pub(in crate::stopping) fn is_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    /// The state with these loads, if there is exactly one.
    pub(in crate::stopping) fn find(&self, loads: &[i64]) -> Option<usize> {
        self.first(loads).filter(|first| !self.shared.contains_key(first))
    }

    /// The k-th state with these loads, where `state` is the k-th with its own.
    pub(in crate::stopping) fn twin(&self, state: usize, loads: &[i64]) -> Option<usize> {
        let own = self.shared.get(&self.first(self.loads(state))?);
        let place = own.map_or(Ok(0), |states| states.binary_search(&state)).ok()?;
        let first = self.first(loads)?;
        match self.shared.get(&first) {
            Some(states) => states.get(place).copied(),
            None => (place == 0).then_some(first),
        }
    }

    /// The first state with these loads.
    fn first(&self, loads: &[i64]) -> Option<usize> {
        Some(self.places[self.place(loads)]).filter(|state| *state != NONE)
    }

    /// The slot of the first state with these loads, or the free slot where it would be.
    fn place(&self, loads: &[i64]) -> usize {
        let last = self.places.len() - 1;
        let mut place = hash(loads) as usize & last;
        while self.places[place] != NONE && self.loads(self.places[place]) != loads {
            place = (place + 1) & last;
        }
        place
    }
}

/// A hash whose low bits are well mixed (multiplication by the golden ratio).
fn hash(loads: &[i64]) -> u64 {
    let mixed = loads.iter().fold(0, |hash: u64, load| {
        (hash.rotate_left(23) ^ *load as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compared with a linear search.
        #[test]
        fn states_are_found_by_their_loads(
            vectors in prop::collection::vec(prop::collection::vec(-2..3_i64, 2), 1..40),
            wanted in prop::collection::vec(-3..4_i64, 2),
            state in 0..40_usize,
        ) {
            let listed = Listed::new(&vectors).unwrap();
            let with = |loads: &[i64]| -> Vec<usize> {
                (0..vectors.len()).filter(|state| vectors[*state] == loads).collect()
            };
            let all = with(&wanted);
            let only = if all.len() == 1 { Some(all[0]) } else { None };
            prop_assert_eq!(listed.find(&wanted), only);
            let state = state % vectors.len();
            prop_assert_eq!(listed.loads(state), &vectors[state][..]);
            let k = with(&vectors[state]).iter().position(|s| *s == state).unwrap();
            prop_assert_eq!(listed.twin(state, &wanted), all.get(k).copied());
            let distinct: std::collections::HashSet<_> = vectors.iter().collect();
            prop_assert_eq!(listed.is_shared(), distinct.len() < vectors.len());
        }
    }

    /// On a grid few slots are probed in vain, whatever its shape.
    #[test]
    fn grids_are_spread() {
        for (rows, columns) in [(1000, 100), (100_000, 1), (317, 317), (2, 50_000)] {
            let grid = (0..rows).flat_map(|i| (0..columns).map(move |j| vec![i - 50, j]));
            let listed = Listed::new(&grid.collect::<Vec<_>>()).unwrap();
            let last = listed.places.len() - 1;
            let tried = |state: usize| {
                let start = hash(listed.loads(state)) as usize & last;
                (listed.place(listed.loads(state)).wrapping_sub(start)) & last
            };
            let tried: usize = (0..listed.count()).map(tried).sum();
            assert!(tried < listed.count(), "{rows} x {columns}: {tried}");
        }
    }
}
