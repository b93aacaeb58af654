//! Piecewise-linear functions of the belief, kept short from one side.

pub(in crate::phase_switching) mod beside;
pub(in crate::phase_switching) mod gain;
pub(in crate::phase_switching) mod kinks;
pub(in crate::phase_switching) mod merge;
pub(in crate::phase_switching) mod passed;
pub(in crate::phase_switching) mod polyline;
pub(in crate::phase_switching) mod quiet;
pub(in crate::phase_switching) mod shifted;
