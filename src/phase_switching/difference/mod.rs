//! The difference between the value functions of the two mappings, enclosed step by step until it
//! is stationary.

pub(crate) mod breakpoints;
pub(crate) mod enclosure;
pub(crate) mod operator;
pub(crate) mod recursion;
pub(crate) mod stationarity;
