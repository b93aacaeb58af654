//! The joint states of several processes: their numbering, the states that remaps lead to, and
//! which rank has which.

pub(in crate::stopping) mod exchange;
pub(in crate::stopping) mod indices;
pub(in crate::stopping) mod listed;
pub(in crate::stopping) mod predecessors;
pub(in crate::stopping) mod sharing;
pub(in crate::stopping) mod spreads;
pub(in crate::stopping) mod states;
pub(in crate::stopping) mod targets;
