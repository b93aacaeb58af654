//! When the recursion has become stationary, so that the remaining steps need not be computed.

pub(in crate::phase_change) mod convergence;
pub(in crate::phase_change) mod convergence_below;
pub(in crate::phase_change) mod passage;
pub(in crate::phase_change) mod stationary;
