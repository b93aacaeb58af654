//! Problems that are not one finite map: countable states, partial remaps, other remap costs, states too many to list.

pub(in crate::problems::stopping) mod countable;
pub(in crate::problems::stopping) mod partial;
pub(in crate::problems::stopping) mod unlisted;
pub mod varying;
