//! Drifts of the loads and the spread of their changes.

pub(in crate::fit) mod changing;
pub mod increments;
pub mod lasting;
pub mod slopes;
mod spread;
