//! The expected time, or the average time per step, as a function of the belief.

pub(crate) mod mixing;
pub(crate) mod relative;
pub(crate) mod value;
