//! The backward induction as it is run: from a checkpoint, on several ranks, under a time limit.

pub mod course;
pub(in crate::problems::load_drift) mod kept;
pub(in crate::problems::load_drift) mod moment;
pub(in crate::problems::load_drift) mod recursion;
pub mod shared;
