//! The information-relaxation lower bound: perfect information on sample paths, less what it is worth on average.

pub(in crate::load_drift::many) mod draws;
pub(in crate::load_drift::many) mod evenly;
pub(in crate::load_drift::many) mod hindsight;
pub(in crate::load_drift::many) mod meeting;
pub(in crate::load_drift::many) mod moves;
pub(in crate::load_drift::many) mod ways;
