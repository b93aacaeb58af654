//! Several ranks that compute one recursion together.

pub(in crate::load_drift) mod blocks;
pub(in crate::load_drift) mod ranks;
