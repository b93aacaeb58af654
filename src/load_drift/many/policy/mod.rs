//! A policy by approximate dynamic programming: the upper bound.

pub(in crate::load_drift::many) mod approximate;
pub(in crate::load_drift::many) mod lookahead;
pub(in crate::load_drift::many) mod plan;
pub(in crate::load_drift::many) mod remapped;
pub(in crate::load_drift::many) mod smoothed;
pub(in crate::load_drift::many) mod visited;
