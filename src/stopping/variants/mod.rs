//! Remap costs that depend on the loads, horizons, countably many states, chains that are learnt.

pub(in crate::stopping) mod countable;
pub(in crate::stopping) mod learning;
pub(in crate::stopping) mod state_dependent_costs;
pub(in crate::stopping) mod state_dependent_policy;
