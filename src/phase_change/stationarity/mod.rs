//! When the recursion has become stationary, so that the remaining steps need not be computed.

pub(crate) mod convergence;
pub(crate) mod convergence_below;
pub(crate) mod passage;
pub(crate) mod stationary;
