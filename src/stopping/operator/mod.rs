//! One application of the transition operator, with a bound on its rounding, and the bounds on J
//! that follow from it.

pub(in crate::stopping) mod enclosure;
pub(in crate::stopping) mod substochastic;
pub(in crate::stopping) mod sweep;
pub(in crate::stopping) mod vector;
pub(in crate::stopping) mod weight;
