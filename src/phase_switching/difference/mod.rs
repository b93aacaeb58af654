//! The difference between the value functions of the two mappings, enclosed step by step until it
//! is stationary.

pub(in crate::phase_switching) mod breakpoints;
pub(in crate::phase_switching) mod enclosure;
pub(in crate::phase_switching) mod operator;
pub(in crate::phase_switching) mod recursion;
pub(in crate::phase_switching) mod stationarity;
