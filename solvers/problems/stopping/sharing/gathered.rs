//! The communication of ranks that share a stopping problem.

use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::problems::stopping::maps::decision_map::Outcome;
use remapping::communicator::Communicator;
use remapping::imbalance::Imbalance;
use remapping::stopping::{self, States};
use std::ops::Range;

/// The results of all ranks, on rank 0.
pub(in crate::problems::stopping) fn collected(
    communicator: &dyn Communicator,
    own: &Outcome,
) -> Option<Outcome> {
    let numbers = |list: &[u8]| list.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    let ties: Vec<u8> = own.ties.iter().map(|tie| u8::from(*tie)).collect();
    let all = |own: &[f64]| communicator.collect(own);
    let (letters, ties) = (all(&numbers(&own.letters)), all(&numbers(&ties)));
    let value = all(&own.value);
    let letters = letters.into_iter().map(|letter| letter as u8).collect();
    let ties = ties.into_iter().map(|tie| tie == 1.0).collect();
    (communicator.rank() == 0).then_some(Outcome { letters, ties, value })
}

/// The states that remaps lead to from the own states.
pub(in crate::problems::stopping) fn targets(
    loaded: &ModelFile,
    states: &States,
    (imbalance, own): (&Imbalance, Range<usize>),
    communicator: &dyn Communicator,
) -> Result<Vec<usize>, Vec<Complaint>> {
    let found = stopping::rebalanced_of(states, imbalance, own);
    // The first rank that has such loads sends them to the others.
    let astray = found.as_ref().err().into_iter().flatten();
    let astray: Vec<f64> = astray.map(|load| *load as f64).collect();
    let all = communicator.gather(&astray);
    let loads = all.get(..states.processes()).map(|loads| loads.iter().map(|x| *x as i64));
    match (found, loads) {
        (Ok(back), None) => Ok(back),
        (_, loads) => {
            let loads: Vec<i64> = loads.into_iter().flatten().collect();
            Err(crate::problems::stopping::solve::astray(loaded, states, &loads))
        }
    }
}
