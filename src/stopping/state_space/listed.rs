//! A list of load vectors, ordered by their loads.
//!
//! O(r log states) time for a lookup of r loads, O(states x r) memory.

use crate::chain::ChainError;
use rayon::prelude::*;

/// The load vectors of the states.
#[derive(Debug, Clone)]
pub(in crate::stopping) struct Listed {
    /// All load vectors, concatenated.
    loads: Vec<i64>,
    processes: usize,
    /// The states in the order of their loads; those with equal loads ascend.
    order: Vec<usize>,
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
        let mut order: Vec<usize> = (0..vectors.len()).collect();
        order.par_sort_by(|a, b| vectors[*a].cmp(&vectors[*b]));
        Ok(Self { loads: vectors.concat(), processes, order })
    }

    pub(in crate::stopping) fn count(&self) -> usize {
        self.order.len()
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
        self.order.windows(2).any(|pair| self.loads(pair[0]) == self.loads(pair[1]))
    }

    /// The state with these loads, if there is exactly one.
    pub(in crate::stopping) fn find(&self, loads: &[i64]) -> Option<usize> {
        let [only] = self.with(loads) else { return None };
        Some(*only)
    }

    /// The k-th state with these loads, where `state` is the k-th with its own.
    pub(in crate::stopping) fn twin(&self, state: usize, loads: &[i64]) -> Option<usize> {
        let place = self.with(self.loads(state)).binary_search(&state).ok()?;
        self.with(loads).get(place).copied()
    }

    /// The states with these loads.
    fn with(&self, loads: &[i64]) -> &[usize] {
        let rest = &self.order[self.order.partition_point(|state| self.loads(*state) < loads)..];
        &rest[..rest.partition_point(|state| self.loads(*state) == loads)]
    }
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
}
