//! Policies: decision maps, thresholds, and curves of thresholds.

pub(in crate::load_drift) mod best_threshold;
pub(crate) mod curve;
pub(in crate::load_drift) mod decisions;
pub(in crate::load_drift) mod paths;
