//! A policy by approximate dynamic programming: the upper bound.

pub(in crate::load_drift::many) mod ahead;
pub(in crate::load_drift::many) mod approximate;
pub(in crate::load_drift::many) mod outlook;
pub(in crate::load_drift::many) mod plan;
pub(crate) mod played;
pub(in crate::load_drift::many) mod remapped;
pub(in crate::load_drift::many) mod seen;
