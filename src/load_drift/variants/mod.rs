//! Fixed intervals, programs that never remap, and delayed remaps.

pub(in crate::load_drift) mod delayed;
pub(in crate::load_drift) mod intervals;
pub(in crate::load_drift) mod periods;
pub(in crate::load_drift) mod unremapped;
