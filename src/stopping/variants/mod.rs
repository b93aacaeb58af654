//! Remap costs that depend on the loads, horizons, countably many states, chains that are learnt.

pub(in crate::stopping) mod countable;
pub(in crate::stopping) mod learning;
pub(in crate::stopping) mod varying;
pub(in crate::stopping) mod varying_policy;
