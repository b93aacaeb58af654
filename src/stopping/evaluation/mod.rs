//! Policy evaluation: solvers of `(I - P) x = b` on the states that continue.

pub(in crate::stopping) mod banded;
mod biconjugate;
pub(in crate::stopping) mod coarser;
pub(in crate::stopping) mod krylov;
pub(in crate::stopping) mod multigrid;
pub(in crate::stopping) mod remapped;
pub(in crate::stopping) mod renewal;
pub(in crate::stopping) mod renewal_of_ranks;
