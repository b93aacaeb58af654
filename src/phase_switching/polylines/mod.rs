//! Piecewise-linear functions of the belief, kept short from one side.

pub(crate) mod gain;
pub(crate) mod kinks;
pub(crate) mod merge;
pub(crate) mod nested;
pub(crate) mod polyline;
pub(crate) mod reducing;
pub(crate) mod shifted;
pub(crate) mod threshold_edge;
