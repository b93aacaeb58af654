//! Backward induction over the horizon.

pub(in crate::load_drift) mod backward;
pub(in crate::load_drift) mod control;
pub(in crate::load_drift) mod remapping;
pub(in crate::load_drift) mod snapshot;
pub(in crate::load_drift) mod step_back;
