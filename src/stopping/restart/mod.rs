//! The long-run average cost per step, where the computation goes on after every remap.

pub(in crate::stopping) mod long_run;
pub(in crate::stopping) mod partial;
