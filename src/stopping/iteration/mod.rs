//! Value iteration, policy iteration, and the remap costs at which decisions change.

pub(in crate::stopping) mod critical;
pub(in crate::stopping) mod policy_iteration;
pub(in crate::stopping) mod value_iteration;
