//! The expected time, or the average time per step, as a function of the belief.

pub(in crate::phase_switching) mod mixing;
pub(in crate::phase_switching) mod relative;
pub(in crate::phase_switching) mod value;
