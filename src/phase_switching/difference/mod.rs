//! The difference between the value functions of the two mappings, enclosed step by step until it is stationary.

pub(in crate::phase_switching) mod alone;
pub(in crate::phase_switching) mod around;
pub(in crate::phase_switching) mod from_rest;
pub(in crate::phase_switching) mod operator;
pub(in crate::phase_switching) mod places;
pub(in crate::phase_switching) mod recursion;
pub(in crate::phase_switching) mod rest;
