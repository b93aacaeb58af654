//! Piecewise-linear functions of the belief, kept short from one side.

pub(in crate::phase_switching) mod gain;
pub(in crate::phase_switching) mod kinks;
pub(in crate::phase_switching) mod merge;
pub(in crate::phase_switching) mod nested;
pub(in crate::phase_switching) mod polyline;
pub(in crate::phase_switching) mod reducing;
pub(in crate::phase_switching) mod shifted;
pub(in crate::phase_switching) mod threshold_edge;
