//! The information-relaxation lower bound: perfect information on sample paths, less what it is
//! worth on average.

pub(crate) mod candidates;
pub(in crate::load_drift::many) mod coupling;
pub(in crate::load_drift::many) mod draws;
pub(in crate::load_drift::many) mod latin_hypercube;
pub(in crate::load_drift::many) mod moves;
pub(in crate::load_drift::many) mod perfect_information;
