//! The states that remaps lead to, and the values of functions there, on all ranks.

use super::sharing::{self, Others};

/// The targets of remaps from the own states.
pub(in crate::stopping) struct Targets {
    /// All targets, in ascending order.
    places: Vec<usize>,
    /// The index of the target, by own state.
    of: Vec<u32>,
    /// Own state numbers of the targets that are own states.
    own: Vec<usize>,
}

impl Targets {
    /// The targets of remaps from s to `rebalanced[s]`, numbered among the states of all ranks.
    pub fn new(others: &Others, rebalanced: &[usize]) -> Self {
        let sorted = |mut places: Vec<usize>| {
            places.sort_unstable();
            places.dedup();
            places
        };
        let places = sorted(rebalanced.to_vec());
        let known = places.iter().map(|place| *place as f64).collect();
        let places =
            sorted(sharing::gather(others, known).into_iter().map(|x| x as usize).collect());
        let place = |target: &usize| places.partition_point(|other| other < target) as u32;
        let (first, count) = (sharing::first(others), rebalanced.len());
        let own = places.iter().map(|place| place.wrapping_sub(first));
        let own = own.filter(|place| *place < count).collect();
        Self { of: rebalanced.iter().map(place).collect(), own, places }
    }

    /// Number of targets.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// The index of the target of a remap from an own state.
    pub fn of(&self, state: usize) -> usize {
        self.of[state] as usize
    }

    /// The targets that are own states.
    pub fn own(&self) -> &[usize] {
        &self.own
    }

    /// The values of a function at the targets, on all ranks.
    pub fn read(&self, others: &Others, function: &[f64]) -> Vec<f64> {
        let own = self.own.iter().map(|state| function[*state]).collect();
        let all = sharing::gather(others, own);
        debug_assert_eq!(all.len(), self.count());
        all
    }
}
