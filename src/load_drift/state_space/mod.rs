//! Multisets of levels, and how all processors move.

pub(in crate::load_drift) mod distributions;
pub(in crate::load_drift) mod lifted;
pub(in crate::load_drift) mod states;
pub(in crate::load_drift) mod transition;
